"""The tool `get_overview`: of a file, of a folder, of several."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tools.sources import SHOP_FILES, write_files

from filewright import Workspace
from filewright.errors import FilewrightError


def test_several_overviews_in_one_call(
    root: Path, workspace: Workspace
) -> None:
    write_files(root, SHOP_FILES)
    made = workspace.get_overviews("shop/money.py", "web", "gone.py")
    assert "class Money" in made.overviews[0].text
    assert "web/: 3 files" in made.text
    assert "gone.py: not_found" in made.text
    assert (
        workspace.call("get_overview", {"paths": ["gone.py"]}).data[
            "overviews"
        ][0]["code"]
        == "not_found"
    )
    assert (
        workspace.call("get_overview", {"path": "web", "paths": ["web"]}).data[
            "code"
        ]
        == "invalid_input"
    )


def test_method_refuses_a_folder(root: Path, workspace: Workspace) -> None:
    (root / "d").mkdir()
    with pytest.raises(FilewrightError) as refused:
        workspace.get_overview("d")
    assert refused.value.code == "not_a_file"
