"""DECIDE: where a request belongs and which bytes it changes; out comes a `ChangeSet`, a plain value.

Owns: the one request type (`Edit`), locating it (`locate`), the one writer (`write`), planning several
edits of one call (`planning`) and saying why one is refused (`refusal`, `nearest`, `suggestion`); patches
in both notations and line-anchored edits, which compile to edits (`patch`, `lines`), replacing every
match of a pattern (`replace`); and the diffs that show what a change does (`diff`).

Never: opens, reads or writes a file by itself, knows how a change is committed, or changes a byte
that was not asked for. What is not certain is refused.

In: `Snapshot`s, and requests as values. Out: `Splice`s, the steps of a `ChangeSet`, `Diff`s.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from filewright.edit import patch
    from filewright.edit.changeset import (
        ChangeSet,
        Copy,
        Create,
        Delete,
        Expected,
        MakeFolder,
        MakeLink,
        Modify,
        Move,
        Restore,
        SetMode,
        SetOwner,
        Step,
    )
    from filewright.edit.diff import Diff, header, splices_between, unified
    from filewright.edit.diff3 import merge3
    from filewright.edit.linediff import line_splices
    from filewright.edit.lines import LineEdit, at_lines, edit_of
    from filewright.edit.locate.request import Edit, Tier
    from filewright.edit.overlay import Overlay
    from filewright.edit.planning import Outcome, Plan, plan
    from filewright.edit.replace import (
        Replaced,
        Replacement,
        check_count,
        modify,
        replace_matches,
        replacement,
    )

# What a name comes from. A part is imported when it is first asked for: a commit needs no search engine.
_PARTS = {
    "changeset": "ChangeSet Copy Create Delete Expected MakeFolder MakeLink Modify Move Restore SetMode SetOwner Step",
    "diff": "Diff header splices_between unified",
    "diff3": "merge3",
    "linediff": "line_splices",
    "lines": "LineEdit at_lines edit_of",
    "locate.request": "Edit Tier",
    "overlay": "Overlay",
    "planning": "Outcome Plan plan",
    "replace": "Replaced Replacement check_count modify replace_matches replacement",
}
_PART_OF = {name: part for part, names in _PARTS.items() for name in names.split()}

__all__ = [
    "ChangeSet",
    "Copy",
    "Create",
    "Delete",
    "Diff",
    "Edit",
    "Expected",
    "LineEdit",
    "MakeFolder",
    "MakeLink",
    "Modify",
    "Move",
    "Outcome",
    "Overlay",
    "Plan",
    "Replaced",
    "Replacement",
    "Restore",
    "SetMode",
    "SetOwner",
    "Step",
    "Tier",
    "at_lines",
    "check_count",
    "edit_of",
    "header",
    "line_splices",
    "merge3",
    "modify",
    "patch",
    "plan",
    "replace_matches",
    "replacement",
    "splices_between",
    "unified",
]


def __getattr__(name: str) -> Any:
    if name == "patch":
        return import_module("filewright.edit.patch")
    part = _PART_OF.get(name)
    if part is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"filewright.edit.{part}"), name)
