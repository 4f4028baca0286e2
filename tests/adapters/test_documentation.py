"""The examples of `docs/agent-loops.md` run, and are short."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "agent-loops.md"
EXAMPLES = re.findall(
    r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
)
ADAPTER = re.compile(r"filewright\.adapters\.(\w+)")
PLAIN = [code for code in EXAMPLES if not ADAPTER.search(code)]
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
    assert len(code.splitlines()) <= 15
