"""Every limit and switch of filewright, with its default, bounds and description.

The setting `page_chars` is read from the environment variable `FILEWRIGHT_PAGE_CHARS`
and, where the command line offers it, from the flag `--page-chars`. A value that the
caller passes to `Settings` wins over the environment, the environment over the default.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Self, cast

from filewright.errors import invalid

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30

_TRUE_WORDS = ("1", "true", "t", "yes", "y", "on")
_FALSE_WORDS = ("0", "false", "f", "no", "n", "off")


class _NotPassed:
    """The type of `_NOT_PASSED`, which stands for a value that was not passed.

    None and False cannot stand for it: a caller may pass them, and a passed value
    wins over the environment.
    """


_NOT_PASSED = _NotPassed()


class Setting(NamedTuple):
    """The default, the description and the bounds of one setting.

    The type of the default decides how a value is read. A setting whose default is None
    is a path.
    """

    default: Any
    description: str
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    choices: Sequence[str] = ()

    def parse(self, value: Any) -> Any:
        """Return a value from a caller or the environment in the setting's type.

        Raises `ValueError` if it has another type or is out of bounds.
        """
        parsed = self._convert(value)
        if self.at_least is not None and parsed < self.at_least:
            raise ValueError(
                f"it should be greater than or equal to {self.at_least:g}"
            )
        if self.above is not None and parsed <= self.above:
            raise ValueError(f"it should be greater than {self.above:g}")
        if self.at_most is not None and parsed > self.at_most:
            raise ValueError(
                f"it should be less than or equal to {self.at_most:g}"
            )
        if self.choices and parsed not in self.choices:
            raise ValueError(f"it should be one of {', '.join(self.choices)}")
        return parsed

    def _convert(self, value: Any) -> Any:
        """Return a value in the type of the default. Raises `ValueError`."""
        # bool comes before int, because it is a subclass of int.
        if isinstance(self.default, bool):
            return _parse_switch(value)
        if isinstance(self.default, int | float):
            return _parse_number(value, type(self.default))
        if isinstance(self.default, tuple):
            return _parse_list(value)
        if self.default is None:
            return _parse_path(value)
        return _parse_text(value)


def _parse_switch(value: Any) -> bool:
    word = str(value).strip().lower()
    if word in _TRUE_WORDS:
        return True
    if word in _FALSE_WORDS:
        return False
    raise ValueError("it should be true or false")


def _parse_number(value: Any, number_type: type[int | float]) -> int | float:
    """Return a number from a number or a text such as ``1_000``."""
    try:
        if isinstance(value, str):
            return number_type(value.replace("_", ""))
        # True is an int in Python, but as a number it is a mistake.
        is_number = isinstance(value, int | float) and not isinstance(
            value, bool
        )
        # 1.0 is a whole number, 1.5 is not.
        if is_number and number_type(value) == value:
            return number_type(value)
    except (ValueError, OverflowError):
        pass  # The message below says more than int() and float() do.
    wanted = "a whole number" if number_type is int else "a number"
    raise ValueError(f"it should be {wanted}")


def _parse_list(value: Any) -> tuple[str, ...]:
    """Return the texts of a sequence, a JSON array or a list separated by commas."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        parts = [part.strip() for part in value.split(",")]
        return tuple(part for part in parts if part)
    try:
        items = json.loads(value) if isinstance(value, str) else list(value)
    except (ValueError, TypeError):
        raise ValueError(
            "it is neither a JSON array nor a list with commas"
        ) from None
    if not all(isinstance(item, str) for item in items):
        raise ValueError("it should be a list of texts")
    return tuple(items)


def _parse_path(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, str | os.PathLike):
        return cast("str", os.fspath(value))
    return _parse_text(value)


def _parse_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("it should be text")  # noqa: TRY004  `parse` raises one type
    return value


