"""A native `start` that is refused as `offset`."""

from __future__ import annotations

import pytest

from filewright import Workspace
from filewright.dialects.offsets import naming_offset
from filewright.errors import Code, FilewrightError


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("1\n2\n")
    (root / "empty").touch()
    with Workspace(root, state_dir=tmp_path / "state") as opened:
        yield opened


@pytest.mark.parametrize(
    ("path", "offset", "message", "hint"),
    [
        (
            "a.txt",
            9,
            "offset=9 is past the end of a.txt, which has 2 lines",
            "use an offset from 1 to 2, or a negative one to count from the end",
        ),
        (
            "a.txt",
            0,
            "offset=0: lines are numbered from 1",
            "use offset=1 for the beginning, "
            "a negative offset to count from the end",
        ),
        (
            "empty",
            2,
            "offset=2 is past the end of empty, which has 0 lines",
            "the file is empty",
        ),
    ],
    ids=["past the end", "zero", "empty"],
)
def test_names_the_offset(path, offset, message, hint, workspace):
    with pytest.raises(FilewrightError) as refused, naming_offset(offset):
        workspace.read(path, start=offset)
    assert refused.value.message == message
    assert refused.value.hint == hint
    assert refused.value.details["argument"] == "offset"


def test_leaves_other_errors_alone(workspace):
    with pytest.raises(FilewrightError) as refused, naming_offset(1):
        workspace.read("no", start=1)
    assert refused.value.code == Code.NOT_FOUND
