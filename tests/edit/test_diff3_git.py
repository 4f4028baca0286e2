"""Three-way merges against what `git merge-file` makes of them."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from filewright.edit.diff3 import LineMerge, merge_lines

LINES = ["a", "b", "c", "d", "e", "{", "}", "", "end"]


def lines_of(merged: LineMerge[bytes]) -> list[bytes]:
    """The merged lines; at a conflict, ours."""
    return [
        line
        for chunk in merged.chunks
        for line in (
            merged.theirs[slice(*chunk.theirs)]
            if chunk.kind == "theirs"
            else merged.ours[slice(*chunk.ours)]
        )
    ]


def varied(base: list[str], chance: random.Random) -> list[str]:
    result = list(base)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(result) + 1)
        kind = chance.random()
        if kind < 0.4 or not result:
            result[at:at] = [
                chance.choice([*LINES, "new", "newer"])
                for _ in range(chance.randint(1, 2))
            ]
        elif kind < 0.7:
            result[min(at, len(result) - 1)] = chance.choice(["X", "Y", "}"])
        else:
            del result[min(at, len(result) - 1)]
    return result


@pytest.mark.parametrize("seed", range(60))
def test_merges_like_git(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    base = [chance.choice(LINES) for _ in range(chance.randint(4, 20))]
    ours, theirs = varied(base, chance), varied(base, chance)
    for name, lines in (("ours", ours), ("base", base), ("theirs", theirs)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    done = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    merged = merge_lines(
        *([line.encode() for line in side] for side in (base, ours, theirs))
    )
    if done.returncode == 0:
        assert merged.clean
        assert b"".join(line + b"\n" for line in lines_of(merged)) == done.stdout
    else:
        assert not merged.clean