def setting(
    default: Any,
    description: str,
    *,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    choices: Sequence[str] = (),
) -> Any:
    """Declare a field of `Settings`."""
    details = Setting(default, description, at_least, above, at_most, choices)
    # The default itself is kept in the metadata: as the field's default it
    # could not be told from the same value passed by the caller.
    return dataclasses.field(default=_NOT_PASSED, metadata={"setting": details})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits and switches. Sizes are bytes, times are seconds.

    A setting that is not passed is read from its environment variable; an empty
    variable counts as none. Raises `FilewrightError` (`invalid_input`) for a value that
    does not fit; the message names the variable.
    """

    # Where
    state_dir: str | os.PathLike[str] | None = setting(
        None,
        "folder of the history and the journal; default: the user's state folder",
    )
    read_only: bool = setting(
        False, "refuse every change, and do not offer tools that change files"
    )
    protected: tuple[str, ...] = setting(
        (),
        "rules for paths that are never written to, in addition to the default ones",
    )
    allow_write: tuple[str, ...] = setting(
        (),
        "rules for paths that may be written to although they are protected by default",
    )
    deny: tuple[str, ...] = setting(
        (),
        "rules, as in .agentsignore, for paths that no call reads, shows or changes",
    )
    worktrees: bool = setting(
        False,
        "also serve, as roots, the git worktrees that are linked to a root",
    )
    client_roots: bool = setting(
        False,
        "serve only paths that are also in the roots of the client (stdio)",
    )
    strict_paths: bool = setting(
        False,
        "refuse a path that is not absolute and does not begin with a root's name",
    )
    cross_devices: bool = setting(True, "follow mounts inside a root")
    landlock: bool = setting(
        True, "confine the server with Landlock if the kernel supports it"
    )
    openat2: bool = setting(
        True, "resolve paths with openat2 if the kernel supports it"
    )
    break_hard_links: bool = setting(
        False,
        "edit files with several names without the argument `break_hard_links`",
    )

    edit_utf16: bool = setting(
        True, "edit UTF-16 text in place; false: only read it"
    )

    # Memory for files
    hold_bytes: int = setting(
        16 * MB,
        "files up to this size may be held in memory as a whole",
        at_least=0,
    )
    identity_bytes: int = setting(
        64 * MB,
        "above this size a version names the file's identity instead of its content",
        at_least=0,
    )
    cache_bytes: int = setting(
        32 * MB,
        "memory for parsed trees, line indexes and search grams",
        at_least=0,
    )
    shown_bytes: int = setting(
        16 * MB,
        "memory for texts that agents have read, to find text that has moved since",
        at_least=0,
    )

    # Limits of a result
    page_chars: int = setting(
        12_000, "characters of one result page", at_least=1_000, at_most=49_000
    )
    hard_chars: int = setting(
        49_500,
        "largest number of characters of any result",
        at_least=1_000,
        at_most=49_500,
    )
    line_chars: int = setting(
        1_000,
        "characters of one line shown by reads and overviews",
        at_least=40,
    )
    match_chars: int = setting(
        500, "characters of one line shown around a search hit", at_least=40
    )
    image_bytes: int = setting(
        4 * MB,
        "images up to this size are returned as images; 0: none",
        at_least=0,
    )
    diff_lines: int = setting(
        400, "lines of a diff shown with a result", at_least=10
    )

    unpacked_bytes: int = setting(
        64 * GB,
        "bytes of text that are read in one compressed file",
        at_least=MB,
    )

    # Limits of a request
    max_edits: int = setting(
        500, "edits in one call of edit_content", at_least=1
    )
    max_items: int = setting(20_000, "items in one batch call", at_least=1)
    max_paths: int = setting(1_000, "paths of one batch read", at_least=1)
    max_input_bytes: int = setting(
        64 * MB, "bytes of text that one call may write or patch", at_least=KB
    )
    max_file_bytes: int = setting(
        0,
        "every tool refuses to open files above this size; 0: no limit",
        at_least=0,
    )
    max_pattern_chars: int = setting(
        10_000, "characters of a search pattern", at_least=1
    )

    # Time
    call_seconds: float = setting(120.0, "time limit of a call", above=0)
    fuzzy_seconds: float = setting(
        30.0,
        "time limit of a fuzzy search of a tree; the result says what was not searched",
        above=0,
    )
    lock_seconds: float = setting(
        10.0,
        "time that a change waits for the change of another process",
        above=0,
    )
    parse_seconds: float = setting(
        2.0, "processor time for parsing each 8 MB of a file", above=0
    )
    parse_bytes: int = setting(
        50 * MB,
        "files above this size are outlined by patterns instead of a parser",
        at_least=0,
    )

    # Changes
    flush: bool = setting(
        True, "flush to disk at each step of a commit; false only in tests"
    )
    history_days: int = setting(
        30,
        "changes older than this many days are removed from the history",
        at_least=0,
    )
    history_bytes: int = setting(
        1 * GB,
        "total size of the history; its oldest changes are removed first",
        at_least=0,
    )
    max_undo_bytes: int = setting(
        1 * GB,
        "changes that need more than this for their undo are refused",
        at_least=0,
    )
    whole_undo_bytes: int = setting(
        4 * MB,
        "store files up to this size whole for undo, larger ones as inverse splices",
        at_least=0,
    )
    keep_prompts: bool = setting(
        True,
        "keep the first 2,000 characters of each prompt, as the title of its changes; "
        "they stay in the state folder",
    )
    editor: str = setting(
        "",
        "editor that the review page opens files in: vscode, cursor, zed, jetbrains, "
        "or an address with {path} and {line}",
    )
    confirm: Literal["never", "destructive", "always"] = setting(
        "never",
        "calls before which the client asks the user",
        choices=("never", "destructive", "always"),
    )

    # The guard
    guard: Literal["heal", "warn", "off"] = setting(
        "off",
        "what is done about bytes that a client's own edit tool damages: heal them, warn, "
        "or nothing",
        choices=("heal", "warn", "off"),
    )
    guard_exclude: tuple[str, ...] = setting(
        (), "rules, as in .gitignore, of files that the guard leaves alone"
    )

    # The agent-tools dialect
    agent_output_bytes: int = setting(
        128 * KB,
        "bytes of one result, if the limit of every result is not less",
        at_least=KB,
    )
    agent_input_bytes: int = setting(
        20_000_000, "files and texts above this size are refused", at_least=1
    )

    # Serving
    workers: int = setting(
        8,
        "threads for calls that read, and the same number for calls that change files",
        at_least=1,
        at_most=64,
    )
    message_bytes: int = setting(
        10 * MB,
        "bytes of one message; longer messages are refused unread",
        at_least=64 * KB,
    )
    http_sessions: int = setting(
        1_000,
        "HTTP sessions at one time; further ones are refused (503)",
        at_least=1,
    )
    http_idle_seconds: float = setting(
        1_800.0,
        "an HTTP session without a request for this time is ended",
        above=0,
    )
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "info",
        "least severe messages that the server writes to standard error",
        choices=("debug", "info", "warning", "error"),
    )

    def __post_init__(self) -> None:
        for name, details in SETTINGS.items():
            value = getattr(self, name)
            if value is _NOT_PASSED:
                value = (
                    os.environ.get(f"FILEWRIGHT_{name.upper()}")
                    or details.default
                )
            try:
                # The class is frozen; a dataclass sets its own fields in this way.
                object.__setattr__(self, name, details.parse(value))
            except ValueError as error:
                variable, flag = (
                    f"FILEWRIGHT_{name.upper()}",
                    name.replace("_", "-"),
                )
                raise invalid(
                    f"the setting {variable}: {error} (given: {value!r})",
                    f"correct the variable or the flag --{flag}, or leave it out",
                ) from error

    @classmethod
    def defaults(cls) -> Self:
        """Return the default settings, without reading the environment."""
        return cls(
            **{name: details.default for name, details in SETTINGS.items()}
        )

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values for some settings.

        The values are not checked: filewright itself goes beyond the bounds that hold
        for users.
        """
        # Not `dataclasses.replace`, which would check the bounds again.
        replaced = copy.copy(self)
        for name, value in changes.items():
            if name not in SETTINGS:
                raise TypeError(f"there is no setting {name!r}")
            object.__setattr__(replaced, name, value)
        return replaced


SETTINGS: Final[Mapping[str, Setting]] = {
    field.name: field.metadata["setting"]
    for field in dataclasses.fields(Settings)
}
"""Every setting by its name, in the order of the class."""
