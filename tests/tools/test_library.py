"""The library has types: its examples are checked strictly and run, and every typed method is its tool."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import get_type_hints

import anyio
import pytest
from tests import processes

from filewright import AsyncWorkspace, Code, FilewrightError, Task, Workspace
from filewright import __all__ as face
from filewright.tools.catalogue import load_tool, read_catalogue
from filewright.tools.context import Context
from filewright.tools.methods import ToolMethods
from filewright.tools.result import ToolResult

PROJECT = Path(__file__).parents[2]
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


def strictly(*files: Path) -> str:
    """Return what mypy says of these files, with the cache of the package's check."""
    command = [sys.executable, "-m", "mypy", *map(str, files)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=PROJECT
    ).stdout


@pytest.mark.extra
def test_the_examples_of_the_library_page_are_well_typed(
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
def test_the_examples_of_the_library_page_run(
    example: str, root: Path, tmp_path: Path
) -> None:
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


def test_what_runs_a_tool_can_be_awaited_and_what_else_the_page_says() -> None:
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


@pytest.mark.parametrize("name", read_catalogue().modules)
def test_a_tool_answers_with_a_frozen_result_of_the_face(name: str) -> None:
    run = load_tool(name).run
    answered = get_type_hints(run, localns={"Context": Context, "Task": Task})[
        "return"
    ]
    for result in (
        [answered] if isinstance(answered, type) else answered.__args__
    ):
        assert issubclass(result, ToolResult)
        assert result.__dataclass_params__.frozen
        assert result.__name__ in face


def test_only_tools_that_are_offered_can_be_called(
    workspace: Workspace, root: Path
) -> None:
    reading = workspace.offer(toolsets=["read"])
    written = reading.call(
        "write_content", {"items": [{"path": "new.txt", "content": "x"}]}
    )
    assert written.code == Code.INVALID_INPUT
    assert "unknown tool 'write_content'" in written.text
    assert not (root / "new.txt").exists()


def test_a_result_tells_the_same_as_attributes_and_as_data(
    workspace: Workspace, root: Path
) -> None:
    (root / "cart.py").write_text(CART)
    read = workspace.read("cart.py", start=3)
    assert (read.start_line, read.total_lines, read.rows[-1]) == (
        3,
        4,
        "        return total",
    )
    assert read.data["start_line"] == 3
    assert read.data["next"] is None
    edit = workspace.edit(
        "cart.py",
        [{"search": "return total", "replace": "return 0"}],
        preview=True,
    )
    assert (edit.preview, edit.change_id, edit.results[0].first) == (
        True,
        None,
        4,
    )
    assert edit.data["results"][0]["line_number"] == 4
    found = workspace.search("total", "cart.py")
    assert [hit.line for hit in found.results] == [2, 3, 4]
    assert (
        workspace.get_overview("cart.py").outline[0].children[0].name == "total"
    )
    with pytest.raises(FilewrightError) as refused:
        workspace.read("crat.py")
    assert refused.value.code == Code.NOT_FOUND


# The asynchronous workspace


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_awaited_calls_have_the_same_results(
    backend: str, root: Path, tmp_path: Path
) -> None:
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


def test_a_cancelled_call_stops_its_work_and_waits_for_it(
    root: Path, tmp_path: Path
) -> None:
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


def test_a_commit_that_is_cancelled_is_made_whole_or_not_at_all(
    root: Path, tmp_path: Path
) -> None:
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


def test_a_tool_outside_of_the_toolsets_is_not_there(
    workspace: Workspace, root: Path
) -> None:
    offer = workspace.offer(None, ["read"])
    answer = offer.call(
        "write_content", {"items": [{"path": "new.txt", "content": "x"}]}
    )
    assert answer.code is Code.INVALID_INPUT
    assert not (root / "new.txt").exists()
