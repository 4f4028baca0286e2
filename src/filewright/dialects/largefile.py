"""The dialect `largefile`: one large file per call, absolute paths, JSON answers with backups.

The surface of the large-file server: overview, search, read and edit with fuzzy matching on by
default, a preview before every edit, and backups, which here are the history's changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from filewright.boundary.names import quote
from filewright.dialects.table import (
    Call,
    Json,
    Record,
    fit_as_json,
    fitted,
    folders_first,
    from_environment,
)
from filewright.errors import Code, FilewrightError
from filewright.tools.bounded_text import clip

if TYPE_CHECKING:
    from filewright.structure.symbol import Symbol
    from filewright.tools.read import FileRead
    from filewright.tools.search import SearchHit, SearchResult

_SYMBOL_CHARS = 150
_ENVELOPE = 1_000
_SIMILAR = 3
_ALL_LINES = 1_000_000
_REGEX_LIKE = re.compile(r"\.[*+]|\||\\[bBdDsSwW(.]|\[[^]]+\]|^\^|\$$")
_EDITS_NAMED = re.compile(r"\bedits? \d+(?: and \d+)?")
_DATA = (".yaml", ".yml", ".json", ".toml", ".ini")
"""Suffixes of files with keys rather than definitions: what is around a line of theirs is a window."""
_CLEARER = (
    "add lines of context to search and replace until the text occurs once"
)


# Checks of arguments


def absolute(path: str) -> str:
    """A path that is absolute; `ValueError` for another."""
    if not path.startswith(("/", "~")):
        raise ValueError(
            f"{path!a} is a relative path; give an absolute one, or one that begins with ~"
        )
    return path


# Overview


@fitted
def get_overview(call: Call, given: Record) -> Json:
    """Size, lines, long lines, outline, what to search for."""
    threshold, ranges = call.context.settings.line_chars, given.changed_lines
    try:
        overview = call.get_overview(
            given.path,
            max_symbols=max(
                1, call.context.settings.page_chars // _SYMBOL_CHARS
            ),
            changed_lines=ranges and [each[:2] for each in ranges],
            changed_kinds=ranges
            and [[*each, "modified"][2] for each in ranges],
        )
    except FilewrightError as error:
        if error.code != Code.IS_BINARY or ranges is not None:
            raise
        return call.shaped("binary", {**error.details, "threshold": threshold})
    changed, notes, left_out = (
        overview.changed_symbols,
        overview.syntax_errors,
        overview.symbols_left_out,
    )
    marks = (
        None
        if changed is None
        else {(c.name, c.end_line): c.status for c in changed if c.name}
    )
    warnings = [
        "read_enclosing with a line shows a definition that is left out here"
    ] * bool(left_out)
    warnings += filter(None, [overview.outline_note])
    if notes.count:
        first = ", ".join(str(issue.line) for issue in notes.first[:5])
        warnings.append(
            f"{notes.count} syntax errors, the first at line {first}"
        )
    facts = {
        "threshold": threshold,
        "outline": _outline(call, overview.outline, marks),
        "kind": "log" if overview.search_hints.log else overview.language,
        "changed": None if marks is None else len(marks),
        "left_out": left_out or None,
        "warning": "; ".join(warnings) or None,
    }
    return call.shaped("overview", {**facts, "made": overview})


def _outline(
    call: Call,
    symbols: Sequence[Symbol],
    marks: Mapping[tuple[str, int], str] | None,
) -> list[Json]:
    return [
        {
            **call.shaped("symbol", symbol),
            "line_count": symbol.end_line - symbol.start_line + 1,
            "children": _outline(call, symbol.children, marks),
            **(
                {}
                if marks is None
                else {"changes": marks.get((symbol.name, symbol.end_line))}
            ),
        }
        for symbol in symbols
    ]


# Reading


@fitted
def read_content(call: Call, given: Record) -> Json:
    """Lines by number, pattern, definition, head or tail."""
    limit, mode, offset = given.limit, given.mode, given.offset
    pattern = given.target if isinstance(given.target, str) else given.pattern
    number = given.target if isinstance(given.target, int) else None
    warnings = []
    how: Json = {"mode": mode, "pattern": pattern}
    if mode in ("head", "tail"):
        how, limit = {"mode": mode}, number or limit
        for name, ignored in (
            ("offset", offset != 1),
            ("pattern", pattern is not None),
        ):
            warnings += [f"{name} ignored in {mode} mode"] * ignored
    elif pattern is not None:
        warnings += ["offset ignored when pattern is set"] * (offset != 1)
    else:
        how = (
            {"mode": mode, "line": number or offset}
            if mode == "semantic"
            else {"start": number or offset}
        )
    if mode == "semantic":
        limit = _ALL_LINES
    file = call.read(given.path, limit=limit, numbered=False, **how)
    found = (
        {}
        if pattern is None or file.match_line is None
        else {"pattern": pattern}
    )
    return {
        **_lines(call, file, mode),
        "match_line": file.match_line,
        "warnings": warnings,
        **found,
    }


def _lines(call: Call, file: FileRead, mode: str) -> Json:
    """A native read in this dialect's fields; lines counted from an unread end have no number."""
    result = call.shaped("lines", file)
    goes_on = (
        file.truncated
        if mode in ("semantic", "enclosing")
        else file.next is not None
    )
    result |= {"mode": mode, "truncated": goes_on or bool(file.cut_at)}
    if not file.lines_returned:
        result["content"] = ""
    elif file.terminated:
        result["content"] += "\n"
    if not file.lines_returned or file.start_line < 1:
        result["start_line"] = result["end_line"] = None
    return result


