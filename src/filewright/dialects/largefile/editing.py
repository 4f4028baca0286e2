"""`edit_content` and `revert_edit`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from filewright.dialects.dialect import Call, encoded, fit
from filewright.dialects.largefile.paths import FileArguments
from filewright.errors import Code, FilewrightError
from filewright.tools.registry import Arguments, ToolResult
from filewright.tools.rendering import clip

_CLEARER = "add lines of context to search and replace until the text stands there once"
_SIMILAR = 3
_SIMILAR_CHARS = 100
_REFUSED = frozenset({
    Code.NO_MATCH, Code.AMBIGUOUS_MATCH, Code.ALREADY_APPLIED, Code.OVERLAP, Code.NO_CHANGE,
    Code.STALE_VERSION, Code.UNENCODABLE,
})  # fmt: skip


class Change(Arguments):
    """One replacement."""

    search: Annotated[str, Field(min_length=1)]
    replace: str
    fuzzy: Annotated[bool | None, Field(description="Overrides the call's.")] = None


class EditArguments(FileArguments):
    """The changes of a file, in either style."""

    changes: Annotated[list[Change] | None, Field(min_length=1, max_length=50)] = None
    search_text: Annotated[str | None, Field(min_length=1, description="In place of changes.")] = None
    replace_text: str | None = None
    fuzzy: Annotated[bool, Field(description="Look past blanks, quotes and small slips.")] = True
    preview: Annotated[bool, Field(description="false: write.")] = True

    @model_validator(mode="after")
    def _one_style(self) -> Self:
        if (self.changes is None) == (self.search_text is None):
            raise ValueError("give changes, or search_text and replace_text")
        if (self.search_text is None) != (self.replace_text is None):
            raise ValueError("search_text and replace_text belong together")
        return self


class RevertArguments(FileArguments):
    """Which backup."""

    backup_id: Annotated[str | None, Field(description="Left out: the newest.")] = None


def edit_content(call: Call, arguments: EditArguments) -> ToolResult:
    """Search and replace; a preview unless told otherwise; all changes or none."""
    changes = arguments.changes or [
        Change(search=arguments.search_text or "", replace=arguments.replace_text or "")
    ]
    edits = [{"search": c.search, "replace": c.replace, "fuzzy": c.fuzzy} for c in changes]
    try:
        made = call.run(
            "edit_content",
            path=arguments.absolute_file_path,
            edits=edits,
            fuzzy=arguments.fuzzy,
            preview=arguments.preview,
        ).data
    except FilewrightError as error:
        if error.code not in _REFUSED:
            raise
        return ToolResult(encoded(_refused(call, arguments, len(changes), error)))
    results = [_applied(outcome) for outcome in made["results"]]
    answer: dict[str, Any] = {
        "success": True,
        "changes_made": made["changes_made"],
        "line_number": made["line_number"],
        "similarity_used": made["similarity"],
        "match_type": "exact" if all(r["match_type"] == "exact" for r in results) else "fuzzy",
        "changes_applied": len(results),
        "changes_failed": 0,
        "results": results,
        "preview": clip(made["diff"], call.context.settings.hard_chars // 3),
        "backup_created": made["change_id"],
    }
    if made["syntax_warning"]:
        answer["warning"] = made["syntax_warning"]
    return ToolResult(encoded(answer), {"change_id": made["change_id"]})


def _applied(outcome: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "index": outcome["edit"],
        "success": True,
        "line_number": outcome["line_number"],
        "match_type": "exact" if outcome["tier"] == "exact" else "fuzzy",
        "tier": outcome["tier"],
        "similarity": outcome["similarity"],
    }


def _refused(call: Call, arguments: EditArguments, count: int, error: FilewrightError) -> dict[str, Any]:
    """Nothing was changed: which changes were refused and why, with the nearest text."""
    refusals = {refusal["edit"]: refusal for refusal in error.details.get("refusals", ())}
    results: list[dict[str, Any]] = []
    for index in range(count):
        refusal = refusals.get(index)
        result: dict[str, Any] = {"index": index, "success": False}
        if refusal is None:
            why = (
                f"{error.code}: {error.message}"
                if not refusals
                else "not applied: another change was refused"
            )
            result["error"] = why
        else:
            hint = _CLEARER if refusal["code"] == Code.AMBIGUOUS_MATCH else refusal["hint"]
            result["error"] = f"{refusal['code']}: {refusal['message']} ({hint})"
            similar = _nearest(call, arguments.absolute_file_path, refusal)
            if similar:
                result["similar_matches"] = similar
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


def _nearest(call: Call, path: str, refusal: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Up to three places: where an ambiguous text stands, or what is most like a missing one."""
    if refusal["code"] == Code.AMBIGUOUS_MATCH:
        found = []
        for line in refusal["lines"][:_SIMILAR]:
            text = call.run("read_content", path=path, line=line, limit=1, numbered=False).data["content"]
            found.append({"line": line, "content": clip(text, _SIMILAR_CHARS), "similarity": 1.0})
        return found
    return [
        {
            "line": near["first_line"],
            "content": clip(near["text"], _SIMILAR_CHARS),
            "similarity": near["similarity"],
        }
        for near in refusal["nearest"][:_SIMILAR]
    ]


def revert_edit(call: Call, arguments: RevertArguments) -> ToolResult:
    """Bring a file back to what it was before a change; what it holds now becomes a backup."""
    from filewright.tools.restore import Restoring, restore_file

    path = arguments.absolute_file_path
    data = call.use(restore_file, Restoring(path, arguments.backup_id)).data
    available = [_backup(state, path) for state in data["states"] if state["size"] is not None]
    answer = {
        "success": True,
        "reverted_to": _backup(data["restored"], path),
        "current_saved_as": _backup(data["made"], path),
        "available_backups": available[: fit(available, call.context.settings.hard_chars // 2)],
    }
    return ToolResult(encoded(answer), {"change_id": data["change_id"]})


def _backup(state: Mapping[str, Any], path: str) -> dict[str, Any]:
    return {"id": state["change_id"], "timestamp": state["time"], "size": state["size"], "path": path}
