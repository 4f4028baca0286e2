"""Text of a replacement."""

from __future__ import annotations

from filewright.edit.replacements import ReplaceOutcome
from filewright.tools.change_reply import ChangeReply, DiffView
from filewright.tools.pipeline import Change
from filewright.tools.replace.arguments import ReplaceArguments
from filewright.tools.replace.findings import ReplaceFindings
from filewright.tools.search.rendering import render_file
from filewright.tools.search.result import MatchedFile
from filewright.wording import join_limited, pluralize

MAX_NAMED_FILES = 3
"""The files named with their counts; a search with output=counts names all."""


def render_replacements(
    arguments: ReplaceArguments,
    findings: ReplaceFindings,
    change: Change[ReplaceOutcome],
    view: DiffView,
    max_characters: int,
) -> str:
    """Return the counts, the kinds of changed lines, notes, and the diff."""
    reply = ChangeReply(max_characters, change, view)
    is_preview = change.id is None
    is_brief = arguments.diff == "none"
    # A diff that is shown, or was, names the files and the lines.
    has_diff = view.is_seen or bool(reply.brief_diff and not is_brief)
    files = [
        render_file(MatchedFile(name, count))
        for name, count in findings.by_file.items()
    ]
    # A caller that knows the count has seen the lines, and so has one that wants no diff.
    knows_lines = is_brief or arguments.expected_count is not None
    shows_kinds = not has_diff and (is_preview or not knows_lines)
    names = ""
    # The kinds of lines name a single file, and say more than the first of many names.
    is_few = 1 < len(files) <= MAX_NAMED_FILES
    # The matches of each item have a line of their own.
    is_by_item = findings.by_item == list(findings.by_file.values())
    if not has_diff and (not shows_kinds or (is_few and not is_by_item)):
        names = f" ({join_limited(files, MAX_NAMED_FILES, noun='file')})"
    verb, details = "replaced", ""
    if findings.value_count:
        verb = "changed"
        details = f" ({pluralize(findings.value_count, 'value')}"
        if findings.unchanged_count:
            details += f"; {findings.unchanged_count:,} had them already"
        details += ")"
    status = reply.status(verb, details, next_step="; preview=false writes")
    max_count = arguments.max_count
    if is_preview and max_count is not None and findings.total > max_count:
        status = (
            f"are more than max_count={max_count} (preview; nothing was "
            f"written; max_count={findings.total} writes)"
        )
    reply.add(
        f"{_count_matches(findings)} in {pluralize(len(files), 'file')} {status}{names}"
    )
    if len(findings.by_item) > 1:
        counts = ", ".join(map(str, findings.by_item))
        reply.add(f"[matches of each item: {counts}]")
    if shows_kinds:
        reply.extend(
            findings.rows(),
            reserve=reply.room // 3,
            total=len(findings.kinds) + len(findings.unusual_rows),
            noun="kind",
        )
    footer = findings.footer(is_written=not is_preview)
    if footer:
        reply.add(f"[{footer}]")
    near_note = findings.near_note()
    if near_note and not view.is_seen:
        reply.add(f"[{near_note}]")
    if not is_preview:
        for row in findings.left_words.rows():
            reply.add(f"[{row}]")
    reply.finish()
    return reply.text()


def _count_matches(findings: ReplaceFindings) -> str:
    """Return the numbers of rows and of matches of patterns, without those that are 0."""
    counts: list[str] = []
    if findings.row_count:
        counts.append(pluralize(findings.row_count, "row"))
    match_count = findings.total - findings.row_count
    if match_count or not counts:
        counts.append(pluralize(match_count, "match"))
    return " and ".join(counts)
