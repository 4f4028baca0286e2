"""The page of the library: its examples are checked strictly and run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests import processes

PROJECT = Path(__file__).parents[1]


PAGE = PROJECT / "docs" / "library.md"


EXAMPLES = re.findall(
    r"^```python\n(.*?)^```",
    PAGE.read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)


CART = "class Cart:\n    def total(self):\n        total = 1\n        return total\n"


# What the page says of a name that is not there, and of an argument that is none.
WRONG = """
from filewright import Workspace
workspace = Workspace()
workspace.read("a").vresion
workspace.read("a", limt=3)
workspace.edit("a", [{"search": "a", "replce": "b"}])
workspace.search("a", mode="regexp")
workspace.read(paths=["a"]).content
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def strictly(*files: Path) -> str:
    """Return what mypy says of these files, with the cache of the package's check."""
    command = [sys.executable, "-m", "mypy", *map(str, files)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=PROJECT
    ).stdout


@pytest.mark.extra
def test_examples_are_well_typed(
    tmp_path: Path,
) -> None:
    pytest.importorskip("mypy")
    files = []
    for number, example in enumerate(EXAMPLES):
        files.append(tmp_path / f"example{number}.py")
        files[-1].write_text(example)
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    said = strictly(*files, wrong)
    lines = [
        int(found) for found in re.findall(r"wrong\.py:(\d+): error", said)
    ]
    assert sorted(set(lines)) == [4, 5, 6, 7, 8], said
    assert not re.findall(r"example\d+\.py:\d+: error.*", said), said


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_run(example: str, root: Path, tmp_path: Path) -> None:
    (root / "cart.py").write_text(CART)
    script = example.replace("/path/to/project", root.as_posix())
    done = processes.run(
        [sys.executable, "-c", script],
        env={
            **os.environ,
            "FILEWRIGHT_STATE_DIR": str(tmp_path / "state"),
            "PATH": "",
        },
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (root / "cart.py").read_text() == CART
