"""Rewinding: what a session did goes, what others did stays, or nothing is changed at all."""

from __future__ import annotations

import os
import random
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from tests.examples import examples
from tests.platforms.unix_only import not_on_wine
from tests.promises import outside

from filewright import Settings, Workspace
from filewright.changes.selection import Scope
from filewright.edit.changeset import (
    ChangeSet,
    Create,
    Delete,
    MakeFolder,
    Move,
    SetMode,
    Step,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import Caller, Task
from filewright.text.splice import Splice

LINES = [b"line %d\n" % n for n in range(1, 31)]
TEXT = b"".join(LINES)


def _by(bench: Any, session: str, *steps: Step, **options: Any) -> Any:
    task = Task(caller=Caller(session, f"client of {session}"))
    return bench.changes.commit(
        ChangeSet("test", "a change", tuple(steps), **options), task=task
    )


def _line(bench: Any, path: str, number: int, new: bytes) -> Step:
    """Replace a line of a file, whatever it holds."""
    held = (bench.root / path).read_bytes().splitlines(keepends=True)
    offset = sum(map(len, held[: number - 1]))
    step: Step = bench.modify(path, Splice(offset, len(held[number - 1]), new))
    return step


def _rewind(bench: Any, session: str, **options: Any) -> Any:
    return bench.changes.undo(Scope(session=session), **options)


@pytest.fixture
def text(bench: Any) -> Path:
    path: Path = bench.root / "t.txt"
    path.write_bytes(TEXT)
    return path


# A long history


def test_takes_little_memory_for_each_change(area: Path, scene: Any) -> None:
    """Of what a file held, only what it held first and what it holds last is needed."""
    peaks = []
    for times in (9, 99):
        with scene.Bench(area / str(times), history_bytes=1 << 30) as bench:
            for name in "abcde":
                (bench.root / name).write_bytes(TEXT)
            for line in (b"three\n", LINES[2]):
                for name in "abcde":
                    _by(bench, "s", _line(bench, name, 3, line))
            outside.lengthen_history(bench.state, times)
            _by(bench, "s", _line(bench, "a", 3, b"drei\n"))
            _by(bench, "s", _line(bench, "b", 4, b"vier\n"))
            tracemalloc.start()
            try:
                reversal = bench.changes.undo(Scope(session="s"), preview=True)[1]
                peaks.append(tracemalloc.get_traced_memory()[1])
            finally:
                tracemalloc.stop()
            assert len(reversal.selected.change_ids) == 10 * times + 12
            assert [
                entry.path.display_path
                for entry in reversal.selected.record.file_changes
            ] == ["a", "b"]
            _rewind(bench, "s")
            assert (
                (bench.root / "a").read_bytes()
                == (bench.root / "b").read_bytes()
                == TEXT
            )
    assert (peaks[1] - peaks[0]) / 900 < 500, "bytes for each change"


# Whole sessions


def _edits(b: Any) -> None:
    _by(b, "s", _line(b, "t.txt", 3, b"three\n"))
    _by(b, "s", _line(b, "t.txt", 3, b"drei\n"), _line(b, "a.txt", 1, b"1\n"))


def _made_edited_moved(b: Any) -> None:
    _by(b, "s", Create(b.at("new/n.txt"), b"one\n"))
    _by(b, "s", b.modify("new/n.txt", Splice(0, 3, b"two")))
    _by(b, "s", Move(b.at("new/n.txt"), b.at("m.txt")))


def _moved_edited_deleted(b: Any) -> None:
    _by(b, "s", Move(b.at("a.txt"), b.at("z.txt")))
    _by(b, "s", _line(b, "z.txt", 1, b"uno\n"))
    _by(b, "s", Delete(b.at("z.txt")))


def _swapped(b: Any) -> None:
    _by(b, "s", Move(b.at("a.txt"), b.at("tmp")))
    _by(b, "s", Move(b.at("b.txt"), b.at("a.txt")))
    _by(b, "s", Move(b.at("tmp"), b.at("b.txt")))


def _folder_moved_twice_and_worked_in(b: Any) -> None:
    _by(b, "s", Delete(b.at("f/x.txt")))
    _by(b, "s", Move(b.at("f"), b.at("h")))
    _by(b, "s", _line(b, "h/g/y.txt", 1, b"WHY\n"), Create(b.at("h/x.txt"), b"again\n"))
    _by(b, "s", Move(b.at("h"), b.at("deep/er")))
    _by(
        b,
        "s",
        SetMode(b.at("deep/er/g/y.txt"), "600"),
        Move(b.at("deep/er/g"), b.at("g2")),
    )


def _deleted_and_made_again(b: Any) -> None:
    _by(b, "s", Delete(b.at("a.txt")))
    _by(b, "s", Create(b.at("a.txt"), b"another\n"))
    _by(b, "s", Delete(b.at("f"), recursive=True))
    _by(b, "s", Create(b.at("f"), b"a file\n"))
    _by(b, "s", Delete(b.at("f")), MakeFolder(b.at("f")))


def _folder_deleted_and_made_again(b: Any) -> None:
    _by(b, "s", Create(b.at("f/g/n"), b"n\n"))
    _by(b, "s", Delete(b.at("f"), recursive=True))
    _by(b, "s", Create(b.at("f/g/y.txt"), b"another\n"))
    _by(b, "s", b.modify("f/g/y.txt", Splice(0, 0, b"yet ")))


def _undone_in_between(b: Any) -> None:
    first = _by(b, "s", _line(b, "t.txt", 1, b"A\n"))
    task = Task(caller=Caller("s"))
    undone, _ = b.changes.undo(first.id, task=task)
    b.changes.undo(undone.id, task=task)
    _by(b, "s", _line(b, "t.txt", 1, b"B\n"))


@pytest.mark.parametrize(
    "work",
    [
        _edits,
        _made_edited_moved,
        _moved_edited_deleted,
        _swapped,
        pytest.param(
            _folder_moved_twice_and_worked_in,
            marks=not_on_wine(
                "nothing is found below a folder that was renamed meanwhile"
            ),
        ),
        _deleted_and_made_again,
        _folder_deleted_and_made_again,
        _undone_in_between,
    ],
)
def test_rewinds_and_redoes_session(
    bench: Any, scene: Any, text: Path, work: Any
) -> None:
    before = scene.tree(bench.root)
    work(bench)
    after = scene.tree(bench.root)
    assert after != before
    made, reversal = _rewind(bench, "s")
    assert scene.tree(bench.root) == before
    assert not made.partial
    assert set(made.reverts) == set(reversal.selected.change_ids)
    bench.changes.undo(made.id)
    assert scene.tree(bench.root) == after
    _rewind(bench, "s")
    assert scene.tree(bench.root) == before
    with pytest.raises(FilewrightError) as caught:
        _rewind(bench, "s")
    assert caught.value.code is Code.NO_CHANGE


def test_preview_of_rewind_is_net_diff(bench: Any, scene: Any, text: Path) -> None:
    _edits(bench)
    before = scene.tree(bench.root)
    reversal = bench.changes.undo(Scope(session="s"), preview=True)[1]
    assert "-drei\n+line 3\n" in reversal.diff.text
    assert "+three" not in reversal.diff.text
    assert "+drei\n" in bench.changes.diff(Scope(session="s")).text
    assert "+three" not in bench.changes.diff(Scope(session="s")).text
    assert scene.tree(bench.root) == before


# What others did


def test_keeps_what_others_did_to_file(bench: Any, text: Path) -> None:
    _by(bench, "s", _line(bench, "t.txt", 3, b"THREE\n"))
    _by(bench, "other", _line(bench, "t.txt", 20, b"theirs\n"))
    _by(bench, "s", _line(bench, "t.txt", 3, b"drei\nvier\n"))
    text.write_bytes(b"outside\n" + text.read_bytes())
    _, reversal = _rewind(bench, "s")
    lines = [b"outside\n", *LINES]
    lines[20] = b"theirs\n"
    assert text.read_bytes() == b"".join(lines)
    assert reversal.merged


@not_on_wine("nothing is found below a folder that was renamed meanwhile")
def test_follows_rename_by_another_session(bench: Any, text: Path) -> None:
    _by(
        bench,
        "s",
        _line(bench, "t.txt", 3, b"THREE\n"),
        _line(bench, "f/x.txt", 1, b"EX\n"),
    )
    _by(
        bench,
        "other",
        Move(bench.at("t.txt"), bench.at("u.txt")),
        Move(bench.at("f"), bench.at("dir/f2")),
    )
    _by(
        bench,
        "s",
        _line(bench, "u.txt", 4, b"FOUR\n"),
        Delete(bench.at("dir/f2/g/y.txt")),
    )
    _rewind(bench, "s")
    assert (bench.root / "u.txt").read_bytes() == TEXT
    assert not text.exists()
    assert (bench.root / "dir/f2/x.txt").read_bytes() == b"ex\n"
    assert (bench.root / "dir/f2/g/y.txt").read_bytes() == b"why\n"


def test_brings_back_what_outsiders_removed(bench: Any, text: Path) -> None:
    _by(bench, "s", _line(bench, "t.txt", 3, b"THREE\n"))
    _by(
        bench,
        "s",
        _line(bench, "t.txt", 5, b"FIVE\n"),
        _line(bench, "f/x.txt", 1, b"EX\n"),
    )
    text.unlink()
    (bench.root / "f").rename(bench.root / "elsewhere")
    _, reversal = _rewind(bench, "s")
    assert text.read_bytes() == TEXT
    assert (bench.root / "f/x.txt").read_bytes() == b"ex\n"
    assert (bench.root / "elsewhere/x.txt").read_bytes() == b"EX\n"
    assert sum("made anew" in note for note in reversal.notes) == 2


@pytest.mark.parametrize("by", ["outsider", "other"])
def test_brings_back_file_deleted_in_between(
    bench: Any, scene: Any, text: Path, by: str
) -> None:
    before = scene.tree(bench.root)

    def delete(path: str) -> None:
        if by == "other":
            _by(bench, "other", Delete(bench.at(path)))
        else:
            (bench.root / path).unlink()

    _by(bench, "s", _line(bench, "t.txt", 3, b"THREE\n"), Create(bench.at("n"), b"n\n"))
    delete("t.txt")
    delete("n")
    _by(
        bench,
        "s",
        Create(bench.at("t.txt"), b"another\n"),
        Create(bench.at("n"), b"n again\n"),
    )
    _by(bench, "s", _line(bench, "t.txt", 1, b"yet another\n"))
    made, _ = _rewind(bench, "s")
    assert {name: kept[2:] for name, kept in scene.tree(bench.root).items()} == {
        name: kept[2:] for name, kept in before.items()
    }
    bench.changes.undo(made.id)
    assert text.read_bytes() == b"yet another\n"


def _same_line(b: Any) -> None:
    _by(b, "s", _line(b, "t.txt", 3, b"THREE\n"))
    _by(b, "other", _line(b, "t.txt", 3, b"theirs\n"))
    _by(b, "s", _line(b, "t.txt", 3, b"mine again\n"))


def _outsider_in_the_same_line(b: Any) -> None:
    _by(b, "s", _line(b, "t.txt", 3, b"THREE\n"))
    (b.root / "t.txt").write_bytes(TEXT.replace(b"line 3\n", b"theirs\n"))


def _created_and_edited_by_another(b: Any) -> None:
    _by(b, "s", Create(b.at("n"), b"n\n"))
    _by(b, "other", b.modify("n", Splice(0, 0, b"theirs\n")))
    _by(b, "s", b.modify("n", Splice(0, 0, b"mine\n")))


def _renamed_again_by_another(b: Any) -> None:
    _by(b, "s", Move(b.at("a.txt"), b.at("c.txt")))
    _by(b, "other", Move(b.at("c.txt"), b.at("d.txt")))


def _deleted_twice(b: Any) -> None:
    _by(b, "s", Delete(b.at("a.txt")))
    _by(b, "other", Create(b.at("a.txt"), b"theirs\n"))
    _by(b, "s", Delete(b.at("a.txt")))


@pytest.mark.parametrize(
    "work",
    [
        _same_line,
        _outsider_in_the_same_line,
        _created_and_edited_by_another,
        _renamed_again_by_another,
        _deleted_twice,
    ],
)
def test_conflict_changes_nothing(
    bench: Any, scene: Any, text: Path, work: Any
) -> None:
    _by(bench, "s", _line(bench, "b.txt", 1, b"BEE\n"))
    work(bench)
    before = scene.tree(bench.root)
    for preview in (True, False):
        with pytest.raises(FilewrightError) as caught:
            bench.changes.undo(Scope(session="s"), preview=preview)
        assert caught.value.code is Code.STALE_VERSION
        assert len(caught.value.details["conflicts"]) == 1
        assert caught.value.details["session"] == "s"
        assert scene.tree(bench.root) == before


def test_conflict_shows_both_sides(bench: Any, text: Path) -> None:
    for name in ("a.txt", "b.txt", "t.txt"):
        _by(bench, "s", _line(bench, name, 1, b"mine\n"))
        (bench.root / name).write_bytes(
            b"theirs \x1b[2J\n" + (bench.root / name).read_bytes()[5:]
        )
    with pytest.raises(FilewrightError) as caught:
        _rewind(bench, "s")
    message = caught.value.message
    for name, line in (("a.txt", "one"), ("b.txt", "bee"), ("t.txt", "line 1")):
        assert f"{name} (lines 1 to 1)" in message
        assert f"=======\n{line}\n>>>>>>> undone" in message
    assert "\x1b" not in message


def test_leaves_out_undone_changes(bench: Any, text: Path) -> None:
    first = _by(bench, "s", _line(bench, "t.txt", 3, b"THREE\n"))
    _by(bench, "s", _line(bench, "t.txt", 9, b"NINE\n"))
    bench.changes.undo(first.id)
    _by(bench, "other", _line(bench, "t.txt", 3, b"theirs\n"))
    _rewind(bench, "s")
    assert text.read_bytes() == TEXT.replace(b"line 3\n", b"theirs\n")


# A moment, a file, a hunk


def test_undoes_everything_since(bench: Any, scene: Any, text: Path) -> None:
    kept = _by(bench, "s", _line(bench, "t.txt", 3, b"THREE\n"))
    before = scene.tree(bench.root)
    _by(bench, "other", _line(bench, "t.txt", 4, b"FOUR\n"), Delete(bench.at("a.txt")))
    _by(
        bench,
        "s",
        _line(bench, "t.txt", 5, b"FIVE\n"),
        Move(bench.at("f"), bench.at("h")),
    )
    made, _ = bench.changes.undo(Scope(since=kept.id))
    assert scene.tree(bench.root) == before
    assert len(made.reverts) == 2
    bench.changes.undo(made.id)
    moment = f"{kept.time.isoformat(timespec='microseconds')}"
    bench.changes.undo(Scope(since=moment))
    assert text.read_bytes() in (TEXT, TEXT.replace(b"line 3\n", b"THREE\n"))
    assert (bench.root / "a.txt").exists()


def test_undoes_file_or_hunk_of_session(bench: Any, text: Path) -> None:
    _by(
        bench,
        "s",
        _line(bench, "t.txt", 3, b"THREE\n"),
        _line(bench, "a.txt", 1, b"1\n"),
    )
    _by(bench, "s", _line(bench, "t.txt", 20, b"TWENTY\nand more\n"))
    made, _ = bench.changes.undo(Scope(session="s", path=bench.at("t.txt"), hunk=2))
    assert made.partial
    assert text.read_bytes() == TEXT.replace(b"line 3\n", b"THREE\n")
    assert (bench.root / "a.txt").read_bytes() == b"1\ntwo\nthree\n"
    bench.changes.undo(Scope(session="s", path=bench.at("t.txt")))
    assert text.read_bytes() == TEXT
    assert (bench.root / "a.txt").read_bytes() == b"1\ntwo\nthree\n"
    _rewind(bench, "s")
    assert (bench.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"


@pytest.mark.parametrize("hunk", [1, 2, 3])
def test_undoes_hunk_where_it_is_now(bench: Any, text: Path, hunk: int) -> None:
    lines = {1: 2, 2: 15, 3: 28}
    steps = [b"%d!\n" % number for number in lines.values()]
    offsets = [sum(map(len, LINES[: number - 1])) for number in lines.values()]
    record = bench.commit(
        bench.modify(
            "t.txt",
            *(
                Splice(at, len(LINES[n - 1]), new)
                for at, n, new in zip(offsets, lines.values(), steps, strict=True)
            ),
        )
    )
    text.write_bytes(b"outside\n" * 5 + text.read_bytes())
    made, _ = bench.changes.undo(Scope(record.id, hunk=hunk))
    expected = list(LINES)
    for number, line in lines.items():
        if number != hunk:
            expected[line - 1] = b"%d!\n" % line
    assert text.read_bytes() == b"outside\n" * 5 + b"".join(expected)
    bench.changes.undo(made.id)
    assert b"".join(steps[hunk - 1 : hunk]) in text.read_bytes()


def test_refuses_hunk_that_is_gone(bench: Any, text: Path) -> None:
    record = bench.commit(_line(bench, "t.txt", 3, b"THREE\n"))
    for hunk in (0, 2):
        with pytest.raises(FilewrightError) as caught:
            bench.changes.undo(Scope(record.id, hunk=hunk))
        assert caught.value.code is Code.NOT_FOUND
        assert "t.txt" in caught.value.message
    bench.changes.undo(Scope(record.id, hunk=1))
    with pytest.raises(FilewrightError) as caught:
        bench.changes.undo(Scope(record.id, hunk=1))
    assert caught.value.code is Code.NO_CHANGE
    text.write_bytes(TEXT.replace(b"line 3\n", b"other\n"))
    with pytest.raises(FilewrightError) as caught:
        bench.changes.undo(Scope(record.id, hunk=1))
    assert caught.value.code is Code.STALE_VERSION


def test_restores_file_as_of_any_change(bench: Any, text: Path) -> None:
    states = [text.read_bytes()]
    made = []
    for number in range(1, 6):
        made.append(_by(bench, "s", _line(bench, "t.txt", number, b"%d!\n" % number)))
        states.append(text.read_bytes())
        text.write_bytes(text.read_bytes() + b"outside %d\n" % number)
    _by(bench, "other", Move(bench.at("t.txt"), bench.at("u.txt")))
    _by(bench, "other", Delete(bench.at("u.txt")))
    for at, state in reversed(list(enumerate(states))):
        since = made[at].id + "^" if at < len(made) else made[-1].id
        bench.changes.undo(Scope(since=since, path=bench.at("t.txt")), force=True)
        found = text.read_bytes()
        assert found.startswith(state)
        assert set(found[len(state) :].splitlines()) <= {
            b"outside %d" % n for n in range(1, 6)
        }


# Names and bad input


@pytest.mark.parametrize(
    ("scope", "code", "said"),
    [
        ({"session": "nobody"}, Code.NOT_FOUND, "nobody"),
        ({"session": ""}, Code.NOT_FOUND, "no session"),
        ({"since": "1999-12-31"}, Code.INVALID_INPUT, "before the oldest change"),
        ({"since": "2999-12-31"}, Code.INVALID_INPUT, "future"),
        ({"since": "99999 weeks ago"}, Code.INVALID_INPUT, "before the oldest change"),
        ({"since": "2026-13-45"}, Code.NOT_FOUND, "2026-13-45"),
        ({"since": "zzz"}, Code.NOT_FOUND, "zzz"),
        ({"change_id": "@~99"}, Code.NOT_FOUND, "@~99"),
        ({"change_id": "../../x"}, Code.NOT_FOUND, "../../x"),
        ({"change_id": "1"}, Code.INVALID_INPUT, "more than one"),
        ({"session": "s", "hunk": 1}, Code.INVALID_INPUT, "name the file"),
    ],
)
def test_names_what_is_not_there(
    bench: Any, text: Path, scope: Any, code: Code, said: str
) -> None:
    _edits(bench)
    with pytest.raises(FilewrightError) as caught:
        bench.changes.undo(Scope(**scope), preview=True)
    assert caught.value.code is code
    assert said in caught.value.message + (caught.value.hint or "")
    assert caught.value.hint


def test_resolves_beginnings_of_names(bench: Any, text: Path) -> None:
    made = [
        _by(bench, name, Create(bench.at(name), b"")).id
        for name in ("session-1", "session-2", "other")
    ]
    assert bench.changes.resolve_change_id("@") == made[2]
    assert bench.changes.resolve_change_id("@~2") == made[0]
    assert bench.changes.resolve_change_id(made[1][:12]) == made[1]
    assert bench.changes.select(Scope(session="othe")).change_ids == (made[2],)
    with pytest.raises(FilewrightError) as caught:
        bench.changes.select(Scope(session="session-"))
    assert caught.value.code is Code.INVALID_INPUT
    assert bench.changes.select(Scope(session="last")).details == {"session": "other"}
    _rewind(bench, "last", task=Task(caller=Caller("person")))
    assert bench.changes.select(Scope(session="last")).details == {
        "session": "session-2"
    }


# Any history


@st.composite
def _history(draw: Any) -> list[tuple[str, int, str]]:
    """Who edits which line of a file and how: two sessions, and somebody outside."""
    who = st.sampled_from(["s", "other", "outside"])
    how = st.sampled_from(["replace", "insert", "delete", "rename"])
    return draw(
        st.lists(st.tuples(who, st.integers(0, 40), how), min_size=1, max_size=12)
    )


@examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=_history())
@example(history=[("s", 0, "insert"), ("other", 0, "replace"), ("s", 1, "delete")])
def test_rewind_keeps_lines_of_others(
    scene: Any, tmp_path_factory: Any, history: list[tuple[str, int, str]]
) -> None:
    """Each works in lines of its own, with lines nobody touches between them, so that nothing conflicts."""
    owners = ["s", "other", "outside"]
    start = [
        f"{owners[n // 3 % 3]} {n}\n" if n % 3 == 0 else f"- {n}\n" for n in range(36)
    ]
    with scene.quick_folder() as folder, scene.Bench(folder) as bench:
        name = "t.txt"
        (bench.root / name).write_bytes("".join(start).encode())
        for count, (who, number, how) in enumerate(history):
            path = bench.root / name
            lines = path.read_text().splitlines(keepends=True)
            own = [n for n, line in enumerate(lines) if line.startswith(f"{who} ")]
            if how == "rename":
                if who == "other":
                    _by(bench, who, Move(bench.at(name), bench.at(f"t{count}.txt")))
                    name = f"t{count}.txt"
                continue
            if not own:
                continue
            at = own[number % len(own)]
            new = {
                "replace": [f"{who} new {count}\n"],
                "delete": [],
                "insert": [lines[at], f"{who} more {count}\n"],
            }[how]
            if who == "outside":
                path.write_bytes(
                    "".join([*lines[:at], *new, *lines[at + 1 :]]).encode()
                )
                continue
            offset = len("".join(lines[:at]))
            splice = Splice(offset, len(lines[at]), "".join(new).encode())
            if splice.replacement != lines[at].encode():
                _by(bench, who, bench.modify(name, splice))
        lines = (bench.root / name).read_text().splitlines(keepends=True)
        theirs = [line for line in lines if not line.startswith("s ")]
        if any(record.session == "s" for record in bench.changes.history(limit=100)):
            changed = bench.changes.select(Scope(session="s")).record.file_changes
            try:
                _ = _rewind(bench, "s") if changed else None
            except FilewrightError as error:
                if (
                    error.code is not Code.NO_CHANGE
                ):  # else it has taken back by itself what it did
                    raise
        found = (bench.root / name).read_text().splitlines(keepends=True)
        assert [line for line in found if not line.startswith("s ")] == theirs
        assert [line for line in found if line.startswith("s ")] == [
            line for line in start if line.startswith("s ")
        ]


@examples(20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6))
@not_on_wine("nothing is found below a folder that was renamed meanwhile")
def test_rewind_restores_every_byte(scene: Any, seed: int) -> None:
    chance = random.Random(seed)
    with scene.quick_folder() as folder, scene.Bench(folder) as bench:
        for path in ("a", "d/b", "d/e/c"):
            (bench.root / path).parent.mkdir(parents=True, exist_ok=True)
            (bench.root / path).write_text(f"{path}\n" * 5)
        before = scene.tree(bench.root)
        done = 0
        for count in range(12):
            there = sorted(
                os.path.relpath(os.path.join(at, name), bench.root)
                for at, folders, files in os.walk(bench.root)
                for name in folders + files
            )
            path = chance.choice(there) if there else "none"
            is_file = (bench.root / path).is_file()
            to = chance.choice(["a", "n", "d/n", "d/e/m", f"new{count}/x", "d"])
            step = chance.choice(
                [
                    Move(bench.at(path), bench.at(to)),
                    Delete(bench.at(path), recursive=True),
                    Create(bench.at(to), b"%d\n" % count, replace=True),
                    *(
                        [bench.modify(path, Splice(0, 0, b"%d\n" % count))]
                        if is_file
                        else []
                    ),
                ]
            )
            try:
                _by(bench, "s", step)
                done += 1
            except FilewrightError:
                continue
        after = scene.tree(bench.root)
        if after == before:
            return
        made, _ = _rewind(bench, "s")
        assert scene.tree(bench.root) == before
        bench.changes.undo(made.id)
        assert scene.tree(bench.root) == after


