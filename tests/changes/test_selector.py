"""Scopes select changes, a part of them, or are refused with what to do."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from tests.changes.sessions import LINES, TEXT, commit_by, replace_line, rewind
from tests.changes.steps import numbers_workspace

from filewright import Settings, Workspace
from filewright.changes.selection import Scope
from filewright.edit.changeset import (
    Create,
    Delete,
    Move,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import Caller, Task
from filewright.text.splice import Splice


def test_counts_changes_of_path(tmp_path: Path) -> None:
    with numbers_workspace(tmp_path) as workspace:
        workspace.write("first", "1")
        since = workspace.newest()
        for number in range(3):
            workspace.write(f"src/{number}", "1")
            workspace.write(f"elsewhere/{number}", "1")
        answer = workspace.call("revert_edit", {"since": since, "path": "src"})
        assert ": 3 changes; change" in answer.text
        assert len(answer.data["reverted"]) == 3


def test_last_session_of_none(tmp_path: Path) -> None:
    with numbers_workspace(tmp_path) as workspace:
        answer = workspace.call("revert_edit", {"session": "last"})
        assert "nothing has been changed here yet" in answer.text


@pytest.mark.parametrize(
    "asked",
    [{"change_id": "@~1"}, {"since": "@~2"}, {"session": "setup"}],
    ids=["change", "since", "session"],
)
def test_agents_leave_setup_alone(
    tmp_path: Path, asked: dict[str, str]
) -> None:
    root, state = tmp_path / "work", tmp_path / "state"
    root.mkdir()
    anything = {"allow_write": ("**",)}

    with Workspace(root, state_dir=state) as agent:
        agent.write("first", "1")
    with Workspace(
        root,
        state_dir=state,
        client="filewright setup",
        session="setup",
        settings=Settings(**anything),
    ) as setup:
        setup.write(".claude/settings.json", "{}")
    with Workspace(root, state_dir=state) as agent:
        agent.write("last", "1")
        answer = agent.call("revert_edit", asked)
        assert (root / ".claude/settings.json").exists()
        if "since" in asked:
            assert not answer.is_error, answer.text
            assert not (root / "last").exists()
        else:
            assert answer.is_error
            assert "setup" in answer.text
    with Workspace(
        root, state_dir=state, settings=Settings(**anything)
    ) as person:
        record = next(
            each
            for each in person.history()
            if each.client == "filewright setup"
        )
        person.undo(record.id)
        assert not (root / ".claude/settings.json").exists()


def test_refuses_time_if_clock_was_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with numbers_workspace(tmp_path) as workspace:
        workspace.write("begin", "0")
        with monkeypatch.context() as patch:
            real = time.time_ns
            patch.setattr(time, "time_ns", lambda: real() + 86_400 * 10**9)
            workspace.write("first", "1")
        workspace.write("second", "2")
        answer = workspace.call("revert_edit", {"since": "0 s ago"})
        assert answer.code == Code.INVALID_INPUT
        assert "the clock was ahead" in answer.text
        assert (tmp_path / "work/first").exists()


def _edits(b: Any) -> None:
    commit_by(b, "s", replace_line(b, "t.txt", 3, b"three\n"))
    commit_by(
        b,
        "s",
        replace_line(b, "t.txt", 3, b"drei\n"),
        replace_line(b, "a.txt", 1, b"1\n"),
    )


def test_leaves_out_undone_changes(bench: Any, text: Path) -> None:
    first = commit_by(bench, "s", replace_line(bench, "t.txt", 3, b"THREE\n"))
    commit_by(bench, "s", replace_line(bench, "t.txt", 9, b"NINE\n"))
    bench.changes.undo(first.id)
    commit_by(bench, "other", replace_line(bench, "t.txt", 3, b"theirs\n"))
    rewind(bench, "s")
    assert text.read_bytes() == TEXT.replace(b"line 3\n", b"theirs\n")


def test_undoes_everything_since(bench: Any, scene: Any, text: Path) -> None:
    kept = commit_by(bench, "s", replace_line(bench, "t.txt", 3, b"THREE\n"))
    before = scene.tree(bench.root)
    commit_by(
        bench,
        "other",
        replace_line(bench, "t.txt", 4, b"FOUR\n"),
        Delete(bench.at("a.txt")),
    )
    commit_by(
        bench,
        "s",
        replace_line(bench, "t.txt", 5, b"FIVE\n"),
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
    commit_by(
        bench,
        "s",
        replace_line(bench, "t.txt", 3, b"THREE\n"),
        replace_line(bench, "a.txt", 1, b"1\n"),
    )
    commit_by(
        bench, "s", replace_line(bench, "t.txt", 20, b"TWENTY\nand more\n")
    )
    made, _ = bench.changes.undo(
        Scope(session="s", path=bench.at("t.txt"), hunk=2)
    )
    assert made.partial
    assert text.read_bytes() == TEXT.replace(b"line 3\n", b"THREE\n")
    assert (bench.root / "a.txt").read_bytes() == b"1\ntwo\nthree\n"
    bench.changes.undo(Scope(session="s", path=bench.at("t.txt")))
    assert text.read_bytes() == TEXT
    assert (bench.root / "a.txt").read_bytes() == b"1\ntwo\nthree\n"
    rewind(bench, "s")
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
                for at, n, new in zip(
                    offsets, lines.values(), steps, strict=True
                )
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
    record = bench.commit(replace_line(bench, "t.txt", 3, b"THREE\n"))
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
        made.append(
            commit_by(
                bench,
                "s",
                replace_line(bench, "t.txt", number, b"%d!\n" % number),
            )
        )
        states.append(text.read_bytes())
        text.write_bytes(text.read_bytes() + b"outside %d\n" % number)
    commit_by(bench, "other", Move(bench.at("t.txt"), bench.at("u.txt")))
    commit_by(bench, "other", Delete(bench.at("u.txt")))
    for at, state in reversed(list(enumerate(states))):
        since = made[at].id + "^" if at < len(made) else made[-1].id
        bench.changes.undo(
            Scope(since=since, path=bench.at("t.txt")), force=True
        )
        found = text.read_bytes()
        assert found.startswith(state)
        assert set(found[len(state) :].splitlines()) <= {
            b"outside %d" % n for n in range(1, 6)
        }


@pytest.mark.parametrize(
    ("scope", "code", "said"),
    [
        ({"session": "nobody"}, Code.NOT_FOUND, "nobody"),
        ({"session": ""}, Code.NOT_FOUND, "no session"),
        (
            {"since": "1999-12-31"},
            Code.INVALID_INPUT,
            "before the oldest change",
        ),
        ({"since": "2999-12-31"}, Code.INVALID_INPUT, "future"),
        (
            {"since": "99999 weeks ago"},
            Code.INVALID_INPUT,
            "before the oldest change",
        ),
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
        commit_by(bench, name, Create(bench.at(name), b"")).id
        for name in ("session-1", "session-2", "other")
    ]
    assert bench.changes.resolve_change_id("@") == made[2]
    assert bench.changes.resolve_change_id("@~2") == made[0]
    assert bench.changes.resolve_change_id(made[1][:12]) == made[1]
    assert bench.changes.select(Scope(session="othe")).change_ids == (made[2],)
    with pytest.raises(FilewrightError) as caught:
        bench.changes.select(Scope(session="session-"))
    assert caught.value.code is Code.INVALID_INPUT
    assert bench.changes.select(Scope(session="last")).details == {
        "session": "other"
    }
    rewind(bench, "last", task=Task(caller=Caller("person")))
    assert bench.changes.select(Scope(session="last")).details == {
        "session": "session-2"
    }


@pytest.mark.parametrize("has_changes", [False, True], ids=["empty", "filled"])
def test_says_what_a_moment_may_be(
    bench: Any, text: Path, has_changes: bool
) -> None:
    if has_changes:
        _edits(bench)
    with pytest.raises(FilewrightError) as caught:
        bench.changes.history(since="nonsense")
    assert caught.value.message == "'nonsense' is no change or time"
    assert "20 min ago" in (caught.value.hint or "")


def test_refuses_time_before_history(bench: Any) -> None:
    with pytest.raises(FilewrightError) as caught:
        bench.changes.select(Scope(since="999999999w"))
    assert caught.value.code is Code.INVALID_INPUT
