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
    """The reason why a test cannot hold, by its name or by words of its failure."""

    def find_reason(self, name: str, failure: str) -> str:
        """Return the reason why a test cannot hold, or an empty text."""
        if name in self.exceptions:
            return self.exceptions[name]
        for words, reason in self.exceptions.items():
            if words in failure:
                return reason
        return ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The tests that held, and the reason for each that failed."""

    passed: frozenset[str]
    skipped: frozenset[str]
    failed: Mapping[str, str]

    def check(self) -> None:
        """Raise AssertionError if a test fails without a named reason."""
        assert self.passed, "no test was run"
        unexpected = [
            name for name, reason in self.failed.items() if not reason
        ]
        assert unexpected == []


_ANCHOR_WORDS = "it is refused, with the words 'Invalid Context'"

_REPLACED = "it replaces a function or constant that is not used"
_RETURNED = "a path outside is an error that is returned, not raised"

SUITES = {
    "openai-agents": Suite(
        files=("tests/test_apply_diff.py", "tests/test_apply_patch_tool.py"),
        exceptions={
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
    "deepagents": Suite(
        files=(
            "tests/unit_tests/backends/test_filesystem_backend.py",
            "tests/unit_tests/backends/test_filesystem_backend_async.py",
            "tests/unit_tests/backends/test_glob_semantics.py",
        ),
        exceptions={
            "has no attribute '_": "it is about private parts of their backend",
            "argument 'timeout'": "it is about private parts of their backend",
            "test_filesystem_backend_virtual_mode": _RETURNED,
            "test_filesystem_backend_async_virtual_mode": _RETURNED,
            "test_delete_unlink_failure_returns_error": _REPLACED,
            "test_filesystem_agrep_with_context_times_out": _REPLACED,
            "test_grep_flags_timeout_as_truncated_with_partial_results": _REPLACED,
            "test_grep_python_fallback_survives_mid_iteration_failure[True]": _REPLACED,
            "test_grep_virtual_mode_sanitizes_oserror_path": _REPLACED,
            "test_grep_virtual_mode_sanitizes_runtime_error_details": _REPLACED,
            "test_omitted_match_is_not_returned_as_truncated_context": _REPLACED,
            "test_python_search_reports_file_error_after_partial_scan": _REPLACED,
            "test_python_search_returns_matches_when_another_file_errors": _REPLACED,
            "test_python_search_surfaces_open_failure_without_scanned_lines": _REPLACED,
            "test_python_search_skips_file_over_size_limit": (
                "files are searched whatever their size"
            ),
            "test_ripgrep_context_treats_bare_carriage_returns_as_text": (
                "a lone CR ends a line, also for their own other engine"
            ),
            "test_ls_virtual_mode_reports_child_symlink_loop": (
                "a link is listed as it is, not followed"
            ),
        },
    ),
}


def run_framework_tests(name: str, source: Path) -> Outcome:
    """Run the tests of a framework in a process of their own."""
    suite = SUITES[name]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        # The settings of the framework may need plugins that are not here.
        settings = Path(folder) / "pytest.ini"
        settings.write_text("[pytest]\n")
        command = [
            sys.executable,
            *("-m", "pytest", "-q", "-p", "substitutes"),
            *("-p", "no:cacheprovider", "-W", "default"),
            *("-c", str(settings), "--rootdir", str(source)),
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
    skipped = set()
    failed = {}
    for case in cases:
        name = case.attrib["name"]
        problem = case.find("failure")
        if problem is None:
            problem = case.find("error")
        if problem is not None:
            text = problem.attrib.get("message", "") + (problem.text or "")
            failed[name] = suite.find_reason(name, text)
        elif case.find("skipped") is not None:
            skipped.add(name)
        else:
            passed.add(name)
    return Outcome(frozenset(passed), frozenset(skipped), failed)


def main() -> None:
    """Run the tests of a framework and print the names of those that fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", choices=SUITES)
    parser.add_argument("source", type=Path)
    arguments = parser.parse_args()
    outcome = run_framework_tests(arguments.framework, arguments.source)
    print(
        f"{len(outcome.passed)} hold, {len(outcome.failed)} do not, "
        f"{len(outcome.skipped)} are skipped"
    )
    for name, reason in sorted(outcome.failed.items()):
        print(f"{name}: {reason or 'unexpected'}")


if __name__ == "__main__":
    main()