def _any_step(
    bench: Any, chance: random.Random, path: str, to: str, count: int
) -> Step:
    line = chance.randrange(1, 30)
    full = bench.root / path
    if (
        full.is_file()
        and full.read_bytes().count(b"\n") > line
        and chance.random() < 0.5
    ):
        return _line(bench, path, line, b"%d\n" % count)
    return chance.choice(
        [
            Move(bench.at(path), bench.at(to)),
            Delete(bench.at(path), recursive=True),
            Create(bench.at(to), TEXT, replace=True),
        ]
    )


@examples(20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6))
@example(
    seed=287
)  # of two things that were at one place the first was overwritten by the second
@example(
    seed=1214
)  # a file takes the name of the folder it is deep in, and a folder between them stays
@not_on_wine("nothing is found below a folder that was renamed meanwhile")
def test_rewind_among_others_is_whole_or_refused(scene: Any, seed: int) -> None:
    """Two sessions and somebody outside move, delete, make and edit the same few files."""
    chance = random.Random(seed)
    with scene.quick_folder() as folder, scene.Bench(folder) as bench:
        for path in ("a", "d/b", "d/e/c"):
            (bench.root / path).parent.mkdir(parents=True, exist_ok=True)
            (bench.root / path).write_bytes(TEXT)
        for count in range(14):
            there = sorted(
                str(path.relative_to(bench.root)) for path in bench.root.rglob("*")
            )
            path = chance.choice(there or ["none"])
            full = bench.root / path
            to = chance.choice(["a", "n", "d/n", "d/e/m", f"new{count}/x", "d"])
            who = chance.choice(["s", "s", "other", "outside"])
            if who == "outside":
                if full.is_file():
                    chance.choice(
                        [
                            full.unlink,
                            lambda full=full: full.write_bytes(
                                b"x\n" + full.read_bytes()
                            ),
                        ]
                    )()
                continue
            with suppress(FilewrightError):
                _by(bench, who, _any_step(bench, chance, path, to, count))
        before = scene.tree(bench.root)
        try:
            made, _ = _rewind(bench, "s")
        except FilewrightError as error:
            refused = error
        else:
            bench.changes.undo(made.id)
            refused = FilewrightError(Code.NO_CHANGE, "")
        assert refused.code in (Code.STALE_VERSION, Code.NO_CHANGE, Code.NOT_FOUND)
        assert scene.tree(bench.root) == before


