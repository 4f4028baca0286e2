"""Calls of a workspace that are awaited."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import anyio
import pytest

from filewright import AsyncWorkspace, Code, FilewrightError, Task, Workspace
from filewright.tools.methods import ToolMethods

PROJECT = Path(__file__).parents[1]


PAGE = PROJECT / "docs" / "library.md"


CART = "class Cart:\n    def total(self):\n        total = 1\n        return total\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def test_methods_that_the_page_names() -> None:
    (sentence,) = re.findall(
        r"has the methods that run a tool, (.*?), to be\s+awaited",
        PAGE.read_text(encoding="utf-8"),
    )
    others = {
        name
        for name in vars(AsyncWorkspace)
        if not name.startswith("_") and hasattr(Workspace, name)
    }
    assert set(re.findall(r"`(\w+)`", sentence)) == others - set(
        vars(ToolMethods)
    ) - {"close", "tools"}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_same_results(backend: str, root: Path, tmp_path: Path) -> None:
    if backend == "trio":
        pytest.importorskip("trio")
    (root / "cart.py").write_text(CART)

    async def main() -> None:
        async with AsyncWorkspace(
            root, state_dir=tmp_path / "state"
        ) as workspace:
            read = await workspace.read("cart.py")
            assert read.total_lines == 4
            assert [
                file.is_error
                for file in (
                    await workspace.read(paths=["cart.py", "no"])
                ).files
            ] == [
                False,
                True,
            ]
            edit = await workspace.edit(
                "cart.py", [{"search": "return total", "replace": "return 0"}]
            )
            assert "return 0" in (root / "cart.py").read_text()
            await workspace.undo(edit.change_id)
            assert (
                await workspace.call("read_content", {"path": "no"})
            ).code == Code.NOT_FOUND
            with pytest.raises(FilewrightError):
                await workspace.read("no")

    anyio.run(main, backend=backend)
    assert (root / "cart.py").read_text() == CART


def test_cancelled_call(root: Path, tmp_path: Path) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def main() -> None:
        async with AsyncWorkspace(
            root, state_dir=tmp_path / "state"
        ) as workspace:

            def work(task: Task) -> None:
                begun.set()
                try:
                    while True:
                        task.check()
                finally:
                    ended.set()

            async with anyio.create_task_group() as group:
                group.start_soon(workspace._in_thread, work)
                await anyio.to_thread.run_sync(begun.wait)
                group.cancel_scope.cancel()
            assert ended.is_set()

    anyio.run(main)
    assert ended.is_set()


def test_cancelled_commit(root: Path, tmp_path: Path) -> None:
    names = [f"f{number}" for number in range(200)]

    async def main() -> None:
        async with AsyncWorkspace(
            root, state_dir=tmp_path / "state"
        ) as workspace:
            for delay in (0.0, 0.01, 0.03):
                with anyio.move_on_after(delay):
                    await workspace.write_all(
                        [
                            {"path": f"{delay}/{name}", "content": name}
                            for name in names
                        ]
                    )
                there = [path.name for path in (root / str(delay)).glob("*")]
                assert sorted(there) in ([], sorted(names))

    anyio.run(main)
