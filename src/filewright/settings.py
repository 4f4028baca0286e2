"""Every limit and switch of filewright: its default, its environment variable and what it guards.

A setting named `x_y` is the environment variable `FILEWRIGHT_X_Y` and, where the command line offers
it, the flag `--x-y`. Precedence: arguments of `Workspace` or flags, then environment, then defaults.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self, dataclass_transform

from filewright.errors import invalid

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30
_YES = ("1", "true", "t", "yes", "y", "on")
_NO = ("0", "false", "f", "no", "n", "off")


class Setting(NamedTuple):
    """What one setting may be; its kind is that of its default, and a path where that is None."""

    default: Any
    says: str
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    choices: Sequence[str] = ()

    def read(self, given: Any) -> Any:
        """A value as given by a caller or in the environment. Raises `ValueError`."""
        value = self._converted(given)
        for bound, fits, word in (
            (self.ge, self.ge is None or value >= self.ge, "greater than or equal to"),
            (self.gt, self.gt is None or value > self.gt, "greater than"),
            (self.le, self.le is None or value <= self.le, "less than or equal to"),
        ):
            if not fits:
                raise ValueError(f"it should be {word} {bound:g}")
        if self.choices and value not in self.choices:
            raise ValueError(f"it should be one of {', '.join(self.choices)}")
        return value

    def _converted(self, given: Any) -> Any:
        default = self.default
        if given is None and default is None:
            return None
        if isinstance(default, bool):
            return _switch(given)
        if isinstance(default, int | float):
            return _number(given, type(default))
        if isinstance(default, tuple):
            return _listed(given)
        if default is None and isinstance(given, str | os.PathLike):
            return os.fspath(given)
        if not isinstance(given, str):
            raise ValueError("it should be text")  # noqa: TRY004  one kind of error for all that does not fit
        return given


def _switch(given: Any) -> bool:
    word = str(given).strip().lower()
    if word not in _YES + _NO:
        raise ValueError("it should be true or false")
    return word in _YES


def _number(given: Any, kind: type[int | float]) -> int | float:
    try:
        if isinstance(given, str):
            return kind(given.replace("_", ""))
        if (
            not isinstance(given, bool)
            and isinstance(given, int | float)
            and kind(given) == given
        ):
            return kind(given)
    except (ValueError, OverflowError):  # said below
        pass
    raise ValueError(
        "it should be a whole number" if kind is int else "it should be a number"
    )


def _listed(given: Any) -> tuple[str, ...]:
    """Several values in one variable: a JSON array, or with commas between them."""
    if isinstance(given, str) and not given.lstrip().startswith("["):
        return tuple(part.strip() for part in given.split(",") if part.strip())
    try:
        found = json.loads(given) if isinstance(given, str) else [*given]
    except (ValueError, TypeError):
        raise ValueError("it is neither a JSON array nor a list with commas") from None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise ValueError("it should be a list of texts")
    return tuple(found)


setting: Any = Setting
"""A setting, for the class below, to whose fields it gives values of any type."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
class _Values:
    """The values of settings; every command reads them, so that what does it must start quickly."""

    fields: ClassVar[dict[str, Setting]] = {}

    def __init_subclass__(cls) -> None:
        cls.fields = {
            name: each for name, each in vars(cls).items() if isinstance(each, Setting)
        }

    def __init__(self, **given: Any) -> None:
        for name in given:
            if name not in self.fields:
                raise TypeError(f"there is no setting {name!r}")
        for name, field in self.fields.items():
            value = given.get(name, field.default)
            if name not in given:
                value = os.environ.get(f"FILEWRIGHT_{name.upper()}") or value
            try:
                vars(self)[name] = field.read(value)
            except ValueError as error:
                raise invalid(
                    f"the setting FILEWRIGHT_{name.upper()}: {error} (given: {value!r})",
                    f"correct the variable or the flag --{name.replace('_', '-')}, or leave it out",
                ) from error

    @classmethod
    def defaults(cls) -> Self:
        """The defaults, whatever the environment says."""
        made = object.__new__(cls)
        vars(made).update((name, field.default) for name, field in cls.fields.items())
        return made

    def but(self, **changes: Any) -> Self:
        """The same with other values for some, which are taken as they are."""
        made = object.__new__(type(self))
        vars(made).update(vars(self), **changes)
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"settings are not changed; make others with but({name}=...)"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Values) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).items()))


