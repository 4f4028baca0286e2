"""The prompt that a client's process is in, and the words of prompts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Settings, Workspace
from filewright.mailbox.prompts import (
    ClientPrompts,
    CurrentPrompt,
    PromptTexts,
    prompt_title,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    folder = tmp_path / "project"
    folder.mkdir()
    settings = Settings(flush=False, state_dir=str(tmp_path / "state"))
    with Workspace(folder, settings=settings) as opened:
        yield opened


# One process (an editor) has started the servers of two clients.
CLAUDE = CurrentPrompt("claude-1", "turn-1")
CURSOR = CurrentPrompt("cursor-1", "turn-2")


@pytest.mark.parametrize(
    ("client", "prompt"),
    [
        pytest.param("claude-code 2.1.197", CLAUDE, id="claude"),
        pytest.param("cursor-vscode 3.1.0", CURSOR, id="cursor"),
        pytest.param("codex-mcp-client 0.171.0", None, id="without-hooks"),
        pytest.param("", CURSOR, id="unknown-is-the-newest"),
    ],
)
def test_clients_of_one_process_have_their_own_prompts(
    workspace: Workspace, client: str, prompt: CurrentPrompt | None
) -> None:
    prompts = ClientPrompts(workspace)
    prompts.begin_turn("77-1", "claude-1", "turn-0", "claude-code")
    prompts.begin_turn("77-1", "claude-1", "turn-1", "claude-code")
    prompts.begin_turn("77-1", "cursor-1", "turn-2", "cursor")
    prompts.begin_turn("78-1", "codex-9", "turn-9", "codex")

    assert prompts.current("77-1", client) == prompt


def test_hooks_without_a_name_speak_for_every_client(
    workspace: Workspace,
) -> None:
    prompts = ClientPrompts(workspace)
    prompts.begin_turn("77-1", "s", "t")

    assert prompts.current("77-1", "raw 0") == CurrentPrompt("s", "t")


def test_keeps_the_beginning_of_a_prompt(workspace: Workspace) -> None:
    texts = PromptTexts(workspace)
    texts.add("s", "t", "Speed up the reply path\n" + "x" * 5_000)
    texts.add("s", "blank", " \n")

    text = texts.find("s", "t")
    assert text is not None
    assert len(text) == 2_000
    assert prompt_title(text) == "Speed up the reply path …"
    assert texts.find("s", "blank") is None
    assert texts.find(None, "t") is None


def test_keeps_no_prompt_if_told_so(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    settings = Settings(
        flush=False, keep_prompts=False, state_dir=str(tmp_path / "state")
    )
    with Workspace(folder, settings=settings) as workspace:
        PromptTexts(workspace).add("s", "t", "a secret")

        assert PromptTexts(workspace).find("s", "t") is None
    for path in (tmp_path / "state").rglob("*"):
        assert path.is_dir() or b"a secret" not in path.read_bytes()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param("One line", "One line", id="one-line"),
        pytest.param("\n  First \nsecond", "First …", id="lines"),
        pytest.param("w" * 200, "w" * 119 + "…", id="long"),
        pytest.param("a\x1b[31m\u202eb", "a\\x1b[31m\\u202eb", id="escapes"),
        pytest.param("\n", "", id="blank"),
    ],
)
def test_title_is_the_first_line(text: str, title: str) -> None:
    assert prompt_title(text) == title
