"""Protected names hold while another process exchanges a folder with a link to them."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests import processes

from filewright import Workspace
from filewright.boundary.boundary import Boundary
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.system import open_folder

pytestmark = pytest.mark.needs(
    "exchange"
)  # The racing process exchanges names.

# Exchanges `sub` and the link `way` for as long as its input is open.
SWAPPER = """
import select, sys
from filewright.system import open_folder
with open_folder(sys.argv[1]) as folder:
    sys.stdout.write("ready\\n")
    sys.stdout.flush()
    while not select.select([sys.stdin], [], [], 0)[0]:
        for _ in range(100):
            folder.rename(b"sub", folder, b"way", "exchange")
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / "sub").mkdir()
    (root / "way").symlink_to(".git")
    return root


@contextmanager
def swapping(root: Path) -> Iterator[None]:
    process = processes.start(
        [sys.executable, "-c", SWAPPER, str(root)], heard=False
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        assert process.stdout.readline() == b"ready\n"
        yield
        process.stdin.close()
        assert process.wait() == 0


def landed(root: Path) -> list[str]:
    return os.listdir(root / ".git")


def race_writes(root: Path, rounds: int) -> Counter[str]:
    """Open the folder for a change, as every change does, and write into it: by both ways of resolving."""
    seen: Counter[str] = Counter()
    for kernel in (True, False):
        boundary = Boundary([root], Settings(openat2=kernel))
        with swapping(root):
            for number in range(rounds // 2):
                name = f"sub/x{number % 50}"
                try:
                    with boundary.open_folder(
                        boundary.locate(name).parent, for_change=True
                    ) as folder:
                        folder.create(b"x%d" % (number % 50)).close()
                        folder.remove(b"x%d" % (number % 50))
                        seen["written"] += 1
                        assert folder.status().inode != git_inode(root)
                except FilewrightError as error:
                    if error.code not in (
                        Code.PERMISSION_DENIED,
                        Code.NOT_FOUND,
                        Code.IN_USE,
                    ):
                        raise
                    seen[error.code] += 1
                except FileNotFoundError:
                    seen["gone"] += 1
        boundary.close()
        assert landed(root) == []
    return seen


def git_inode(root: Path) -> int:
    with open_folder(os.fsencode(root)) as folder:
        return folder.stat(b".git").inode


def test_nothing_is_written_to_a_protected_folder_that_a_link_leads_to_now_and_then(
    root: Path,
) -> None:
    seen = race_writes(root, 2_000)
    assert seen["written"]
    assert seen[Code.PERMISSION_DENIED]


@pytest.mark.sweep
@pytest.mark.timeout(3600)
def test_nothing_is_written_to_a_protected_folder_in_a_hundred_thousand_tries(
    root: Path,
) -> None:
    race_writes(root, 100_000)


def test_no_tool_writes_to_a_protected_folder_that_a_link_leads_to_now_and_then(
    root: Path, tmp_path: Path
) -> None:
    with (
        Workspace(root, state_dir=tmp_path / "state") as workspace,
        swapping(root),
    ):
        for number in range(150):
            workspace.call(
                "write_content",
                {"items": [{"path": f"sub/x{number}", "content": "evil\n"}]},
            )
    assert landed(root) == []


@pytest.mark.sweep
@pytest.mark.timeout(3600)
def test_no_tool_writes_to_a_protected_folder_in_many_tries(
    root: Path, tmp_path: Path
) -> None:
    with (
        Workspace(root, state_dir=tmp_path / "state") as workspace,
        swapping(root),
    ):
        for number in range(20_000):
            workspace.call(
                "write_content",
                {
                    "items": [
                        {"path": f"sub/x{number % 100}", "content": "evil\n"}
                    ]
                },
            )
    assert landed(root) == []
