"""The examples of `docs/agent-loops.md` run, and are short."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "agent-loops.md"
EXAMPLES = re.findall(
    r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
)
ADAPTER = re.compile(r"filewright\.adapters\.(\w+)")
LOOPS = [code for code in EXAMPLES if "def run(" in code]
PLAIN = [
    code for code in EXAMPLES if not ADAPTER.search(code) and code not in LOOPS
]
OF_FRAMEWORKS = [
    (match[1], code) for code in EXAMPLES if (match := ADAPTER.search(code))
]
CART = "class Cart:\n    def total(self):\n        return total\n"


def run(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run an example in a folder with a file, and release its roots."""
    (folder / "cart.py").write_text(CART)
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {"root": folder}
    if "model=model" in code or "(model," in code:
        from tests.adapters.scripted_chat import ScriptedChat

        names["model"] = ScriptedChat(script=[])
    exec(compile(code, str(PAGE), "exec"), names)
    if "backend" in names:
        names["backend"].workspace.close()
    if "workspace" in names:
        names["workspace"].close()


@pytest.mark.parametrize("code", PLAIN)
def test_example_runs(
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(code, tmp_path, monkeypatch)
    output = capsys.readouterr().out
    assert output
    assert "Error" not in output


@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("framework", "code"),
    OF_FRAMEWORKS,
    ids=[framework for framework, _ in OF_FRAMEWORKS],
)
def test_example_of_a_framework_runs(
    framework: str,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip(framework.replace("openai_agents", "agents"))
    run(code, tmp_path, monkeypatch)


@pytest.mark.parametrize("code", EXAMPLES)
def test_example_is_short(code: str) -> None:
    assert len(code.splitlines()) <= (30 if code in LOOPS else 15)


class Operation(SimpleNamespace):
    """An operation as the SDK has it."""

    def model_dump(self) -> dict[str, Any]:
        return vars(self)


def answer_anthropic(messages: list[Any]) -> SimpleNamespace:
    """Return a call at first, a refused one after it, and then words."""
    block = SimpleNamespace(type="text", text="done")
    if len(messages) < 4:
        edit = {
            "command": "str_replace",
            "path": "cart.py",
            "old_str": "return total",
            "new_str": "return 0",
        }
        name = "str_replace_based_edit_tool"
        block = SimpleNamespace(type="tool_use", id="1", name=name, input=edit)
    return SimpleNamespace(content=[block])


def answer_openai(items: list[Any]) -> SimpleNamespace:
    """Return a call at first, a refused one after it, and then words."""
    item = SimpleNamespace(type="message")
    if len(items) < 5:
        diff = "-        return total\n+        return 0"
        operation = Operation(type="update_file", path="cart.py", diff=diff)
        item = SimpleNamespace(
            type="apply_patch_call", call_id="1", operation=operation
        )
    return SimpleNamespace(output=[item])


@pytest.mark.parametrize("code", LOOPS, ids=["anthropic", "openai"])
def test_loop_answers_the_model(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []

    def create(**arguments: Any) -> SimpleNamespace:
        sent.append(json.dumps(arguments, default=str))
        if "messages" in arguments:
            return answer_anthropic(arguments["messages"])
        return answer_openai(arguments["input"])

    api = SimpleNamespace(create=create)
    run(code, tmp_path, monkeypatch)
    names: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    names["run"](SimpleNamespace(messages=api, responses=api), "edit")
    assert len(sent) == 3
    assert '"is_error": true' in sent[2] or '"status": "failed"' in sent[2]
    expected = CART.replace("return total", "return 0")
    assert (tmp_path / "cart.py").read_text() == expected
