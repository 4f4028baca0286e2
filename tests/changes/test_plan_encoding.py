"""The bytes of a plan: what is encoded is decoded, equal."""

from __future__ import annotations

import pytest

from filewright.changes.model import FileState
from filewright.changes.plan_encoding import decode_plan, encode_plan
from filewright.changes.rename_plan import (
    OperationKind,
    PlanFolder,
    RenameOperation,
    RenamePlan,
    Slot,
)

_FILE = FileState(
    "file", 0o640, uid=1, gid=2, size=3, mtime_ns=4, digest="d" * 32, inode=5
)
_LINK = FileState("link", link_target=b"bad\xff\ntarget", inode=6)
_FOLDER = FileState(
    "folder",
    0o755,
    inode=7,
    descendants={b"g": FileState("folder"), b"g/\xff": _FILE},
)
_ROOT = PlanFolder(inode=1, root=b"/home/\xff", is_new=False, slot=None)
_NEW_FOLDER = PlanFolder(
    inode=None, root=None, is_new=True, slot=Slot(0, b"n\xff")
)
_SLOTS = (Slot(1, b"source\xff"), Slot(0, b"target\n"), Slot(0, b"backup"))


@pytest.mark.parametrize(
    ("after", "before"),
    [
        pytest.param(_FILE, None, id="new file"),
        pytest.param(_LINK, _FILE, id="link over a file"),
        pytest.param(_FOLDER, None, id="new folder"),
        pytest.param(_FILE, _FOLDER, id="file over a folder"),
        pytest.param(FileState("other"), FileState("file"), id="nothing known"),
    ],
)
@pytest.mark.parametrize("kind", OperationKind)
def test_decodes_what_it_encodes(
    kind: OperationKind, after: FileState, before: FileState | None
) -> None:
    operation = RenameOperation(kind, *_SLOTS, after, before)
    plan = RenamePlan((_ROOT, _NEW_FOLDER), (operation, operation))
    decoded = decode_plan(b"".join(encode_plan(plan)))
    assert decoded == plan
    # Inodes and descendants take no part in the comparison of states.
    for state, decoded_state in (
        (after, decoded.operations[1].after),
        (before, decoded.operations[1].before),
    ):
        if state is None or decoded_state is None:
            assert state is decoded_state
            continue
        assert decoded_state.inode == state.inode
        assert dict(decoded_state.descendants) == dict(state.descendants)


def test_decodes_empty_plan() -> None:
    assert decode_plan(b"".join(encode_plan(RenamePlan()))) == RenamePlan()


def test_keeps_inodes_of_descendants() -> None:
    operation = RenameOperation(OperationKind.DELETED, *_SLOTS, _FOLDER)
    decoded = decode_plan(
        b"".join(encode_plan(RenamePlan((_ROOT, _NEW_FOLDER), (operation,))))
    )
    descendants = decoded.operations[0].after.descendants
    assert list(descendants) == [b"g", b"g/\xff"]
    assert descendants[b"g/\xff"].inode == 5