@fitted
def read_enclosing(call: Call, given: Record) -> Json:
    """The whole definition around a line, or a window where there is none."""
    read, most = (
        partial(call.read, given.path, numbered=False),
        given.context_lines,
    )
    if not given.path.lower().endswith(_DATA):
        file = read(
            mode="semantic",
            line=given.line,
            depth=given.depth,
            limit=_ALL_LINES,
        )
        if file.symbol is not None:
            return {
                **_lines(call, file, "enclosing"),
                "enclosing_symbol": file.symbol,
            }
    file = read(line=given.line, limit=most)
    first = file.start_line - most + file.lines_returned
    if (
        file.next is None and first < file.start_line and file.start_line > 1
    ):  # the window passes the end
        file = read(start=max(1, first), limit=most)
    return {**_lines(call, file, "context_window"), "enclosing_symbol": None}


# Folders


def list_directory(call: Call, given: Record) -> Json:
    """The entries of a folder, folders first on each level."""
    listed, more = call.entries(depth=given.max_depth + 1)
    below = call.below(listed)
    counts = Counter(parts[:-1] for parts, _ in below)
    entries = []
    for parts, entry in folders_first(below, lambda name: quote(name).lower()):
        if len(parts) <= given.max_depth:
            kind = "folder" if entry.type == "folder" else "file"
            facts = {
                "name": quote(b"/".join(parts)),
                "entry": entry,
                "count": counts[parts],
            }
            entries.append(call.shaped(kind, facts))
    shown = entries[
        : min(given.max_entries, fit_as_json(entries, call.limit - _ENVELOPE))
    ]
    kinds = Counter(entry["type"] for entry in shown)
    cut = len(shown) < len(entries)
    return {
        "path": given.path,
        "entries": shown,
        "total_files": kinds["file"],
        "total_dirs": kinds["dir"],
        "truncated": cut or bool(more),
        "truncated_at": entries[len(shown)]["name"] if cut else None,
    }


# Searching


def search_content(call: Call, given: Record) -> Json:
    """Exact hits first, at 1.0, then similar ones by similarity."""
    call.context.open(
        call.locate(given.path), hold=False
    ).close()  # a folder is refused here
    loose = _is_loose(given)
    about = call.shaped("about", {"given": given, "loose": loose})
    if given.count_only:
        count = sum(
            file.count or 0
            for file in call.search(**call.request, output="counts").files
        )
        warnings = [
            f"{name} ignored with count_only"
            for name in ("context_lines", "max_results")
            if name in given.model_fields_set
        ]
        if given.fuzzy and "fuzzy" in given.model_fields_set and not loose:
            warnings.append("fuzzy ignored with regex or invert")
        if loose and not count:
            count = len(_similar(call, 10_000))
        return {
            "count": count,
            **about,
            **({"warnings": warnings} if warnings else {}),
        }
    found, hits, results = _found(call, given)
    exact = len(found.results)
    total = len(hits) - exact + (found.total or exact)
    shown = fit_as_json(results, call.limit - _ENVELOPE)
    answer: Json = {"results": results[:shown], "total_matches": total, **about}
    if left := len(results) - shown:
        answer["warning"] = (
            f"{left} more results do not fit; lower context_lines or max_results"
        )
    if not exact and not given.regex and _REGEX_LIKE.search(given.pattern):
        answer["hint"] = (
            "looked for literally; with regex=true it would be a pattern"
        )
    return answer


def _found(
    call: Call, given: Record
) -> tuple[SearchResult, list[SearchHit], list[Json]]:
    """What is there exactly; with it, at the end, what is only similar; and what is said of as many as are wanted."""
    found = call.search(**call.request, max_results=given.max_results)
    hits, exact = [*found.results], len(found.results)
    if exact < given.max_results and _is_loose(given):
        known = {(hit.path, hit.line) for hit in hits}
        similar = _similar(call, given.max_results)
        hits += [hit for hit in similar if (hit.path, hit.line) not in known]
    kind = ("regex" if given.regex else "exact") + "_inverted" * given.invert
    results = []
    for number, hit in enumerate(hits[: given.max_results]):
        facts = {
            "hit": hit,
            "at": hit.symbol or f"Line {hit.line}",
            "kind": kind if number < exact else "fuzzy",
        }
        results.append(call.shaped(call.row["hits"], facts))
    return found, hits, results


