"""Lists from which a person chooses in a terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests import terminals

SCRIPT = """
from filewright.cli.picker import Option, choose_one, choose_several
options = [Option(f"row {n}", f"value-{n}") for n in range(1, 13)]
print("chosen", choose_%s("Which?", options%s))
"""
DOWN, ENTER, ESCAPE, CONTROL_C = "\x1b[B", "\r", "\x1b", "\x03"


def ask(form: str, keys: str, rows: str = "") -> terminals.Session:
    return terminals.run(
        program=[sys.executable, "-c", SCRIPT % (form, rows)],
        keys=[("Which?", keys)],
    )


@pytest.mark.parametrize(
    ("form", "keys", "rows", "chosen"),
    [
        pytest.param("one", ENTER, "", "value-1", id="enter"),
        pytest.param("one", DOWN + DOWN + ENTER, "", "value-3", id="arrows"),
        pytest.param("one", "4" + ENTER, "[:5]", "value-4", id="digit"),
        pytest.param("one", DOWN * 11 + ENTER, "", "value-12", id="scrolls"),
        pytest.param(
            "several",
            " " + DOWN + " " + ENTER,
            "",
            "['value-1', 'value-2']",
            id="several",
        ),
    ],
)
def test_chooses(form: str, keys: str, rows: str, chosen: str) -> None:
    screen = ask(form, keys, rows)
    assert screen.status == 0
    assert f"chosen {chosen}" in screen.text


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(ESCAPE, id="escape"),
        pytest.param("q", id="q"),
        pytest.param(CONTROL_C, id="ctrl-c"),
    ],
)
def test_leaves(key: str) -> None:
    screen = ask("one", key)
    assert screen.status == 1
    assert "nothing was changed" in screen.text
    assert "Traceback" not in screen.text


def test_is_imported_by_lists_only() -> None:
    code = (
        "import sys, filewright.cli.program, filewright.cli.picker\n"
        "print([name for name in sys.modules if 'prompt_toolkit' in name])"
    )
    # Started anew: the fork server has imported the library.
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
