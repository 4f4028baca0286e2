"""Nobody's save and no acknowledged edit is lost, whoever else writes to the same file."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.promises import outside
from tests.promises.outside import Beside

# An editor that saves at the moment it sees something new beside the file: a change is being made.
EDITOR = r"""
import random
work, spare, generator = given["work"], os.path.join(given["place"], "spare"), random.Random(7)
path = os.path.join(work, "a.txt")
say("ready")
while (number := hear()) is not None:
    text = f"save {number}\n" + "a line\n" * 20
    with open(spare, "w") as file:
        file.write(text)
    usual = set(os.listdir(work))
    say("watching")
    while set(os.listdir(work)) <= usual and not os.path.exists(given["stop"]):
        pass
    for _ in range(generator.randrange(400)):
        os.stat(work)
    if given["how"] == "renamed over":
        os.replace(spare, path)
    else:
        with open(path, "r+") as file:
            file.write(text)
    say("saved")
"""


@pytest.fixture
def place() -> Iterator[Path]:
    with outside.folder() as folder:
        yield folder


def _there(save: str, work: Path, answer: str) -> bool:
    """Whether a save is in its file, or in another that the answer names, or says is still being written."""
    for path in (*work.iterdir(), *work.parent.glob("state/*/kept/*")):
        if path.read_text().startswith(save) and (
            path.name == "a.txt"
            or path.name in answer
            or "another program has it open" in answer
        ):
            return True
    return False


AGENT = (
    outside.MAY_BE_TRACED
    + """
with Workspace(given["work"], state_dir=given["state"]) as workspace:
    say("ready")
    while (number := hear()) is not None:
        item = {"path": "a.txt", "content": f"edit {number}\\n", "mode": "append"}
        answer = workspace.call("write_content", {"items": [item]})
        say([answer.code, answer.text])
"""
)


def _save_beside_edits(
    place: Path, how: str, rounds: int, traced: Sequence[str]
) -> Counter[str]:
    """Append to a file while an editor saves it; what was answered, counted."""
    work, stop = place / "work", place / "stop"
    file = work / "a.txt"
    file.write_text("save -1\n" + "a line\n" * 20)
    answers: Counter[str] = Counter()
    given = {
        "work": work,
        "state": place / "state",
        "place": place,
        "stop": stop,
        "how": how,
    }
    with Beside(AGENT, given) as agent, Beside(EDITOR, given) as editor:
        assert agent.hear() == editor.hear() == "ready"
        if traced:
            agent.trace(*traced)
        for number in range(rounds):
            editor.say(number)
            assert editor.hear() == "watching"
            agent.say(number)
            code, text = agent.hear()
            stop.touch()
            assert editor.hear() == "saved"
            stop.unlink()
            answered = f"round {number}: {text}"
            assert _there(f"save {number}\n", work, text), (
                f"a save is lost. {answered}"
            )
            if code is not None:
                assert code in ("stale_version", "in_use"), answered
                assert f"edit {number}\n" not in file.read_text(), (
                    f"a refused edit stands. {answered}"
                )
            answers[str(code)] += 1
            if how == "in place":
                file.write_text(
                    "save -1\n" + "a line\n" * 20
                )  # or it would grow for ever
        for child in (editor, agent):
            child.say(None)
            assert child.ended() == 0
    assert outside.unasked(work) == []
    return answers


# Without an exchange nobody can look at what a rename replaced: docs/platforms.md names what is lost by that.
HOW = [
    pytest.param("renamed over", marks=pytest.mark.needs("exchange")),
    "in place",
]


@outside.needs_tracing
@pytest.mark.parametrize("how", HOW)
def test_an_editors_save_during_a_change_is_never_lost(
    place: Path, how: str
) -> None:
    """The change is held for a moment before each rename, so that the editor falls into it."""
    _save_beside_edits(place, how, 12, outside.delayed("renameat2", 5))


@pytest.mark.sweep
@pytest.mark.parametrize("how", HOW)
def test_no_save_is_lost_beside_ten_thousand_edits(
    place: Path, how: str
) -> None:
    print(f"\n{how}: {_save_beside_edits(place, how, 10_000, ())}")


# Several writers

APPENDER = (
    outside.MAY_BE_TRACED
    + """
from contextlib import ExitStack
acknowledged, refused = [], []
with Workspace(*given["roots"], state_dir=given["state"]) as workspace:
    say("ready")
    hear()
    for number in range(given["count"]):
        line = f"{given['name']}{number}"
        try:
            workspace.write(given["file"], line + "\\n", mode="append")
            acknowledged.append(line)
        except FilewrightError as error:
            refused.append(str(error.code))
say([acknowledged, refused])
"""
)


def _append_from(
    place: Path,
    roots_of_each: list[list[str]],
    count: int,
    traced: Sequence[str] = (),
) -> Counter[str]:
    """A process for each list of roots appends to one file; codes of what was refused, counted."""
    file = place / "work" / "sub" / "c.txt"
    file.parent.mkdir()
    (place / "work" / "other").mkdir()
    file.write_text("start\n")
    with contextlib.ExitStack() as stack:
        children = []
        for name, roots in zip("abcdefgh", roots_of_each, strict=False):
            given: dict[str, Any] = {
                "roots": [place / root for root in roots],
                "state": place / "state",
                "file": file,
                "name": name,
                "count": count,
            }
            children.append(stack.enter_context(Beside(APPENDER, given)))
        for child in children:
            assert child.hear() == "ready"
            if traced:
                child.trace(*traced)
        for child in children:
            child.say("go")
        answers = [child.hear() for child in children]
    lines = Counter(file.read_text().splitlines())
    lost = [
        line
        for acknowledged, _ in answers
        for line in acknowledged
        if lines[line] != 1
    ]
    assert lost == [], f"{len(lost)} acknowledged lines are not there once"
    assert lines.total() == 1 + sum(
        len(acknowledged) for acknowledged, _ in answers
    )
    assert all(acknowledged for acknowledged, _ in answers), (
        "one of the processes never got in"
    )
    return Counter(code for _, refused in answers for code in refused)


OVERLAPS = {
    "the same root": [["work"], ["work"], ["work"], ["work"]],
    "nested roots": [["work"], ["work/sub"], ["work"], ["work/sub"]],
    "lists that overlap": [
        ["work/sub", "work/other"],
        ["work/other", "work"],
        ["work/sub"],
        ["work", "work/other"],
    ],
}


@outside.needs_tracing
@pytest.mark.parametrize("roots", OVERLAPS.values(), ids=list(OVERLAPS))
def test_no_acknowledged_edit_is_lost_between_processes_on(
    place: Path, roots: list[list[str]]
) -> None:
    refused = _append_from(place, roots, 12, outside.delayed("renameat2", 3))
    assert set(refused) <= {"stale_version", "timeout", "in_use"}, refused


@pytest.mark.sweep
@pytest.mark.parametrize("roots", OVERLAPS.values(), ids=list(OVERLAPS))
def test_no_edit_of_thousands_is_lost_between_processes_on(
    place: Path, roots: list[list[str]]
) -> None:
    print(f"\nrefused: {_append_from(place, roots, 2500)}")
