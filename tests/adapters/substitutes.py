"""A pytest plugin that puts our adapters in place of the objects that frameworks test.

`tests.adapters.framework_tests` loads it into a run of a framework's own tests.
"""

from __future__ import annotations

import asyncio
import atexit
import inspect
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from filewright import Settings, Workspace


def new_workspace(root: Path) -> Workspace:
    """Return a workspace whose history is in a temporary folder."""
    state = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, state, ignore_errors=True)
    return Workspace(root, state_dir=state, settings=Settings(flush=False))


def apply_diff(input: str, diff: str, mode: str = "default") -> str:
    """Apply a diff to a file by the editor, and return the text of the file."""
    from agents.editor import ApplyPatchOperation

    from filewright.adapters.openai_agents import FilewrightEditor

    root = Path(tempfile.mkdtemp())
    file = root / "file.txt"
    operation = "create_file"
    if mode == "default":
        file.write_bytes(input.encode())
        operation = "update_file"
    try:
        with new_workspace(root) as workspace:
            result = FilewrightEditor(workspace).apply(
                ApplyPatchOperation(type=operation, path=file.name, diff=diff)
            )
        if result.status == "failed":
            raise ValueError(result.output)
        return file.read_bytes().decode()
    finally:
        shutil.rmtree(root)


def recording_editor() -> Any:
    """Return the class of an editor that records operations, on files that they fit."""
    from filewright.adapters.openai_agents import FilewrightEditor

    class RecordingEditor(FilewrightEditor):
        """An editor of files that are made from the old lines of each diff."""

        def __init__(self) -> None:
            self.root = Path(tempfile.mkdtemp())
            atexit.register(shutil.rmtree, self.root, ignore_errors=True)
            super().__init__(new_workspace(self.root))
            self.operations: list[Any] = []

        def apply(self, operation: Any) -> Any:
            """Record an operation, make its file and apply it."""
            self.operations.append(operation)
            if operation.type != "create_file":
                lines = []
                for line in (operation.diff or "").splitlines():
                    if line.startswith(("-", " ")):
                        lines.append(f"{line[1:]}\n")
                (self.root / operation.path).write_text("".join(lines))
            return super().apply(operation)

    return RecordingEditor


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Replace the tested objects in the modules of the tests."""
    for module in {item.module for item in items}:
        if hasattr(module, "apply_diff"):
            module.apply_diff = apply_diff
        if hasattr(module, "RecordingEditor"):
            module.RecordingEditor = recording_editor()
        if hasattr(module, "FilesystemBackend"):
            module.FilesystemBackend = filesystem_backend()


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark of tests that are coroutines."""
    config.addinivalue_line("markers", "asyncio: a coroutine")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    asyncio.run(pyfuncitem.obj(**arguments))
    return True


def filesystem_backend() -> Any:
    """Return a backend class with the arguments of deepagents' own."""
    from filewright.adapters.deepagents import FilewrightBackend

    class FilesystemBackend(FilewrightBackend):
        """A backend of virtual paths."""

        # Tests replace these to choose an engine or to see a call of it.
        _ripgrep_search = None
        _add_grep_context = None
        virtual_mode = True

        def __init__(
            self,
            root_dir: Any = None,
            virtual_mode: bool = True,
            max_file_size_mb: int = 10,
        ) -> None:
            if not virtual_mode:
                pytest.skip("paths are virtual only")
            self._root = Path(root_dir or Path.cwd())
            super().__init__(
                self._root,
                settings=Settings(flush=False, state_dir=tempfile.mkdtemp()),
            )

        def _python_search(
            self,
            pattern: str,
            base: Path,
            glob: str | None,
            max_count: int | None = None,
        ) -> tuple[dict[str, list[tuple[int, str]]], bool, str | None]:
            """Search as `grep`, in the form that tests of their engine expect."""
            below = Path(base).relative_to(self._root).as_posix()
            result = self.grep(pattern, f"/{below}", glob, max_count=max_count)
            lines: dict[str, list[tuple[int, str]]] = {}
            for match in result.matches or ():
                lines.setdefault(match["path"], []).append(
                    (match["line"], match["text"])
                )
            return lines, result.truncated, result.error

    return FilesystemBackend
