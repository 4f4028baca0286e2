"""The global excludes file is found as git finds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright.boundary.excludes import find_excludes_file


@pytest.mark.parametrize("home", ["HOME", "USERPROFILE"])
@pytest.mark.parametrize(
    ("config", "xdg", "expected"),
    [
        pytest.param("", None, "{home}/.config/git/ignore", id="default"),
        pytest.param(
            "[core]\n\texcludesFile = ~/mine\n",
            None,
            "{home}/mine",
            id="in home",
        ),
        pytest.param(
            '[core]\n\texcludesfile = "{top}with space" ; why\n',
            None,
            "{top}with space",
            id="quoted",
        ),
        pytest.param(
            "[core] excludesFile = {top}one\n[user]\n excludesFile = /no\n",
            None,
            "{top}one",
            id="other section",
        ),
        pytest.param(
            "[core]\nexcludesFile=/one\n[core]\nexcludesFile={top}two # last\n",
            None,
            "{top}two",
            id="last one",
        ),
        pytest.param(
            "", "{top}xdg", "{top}xdg/git/ignore", id="XDG_CONFIG_HOME"
        ),
        pytest.param(
            "[core]\nexcludesFile = relative\n", None, None, id="relative"
        ),
        pytest.param("[core]\nexcludesFile =\n", None, None, id="empty"),
        pytest.param(
            "\xff[[[\n=\n", None, "{home}/.config/git/ignore", id="malformed"
        ),
    ],
)
def test_finds_global_excludes_file(
    tmp_path: Path,
    home: str,
    config: str,
    xdg: str | None,
    expected: str | None,
) -> None:
    def fill(text: str) -> str:
        text = text.replace("{top}", tmp_path.anchor.replace("\\", "/"))
        return text.replace("{home}", str(tmp_path))

    (tmp_path / ".gitconfig").write_bytes(fill(config).encode("latin-1"))
    environment = {"GIT_CONFIG_NOSYSTEM": "1", home: str(tmp_path)}
    if xdg:
        environment["XDG_CONFIG_HOME"] = fill(xdg)
    path = find_excludes_file(environment)
    assert path == (None if expected is None else fill(expected).encode())
