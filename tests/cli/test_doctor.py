"""The verdict of `doctor`, and its findings as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from filewright.cli.doctor import Finding, judge
from filewright.cli.program import program

GOOD = Finding("root", "/work", "good")
LIMIT = Finding("lease", "not on this system", "limit")
PROBLEM = Finding("left over", "a file", "problem")


@pytest.mark.parametrize(
    ("findings", "has_clients", "verdict"),
    [
        pytest.param([GOOD], True, "Everything works.", id="good"),
        pytest.param(
            [GOOD],
            False,
            "Everything works. No client is configured: filewright setup",
            id="no client",
        ),
        pytest.param(
            [GOOD, LIMIT],
            True,
            "Everything works, within limits: lease.",
            id="limit",
        ),
        pytest.param(
            [LIMIT, PROBLEM, PROBLEM],
            False,
            "Please look at: left over.",
            id="problem",
        ),
    ],
)
def test_judges(
    findings: list[Finding], has_clients: bool, verdict: str
) -> None:
    assert judge(findings, has_clients=has_clients) == verdict


def test_begins_with_the_verdict(empty_project: Path) -> None:
    result = CliRunner().invoke(program, ["doctor"])
    assert result.exit_code == 0
    first, blank, *rest = result.stdout.splitlines()
    assert first.startswith("Everything works")
    assert blank == ""
    assert len(rest) < 20
    printed = json.loads(
        CliRunner().invoke(program, ["doctor", "--json"]).stdout
    )
    assert printed["verdict"] == first
    assert printed["is_good"] is True
    assert {"label": "languages", "status": "good"}.items() <= next(
        finding
        for finding in printed["findings"]
        if finding["label"] == "languages"
    ).items()
