"""A client as its users install it knows the slash commands that `setup` has written."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.clients.real_clients import CLIENTS, Installation, Scene
from bench.clients.scripted_model import scripted_model
from tests.clients.conftest import Install

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]


@pytest.mark.parametrize(
    "name", ["Claude Code", "Gemini CLI", "Qwen Code", "pi"]
)
def test_model_gets_prompt(
    name: str, installed: Install, tmp_path: Path
) -> None:
    client = CLIENTS[name]
    modules = installed(name)
    scene = Scene(tmp_path / "scene")
    with scripted_model([]) as model:
        client.start(
            Installation(
                scene,
                model.url,
                modules,
                setup_name=client.setup_name,
                prompt="/filewright-rewind last",
            )
        )
    [request] = model.requests
    assert "The user wants to undo changes" in request
    assert "and typed: last" in request
