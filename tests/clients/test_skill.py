"""The skill of `setup --shell` is offered to the model by the clients that have skills."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bench.clients.real_clients import CLIENTS, Installation, Scene
from bench.clients.scripted_model import scripted_model
from tests.clients.conftest import Install

import filewright.cli

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]

SKILL = Path(filewright.cli.__file__).parent / "setup" / "SKILL.md"
SCOPES: dict[str, tuple[str, ...]] = {
    "Claude Code": (),
    "Codex": (),
    "Gemini CLI": (),
    "opencode": (),
    "Copilot CLI": (),
    "pi": ("--user",),
}


@pytest.mark.parametrize("name", SCOPES)
def test_client_offers_the_skill(
    name: str, installed: Install, tmp_path: Path
) -> None:
    client = CLIENTS[name]
    modules = installed(name)
    scene = Scene(tmp_path / "scene")
    assert client.setup_name is not None
    scene.filewright(
        "setup", client.setup_name, "--shell", "--yes", *SCOPES[name]
    )
    with scripted_model([]) as model:
        client.start(Installation(scene, model.url, modules, is_set_up=False))
    match = re.search(r"^description: (.+)$", SKILL.read_text(), re.MULTILINE)
    assert match is not None
    assert match[1][:60] in model.requests[0]
