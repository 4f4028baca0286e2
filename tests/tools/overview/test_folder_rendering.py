"""The text of the map of a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tools.sources import write_files

from filewright import Workspace


def test_empty_folder(root: Path, workspace: Workspace) -> None:
    assert workspace.get_map().text.endswith("(empty folder)")
    (root / "inner").mkdir()
    assert "(no files)" in workspace.get_map().text


@pytest.mark.parametrize(
    "files",
    [
        {
            f"p{n % 40}/m{n}.py": f"import p{n % 7}.m{n % 7}\n"
            for n in range(800)
        },
        {f"{'deep/' * 40}{n}.js": "" for n in range(20)},
        {
            "pyproject.toml": "[[[",
            "package.json": "[" * 5_000,
            "a.py": "from " + "." * 500 + "x import y\n",
        },
        {
            "a.py": "import "
            + "a" * 10_000
            + "\nfrom x import ("
            + "y, " * 5_000,
            "x.py": "",
        },
        {"weird \u202e name\u0007.py": "import os\n"},
    ],
)
def test_is_bounded(
    root: Path, workspace: Workspace, files: dict[str, str]
) -> None:
    write_files(root, files)
    made = workspace.call("get_overview", {})
    assert not made.is_error, made.text
    assert len(made.text) <= 6_000
    assert "\u202e" not in made.text
