"""Made-up diffs, as they are and damaged as people and models damage them, against `git apply`.

Each does what git makes of it, or both refuse it, or it is in a row of the table "Where filewright differs".
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from filewright.errors import FilewrightError

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None, reason="git is not installed"
)

WORDS = [
    "load",
    "save",
    "item",
    "total",
    "path",
    "north",
    "server",
    "first",
    "count",
    "done",
]
Damage = Callable[[random.Random, str], str]


def lines(rng: random.Random, count: int) -> list[str]:
    """Lines of a program, some of them equal, some blank."""
    result: list[str] = []
    for _ in range(count):
        kind, name = rng.randrange(8), rng.choice(WORDS)
        unit = rng.choice(["", "    ", "    ", "        "])
        if kind == 0:
            result.append("")
        elif kind == 1:
            result.append(f"{unit}return {name}")
        else:
            result.append(
                f"{unit}{name} = {rng.choice(WORDS)}({rng.randrange(90)})"
            )
    return result


def edited(rng: random.Random, text: list[str]) -> list[str]:
    result = list(text)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(result) + 1)
        result[at : at + rng.randrange(3)] = lines(rng, rng.randrange(3))
    return result


def counts(rng: random.Random, diff: str) -> str:
    """The count of a hunk is one too high or too low."""
    more = rng.choice([-1, 1, 2])
    return re.sub(
        r"^@@ -(\d+),(\d+)",
        lambda m: f"@@ -{m[1]},{max(1, int(m[2]) + more)}",
        diff,
        flags=re.M,
    )


def numbers(rng: random.Random, diff: str) -> str:
    """The line numbers are off."""
    more = rng.choice([-3, 2, 7, 400])
    return re.sub(
        r"^@@ -(\d+)",
        lambda m: f"@@ -{max(1, int(m[1]) + more)}",
        diff,
        flags=re.M,
    )


def bare(rng: random.Random, diff: str) -> str:
    """Blank lines of context lost their space."""
    return re.sub(r"^ $", "", diff, flags=re.M)


def trimmed(rng: random.Random, diff: str) -> str:
    """The last newline is missing."""
    return diff.removesuffix("\n")


def cut(rng: random.Random, diff: str) -> str:
    """The last line is missing."""
    return "".join(diff.splitlines(keepends=True)[:-1])


def another(rng: random.Random, diff: str) -> str:
    """One line of context, or one that is removed, is another."""
    rows = diff.splitlines(keepends=True)
    old = [
        at
        for at, row in enumerate(rows)
        if at > 3 and row[:1] in " -" and row.strip(" -\n")
    ]
    if old:
        at = rng.choice(old)
        rows[at] = rows[at].rstrip("\n") + "x\n"
    return "".join(rows)


def marked(rng: random.Random, diff: str) -> str:
    """The marks of a missing newline at the end are missing."""
    return diff.replace("\\ No newline at end of file\n", "")


def talked(rng: random.Random, diff: str) -> str:
    """There is talk around it."""
    return f"This is the change:\n\n{diff}\nIt is small.\n"


DAMAGES: dict[str, Damage] = {
    "as it is": lambda rng, diff: diff,
    "counts": counts,
    "line numbers": numbers,
    "blank context lines": bare,
    "no last newline": trimmed,
    "cut": cut,
    "another line": another,
    "no marks of the end": marked,
    "talk around it": talked,
}
FILES = [
    "as it was",
    "as it was",
    "moved on",
    "with CRLF",
    "without the last newline",
    "done already",
]

#: How the two may differ: what was done to the diff or the file, what happens, and the reason in the documents.
EXPLAINED = {
    ("counts", "here alone"): "the counts of a hunk are wrong",
    ("cut", "here alone"): "the last line of the patch is missing",
    (
        "no last newline",
        "here alone",
    ): "the last newline of the patch is missing",
    (
        "moved on",
        "here alone",
    ): "a hunk of the first lines, and other lines were put before them",
    (
        "line numbers",
        "here alone",
    ): "a hunk of the first lines, and other lines were put before them",
    ("with CRLF", "here alone"): "the file has CRLF and the patch has not",
    (
        "no marks of the end",
        "here alone",
    ): "the last line has no newline, and the patch does not say so",
    (
        "without the last newline",
        "here alone",
    ): "the last line has no newline, and the patch does not say so",
    ("-U0", "git alone: no_context"): "a hunk without old lines",
    (
        "*",
        "git alone: ambiguous_match",
    ): "a hunk fits at several places, with a number",
    ("*", "git alone: already_applied"): "the patch is applied already",
    (
        "*",
        "another place",
    ): "the file has moved on, and a hunk with one line of context fits at several places",
}


def git(
    folder: Path, *arguments: str, text: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=text,
        capture_output=True,
        check=False,
    )


def compared(
    tree: Callable[..., Any], scratch: Path, rng: random.Random
) -> tuple[tuple[str, ...], str, str]:
    """What was done to one diff and to its file, what became of it, and the diff."""
    before = lines(rng, rng.randint(5, 40))
    after = edited(rng, before)
    ended = rng.random() < 0.8
    for name, text in (("a", before), ("b", after)):
        (scratch / name).mkdir(parents=True, exist_ok=True)
        (scratch / name / "f").write_text("\n".join(text) + "\n" * ended)
    option = rng.choice(["-U3", "-U3", "-U1", "-U0", "--patience"])
    diff = git(
        scratch, "diff", "--no-index", "--no-prefix", option, "a", "b"
    ).stdout.decode()
    if not diff:
        return ("", "", ""), "", ""
    damage, state = rng.choice(sorted(DAMAGES)), rng.choice(FILES)
    patch = DAMAGES[damage](rng, diff)
    there = "\n".join(before) + "\n" * ended
    if state == "moved on":
        there = "\n".join([*lines(rng, rng.randint(1, 6)), there])
    elif state == "with CRLF":
        there = there.replace("\n", "\r\n")
    elif state == "without the last newline":
        there = there.removesuffix("\n")
    elif state == "done already":
        there = "\n".join(after) + "\n" * ended
    file = scratch / "f"
    file.write_bytes(there.encode())
    zero = ["--unidiff-zero"] if option == "-U0" else []
    applied = (
        git(scratch, "apply", *zero, "-", text=patch.encode()).returncode == 0
    )
    try:
        ours = tree({"f": there.encode()}).patched(patch)["f"]
    except FilewrightError as error:
        reason = error.details.get("reason", str(error.code))
        verdict = f"git alone: {reason}" if applied else "refused by both"
    else:
        alike = applied and ours == file.read_bytes()
        verdict = (
            "alike" if alike else "another place" if applied else "here alone"
        )
    return (option, damage, state), verdict, patch


@pytest.mark.parametrize(
    "wanted", [60, pytest.param(400, marks=pytest.mark.sweep)]
)
def test_applies_generated_diffs_like_git(
    wanted: int, tree: Callable[..., Any], tmp_path: Path
) -> None:
    table = (Path(__file__).parent / "differences.md").read_text()
    rng, total = random.Random(30), Counter[str]()
    unexplained: list[str] = []
    while total.total() < wanted:
        done, verdict, patch = compared(tree, tmp_path / "scratch", rng)
        if not patch:
            continue
        total[verdict] += 1
        if verdict not in ("alike", "refused by both"):
            reasons = [
                EXPLAINED[key]
                for what in (*done, "*")
                if (key := (what, verdict)) in EXPLAINED
            ]
            if not any(f"| {reason}" in table for reason in reasons):
                unexplained.append(f"{verdict} {done}\n{patch}")
    assert not unexplained, (total, *unexplained[:3])
    assert total["alike"] >= wanted // 5, total
