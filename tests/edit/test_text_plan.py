"""Plans of texts as plans of files; notebooks by their cells or by their JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from tests.files import named
from tests.text.notebooks import EXAMPLE

from filewright.edit.changeset import Modify
from filewright.edit.text_plan import plan_text
from filewright.errors import Code, FilewrightError
from filewright.text.notebook import view_cells
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices


@dataclass(frozen=True)
class Replacement:
    """The plan of a text in which one word is replaced."""

    splices: tuple[Splice, ...]


def replace(old: bytes, new: bytes, text: Snapshot) -> Replacement:
    offset = text.read(0, text.size).find(old)
    if offset < 0:
        raise FilewrightError(Code.NO_MATCH, f"nothing in {text.size} bytes")
    return Replacement((Splice(offset, len(old), new),))


def planned(text: Snapshot, old: bytes, new: bytes) -> bytes:
    plan = plan_text(text, lambda snapshot: replace(old, new, snapshot))
    assert plan.before is not None
    (step,) = plan.steps
    assert isinstance(step, Modify)
    assert step.splices == plan.splices
    content = plan.before.read(0, plan.before.size)
    return apply_splices(content, plan.splices)


def test_plans_file() -> None:
    assert planned(named("d/a.txt", b"a b\n"), b"b", b"c") == b"a c\n"
    empty = plan_text(named("a", b""), lambda _: Replacement(()))
    assert not empty.steps
    assert (empty.old_name, empty.new_name) == ("a", "a")


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"y = 2", b'y = "2"'), (b"metadata", b"other")],
    ids=["in a cell", "in the JSON alone"],
)
def test_plans_notebook(old: bytes, new: bytes) -> None:
    content = json.dumps(EXAMPLE, indent=1).encode()
    result = planned(view_cells(named("n.ipynb", content)), old, new)
    in_json = json.dumps(new.decode())[1:-1].encode()
    assert result == content.replace(old, in_json, 1)


def test_refusal_is_about_cells() -> None:
    content = json.dumps(EXAMPLE).encode()
    cells = view_cells(named("n.ipynb", content))
    with pytest.raises(FilewrightError, match=f"in {cells.size} bytes"):
        planned(cells, b"nowhere", b"")