@pytest.mark.parametrize("second", ["edit", "overwrite"])
def test_rewinds_two_edits_of_large_file(second: str, tmp_path: Path) -> None:
    root = tmp_path / "large"
    root.mkdir()
    before = "".join(f"line {number} of the file\n" for number in range(3000))
    (root / "f").write_text(before)
    small = Settings(state_dir=tmp_path / "state", whole_undo_bytes=10_000)
    with Workspace(root, settings=small, session="mine") as workspace:
        workspace.edit("f", [{"search": "line 7 of", "replace": "line seven of"}])
        if second == "edit":
            workspace.edit("f", [{"search": "line 2777 of", "replace": "line x of"}])
        else:
            workspace.write(
                "f", before.replace("line 2777 of", "line x of"), mode="overwrite"
            )
        workspace.revert_edit(session="mine")
        assert (root / "f").read_text() == before


def test_refuses_time_before_history(bench: Any) -> None:
    with pytest.raises(FilewrightError) as caught:
        bench.changes.select(Scope(since="999999999w"))
    assert caught.value.code is Code.INVALID_INPUT


@pytest.mark.parametrize("roots", [["n"], [".", "n"], ["n", "."]], ids=",".join)
def test_keeps_created_folder_that_is_a_root(tmp_path: Path, roots: list[str]) -> None:
    state, root = Settings(state_dir=tmp_path / "state"), tmp_path / "work"
    root.mkdir()
    with Workspace(root, settings=state, session="s") as above:
        above.write("n/a.txt", "one\n")
        above.write("n/a.txt", "two\n", mode="overwrite")
    with Workspace(*(root / name for name in roots), settings=state) as inside:
        for force in (False, True):
            with pytest.raises(
                FilewrightError, match="is a root of the workspace"
            ) as caught:
                inside.revert_edit(session="s", force=force)
            assert caught.value.code is Code.PERMISSION_DENIED
        assert [
            entry.action for entry in inside.record(Scope(session="s")).file_changes
        ] == ["created"] * 2
    assert (root / "n" / "a.txt").read_text() == "two\n"
    with Workspace(root, settings=state) as above:
        above.revert_edit(session="s")
    assert not (root / "n").exists()
