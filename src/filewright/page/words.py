"""The page's words for actions, clients and moments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from filewright.wording import to_one_line

UNNAMED_CLIENT = "unnamed client"

_CLIENT_NAMES = {
    "claude-code": "Claude Code",
    "claude-ai": "Claude",
    "codex": "Codex",
    "codex-mcp-client": "Codex",
    "cursor": "Cursor",
    "cursor-vscode": "Cursor",
    "gemini-cli": "Gemini CLI",
    "gemini-cli-mcp-client": "Gemini CLI",
    "opencode": "opencode",
    "visual studio code": "VS Code",
    "windsurf": "Windsurf",
    "zed": "Zed",
}
"""The names that people know clients by, for the names that these give themselves."""


@dataclass(frozen=True, slots=True)
class ActionWords:
    """The words for one action on a file.

    `past` is for a change, `infinitive` for a call that waits, `undone` for the outcome of
    an undo, and `letter`, as in git, for a list of files.
    """

    past: str
    infinitive: str
    undone: str
    letter: str


ACTION_WORDS: Mapping[str, ActionWords] = {
    "deleted": ActionWords("deleted", "delete", "deleted", "D"),
    "created": ActionWords("created", "create", "brought back", "A"),
    "modified": ActionWords("edited", "edit", "edited", "M"),
    "moved": ActionWords("moved", "move", "moved", "R"),
    "copied": ActionWords("copied", "copy", "copied", "M"),
    "attributes": ActionWords(
        "changed the mode of", "change the mode of", "given another mode", "P"
    ),
}
"""The words for each action, the most drastic first: an undo is described in this order."""


def show_client(client: str | None) -> str:
    """Return a client's name and version, safe to show."""
    return to_one_line(client or UNNAMED_CLIENT)


def strip_version(client: str) -> str:
    """Return a client's name without its version."""
    return client.rpartition(" ")[0] or client


def name_client(client: str) -> str:
    """Return the name that people know a client by."""
    name = to_one_line(strip_version(client))
    return _CLIENT_NAMES.get(name.lower()) or name or f"An {UNNAMED_CLIENT}"


def format_moment(moment: datetime) -> str:
    """Return the time of day, with the date unless it is today."""
    if moment.date() == datetime.now().astimezone().date():
        return moment.strftime("%H:%M")
    return moment.strftime("%b %d %H:%M")


def format_seconds(seconds: float) -> str:
    """Return a moment in seconds since 1970 as `format_moment` does."""
    return format_moment(datetime.fromtimestamp(seconds).astimezone())


def format_day(moment: datetime) -> str:
    """Return the day in words: today, yesterday, or its date."""
    days_ago = (datetime.now().astimezone().date() - moment.date()).days
    if days_ago in (0, 1):
        return "Today" if days_ago == 0 else "Yesterday"
    return moment.strftime("%A, %b %d")


def capitalize(text: str) -> str:
    """Return a text with a capital at its beginning, and the rest as it is."""
    return text[:1].upper() + text[1:]
