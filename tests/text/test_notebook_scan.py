"""The scan of notebooks: other files, large ones, and time limits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.text.notebooks import (
    EXAMPLE,
    IMAGE_OUTPUT,
    code,
    notebook,
    sources,
    write,
)

from filewright import Workspace
from filewright.progress import Task
from filewright.text.notebook import NotebookView, view_cells
from filewright.text.snapshot import Snapshot

OTHER_FILES = {
    "no-json": "x = 1\n",
    "cut-off": json.dumps(EXAMPLE)[:-3],
    "something-behind": json.dumps(EXAMPLE) + "}",
    "an-array": "[1, 2]",
    "no-cells": '{"nbformat": 4}',
    "an-old-format": json.dumps(
        {"nbformat": 3, "worksheets": [{"cells": []}], "cells": []}
    ),
    "cells-twice": '{"cells": [], "cells": [], "nbformat": 4}',
    "a-source-twice": '{"cells": [{"cell_type": "code", "source": "x", "source": "y"}], "nbformat": 4}',
    "no-source-in-strings": '{"cells": [{"cell_type": "code", "source": [1]}], "nbformat": 4}',
    "a-bad-escape": '{"cells": [{"cell_type": "code", "source": "\\x"}], "nbformat": 4}',
    "nested-deeply": '{"metadata": '
    + "[" * 5000
    + "]" * 5000
    + ', "cells": [], "nbformat": 4}',
    "brackets-crossed": '{"metadata": [{]}, "cells": [], "nbformat": 4}',
    "empty": "",
}


@pytest.mark.parametrize("content", OTHER_FILES.values(), ids=OTHER_FILES)
def test_shows_other_files_as_text(
    root: Path, workspace: Workspace, content: str
) -> None:
    path = write(root, content)
    answer = workspace.call("read_content", {"path": "n.ipynb"})
    assert not answer.is_error
    assert "# %%" not in answer.text
    assert not workspace.call(
        "search_content", {"pattern": "zzz", "path": "n.ipynb"}
    ).is_error
    assert path.read_text() == content


def test_edits_large_notebook(root: Path, workspace: Workspace) -> None:
    images = ({**IMAGE_OUTPUT, "data": {"image/png": "A" * (6 << 20)}},) * 3
    path = write(
        root,
        notebook(
            code(["a = 1\n", "b = 2"], "first", images), code(["c = 3"], "last")
        ),
    )
    text = workspace.call("read_content", {"path": "n.ipynb"}).text
    assert "3 outputs of 18,87" in text
    edit = {"search": "c = 3", "replace": "c = 4"}
    assert not workspace.call(
        "edit_content", {"path": "n.ipynb", "edits": [edit]}
    ).is_error
    assert sources(path) == ["a = 1\nb = 2", "c = 4"]


def test_checks_task_while_scanning() -> None:
    checks = 0

    class CountingTask(Task):
        def check(self) -> None:
            nonlocal checks
            checks += 1

    content = json.dumps(notebook(*[code(["x = 1\n"] * 20)] * 1000)).encode()
    view = view_cells(Snapshot(content), CountingTask())
    assert isinstance(view, NotebookView)
    assert len(view.cells) == 1000
    assert checks > len(content) // (100 << 10)
