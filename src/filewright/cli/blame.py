"""The command `blame`, which shows the prompt that made each line of a file."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from filewright.changes.names import shorten_ids
from filewright.cli import write
from filewright.cli.history_options import person_command
from filewright.cli.options import json_option
from filewright.cli.terminal import write_paged
from filewright.wording import format_age, to_one_line

if TYPE_CHECKING:
    from filewright.page.blame_groups import BlameGroup
    from filewright.workspace import Workspace

_AUTHOR_WIDTH = 14
_NARROW_AUTHOR_WIDTH = 11
_SHORT_ID_WIDTH = 7
_MIN_TITLE_WIDTH = 16


@click.command(
    short_help="Show the prompt that made each line of a file",
    epilog="""\b
Examples:
  filewright blame src/app.py          the prompt that made each line
  filewright blame src/app.py --json   for programs""",
)
@click.argument("file")
@json_option
@person_command
def blame(workspace: Workspace, *, file: str, as_json: bool) -> None:
    """Show the prompt that made each line of FILE.

    For lines older than the history, show the commit that made them, if there is git.
    Renamed files, and lines that an undo brings back, keep their authors.
    """
    from filewright.page.blame_groups import group_lines
    from filewright.page.changelog import ChangeLog

    result = workspace.blame(file)
    groups = group_lines(ChangeLog(workspace), result)
    lines = result.read_lines()
    if as_json:
        write(json.dumps(_to_json(file, groups, lines, result.notes), indent=1))
        return
    if sys.stdout.isatty():
        ids = [group.id for group in groups if group.kind == "change"]
        all_ids = [head.id for head in workspace.changes.heads()]
        width = shutil.get_terminal_size().columns
        write_paged(
            render_for_terminal(groups, lines, shorten_ids(ids, all_ids), width)
        )
    else:
        write(render_for_pipe(groups, lines))
    for note in result.notes:
        write(f"note: {note}", to_error=True)


def render_for_pipe(groups: Sequence[BlameGroup], lines: Sequence[str]) -> str:
    """Return a row for each line: id, time, client, prompt, number and text."""
    title_width = max((len(group.title) for group in groups), default=0)
    rows: list[str] = []
    for group in groups:
        time = "" if group.time is None else f"{group.time:%Y-%m-%d %H:%M}"
        author = _fit(_short_author(group), _AUTHOR_WIDTH)
        title = _fit(group.title, title_width)
        label = f"{group.short_id:13}  {time:16}  {author}  {title}"
        rows += _render_lines(group, lines, label, label)
    return "\n".join(rows)


def render_for_terminal(
    groups: Sequence[BlameGroup],
    lines: Sequence[str],
    short_ids: Mapping[str, str],
    width: int,
) -> str:
    """Return a row for each line, cut at a width; the prompt is beside the first."""
    title_width = max((len(group.title) for group in groups), default=0)
    title_width = min(title_width, max(width // 4, _MIN_TITLE_WIDTH))
    rows: list[str] = []
    for group in groups:
        change_id = short_ids.get(group.id, group.id[:_SHORT_ID_WIDTH])
        age = "" if group.time is None else format_age(group.time)
        author = _fit(_short_author(group), _NARROW_AUTHOR_WIDTH)
        title = _fit(group.title, title_width)
        label = f"{change_id:{_SHORT_ID_WIDTH}} {age:10} {author} {title}"
        rows += _render_lines(group, lines, label, " " * len(label))
    return "\n".join(_cut(row, width) for row in rows)


def _render_lines(
    group: BlameGroup, lines: Sequence[str], label: str, next_label: str
) -> list[str]:
    """Return the rows of a group, the first with a label, the others with another."""
    number_width = len(str(len(lines)))
    rows: list[str] = []
    for number in range(group.first, group.first + group.count):
        text = to_one_line(lines[number - 1])
        rows.append(f"{label} {number:>{number_width}}  {text}".rstrip())
        label = next_label
    return rows


def _short_author(group: BlameGroup) -> str:
    """Return the name of a client without its version, or that of a person."""
    if group.kind == "commit":
        return group.author
    return group.author.partition(" ")[0]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _fit(text: str, width: int) -> str:
    """Return a text in exactly a width."""
    return f"{_cut(text, width):{width}}"


def _to_json(
    path: str,
    groups: Sequence[BlameGroup],
    lines: Sequence[str],
    notes: Sequence[str],
) -> dict[str, Any]:
    """Return a blame as values for JSON."""
    described: list[dict[str, Any]] = []
    for group in groups:
        first = group.first - 1
        described.append(
            {
                "first": group.first,
                "lines": list(lines[first : first + group.count]),
                "kind": group.kind,
                "id": group.id or None,
                "prompt": group.prompt or None,
                "title": group.title,
                "author": group.author or None,
                "session": group.session or None,
                "time": None if group.time is None else group.time.isoformat(),
            }
        )
    return {"path": path, "groups": described, "notes": list(notes)}
