"""The project of the demo, and the work in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright.cli.demo_story import (
    PRICES,
    PRICES_AFTER,
    PROJECT,
    STORY,
    Agent,
    OwnEdit,
    ShellDeletion,
    Stage,
    ToolCall,
)
from filewright.cli.setup.clients import CLIENTS

STEPS = [step for prompt in STORY for step in prompt.steps]
AGENTS = list({prompt.agent.client: prompt.agent for prompt in STORY}.values())


def test_prices_are_not_utf8() -> None:
    with pytest.raises(UnicodeDecodeError):
        PROJECT[PRICES].decode("utf-8")
    assert PROJECT[PRICES] != PRICES_AFTER


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    stage = Stage(project=tmp_path / "project", state=tmp_path / "state")
    stage.make_project()
    return stage


def test_makes_project(stage: Stage) -> None:
    contents = {
        path.relative_to(stage.project).as_posix(): path.read_bytes()
        for path in stage.project.rglob("*")
        if path.is_file()
    }
    assert contents == PROJECT


@pytest.mark.parametrize("step", STEPS, ids=[step.title for step in STEPS])
def test_step_can_be_done(step: ToolCall | OwnEdit | ShellDeletion) -> None:
    if isinstance(step, ToolCall):
        path = step.arguments["path"]
        assert step.title == f"{step.tool} {path}"
        for edit in step.arguments.get("edits", ()):
            assert PROJECT[path].count(edit["search"].encode()) == 1
    elif isinstance(step, OwnEdit):
        old, new = step.old.encode(), step.new.encode()
        assert PROJECT[step.path].replace(old, new) == PRICES_AFTER
    else:
        assert step.title == f"rm {step.path}"
        assert step.path in PROJECT


@pytest.mark.parametrize("agent", AGENTS, ids=[a.client for a in AGENTS])
def test_agents_have_hooks_of_setup(agent: Agent) -> None:
    events = CLIENTS[agent.client].events
    assert agent.title == CLIENTS[agent.client].title
    assert "$begin" in str(events[agent.prompt_event])
    for event, command in (
        (agent.before_event, "$begin"),
        (agent.after_event, "$end"),
    ):
        (hook,) = events[event]
        assert command in str(hook)
        tools = hook["matcher"].split("|")
        assert {agent.edit_tool, agent.shell_tool} <= {*tools}
