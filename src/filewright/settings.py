"""Every limit and switch of filewright: its default, its environment variable and what it guards.

A setting named `x_y` is the environment variable `FILEWRIGHT_X_Y` and, where the command line offers
it, the flag `--x-y`. Precedence: arguments of `Workspace` or flags, then environment, then defaults.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
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
            return Path(given)
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
        if not isinstance(given, bool) and isinstance(given, int | float) and kind(given) == given:
            return kind(given)
    except (ValueError, OverflowError):  # said below
        pass
    raise ValueError("it should be a whole number" if kind is int else "it should be a number")


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
        cls.fields = {name: each for name, each in vars(cls).items() if isinstance(each, Setting)}

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
        raise AttributeError(f"settings are not changed; make others with but({name}=...)")

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
    state_dir: Path | None = setting(default=None, says="folder for journal and history; default: the user's")
    read_only: bool = setting(
        default=False, says="refuse every change, and do not offer the tools that make one"
    )
    protected: tuple[str, ...] = setting(
        default=(), says="rules of what is never written to, besides what is protected by default"
    )
    allow_write: tuple[str, ...] = setting(
        default=(), says="rules of what is protected by default and yet written to"
    )
    deny: tuple[str, ...] = setting(
        default=(), says="rules, as in .agentsignore, of what no call reads, shows or changes"
    )
    worktrees: bool = setting(
        default=False, says="serve the worktrees that git has linked with a root as roots, too"
    )
    client_roots: bool = setting(
        default=False, says="serve only what lies in the roots that the client names, too (stdio)"
    )
    strict_paths: bool = setting(
        default=False, says="refuse a path that neither is absolute nor begins with a root's name"
    )
    cross_devices: bool = setting(default=True, says="follow mounts inside a root")
    landlock: bool = setting(
        default=True, says="let the server confine itself with Landlock where the kernel can"
    )
    openat2: bool = setting(default=True, says="resolve paths by openat2 where the kernel has it")
    break_hard_links: bool = setting(
        default=False,
        says="edit a file that has several names without being asked to (the argument `break_hard_links`)",
    )

    edit_utf16: bool = setting(default=True, says="edit UTF-16 text in place, and do not only read it")

    # How files are held
    hold_bytes: int = setting(default=16 * MB, ge=0, says="files up to this size may be held in memory whole")
    identity_bytes: int = setting(
        default=64 * MB,
        ge=0,
        says="above this size a version names the file's identity instead of its content",
    )
    cache_bytes: int = setting(
        default=32 * MB, ge=0, says="memory for parsed trees, line indexes and search grams"
    )
    shown_bytes: int = setting(
        default=16 * MB,
        ge=0,
        says="memory for what agents were shown, by which text that has moved since is found",
    )

    # What a result may hold
    page_chars: int = setting(default=12_000, ge=1_000, le=49_000, says="characters of one result page")
    hard_chars: int = setting(default=49_500, ge=1_000, le=49_500, says="characters no result ever passes")
    line_chars: int = setting(
        default=1_000, ge=40, says="characters of one line shown by reads and overviews"
    )
    match_chars: int = setting(default=500, ge=40, says="characters of one line shown around a search hit")
    image_bytes: int = setting(
        default=4 * MB, ge=0, says="images up to this size are returned as images; 0: none are"
    )
    diff_lines: int = setting(default=400, ge=10, says="lines of a diff shown with a result")

    # What a request may hold
    max_edits: int = setting(default=500, ge=1, says="edits in one call of edit_content")
    max_items: int = setting(default=20_000, ge=1, says="items in one batch call")
    max_paths: int = setting(default=1_000, ge=1, says="paths of one batch read")
    max_input_bytes: int = setting(default=64 * MB, ge=KB, says="bytes of text one call may write or patch")
    max_file_bytes: int = setting(
        default=0,
        ge=0,
        says="files above this size are refused by every tool that opens them; 0: none",
    )
    max_pattern_chars: int = setting(default=10_000, ge=1, says="characters of a search pattern")

    # Time
    call_seconds: float = setting(default=120.0, gt=0, says="time limit of a call")
    fuzzy_seconds: float = setting(
        default=30.0, gt=0, says="time for a fuzzy search of a tree; it says what it left out"
    )
    lock_seconds: float = setting(
        default=10.0, gt=0, says="how long a change waits for another process's change"
    )
    parse_seconds: float = setting(default=2.0, gt=0, says="time limit for parsing, for each 8 MB of a file")
    parse_bytes: int = setting(
        default=50 * MB, ge=0, says="files above this size are not parsed but outlined by patterns"
    )

    # Changes
    flush: bool = setting(
        default=True, says="flush to disk at each step of a commit; off only to test the tests"
    )
    history_days: int = setting(default=30, ge=0, says="changes younger than this are kept")
    history_bytes: int = setting(default=1 * GB, ge=0, says="newest changes up to this total are kept")
    max_undo_bytes: int = setting(
        default=1 * GB, ge=0, says="a change that needs more than this to undo is refused"
    )
    whole_undo_bytes: int = setting(
        default=4 * MB,
        ge=0,
        says="files up to this size are kept whole; larger ones as inverse splices",
    )
    editor: str = setting(
        default="",
        says="what opens a file from the review page: vscode, cursor, zed, jetbrains, or an address with {path} "
        "and {line}",
    )
    confirm: Literal["never", "destructive", "always"] = setting(
        default="never",
        choices=("never", "destructive", "always"),
        says="ask the user through the client before such calls",
    )

    # The agent-tools dialect
    agent_output_bytes: int = setting(
        default=128 * KB, ge=KB, says="bytes of one result; the cap of every result wins if it is less"
    )
    agent_input_bytes: int = setting(
        default=20_000_000, ge=1, says="files, and texts to write, above this size are refused"
    )

    # Serving
    workers: int = setting(
        default=8, ge=1, le=64, says="threads for calls that read, and as many for calls that change"
    )
    message_bytes: int = setting(
        default=256 * MB, ge=64 * KB, says="bytes of one message; larger ones are refused unread"
    )
    http_sessions: int = setting(
        default=1_000, ge=1, says="sessions over HTTP at one time; past that none is begun (503)"
    )
    http_idle_seconds: float = setting(
        default=1_800.0, gt=0, says="a session over HTTP without a request for so long is ended"
    )
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        default="info",
        choices=("debug", "info", "warning", "error"),
        says="what the server writes to standard error",
    )
