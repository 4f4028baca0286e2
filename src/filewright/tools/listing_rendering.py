"""The text of a `list_files` result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from filewright.wording import escape_controls, pluralize

if TYPE_CHECKING:
    from filewright.tools.listing import ListedEntry, ListPage


def render_list(page: ListPage) -> str:
    """Return a line for each entry, then how to continue and what was left out."""
    lines = [escape_controls(render_entry(entry)) for entry in page.entries]
    if page.next_cursor is not None:
        lines.append(
            f"[{len(page.entries)} shown; continue with cursor={page.next_cursor}]"
        )
    if page.overlong_count:
        count = pluralize(page.overlong_count, "path")
        lines.append(f"[{count} too long to be shown; list a deeper folder]")
    elif not page.entries:
        lines.append("(nothing matches)" if page.has_glob else "(empty folder)")
        lines += [f"[{note}]" for note in page.spellings]
    if page.ignored_count:
        names = pluralize(page.ignored_count, "ignored name")
        so_far = "" if page.next_cursor is None else " so far"
        lines.append(
            f"[{names} left out{so_far}; include_ignored=true shows them]"
        )
    if page.unreadable_count:
        folders = pluralize(page.unreadable_count, "folder")
        lines.append(f"[{folders} could not be read]")
    return "\n".join(lines)


def render_entry(entry: ListedEntry) -> str:
    """Return the line of an entry; with details as `ls -l` has them."""
    row = entry.path
    if entry.type == "link":
        row += " ->" if entry.target is None else f" -> {entry.target}"
    elif entry.type not in ("file", "folder"):
        row += f" ({entry.type})"
    if entry.modified is None:
        return row
    size = str(entry.size) if entry.type == "file" else "-"
    return f"{entry.mode} {size:>12} {entry.modified} {row}"