def _similar(call: Call, most: int) -> Sequence[SearchHit]:
    """What is similar; nothing where the pattern is too short for that, or cannot be looked for in that way."""
    least = from_environment(call.table["similarity"], 0.8)
    how = {
        **call.request,
        "mode": "fuzzy",
        "max_results": most,
        "min_similarity": least,
    }
    try:
        return call.search(**how).results
    except FilewrightError as error:
        if error.code != Code.INVALID_INPUT:
            raise
        return ()


def _is_loose(given: Record) -> bool:
    return bool(given.fuzzy and not given.regex and not given.invert)


def search_directory(call: Call, given: Record) -> Json:
    """The hits in the files of a folder, by file."""
    call.context.boundary.open_folder(
        call.locate(given.path)
    ).close()  # a file is refused here
    found, hits, results = _found(call, given)
    shown = fit_as_json(results, call.limit - 2 * _ENVELOPE)
    files: dict[str, list[Json]] = {}
    last = None
    for (parts, _), result in zip(
        call.below(hits[:shown]), results, strict=False
    ):
        last = quote(b"/".join(parts))
        files.setdefault(last, []).append(result)
    cut = shown < len(results) or not found.complete
    facts = {
        "given": given,
        "found": found,
        "shown": shown,
        "files": len(files),
        "cut": cut,
        "last": last if cut else None,
        "results": [
            {"file": name, "matches": matches}
            for name, matches in files.items()
        ],
    }
    return call.shaped("searched", facts)


# Editing


def edit_content(call: Call, given: Record) -> Json:
    """Search and replace; a preview unless ``preview=false``; all changes or none."""
    edits = [dict(change) for change in given.changes or ()] or call.request[
        "edits"
    ]
    try:
        made = call.edit(**{**call.request, "edits": edits})
    except FilewrightError as error:
        if error.code not in call.table["refused"]:
            raise
        return _refused(call, given.path, len(edits), error)
    exact = all(outcome.tier == "exact" for outcome in made.results)
    facts = {
        "kind": "exact" if exact else "fuzzy",
        "count": len(edits),
        "made": made,
    }
    return call.shaped(
        "edited", {**facts, "diff": clip(made.diff, call.limit // 3)}
    )


def _refused(call: Call, path: str, count: int, error: FilewrightError) -> Json:
    """Nothing was changed: which changes were refused and why, with the nearest text."""
    refusals = {
        refusal["edit"]: refusal
        for refusal in error.details.get("refusals", ())
    }
    why = (
        "not applied: another change was refused"
        if refusals
        else f"{error.code}: {error.message}"
    )
    results: list[Json] = [
        {"index": index, "success": False, "error": why}
        for index in range(count)
    ]
    for index, refusal in refusals.items():
        hint = (
            _CLEARER
            if refusal["code"] == Code.AMBIGUOUS_MATCH
            else refusal["hint"]
        )
        text = f"{refusal['code']}: {refusal['message']} ({hint})"
        results[index]["error"] = _EDITS_NAMED.sub(_from_zero, text)
        if similar := _nearest(call, path, refusal):
            results[index]["similar_matches"] = similar
    return call.shaped(
        "unedited", {"count": len(refusals) or count, "results": results}
    )


def _from_zero(found: re.Match[str]) -> str:
    """The edits that a native message names, which counts them from 1, in the numbers that `index` has here."""
    return re.sub(
        r"\d+", lambda number: str(int(number[0]) - 1), found[0]
    ).replace("edit", "change")


def _nearest(call: Call, path: str, refusal: Mapping[str, Any]) -> list[Json]:
    """Up to three places: where an ambiguous text occurs, or what is most like a missing one."""
    places = refusal["nearest"]
    if refusal["code"] == Code.AMBIGUOUS_MATCH:
        places = [
            {
                "first_line": line,
                "text": call.read(path, line=line, limit=1).content,
                "similarity": 1.0,
            }
            for line in refusal["lines"][:_SIMILAR]
        ]
    return [call.shaped("near", place) for place in places[:_SIMILAR]]


def revert_edit(call: Call, given: Record) -> Json:
    """Bring a file back to what it was before a change; what it holds now becomes a backup."""
    from filewright.tools.history import restore_file

    restored, states = restore_file(call.context, given.path, given.backup_id)
    available = [
        call.shaped("backup", state)
        for state in states
        if state.size is not None
    ]
    shown = available[: fit_as_json(available, call.limit // 2)]
    facts = {"restored": restored, "made": states[0], "available": shown}
    return call.shaped("reverted", facts)
