"""The diffs of histories against `git apply`: alike, refused by both, or in a table of the docs.

The history is this project's own, and in the exhaustive form also those of the repositories in the folder that
``FILEWRIGHT_EDIT_REPOSITORIES`` names.
"""

from __future__ import annotations

import os
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
OPTIONS: tuple[list[str], ...] = (
    [],
    ["-U1"],
    ["-U0"],
    ["-U8"],
    ["-M"],
    ["--patience"],
    ["--no-prefix"],
)


def git(
    folder: Path, *arguments: str, text: bytes | None = None
) -> bytes | None:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=text,
        capture_output=True,
        check=False,
    )
    return done.stdout if done.returncode == 0 else None


def commits(repository: Path, newest: str) -> list[str]:
    wanted = ["log", "--format=%H", "--no-merges", "-n", "600", newest]
    found = git(repository, *wanted) if shutil.which("git") else None
    return (found or b"").decode().split()


COMMITS = commits(PROJECT, NEWEST)
REPOSITORIES = os.environ.get("FILEWRIGHT_EDIT_REPOSITORIES", "")


def _compared(
    tree: Callable[..., Any],
    scratch: Path,
    chosen: random.Random,
    wanted: int,
    repository: Path = PROJECT,
    newest: str = NEWEST,
) -> tuple[Counter[str], list[str]]:
    """How many diffs went which way, and those that went another than git's without a reason on the page."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    history = COMMITS if repository is PROJECT else commits(repository, newest)
    while counts.total() < wanted:
        commit, options = chosen.choice(history[:-1]), chosen.choice(OPTIONS)
        names = (
            (
                git(
                    repository,
                    "diff",
                    "--name-only",
                    "-z",
                    f"{commit}^",
                    commit,
                )
                or b""
            )
            .decode()
            .split("\0")
        )
        name = chosen.choice(names)
        diff = (
            git(repository, "diff", *options, f"{commit}^", commit, "--", name)
            if name
            else None
        )
        if not diff or b"Binary files" in diff:
            continue
        before = git(repository, "show", f"{commit}^:{name}")
        if (
            before is not None and chosen.random() < 0.5
        ):  # as another commit has it
            before = (
                git(repository, "show", f"{chosen.choice(history)}:{name}")
                or before
            )
        shutil.rmtree(scratch, ignore_errors=True)
        path = scratch / name
        path.parent.mkdir(parents=True)
        git(scratch, "init", "-q")
        if before is not None:
            path.write_bytes(before)
        zero = ["--unidiff-zero"] if "-U0" in options else []
        plain = ["-p0"] if "--no-prefix" in options else []
        applied = (
            git(scratch, "apply", *zero, *plain, "-", text=diff) is not None
        )
        theirs = path.read_bytes() if path.exists() else None
        try:
            ours = (
                tree({} if before is None else {name: before})
                .patched(diff.decode())
                .get(name)
            )
        except FilewrightError as error:
            reason = error.details.get("reason", error.code)
            key = f"git alone: {reason}" if applied else "refused by both"
            # The files here have no mode, so that a change of the mode alone may change nothing.
            no_mode = reason == "no_change" and b"\n@@ " not in diff
            explained = (
                not applied
                or no_mode
                or reason
                in (
                    "no_context",
                    "ambiguous_match",
                    "already_applied",
                    "doubtful",
                )
            )
        else:
            key = (
                "alike"
                if applied and ours == theirs
                else "another place"
                if applied
                else "ours alone"
            )
            explained = (
                key != "another place" or "-U1" in options or "-U0" in options
            )
        counts[key] += 1
        if not explained:
            wrong.append(f"{key}: {name} {options} {commit}")
    return counts, wrong


@pytest.mark.skipif(
    len(COMMITS) < 100, reason="the history of the project is not here"
)
@pytest.mark.parametrize(
    "wanted", [25, pytest.param(2_000, marks=pytest.mark.sweep)]
)
def test_applies_diffs_of_a_history(
    wanted: int, tree: Callable[..., Any], tmp_path: Path
) -> None:
    counts, wrong = _compared(
        tree, tmp_path / "scratch", random.Random(7), wanted
    )
    assert not wrong, (counts, wrong)
    assert counts["alike"] > wanted // 2, counts


@pytest.mark.sweep
@pytest.mark.skipif(
    not REPOSITORIES,
    reason="FILEWRIGHT_EDIT_REPOSITORIES names no folder of repositories",
)
def test_applies_diffs_of_other_histories(
    tree: Callable[..., Any], tmp_path: Path
) -> None:
    from bench.generator.edits import repositories

    total: Counter[str] = Counter()
    wrong: list[str] = []
    for repository in repositories(Path(REPOSITORIES)):
        if len(commits(repository, "HEAD")) > 50:
            counts, others = _compared(
                tree,
                tmp_path / "scratch",
                random.Random(7),
                100,
                repository,
                "HEAD",
            )
            total += counts
            wrong += [f"{repository.name}: {other}" for other in others]
    print(total)
    assert not wrong, (total, wrong)
    assert total["alike"] > total.total() // 2, total
