"""The patch of recorded changes."""

from __future__ import annotations

from typing import Any

import pytest
from tests.changes.steps import EDIT

from filewright.changes.patches import ExportedPatch, build_patch
from filewright.edit.changeset import (
    Create,
    Delete,
    MakeLink,
    Move,
    SetMode,
    Step,
)
from filewright.progress import Task


def patch(bench: Any, *steps: Step, **options: Any) -> ExportedPatch:
    record = bench.changes.record(bench.commit(*steps, **options).id)
    return build_patch(bench.changes, record, "A title\nof lines", Task())


@pytest.fixture(autouse=True)
def modes(bench: Any) -> None:
    (bench.root / "a.txt").chmod(0o644)


def test_edit(bench: Any) -> None:
    exported = patch(bench, bench.modify("a.txt", EDIT))
    head, *rows = exported.content.decode().splitlines()
    assert head == "# A title\\x0aof lines"
    assert rows[0] == "diff --git a/a.txt b/a.txt"
    assert rows[-4:] == ["-one", "+ONE", " two", " three"]
    assert not exported.missing


def test_every_kind_of_change(bench: Any) -> None:
    exported = patch(
        bench,
        Create(bench.at("new"), b"new\n"),
        MakeLink(bench.at("link"), b"a.txt"),
        Delete(bench.at("b.txt")),
        Move(bench.at("f/x.txt"), bench.at("f/z.txt")),
        SetMode(bench.at("a.txt"), "755"),
    )
    for part in (
        "new file mode 100644\n",
        "+new\n",
        "new file mode 120000\n",
        "deleted file mode 100644\n",
        "-bee\n",
        "rename from f/x.txt\nrename to f/z.txt\n",
        "old mode 100644\nnew mode 100755\n",
    ):
        assert part.encode() in exported.content
    assert not exported.missing


def test_moved_folder(bench: Any) -> None:
    record = bench.commit(Move(bench.at("f"), bench.at("h")))

    def export() -> ExportedPatch:
        history = bench.changes
        return build_patch(history, history.record(record.id), "", Task())

    content = export().content
    assert b"rename from f/g/y.txt\nrename to h/g/y.txt\n" in content
    assert content.count(b"diff --git") == 2
    # Its files are those of that time only as long as nothing has changed them.
    bench.commit(Move(bench.at("h"), bench.at("i")))
    assert export().missing == ["h"]


def test_names_what_is_not_stored(bench: Any) -> None:
    exported = patch(
        bench,
        Create(bench.at("new"), b"new\n"),
        Delete(bench.at("b.txt")),
        undoable=False,
    )
    assert "b.txt" in exported.missing
    assert b"# not in this patch: b.txt\n" in exported.content
