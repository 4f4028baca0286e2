"""Hunks of a file that are applied although others of it are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.edit.patch.conftest import Tree

from filewright.edit.patch.file_plan import HunkOutcome
from filewright.edit.patch.model import Patch
from filewright.edit.patch.partial_placer import place_partly
from filewright.edit.patch.placement import HunkPlace
from filewright.edit.patch.placer import place_hunks
from filewright.edit.patch.plan import FileRefusal, plan_partial_patch
from filewright.edit.patch.reader import parse_patch
from filewright.edit.source import Source
from filewright.text.snapshot import Snapshot

HEAD = "--- a/x\n+++ b/x\n"
GONE = "@@ -40 +40 @@\n-gone\n+Z\n"
OUTDATED = "@@ -2,5 +2,5 @@\n a\n b\n-x\n+X\n c\n d\n"
TWICE = "@@ -1,3 +1,3 @@\n b\n-x\n+X\n c\n" * 2
APPLIED = "@@ -2,3 +2,3 @@\n b\n-x\n+X\n c\n"
TWINS = b"b\nx\n1\n2\n3\n4\n5\n6\n7\nb\nx\n"


def apply_partly(tree: Tree, patch: str) -> tuple[list[HunkOutcome], str]:
    """Return the outcomes of the hunks that fit, and the rest of the patch."""
    parsed = parse_patch(patch)
    outcomes: list[HunkOutcome] = []
    parts = []
    for outcome in plan_partial_patch(parsed, tree.look):
        if isinstance(outcome, FileRefusal):
            parts.append(outcome.part)
        else:
            outcomes += outcome.result.hunks
    return outcomes, parsed.extract(patch, parts)


@pytest.mark.parametrize(
    ("content", "hunks", "lines", "rest"),
    [
        pytest.param(
            b"a\nx\nb\nx\nc\n",
            "@@ -1 +1 @@\n-z\n+Z\n@@ -2 +2 @@\n-x\n+X\n",
            [],
            "@@ -1 +1 @@\n-z\n+Z\n@@ -2 +2 @@\n-x\n+X\n",
            id="a number below a refused hunk chooses nothing",
        ),
        pytest.param(
            b"a\nx\nb\nx\nc\n",
            "@@ -2 +2 @@\n-x\n+X\n@@ -5 +5 @@\n-z\n+Z\n",
            [2],
            "@@ -5 +5 @@\n-z\n+Z\n",
            id="a number above it does",
        ),
        pytest.param(
            b"a\nx\nb\nx\nc\n",
            "@@ -1 +1 @@\n-z\n+Z\n@@ -3 +3 @@\n-b\n+B\n@@ -4 +4 @@\n-x\n+X\n",
            [3, 4],
            "@@ -1 +1 @@\n-z\n+Z\n",
            id="a hunk with a single place makes numbers certain again",
        ),
        pytest.param(
            b"a\nb\nc\n",
            "@@ -1 +1,3 @@\n-a\n+A\n+A\n+A\n@@ -2 +4 @@\n-z\n+Z\n@@ -3 +5 @@\n c\n+d\n",
            [1, 3],
            "@@ -4 +4 @@\n-z\n+Z\n",
            id="the rest has the numbers of the changed file",
        ),
        pytest.param(
            b"a\n" + b"".join(b"%d\n" % n for n in range(40)),
            "".join(f"@@ -{n} +{n} @@\n-no{n}\n+x\n" for n in range(2, 32))
            + "@@ -41 +41 @@\n-39\n+x\n",
            [41],
            "".join(f"@@ -{n} +{n} @@\n-no{n}\n+x\n" for n in range(2, 32)),
            id="many refused hunks hide no later one",
        ),
        pytest.param(
            b"new\ntop\nb\nX\nc\n1\n2\n3\nb\nx\nc\n",
            APPLIED + GONE,
            [],
            APPLIED + GONE,
            id="an applied hunk is not applied to the next equal place",
        ),
        pytest.param(
            b"top\nb\nX\nc\nd\n" + TWINS,
            "@@ -2,3 +2,4 @@\n b\n+X\n c\n d\n@@ -5,2 +6,2 @@\n b\n-x\n+Y\n"
            + GONE,
            [2, 6],
            "@@ -41 +40 @@\n-gone\n+Z\n",
            id="numbers below an applied insertion count its lines",
        ),
        pytest.param(
            b"top\na\nb\nother\nc\nd\n1\n2\na\nb\nx\nc\nd\n",
            OUTDATED + GONE,
            [],
            OUTDATED + GONE,
            id="a hunk whose text has changed is not applied to another place",
        ),
        pytest.param(
            b"1\n2\na\nb\nother\nc\nd\na\nb\nx\nc\nd\nlast\n",
            OUTDATED + "@@ -7 +7 @@\n-last\n+end\n" + GONE,
            [8, 13],
            GONE,
            id="hunks that are off by as many lines are certain",
        ),
        pytest.param(
            b"a\na\na\na\nb\n",
            "@@ -1 +1 @@\n-z\n+Z\n@@ -2,2 +2,2 @@\n a\n-a\n+A\n@@ -6 +6 @@\n-b\n+B\n",
            [5],
            "@@ -1 +1 @@\n-z\n+Z\n@@ -2,2 +2,2 @@\n a\n-a\n+A\n",
            id="a number below chooses nothing",
        ),
        pytest.param(
            b"a\nb\n\nc\nd\nlast\n",
            "@@ -1,4 +1,5 @@\n a\n b\n+\n c\n d\n@@ -5 +6 @@\n-last\n+end\n"
            + GONE,
            [1, 6],
            "@@ -41 +40 @@\n-gone\n+Z\n",
            id="an added blank line is not added again",
        ),
        pytest.param(
            b"b\nx\nc\nb\nx\nc\nlast\n",
            TWICE + "@@ -7 +7 @@\n-last\n+end\n" + GONE,
            [1, 1, 7],
            GONE,
            id="a hunk that is sent twice is applied once",
        ),
        pytest.param(
            b"1\n2\n3\n4\n1\n2\n3\n4\n",
            "@@ -1,4 +1,3 @@\n 1\n 2\n 3\n-4\n",
            [],
            "@@ -1,4 +1,3 @@\n 1\n 2\n 3\n-4\n",
            id="a hunk of the end of a file chooses nothing by its number",
        ),
        pytest.param(
            b"a\n1\n2\n3\na \nb\nlast\n",
            "@@ -1,2 +1 @@\n a\n-b\n@@ -7 +6 @@\n-last\n+end\n" + GONE,
            [7],
            "@@ -1,2 +1 @@\n a\n-b\n" + GONE,
            id="a line left of a removal tells nothing elsewhere",
        ),
        pytest.param(
            b"a\nb\n",
            "@@ -1 +1 @@\n-a\n+A\n@@ -2,0 +3 @@\n+b\n",
            [1],
            "@@ -2,0 +3 @@\n+b\n",
            id="a line added below an equal one is not there already",
        ),
    ],
)
def test_applies_hunks_that_fit(
    content: bytes,
    hunks: str,
    lines: list[int],
    rest: str,
    tree: Callable[..., Tree],
) -> None:
    outcomes, actual_rest = apply_partly(tree({"x": content}), HEAD + hunks)
    assert [outcome.line for outcome in outcomes] == lines
    assert actual_rest == HEAD + rest


@pytest.mark.parametrize(
    ("second", "is_repeated"),
    [
        pytest.param("@@ -1,3 +1,3 @@", True, id="same line"),
        pytest.param("@@ -3,3 +3,3 @@", True, id="overlapping lines"),
        pytest.param("@@ -4,3 +4,3 @@", False, id="another line"),
    ],
)
def test_repeated_hunk_takes_no_other_place(
    second: str, is_repeated: bool, tree: Callable[..., Tree]
) -> None:
    files = tree({"x": b"b\nx\nc\nb\nx\nc\n"})
    hunk = TWICE[: len(TWICE) // 2]
    patch = HEAD + hunk + hunk.replace("@@ -1,3 +1,3 @@", second)
    if is_repeated:
        assert files.refusal(patch).details["reason"] == "sent_twice"
        _, rest = apply_partly(files, patch)
        assert not rest
    else:
        assert files.patched(patch)["x"] == b"b\nX\nc\n" * 2


@pytest.mark.parametrize(
    ("patch", "rest"),
    [
        pytest.param(
            "*** Begin Patch\n*** Update File: x\n-z\n+Z\n@@ a\n-b\n+B\n*** End Patch\n",
            "*** Begin Patch\n*** Update File: x\n@@\n-z\n+Z\n*** End Patch\n",
            id="envelope",
        ),
        pytest.param(
            "*** Begin Patch\n*** Update File: x\n@@\n-b\n+B\n@@ c\n-z\n+Z\n"
            "*** End of File\n*** End Patch\n",
            "*** Begin Patch\n*** Update File: x\n@@ c\n-z\n+Z\n*** End of File\n"
            "*** End Patch\n",
            id="mark of the end",
        ),
        pytest.param(
            "*** Begin Patch\n*** Update File: x\n@@\n a\n@@\n-b\n+B\n@@\n-z\n+Z\n*** End Patch\n",
            "*** Begin Patch\n*** Update File: x\n@@\n-z\n+Z\n*** End Patch\n",
            id="a hunk that changes nothing",
        ),
        pytest.param(
            "*** Begin Patch\n*** Update File: x\n@@\n-b\n+B\n@@ b\n c\n@@\n-z\n+Z\n*** End Patch\n",
            "*** Begin Patch\n*** Update File: x\n@@ b\n c\n@@\n-z\n+Z\n*** End Patch\n",
            id="context above a refused hunk",
        ),
        pytest.param(
            "*** Begin Patch\n*** Update File: x\n@@\n-b\n+B\n@@\n b\n c\n@@\n-z\n+Z\n*** End Patch\n",
            "*** Begin Patch\n*** Update File: x\n@@\n-z\n+Z\n*** End Patch\n",
            id="context above that an applied hunk changed",
        ),
        pytest.param(
            "diff --git a/x b/x\nindex 1..2 100644\n" + HEAD + "@@ -2 +2 @@ a\n-b\n+B\n"
            "@@ -3 +3 @@\n-z\n\\ No newline at end of file\n+Z\n",
            "diff --git a/x b/x\nindex 1..2 100644\n" + HEAD
            + "@@ -3 +3 @@\n-z\n\\ No newline at end of file\n+Z\n",
            id="git",
        ),
    ],
)  # fmt: skip
def test_rest_is_a_patch(
    patch: str, rest: str, tree: Callable[..., Tree]
) -> None:
    outcomes, actual_rest = apply_partly(tree({"x": b"a\nb\nc\n"}), patch)
    assert [outcome.line for outcome in outcomes] == [2]
    assert actual_rest == rest
    parse_patch(actual_rest)


def places_by_number(patch: Patch, content: bytes) -> dict[int, HunkPlace]:
    """Return the certain places of a file's hunks, by their numbers."""
    hunks = patch.files[0].hunks
    places = place_partly(hunks, Source(Snapshot(content)))
    assert len(places) == len(hunks)
    return {
        hunk.number: place
        for hunk, place in zip(hunks, places, strict=True)
        if isinstance(place, HunkPlace)
    }


