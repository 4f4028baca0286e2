"""Frameworks' own tests, run against our adapters in place of their objects.

`python -m tests.adapters.framework_tests openai-agents FOLDER` runs those below an
unpacked source of the framework and prints which hold. The tests that cannot hold are
named here, each with its reason. None of their code is in this repository.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests of a framework that are about the object of an adapter."""

    files: Sequence[str]
    exceptions: Mapping[str, str]
    """The reason why a test cannot hold, by the name of the test."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The names of the tests that held and of those that failed."""

    suite: Suite
    passed: frozenset[str]
    failed: frozenset[str]

    def check(self) -> None:
        """Raise AssertionError unless just the named exceptions fail."""
        assert self.passed, "no test was run"
        assert self.failed == set(self.suite.exceptions)


_LINE_ENDS = (
    "a new file ends with a line end, and has the line ends of the project"
)
_ANCHOR_WORDS = "it is refused, with the words 'Invalid Context'"

SUITES = {
    "openai-agents": Suite(
        files=("tests/test_apply_diff.py", "tests/test_apply_patch_tool.py"),
        exceptions={
            "test_apply_diff_create_mode_preserves_crlf_newlines": _LINE_ENDS,
            "test_apply_diff_create_mode_preserves_trailing_newline": _LINE_ENDS,
            "test_apply_diff_with_empty_input_and_crlf_diff_preserves_crlf": (
                "line ends are those of the file, not of the diff"
            ),
            "test_apply_diff_rejects_a_missing_anchor_followed_by_a_bare_marker": (
                _ANCHOR_WORDS
            ),
            "test_apply_diff_rejects_partially_matched_stacked_anchors": _ANCHOR_WORDS,
            "test_apply_diff_rejects_stacked_anchors_when_the_first_is_missing": (
                _ANCHOR_WORDS
            ),
            "test_apply_diff_single_anchor_stays_advisory_when_unmatched": (
                "a heading that is not in the file is refused, not passed over"
            ),
        },
    ),
}


def run_framework_tests(name: str, source: Path) -> Outcome:
    """Run the tests of a framework in a process of their own."""
    suite = SUITES[name]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            sys.executable,
            *("-m", "pytest", "-q", "-p", "substitutes"),
            *("-p", "no:cacheprovider", "-W", "default"),
            f"--junit-xml={report}",
            *suite.files,
        ]
        # By its own name, since frameworks have a package `tests` too.
        search_path = os.pathsep.join([str(FOLDER), str(source)])
        environment = {**os.environ, "PYTHONPATH": search_path}
        process = subprocess.run(
            command,
            cwd=source,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if not report.exists():
            raise RuntimeError(process.stdout + process.stderr)
        cases = list(ElementTree.parse(report).iter("testcase"))
    passed = set()
    failed = set()
    for case in cases:
        problems = [case.find(tag) for tag in ("failure", "error")]
        if problems != [None, None]:
            failed.add(case.attrib["name"])
        elif case.find("skipped") is None:
            passed.add(case.attrib["name"])
    return Outcome(suite, frozenset(passed), frozenset(failed))


def main() -> None:
    """Run the tests of a framework and print the names of those that fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", choices=SUITES)
    parser.add_argument("source", type=Path)
    arguments = parser.parse_args()
    outcome = run_framework_tests(arguments.framework, arguments.source)
    print(f"{len(outcome.passed)} hold, {len(outcome.failed)} do not")
    for name in sorted(outcome.failed):
        print(f"{name}: {outcome.suite.exceptions.get(name, 'unexpected')}")


if __name__ == "__main__":
    main()
