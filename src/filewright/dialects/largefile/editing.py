"""Tools that change a file: `edit_content`, and `revert_edit` for its backups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from filewright.dialects.call import Call
from filewright.dialects.json_answers import Json, count_fitting_json
from filewright.dialects.largefile.arguments import FilePath
from filewright.errors import Code, FilewrightError
from filewright.tools.arguments import Arguments
from filewright.tools.bounded_text import clip
from filewright.tools.edit.result import EditResult
from filewright.tools.methods import EditRequest
from filewright.tools.revert import EarlierState, restore_file

_MAX_SIMILAR_MATCHES = 3
_MAX_MATCH_CHARACTERS = 100

_REFUSED_CHANGE_CODES = frozenset(
    {
        Code.NO_MATCH,
        Code.AMBIGUOUS_MATCH,
        Code.ALREADY_APPLIED,
        Code.OVERLAP,
        Code.NO_CHANGE,
        Code.STALE_VERSION,
        Code.UNENCODABLE,
    }
)
"""Codes of a change that was refused, which is an answer; any other is an error."""

_AMBIGUOUS_HINT = (
    "add lines of context to search and replace until the text occurs once"
)


class TextChange(Arguments):
    """One change of `edit_content`."""

    search: Annotated[str, Field(min_length=1)]
    replace: str
    fuzzy: Annotated[
        bool | None, Field(description="Overrides the call's.")
    ] = None


class EditContent(Arguments):
    """Arguments of `edit_content`."""

    path: FilePath
    changes: Annotated[
        list[TextChange] | None, Field(min_length=1, max_length=50)
    ] = None
    search_text: Annotated[
        str | None, Field(min_length=1, description="In place of changes.")
    ] = None
    replace_text: str | None = None
    fuzzy: Annotated[
        bool,
        Field(
            description="Tolerate small differences in whitespace and quotes."
        ),
    ] = True
    preview: Annotated[bool, Field(description="false: write.")] = True

    @model_validator(mode="after")
    def check_style(self) -> Self:
        """Raise `ValueError` unless there are changes, or one search and replacement."""
        has_search = self.search_text is not None
        if (self.changes is not None) == has_search:
            raise ValueError("give changes, or search_text and replace_text")
        if has_search != (self.replace_text is not None):
            raise ValueError("search_text and replace_text belong together")
        return self

    def edits(self) -> list[EditRequest]:
        """Return the changes as native edits."""
        if self.changes is None:
            return [{"search": self.search_text, "replace": self.replace_text}]
        edits: list[EditRequest] = []
        for change in self.changes:
            edit: EditRequest = {
                "search": change.search,
                "replace": change.replace,
            }
            if change.fuzzy is not None:
                edit["fuzzy"] = change.fuzzy
            edits.append(edit)
        return edits


def edit_content(call: Call, arguments: EditContent) -> Json:
    """Make all changes of a file or none; without `preview=false` only show them."""
    edits = arguments.edits()
    try:
        result = call.edit(
            arguments.path,
            edits,
            fuzzy=arguments.fuzzy,
            preview=arguments.preview,
        )
    except FilewrightError as error:
        if error.code not in _REFUSED_CHANGE_CODES:
            raise
        return render_refusal(call, arguments.path, len(edits), error)
    return render_result(result, len(edits), max_diff=call.max_characters // 3)


def render_result(result: EditResult, count: int, *, max_diff: int) -> Json:
    """Return what was changed in the fields of the original."""
    results = []
    for outcome in result.results:
        is_exact = outcome.tier == "exact"
        answer: Json = {
            "index": outcome.index,
            "success": True,
            "line_number": outcome.first,
            "match_type": "exact" if is_exact else "fuzzy",
            "tier": str(outcome.tier),
            "similarity": round(outcome.similarity, 4),
        }
        results.append(answer)
    is_exact = all(outcome.tier == "exact" for outcome in result.results)
    answer = {
        "success": True,
        "changes_made": result.changes_made,
        "line_number": result.line_number,
        "similarity_used": result.similarity,
        "match_type": "exact" if is_exact else "fuzzy",
        "changes_applied": count,
        "changes_failed": 0,
        "results": results,
        "preview": clip(result.diff, max_diff),
        "backup_created": result.change_id,
    }
    if result.syntax_warning is not None:
        answer["warning"] = result.syntax_warning
    return answer


def render_refusal(
    call: Call, path: str, count: int, error: FilewrightError
) -> Json:
    """Return which changes were refused and why, with the nearest texts."""
    refusals: dict[int, Mapping[str, Any]] = {}
    for refusal in error.details.get("refusals", ()):
        refusals[refusal["edit"]] = refusal
    reason = f"{error.code}: {error.message}"
    if refusals:
        reason = "not applied: another change was refused"
    results: list[Json] = []
    for index in range(count):
        result: Json = {"index": index, "success": False, "error": reason}
        if index in refusals:
            refusal = refusals[index]
            result["error"] = describe_refusal(refusal)
            similar_matches = find_similar_matches(call, path, refusal)
            if similar_matches:
                result["similar_matches"] = similar_matches
        results.append(result)
    return {
        "success": False,
        "changes_made": 0,
        "line_number": 0,
        "similarity_used": 0.0,
        "changes_applied": 0,
        "changes_failed": len(refusals) or count,
        "results": results,
        "preview": "",
        "backup_created": None,
    }


def describe_refusal(refusal: Mapping[str, Any]) -> str:
    """Return why a change was refused, and what to do."""
    code = refusal["code"]
    message = refusal["message"]
    hint = refusal["hint"]
    if code == Code.AMBIGUOUS_MATCH:
        hint = _AMBIGUOUS_HINT
    elif code == Code.OVERLAP and refusal["other_edit"] is not None:
        # The native message counts edits from 1, this dialect changes from 0.
        both = f"changes {refusal['other_edit']} and {refusal['edit']}"
        message = f"{both} overlap at line {refusal['lines'][0]}"
        hint = f"join {both} into one"
    return f"{code}: {message} ({hint})"


def find_similar_matches(
    call: Call, path: str, refusal: Mapping[str, Any]
) -> list[Json]:
    """Return the places of an ambiguous text, or the nearest texts to a missing one."""
    matches: list[Json] = []
    if refusal["code"] == Code.AMBIGUOUS_MATCH:
        for line in refusal["lines"][:_MAX_SIMILAR_MATCHES]:
            text = call.read(path, line=line, limit=1).content
            matches.append(similar_match(line, text, similarity=1.0))
        return matches
    for near in refusal["nearest"][:_MAX_SIMILAR_MATCHES]:
        matches.append(
            similar_match(
                near["first_line"], near["text"], similarity=near["similarity"]
            )
        )
    return matches


def similar_match(line: int, text: str, *, similarity: float) -> Json:
    """Return a place that a refused change could mean."""
    return {
        "line": line,
        "content": clip(text, _MAX_MATCH_CHARACTERS),
        "similarity": similarity,
    }


class RevertEdit(Arguments):
    """Arguments of `revert_edit`."""

    path: FilePath
    backup_id: Annotated[
        str | None, Field(description="Left out: the newest.")
    ] = None


def revert_edit(call: Call, arguments: RevertEdit) -> Json:
    """Restore a file as it was before a change; its present content is a backup, too."""
    restored, states = restore_file(
        call.context, arguments.path, arguments.backup_id
    )
    return {
        "success": True,
        "reverted_to": render_backup(restored),
        "current_saved_as": render_backup(states[0]),
        "available_backups": list_backups(
            states, max_characters=call.max_characters // 2
        ),
    }


def list_backups(
    states: Sequence[EarlierState], *, max_characters: int
) -> list[Json]:
    """Return the states in which the file was there, as many as fit."""
    backups = []
    for state in states:
        if state.size is not None:
            backups.append(render_backup(state))
    return backups[: count_fitting_json(backups, max_characters)]


def render_backup(state: EarlierState) -> Json:
    """Return an earlier state of a file as a backup."""
    return {
        "id": state.change_id,
        "timestamp": state.time,
        "size": state.size,
        "path": state.path,
    }
