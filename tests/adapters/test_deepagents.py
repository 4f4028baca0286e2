"""The backend for deepagents, called by its own agent with a scripted model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("deepagents")
pytestmark = pytest.mark.frameworks

from deepagents import create_deep_agent
from tests.adapters.framework_tests import run_framework_tests
from tests.adapters.scripted_chat import ScriptedChat

from filewright.adapters.deepagents import FilewrightBackend

CONTENT = b"caf\xe9\r\nport = 80\r\nmixed\nlast"
"""Latin-1 with mixed line ends and none at the end."""
EDITED = CONTENT.replace(b"80", b"8080")


def test_edits_and_undoes(tmp_path: Path) -> None:
    file = tmp_path / "app.ini"
    file.write_bytes(CONTENT)
    edit = {
        "file_path": "/app.ini",
        "old_string": "port = 80",
        "new_string": "port = 8080",
    }
    model = ScriptedChat(
        script=[
            ("read_file", {"file_path": "/app.ini"}),
            ("edit_file", edit),
            ("grep", {"pattern": "8080", "output_mode": "content"}),
        ]
    )
    backend = FilewrightBackend(tmp_path)
    agent: Any = create_deep_agent(model=model, backend=backend)
    state = agent.invoke({"messages": [("user", "edit")]})
    answers = [
        str(message.content)
        for message in state["messages"]
        if message.type == "tool"
    ]
    assert "café" in answers[0]
    assert "port = 8080" in answers[2]
    assert file.read_bytes() == EDITED
    backend.workspace.undo()
    assert file.read_bytes() == CONTENT


def test_uploads_bytes_and_undoes(tmp_path: Path) -> None:
    backend = FilewrightBackend(tmp_path)
    content = bytes(range(256))
    (response,) = backend.upload_files([("/a/b.bin", content)])
    assert response.error is None
    (file,) = backend.download_files(["/a/b.bin"])
    assert file.content == content
    backend.upload_files([("/a/b.bin", b"new")])
    backend.workspace.undo()
    assert (tmp_path / "a" / "b.bin").read_bytes() == content


def test_refuses_paths_outside(tmp_path: Path) -> None:
    backend = FilewrightBackend(tmp_path)
    (response,) = backend.upload_files([("/../x", b"")])
    assert response.error == "invalid_path"
    assert backend.read("/../x").error is not None


def test_passes_the_tests_of_the_framework() -> None:
    source = os.environ.get("FILEWRIGHT_DEEPAGENTS_SOURCE")
    if source is None:
        pytest.skip("FILEWRIGHT_DEEPAGENTS_SOURCE names no source")
    run_framework_tests("deepagents", Path(source)).check()