@given(st.data())
def test_left_out_hunk_moves_no_other(
    data: st.DataObject,
) -> None:
    """Few different lines, so that hunks have many places; wrong numbers too."""
    letters = st.sampled_from(["a", "b", "c"])
    lines = data.draw(st.lists(letters, min_size=4, max_size=14))
    body, position = HEAD, 0
    while position < len(lines):
        position += data.draw(st.integers(0, 3))
        count = data.draw(st.integers(1, 3))
        old = lines[position : position + count]
        if not old:
            break
        number = max(1, position + 1 + data.draw(st.integers(-2, 2)))
        body += f"@@ -{number},{len(old)} +{number},{len(old)} @@\n"
        body += "".join(f" {line}\n" for line in old[:-1])
        body += f"-{old[-1]}\n+new\n"
        position += count
    if body == HEAD:
        return
    # The file has moved on since the patch was made.
    for line in data.draw(st.lists(letters, max_size=3)):
        lines.insert(data.draw(st.integers(0, len(lines))), line)
    content = "".join(f"{line}\n" for line in lines).encode()
    whole = parse_patch(body)
    file = whole.files[0]
    places = place_hunks(file.hunks, Source(Snapshot(content)))
    if not all(isinstance(place, HunkPlace) for place in places):
        return
    expected = {
        hunk.number: place
        for hunk, place in zip(file.hunks, places, strict=True)
    }
    damaged = data.draw(st.integers(0, len(file.hunks) - 1))
    lost = file.hunks[damaged]
    lines_of_no_file = replace(
        lost.lines, old=tuple("none" for _ in lost.lines.old)
    )
    hunks = [*file.hunks]
    hunks[damaged] = replace(lost, lines=lines_of_no_file)
    partial = replace(whole, files=(replace(file, hunks=tuple(hunks)),))
    actual = places_by_number(partial, content)
    assert lost.number not in actual
    assert actual.items() <= expected.items()