class Settings(_Values):
    """Limits and switches; frozen. Sizes are bytes, times are seconds.

    What is not given is taken from the environment, where an empty variable counts as none.
    Raises `FilewrightError` (`invalid_input`) naming the setting that does not fit.
    """

    # Where
    state_dir: str | os.PathLike[str] | None = setting(
        None, "folder for journal and history; default: the user's"
    )
    read_only: bool = setting(
        False, "refuse every change, and do not offer the tools that make one"
    )
    protected: tuple[str, ...] = setting(
        (), "rules of what is never written to, besides what is protected by default"
    )
    allow_write: tuple[str, ...] = setting(
        (), "rules of what is protected by default and yet written to"
    )
    deny: tuple[str, ...] = setting(
        (), "rules, as in .agentsignore, of what no call reads, shows or changes"
    )
    worktrees: bool = setting(
        False, "serve the worktrees that git has linked with a root as roots, too"
    )
    client_roots: bool = setting(
        False, "serve only what lies in the roots that the client names, too (stdio)"
    )
    strict_paths: bool = setting(
        False, "refuse a path that neither is absolute nor begins with a root's name"
    )
    cross_devices: bool = setting(True, "follow mounts inside a root")
    landlock: bool = setting(
        True, "let the server confine itself with Landlock where the kernel can"
    )
    openat2: bool = setting(True, "resolve paths by openat2 where the kernel has it")
    break_hard_links: bool = setting(
        False,
        "edit a file that has several names without being asked to (the argument `break_hard_links`)",
    )

    edit_utf16: bool = setting(
        True, "edit UTF-16 text in place, and do not only read it"
    )

    # How files are held
    hold_bytes: int = setting(
        16 * MB, "files up to this size may be held in memory whole", ge=0
    )
    identity_bytes: int = setting(
        64 * MB,
        "above this size a version names the file's identity instead of its content",
        ge=0,
    )
    cache_bytes: int = setting(
        32 * MB, "memory for parsed trees, line indexes and search grams", ge=0
    )
    shown_bytes: int = setting(
        16 * MB,
        "memory for what agents were shown, by which text that has moved since is found",
        ge=0,
    )

    # What a result may hold
    page_chars: int = setting(
        12_000, "characters of one result page", ge=1_000, le=49_000
    )
    hard_chars: int = setting(
        49_500, "characters no result ever passes", ge=1_000, le=49_500
    )
    line_chars: int = setting(
        1_000, "characters of one line shown by reads and overviews", ge=40
    )
    match_chars: int = setting(
        500, "characters of one line shown around a search hit", ge=40
    )
    image_bytes: int = setting(
        4 * MB, "images up to this size are returned as images; 0: none are", ge=0
    )
    diff_lines: int = setting(400, "lines of a diff shown with a result", ge=10)

    # What a request may hold
    max_edits: int = setting(500, "edits in one call of edit_content", ge=1)
    max_items: int = setting(20_000, "items in one batch call", ge=1)
    max_paths: int = setting(1_000, "paths of one batch read", ge=1)
    max_input_bytes: int = setting(
        64 * MB, "bytes of text one call may write or patch", ge=KB
    )
    max_file_bytes: int = setting(
        0,
        "files above this size are refused by every tool that opens them; 0: none",
        ge=0,
    )
    max_pattern_chars: int = setting(10_000, "characters of a search pattern", ge=1)

    # Time
    call_seconds: float = setting(120.0, "time limit of a call", gt=0)
    fuzzy_seconds: float = setting(
        30.0, "time for a fuzzy search of a tree; it says what it left out", gt=0
    )
    lock_seconds: float = setting(
        10.0, "how long a change waits for another process's change", gt=0
    )
    parse_seconds: float = setting(
        2.0, "time limit for parsing, for each 8 MB of a file", gt=0
    )
    parse_bytes: int = setting(
        50 * MB, "files above this size are not parsed but outlined by patterns", ge=0
    )

    # Changes
    flush: bool = setting(
        True, "flush to disk at each step of a commit; off only to test the tests"
    )
    history_days: int = setting(30, "changes younger than this are kept", ge=0)
    history_bytes: int = setting(
        1 * GB, "newest changes up to this total are kept", ge=0
    )
    max_undo_bytes: int = setting(
        1 * GB, "a change that needs more than this to undo is refused", ge=0
    )
    whole_undo_bytes: int = setting(
        4 * MB,
        "files up to this size are kept whole; larger ones as inverse splices",
        ge=0,
    )
    editor: str = setting(
        "",
        "what opens a file from the review page: vscode, cursor, zed, jetbrains, or an address with {path} "
        "and {line}",
    )
    confirm: Literal["never", "destructive", "always"] = setting(
        "never",
        "ask the user through the client before such calls",
        choices=("never", "destructive", "always"),
    )

    # The agent-tools dialect
    agent_output_bytes: int = setting(
        128 * KB,
        "bytes of one result; the cap of every result wins if it is less",
        ge=KB,
    )
    agent_input_bytes: int = setting(
        20_000_000, "files, and texts to write, above this size are refused", ge=1
    )

    # Serving
    workers: int = setting(
        8, "threads for calls that read, and as many for calls that change", ge=1, le=64
    )
    message_bytes: int = setting(
        10 * MB, "bytes of one message; larger ones are refused unread", ge=64 * KB
    )
    http_sessions: int = setting(
        1_000, "sessions over HTTP at one time; past that none is begun (503)", ge=1
    )
    http_idle_seconds: float = setting(
        1_800.0, "a session over HTTP without a request for so long is ended", gt=0
    )
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "info",
        "what the server writes to standard error",
        choices=("debug", "info", "warning", "error"),
    )
