"""`settings`: defaults, environment variables, checks and copies."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from filewright import FilewrightError
from filewright.settings import SETTINGS, Settings


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SETTINGS:
        monkeypatch.delenv(f"FILEWRIGHT_{name.upper()}", raising=False)


def test_has_defaults():
    settings = Settings()
    assert settings == Settings.defaults()
    assert hash(settings) == hash(Settings.defaults())
    assert (settings.page_chars, settings.flush, settings.deny) == (
        12_000,
        True,
        (),
    )
    assert settings.state_dir is None


def test_reads_environment(monkeypatch):
    monkeypatch.setenv("FILEWRIGHT_PAGE_CHARS", "20_000")
    monkeypatch.setenv("FILEWRIGHT_STATE_DIR", "/state")
    settings = Settings()
    assert (settings.page_chars, settings.state_dir) == (20_000, "/state")
    assert Settings.defaults().page_chars == 12_000


def test_arguments_win_over_environment(monkeypatch):
    monkeypatch.setenv("FILEWRIGHT_PAGE_CHARS", "20000")
    monkeypatch.setenv("FILEWRIGHT_DENY", "secret")
    settings = Settings(page_chars=30_000, deny=())
    assert (settings.page_chars, settings.deny) == (30_000, ())


def test_empty_variable_counts_as_none(monkeypatch):
    monkeypatch.setenv("FILEWRIGHT_PAGE_CHARS", "")
    assert Settings().page_chars == 12_000


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        pytest.param("flush", "off", False, id="switch"),
        pytest.param("flush", " YES ", True, id="switch with spaces"),
        pytest.param("flush", 0, False, id="number for a switch"),
        pytest.param("call_seconds", 5, 5.0, id="whole number for a float"),
        pytest.param("max_edits", 5.0, 5, id="float that is whole"),
        pytest.param("deny", "a, b,,", ("a", "b"), id="list with commas"),
        pytest.param("deny", ' ["a,b"]', ("a,b",), id="list in JSON"),
        pytest.param("deny", ["a", "b"], ("a", "b"), id="list"),
        pytest.param("state_dir", Path("state"), "state", id="path"),
        pytest.param("state_dir", None, None, id="no path"),
        pytest.param("confirm", "always", "always", id="choice"),
    ],
)
def test_converts(name, value, expected):
    converted = getattr(Settings(**{name: value}), name)
    assert converted == expected
    assert type(converted) is type(expected)


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        pytest.param("flush", "maybe", "true or false", id="switch"),
        pytest.param("max_edits", "lots", "a whole number", id="text"),
        pytest.param("max_edits", 1.5, "a whole number", id="fraction"),
        pytest.param(
            "max_edits", True, "a whole number", id="switch for a number"
        ),
        pytest.param(
            "max_edits", float("inf"), "a whole number", id="infinity"
        ),
        pytest.param("call_seconds", "soon", "a number", id="text for a float"),
        pytest.param("deny", "[1]", "a list of texts", id="list of numbers"),
        pytest.param("deny", "[", "neither a JSON array nor", id="broken JSON"),
        pytest.param(
            "deny", 1, "neither a JSON array nor", id="number for a list"
        ),
        pytest.param(
            "state_dir", 1, "it should be text", id="number for a path"
        ),
        pytest.param("editor", b"vi", "it should be text", id="bytes"),
        pytest.param(
            "confirm", "often", "one of never, destructive, always", id="choice"
        ),
        pytest.param(
            "page_chars", 999, "greater than or equal to 1000", id="too low"
        ),
        pytest.param(
            "page_chars", 49_001, "less than or equal to 49000", id="too high"
        ),
        pytest.param(
            "call_seconds", 0, "greater than 0", id="at the open bound"
        ),
    ],
)
def test_refuses(name, value, problem):
    with pytest.raises(FilewrightError) as caught:
        Settings(**{name: value})
    assert caught.value.code == "invalid_input"
    assert f"FILEWRIGHT_{name.upper()}: it" in caught.value.message
    assert problem in caught.value.message
    assert caught.value.message.endswith(f"(given: {value!r})")
    assert f"--{name.replace('_', '-')}" in str(caught.value.hint)


def test_refuses_variable(monkeypatch):
    monkeypatch.setenv("FILEWRIGHT_MAX_EDITS", "0")
    with pytest.raises(
        FilewrightError, match=r"FILEWRIGHT_MAX_EDITS: .*given: '0'"
    ):
        Settings()


def test_refuses_unknown_name():
    with pytest.raises(TypeError, match="max_edit"):
        Settings(max_edit=1)
    with pytest.raises(TypeError, match="max_edit"):
        Settings().replace(max_edit=1)


def test_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().flush = False


def test_replace_copies_without_checks():
    settings = Settings(max_edits=7)
    wider = settings.replace(page_chars=8_000_000)
    assert (wider.page_chars, wider.max_edits) == (8_000_000, 7)
    assert settings.page_chars == 12_000


def test_does_not_import_pydantic():
    program = (
        "import sys; from filewright.settings import Settings; Settings();"
        " print('pydantic' in sys.modules)"
    )
    output = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert output == "False\n"
