"""Components of a client's files, as edits of their text."""

from __future__ import annotations

import pytest

from filewright import FilewrightError
from filewright.cli.setup.clients import CLIENTS
from filewright.cli.setup.components import RULE, Component
from filewright.cli.setup.configfile import is_blank
from filewright.cli.setup.launch import ServerOptions

OPTIONS = ServerOptions(shared=True)
HOOKS = CLIENTS["claude-code"].build_hooks(OPTIONS, ".claude/settings.json")


def component(kind: str, path: str, content: object = None) -> Component:
    return Component(CLIENTS["claude-code"], kind, path, content)


SERVER = component(
    "server", ".mcp.json", {"command": "filewright", "args": ["serve"]}
)
RULES = component("rule", "CLAUDE.md")
SKILL = component("skill", "SKILL.md")
EVENTS = component("hooks", ".claude/settings.json", HOOKS)


@pytest.mark.parametrize(
    ("part", "before"),
    [
        pytest.param(SERVER, "", id="server"),
        pytest.param(SERVER, '{"mcpServers": {"o": {}}}\n', id="servers"),
        pytest.param(EVENTS, "", id="hooks"),
        pytest.param(RULES, "", id="rule"),
        pytest.param(RULES, "# Mine\n", id="rules"),
        pytest.param(RULES, "# Mine", id="no-final-newline"),
        pytest.param(RULES, "\ufeff# Mine\r\n", id="crlf-and-mark"),
        pytest.param(component("rule", "r.mdc"), "", id="rule-of-cursor"),
        pytest.param(SKILL, "", id="skill"),
    ],
)
def test_adds_and_removes(part: Component, before: str) -> None:
    after = part.add_to(before)
    assert after != before
    assert part.is_in(after)
    assert not part.is_in(before)
    assert part.add_to(after) == after
    rest = part.remove_from(after, before)
    assert rest == before or (is_blank(rest) and not before)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        pytest.param(SERVER, '{"mcpServers": ', id="broken"),
        pytest.param(EVENTS, '{"hooks": {"Stop": 1}}', id="no-lists"),
        pytest.param(SKILL, "# filewright of another", id="foreign-skill"),
    ],
)
def test_refuses(part: Component, text: str) -> None:
    with pytest.raises(FilewrightError, match="was not changed") as refused:
        part.add_to(text)
    assert "filewright config claude-code" in (refused.value.hint or "")


def test_broken_file_may_have_it() -> None:
    assert SERVER.is_in("{filewright")
    assert not SERVER.is_in("{")


def test_rule_once() -> None:
    assert RULES.add_to(f"{RULE}\n") == f"{RULE}\n"
