"""Hits of a search in the contents of the history, as `log --grep` lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from filewright.changes.names import shorten_ids
from filewright.wording import format_age, pluralize, to_one_line

if TYPE_CHECKING:
    from filewright.changes.content_search import HistorySearch
    from filewright.workspace import Workspace

_MAX_LINE_CHARS = 200
GREP_SECONDS = 20.0
"""The time of a search; a person waits for it, and can go on from its end."""


def list_hits(workspace: Workspace, text: str, result: HistorySearch) -> str:
    """Return the rows of the answer to a search for a text."""
    from filewright.page.changelog import ChangeLog

    log = ChangeLog(workspace)
    titles: dict[str, str] = {}
    for hit in result.hits:
        heading = log.prompt(hit.record.id)
        if heading is not None:
            titles[hit.record.id] = heading.title
    all_ids = list(workspace.changes.ids())
    short_ids = shorten_ids({hit.record.id for hit in result.hits}, all_ids)
    return render_hits(text, result, short_ids, titles)


def describe_hits(result: HistorySearch) -> dict[str, Any]:
    """Return the answer to a search as JSON values."""
    hits: list[dict[str, Any]] = []
    for hit in result.hits:
        rows: list[dict[str, Any]] = []
        for row in hit.rows:
            number = row.new or row.old
            rows.append({"sign": row.sign, "line": number, "text": row.text})
        hits.append(
            {
                "change_id": hit.record.id,
                "path": hit.path,
                "rows": rows,
                "row_count": hit.row_count,
            }
        )
    return {
        "hits": hits,
        "searched": result.searched,
        "skipped": result.skipped,
        "next_cursor": result.cursor,
    }


def render_hits(
    text: str,
    result: HistorySearch,
    short_ids: Mapping[str, str],
    titles: Mapping[str, str],
) -> str:
    """Return a heading for each change and file, and the lines below it.

    `titles` are those of the prompts, by change.
    """
    rows: list[str] = []
    for hit in result.hits:
        record = hit.record
        client = to_one_line(record.client or "unnamed client")
        rows.append(
            f"{short_ids[record.id]}  {hit.path}  "
            f"{client.partition(' ')[0]}, {format_age(record.time)}  "
            f"{titles.get(record.id, '')}".rstrip()
        )
        for row in hit.rows:
            line = row.text.strip()
            if len(line) > _MAX_LINE_CHARS:
                line = f"{line[:_MAX_LINE_CHARS]}…"
            rows.append(f"{row.sign} {row.new or row.old}: {line}")
        if hit.row_count > len(hit.rows):
            more = hit.row_count - len(hit.rows)
            rows.append(f"  {pluralize(more, 'more line')}")
    rows.append(describe_extent(text, result))
    return "\n".join(rows)


def describe_extent(text: str, result: HistorySearch) -> str:
    """Return how many files have hits, and how far the search went."""
    extent = f"all {pluralize(result.searched, 'change')}"
    if result.cursor is not None and result.oldest is not None:
        extent = (
            f"the newest {pluralize(result.searched, 'change')}, back to "
            f"{result.oldest.time.astimezone():%Y-%m-%d %H:%M}; for older ones "
            f"add --cursor {result.cursor}"
        )
    hits = pluralize(len(result.hits), "file")
    if not result.hits:
        hits = "nothing"
    sentence = f"{hits} with {to_one_line(text)!r} in {extent}"
    if result.skipped:
        files = pluralize(result.skipped, "file")
        sentence += f"; {files} could not be searched"
    return sentence
