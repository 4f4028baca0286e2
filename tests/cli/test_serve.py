"""Arguments of the commands `serve` and `review`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from filewright.cli.serve import review, serve
from filewright.errors import Code, FilewrightError

HTTP = ["--http", "127.0.0.1:0"]
TOKENS = {"FILEWRIGHT_HTTP_TOKENS": "t" * 40}
ISSUER = ["--oauth-issuer", "https://issuer.example"]
OAUTH = [*ISSUER, "--oauth-introspection", "https://issuer.example/look"]
PUBLIC = ["--public-url", "https://files.example/mcp"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param("read,nonsense", "nonsense; choose from", id="unknown"),
        pytest.param(" , ", "nothing; choose from", id="empty"),
    ],
)
def test_refuses_toolsets(folder: Path, value: str, message: str) -> None:
    result = CliRunner().invoke(serve, ["--tools", value])
    assert result.exit_code == 2
    assert f"{message} read, edit, files, history" in result.stderr


@pytest.mark.parametrize(
    ("words", "environment", "message"),
    [
        pytest.param(
            [*HTTP, "--client-roots"], {}, "HTTP serves several", id="roots"
        ),
        pytest.param(
            ["--http", "nowhere"], {}, "is not HOST:PORT", id="address"
        ),
        pytest.param([*HTTP, *ISSUER], {}, "OAuth needs", id="issuer-alone"),
        pytest.param([*HTTP, *OAUTH], {}, "OAuth needs", id="no-public-url"),
        pytest.param(
            [*HTTP, *OAUTH, *PUBLIC],
            TOKENS,
            "without bearer tokens",
            id="oauth-and-tokens",
        ),
        pytest.param(
            ["--http", "0.0.0.0:0"], {}, "without authentication", id="open"
        ),
    ],
)
def test_refuses_combinations(
    folder: Path, words: list[str], environment: dict[str, str], message: str
) -> None:
    result = CliRunner(env=environment).invoke(serve, words)
    assert isinstance(result.exception, FilewrightError)
    assert result.exception.code is Code.INVALID_INPUT
    assert message in result.exception.message


def test_review_refuses_ports(folder: Path) -> None:
    result = CliRunner().invoke(review, ["--port", "65536", "--no-open"])
    assert result.exit_code == 2
    assert "65536" in result.stderr
