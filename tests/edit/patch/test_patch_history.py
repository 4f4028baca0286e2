"""The diffs of this project's own history against `git apply`: alike, refused by both, or in a table of the docs."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from filewright.errors import FilewrightError

PROJECT = Path(__file__).parents[3]
NEWEST = "4fce406200f3fefcc8addc37a079715f0d14f87c"
"""The newest commit that is looked at: which diffs are drawn does not change with each commit."""
OPTIONS: tuple[list[str], ...] = ([], ["-U1"], ["-U0"], ["-U8"], ["-M"], ["--patience"], ["--no-prefix"])


def git(folder: Path, *arguments: str, text: bytes | None = None) -> bytes | None:
    done = subprocess.run(["git", *arguments], cwd=folder, input=text, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def commits() -> list[str]:
    wanted = ["log", "--format=%H", "--no-merges", "-n", "600", NEWEST]
    found = git(PROJECT, *wanted) if shutil.which("git") else None
    return (found or b"").decode().split()


COMMITS = commits()
pytestmark = pytest.mark.skipif(len(COMMITS) < 100, reason="the history of the project is not here")


def _compared(
    tree: Callable[..., Any], scratch: Path, chosen: random.Random, wanted: int
) -> tuple[Counter[str], list[str]]:
    """How many diffs went which way, and those that went another than git's without a reason on the page."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    while counts.total() < wanted:
        commit, options = chosen.choice(COMMITS[:-1]), chosen.choice(OPTIONS)
        names = (git(PROJECT, "diff", "--name-only", "-z", f"{commit}^", commit) or b"").decode().split("\0")
        name = chosen.choice(names)
        diff = git(PROJECT, "diff", *options, f"{commit}^", commit, "--", name) if name else None
        if not diff or b"Binary files" in diff:
            continue
        before = git(PROJECT, "show", f"{commit}^:{name}")
        if before is not None and chosen.random() < 0.5:  # as another commit has it
            before = git(PROJECT, "show", f"{chosen.choice(COMMITS)}:{name}") or before
        shutil.rmtree(scratch, ignore_errors=True)
        path = scratch / name
        path.parent.mkdir(parents=True)
        git(scratch, "init", "-q")
        if before is not None:
            path.write_bytes(before)
        zero = ["--unidiff-zero"] if "-U0" in options else []
        plain = ["-p0"] if "--no-prefix" in options else []
        applied = git(scratch, "apply", *zero, *plain, "-", text=diff) is not None
        theirs = path.read_bytes() if path.exists() else None
        try:
            ours = tree({} if before is None else {name: before}).patched(diff.decode()).get(name)
        except FilewrightError as error:
            reason = error.details.get("reason", error.code)
            key = f"git alone: {reason}" if applied else "refused by both"
            explained = not applied or reason in ("no_context", "ambiguous_match", "already_applied")
        else:
            key = "alike" if applied and ours == theirs else "another place" if applied else "ours alone"
            explained = key != "another place" or "-U1" in options or "-U0" in options
        counts[key] += 1
        if not explained:
            wrong.append(f"{key}: {name} {options} {commit}")
    return counts, wrong


@pytest.mark.parametrize("wanted", [25, pytest.param(2_000, marks=pytest.mark.sweep)])
def test_the_diffs_of_a_history_do_what_git_makes_of_them(
    wanted: int, tree: Callable[..., Any], tmp_path: Path
) -> None:
    counts, wrong = _compared(tree, tmp_path / "scratch", random.Random(7), wanted)
    assert not wrong, (counts, wrong)
    assert counts["alike"] > wanted // 2, counts
