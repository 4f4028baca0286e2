"""Every limit and switch of filewright: its default, its environment variable and what it guards.

A setting named `x_y` is the environment variable `FILEWRIGHT_X_Y` and, where the command line offers
it, the flag `--x-y`. Precedence: arguments of `Workspace` or flags, then environment, then defaults.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from filewright.errors import Code, FilewrightError

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30


def _listed(given: Any) -> Any:
    """Several values in one variable: a JSON array, or with commas between them."""
    if not isinstance(given, str):
        return given
    if not given.lstrip().startswith("["):
        return [part.strip() for part in given.split(",") if part.strip()]
    try:
        return json.loads(given)
    except ValueError:
        raise ValueError("it is neither a JSON array nor a list with commas") from None


RuleList = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Settings(BaseModel):
    """Limits and switches; frozen. Sizes are bytes, times are seconds.

    What is not given is taken from the environment, where an empty variable counts as none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    # Where
    state_dir: Path | None = Field(
        default=None, description="folder for journal and history; default: the user's"
    )
    read_only: bool = Field(
        default=False, description="refuse every change, and do not offer the tools that make one"
    )
    protected: RuleList = Field(
        default=(), description="rules of what is never written to, besides what is protected by default"
    )
    allow_write: RuleList = Field(
        default=(), description="rules of what is protected by default and yet written to"
    )
    deny: RuleList = Field(
        default=(), description="rules, as in .agentsignore, of what no call reads, shows or changes"
    )
    worktrees: bool = Field(
        default=False, description="serve the worktrees that git has linked with a root as roots, too"
    )
    client_roots: bool = Field(
        default=False, description="serve only what lies in the roots that the client names, too (stdio)"
    )
    strict_paths: bool = Field(
        default=False, description="refuse a path that neither is absolute nor begins with a root's name"
    )
    cross_devices: bool = Field(default=True, description="follow mounts inside a root")
    landlock: bool = Field(
        default=True, description="let the server confine itself with Landlock where the kernel can"
    )
    openat2: bool = Field(default=True, description="resolve paths by openat2 where the kernel has it")
    break_hard_links: bool = Field(
        default=False,
        description="edit a file that has several names without being asked to (the argument `break_hard_links`)",
    )

    edit_utf16: bool = Field(default=True, description="edit UTF-16 text in place, and do not only read it")

    # How files are held
    hold_bytes: int = Field(
        default=16 * MB, ge=0, description="files up to this size may be held in memory whole"
    )
    identity_bytes: int = Field(
        default=64 * MB,
        ge=0,
        description="above this size a version names the file's identity instead of its content",
    )
    cache_bytes: int = Field(
        default=32 * MB, ge=0, description="memory for parsed trees, line indexes and search grams"
    )
    shown_bytes: int = Field(
        default=16 * MB,
        ge=0,
        description="memory for what agents were shown, by which text that has moved since is found",
    )

    # What a result may hold
    page_chars: int = Field(default=12_000, ge=1_000, le=49_000, description="characters of one result page")
    hard_chars: int = Field(
        default=49_500, ge=1_000, le=49_500, description="characters no result ever passes"
    )
    line_chars: int = Field(
        default=1_000, ge=40, description="characters of one line shown by reads and overviews"
    )
    match_chars: int = Field(
        default=500, ge=40, description="characters of one line shown around a search hit"
    )
    image_bytes: int = Field(
        default=4 * MB, ge=0, description="images up to this size are returned as images; 0: none are"
    )
    diff_lines: int = Field(default=400, ge=10, description="lines of a diff shown with a result")

    # What a request may hold
    max_edits: int = Field(default=500, ge=1, description="edits in one call of edit_content")
    max_items: int = Field(default=20_000, ge=1, description="items in one batch call")
    max_paths: int = Field(default=1_000, ge=1, description="paths of one batch read")
    max_input_bytes: int = Field(
        default=64 * MB, ge=KB, description="bytes of text one call may write or patch"
    )
    max_file_bytes: int = Field(
        default=0,
        ge=0,
        description="files above this size are refused by every tool that opens them; 0: none",
    )
    max_pattern_chars: int = Field(default=10_000, ge=1, description="characters of a search pattern")

    # Time
    call_seconds: float = Field(default=120.0, gt=0, description="time limit of a call")
    fuzzy_seconds: float = Field(
        default=30.0, gt=0, description="time for a fuzzy search of a tree; it says what it left out"
    )
    lock_seconds: float = Field(
        default=10.0, gt=0, description="how long a change waits for another process's change"
    )
    parse_seconds: float = Field(
        default=2.0, gt=0, description="time limit for parsing, for each 8 MB of a file"
    )
    parse_bytes: int = Field(
        default=50 * MB, ge=0, description="files above this size are not parsed but outlined by patterns"
    )

    # Changes
    flush: bool = Field(
        default=True, description="flush to disk at each step of a commit; off only to test the tests"
    )
    history_days: int = Field(default=30, ge=0, description="changes younger than this are kept")
    history_bytes: int = Field(default=1 * GB, ge=0, description="newest changes up to this total are kept")
    max_undo_bytes: int = Field(
        default=1 * GB, ge=0, description="a change that needs more than this to undo is refused"
    )
    whole_undo_bytes: int = Field(
        default=4 * MB,
        ge=0,
        description="files up to this size are kept whole; larger ones as inverse splices",
    )
    editor: str = Field(
        default="",
        description="what opens a file from the review page: vscode, cursor, zed, jetbrains, or an address with {path} "
        "and {line}",
    )
    confirm: Literal["never", "destructive", "always"] = Field(
        default="never", description="ask the user through the client before such calls"
    )

    # The agent-tools dialect
    agent_output_bytes: int = Field(
        default=128 * KB, ge=KB, description="bytes of one result; the cap of every result wins if it is less"
    )
    agent_input_bytes: int = Field(
        default=20_000_000, ge=1, description="files, and texts to write, above this size are refused"
    )

    # Serving
    workers: int = Field(
        default=8, ge=1, le=64, description="threads for calls that read, and as many for calls that change"
    )
    message_bytes: int = Field(
        default=256 * MB, ge=64 * KB, description="bytes of one message; larger ones are refused unread"
    )
    http_sessions: int = Field(
        default=1_000, ge=1, description="sessions over HTTP at one time; past that none is begun (503)"
    )
    http_idle_seconds: float = Field(
        default=1_800.0, gt=0, description="a session over HTTP without a request for so long is ended"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="what the server writes to standard error"
    )

    @model_validator(mode="before")
    @classmethod
    def _with_environment(cls, given: dict[str, Any]) -> dict[str, Any]:
        variables = {name: os.environ.get(f"FILEWRIGHT_{name.upper()}") for name in cls.model_fields}
        return {name: value for name, value in variables.items() if value} | given


def load(**given: Any) -> Settings:
    """Settings as `given`, then from the environment, then defaults.

    Raises `FilewrightError` (`invalid_input`) naming the setting that does not fit.
    """
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"the setting FILEWRIGHT_{name.upper()}: {first['msg'].removeprefix('Value error, ')} "
            f"(given: {first['input']!r})",
            hint=f"correct the variable or the flag --{name.replace('_', '-')}, or leave it out",
        ) from error
