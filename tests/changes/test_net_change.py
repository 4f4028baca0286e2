"""Several changes as if they had been one: a session is rewound, others stay."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from tests.changes.sessions import LINES, TEXT, commit_by, replace_line, rewind
from tests.examples import examples
from tests.platforms.unix_only import not_on_wine
from tests.promises import outside
from tests.samples import one_in

from filewright import Settings, Workspace
from filewright.changes.selection import Scope
from filewright.edit.changeset import (
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

needs_unix_shell = pytest.mark.skipif(
    sys.platform == "win32", reason="these are commands of a Unix shell"
)

RENAME = "mv t/a t/b"
SAME_CONTENT = {
    "touched": "touch {0}",
    "changed in mode": "chmod 600 {0}",
    "changed in mode and touched": "chmod 600 {0}; touch {0}",
    "installed": "cp {0} t/new; chmod 755 t/new; mv t/new {0}",
    "rewritten": "cp -p {0} ../copy; cat ../copy > {0}; chmod 755 {0}",
}
ORDERS = {
    "renamed before": [RENAME, "{b}"],
    "renamed after": ["{a}", RENAME],
    "renamed by a tool": ["tool", "{b}"],
    "renamed there and back": [RENAME, "mv t/b t/a", "{a}"],
    "in one command": [RENAME + "; {b}"],
}


def _tree(root: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(root)): (path.stat().st_mode, path.read_bytes())
        for path in files
    }


@needs_unix_shell
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("order", one_in(2, ORDERS))
@pytest.mark.parametrize("how", SAME_CONTENT)
def test_reverts_renamed_and_rewritten_file(
    tmp_path: Path, how: str, order: str, *, force: bool
) -> None:
    root = tmp_path / "work"
    (root / "t").mkdir(parents=True)
    (root / "t/a").write_text("one\n" * 10)
    (root / "t/a").chmod(0o644)
    with Workspace(
        root, state_dir=tmp_path / "state", settings=Settings(flush=False)
    ) as workspace:
        workspace.write("first", "1")
        since = workspace.newest()
        before = _tree(root)
        for line in ORDERS[order]:
            if line == "tool":
                workspace.move("t/a", "t/b")
                continue
            command = line.format(
                a=SAME_CONTENT[how].format("t/a"),
                b=SAME_CONTENT[how].format("t/b"),
            )
            begun = workspace.begin_command()
            subprocess.run(command, shell=True, cwd=root, check=True)
            workspace.end_command(begun, command)
        if _tree(root) == before:
            return
        answer = workspace.call("revert_edit", {"since": since, "force": force})
        assert not answer.is_error, answer.text
        assert _tree(root) == before


def test_takes_little_memory_for_each_change(area: Path, scene: Any) -> None:
    """Of what a file held, only what it held first and what it holds last is needed."""
    peaks = []
    for times in (4, 24):
        with scene.Bench(area / str(times), history_bytes=1 << 30) as bench:
            for name in "abcde":
                (bench.root / name).write_bytes(TEXT)
            for line in (b"three\n", LINES[2]):
                for name in "abcde":
                    commit_by(bench, "s", replace_line(bench, name, 3, line))
            outside.lengthen_history(bench.state, times)
            commit_by(bench, "s", replace_line(bench, "a", 3, b"drei\n"))
            commit_by(bench, "s", replace_line(bench, "b", 4, b"vier\n"))
            tracemalloc.start()
            try:
                reversal = bench.changes.undo(Scope(session="s"), preview=True)[
                    1
                ]
                peaks.append(tracemalloc.get_traced_memory()[1])
            finally:
                tracemalloc.stop()
            assert len(reversal.selected.change_ids) == 10 * times + 12
            assert [
                entry.path.display_path
                for entry in reversal.selected.record.file_changes
            ] == ["a", "b"]
            rewind(bench, "s")
            assert (
                (bench.root / "a").read_bytes()
                == (bench.root / "b").read_bytes()
                == TEXT
            )
    assert (peaks[1] - peaks[0]) / 200 < 500, "bytes for each change"


def _edits(b: Any) -> None:
    commit_by(b, "s", replace_line(b, "t.txt", 3, b"three\n"))
    commit_by(
        b,
        "s",
        replace_line(b, "t.txt", 3, b"drei\n"),
        replace_line(b, "a.txt", 1, b"1\n"),
    )


def _made_edited_moved(b: Any) -> None:
    commit_by(b, "s", Create(b.at("new/n.txt"), b"one\n"))
    commit_by(b, "s", b.modify("new/n.txt", Splice(0, 3, b"two")))
    commit_by(b, "s", Move(b.at("new/n.txt"), b.at("m.txt")))


def _moved_edited_deleted(b: Any) -> None:
    commit_by(b, "s", Move(b.at("a.txt"), b.at("z.txt")))
    commit_by(b, "s", replace_line(b, "z.txt", 1, b"uno\n"))
    commit_by(b, "s", Delete(b.at("z.txt")))


def _swapped(b: Any) -> None:
    commit_by(b, "s", Move(b.at("a.txt"), b.at("tmp")))
    commit_by(b, "s", Move(b.at("b.txt"), b.at("a.txt")))
    commit_by(b, "s", Move(b.at("tmp"), b.at("b.txt")))


def _folder_moved_twice_and_worked_in(b: Any) -> None:
    commit_by(b, "s", Delete(b.at("f/x.txt")))
    commit_by(b, "s", Move(b.at("f"), b.at("h")))
    commit_by(
        b,
        "s",
        replace_line(b, "h/g/y.txt", 1, b"WHY\n"),
        Create(b.at("h/x.txt"), b"again\n"),
    )
    commit_by(b, "s", Move(b.at("h"), b.at("deep/er")))
    commit_by(
        b,
        "s",
        SetMode(b.at("deep/er/g/y.txt"), "600"),
        Move(b.at("deep/er/g"), b.at("g2")),
    )


def _deleted_and_made_again(b: Any) -> None:
    commit_by(b, "s", Delete(b.at("a.txt")))
    commit_by(b, "s", Create(b.at("a.txt"), b"another\n"))
    commit_by(b, "s", Delete(b.at("f"), recursive=True))
    commit_by(b, "s", Create(b.at("f"), b"a file\n"))
    commit_by(b, "s", Delete(b.at("f")), MakeFolder(b.at("f")))


def _folder_deleted_and_made_again(b: Any) -> None:
    commit_by(b, "s", Create(b.at("f/g/n"), b"n\n"))
    commit_by(b, "s", Delete(b.at("f"), recursive=True))
    commit_by(b, "s", Create(b.at("f/g/y.txt"), b"another\n"))
    commit_by(b, "s", b.modify("f/g/y.txt", Splice(0, 0, b"yet ")))


def _undone_in_between(b: Any) -> None:
    first = commit_by(b, "s", replace_line(b, "t.txt", 1, b"A\n"))
    task = Task(caller=Caller("s"))
    undone, _ = b.changes.undo(first.id, task=task)
    b.changes.undo(undone.id, task=task)
    commit_by(b, "s", replace_line(b, "t.txt", 1, b"B\n"))


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
    made, reversal = rewind(bench, "s")
    assert scene.tree(bench.root) == before
    assert not made.partial
    assert set(made.reverts) == set(reversal.selected.change_ids)
    bench.changes.undo(made.id)
    assert scene.tree(bench.root) == after
    rewind(bench, "s")
    assert scene.tree(bench.root) == before
    with pytest.raises(FilewrightError) as caught:
        rewind(bench, "s")
    assert caught.value.code is Code.NO_CHANGE


def test_preview_of_rewind_is_net_diff(
    bench: Any, scene: Any, text: Path
) -> None:
    _edits(bench)
    before = scene.tree(bench.root)
    reversal = bench.changes.undo(Scope(session="s"), preview=True)[1]
    assert "-drei\n+line 3\n" in reversal.diff.text
    assert "+three" not in reversal.diff.text
    assert "+drei\n" in bench.changes.diff(Scope(session="s")).text
    assert "+three" not in bench.changes.diff(Scope(session="s")).text
    assert scene.tree(bench.root) == before


def test_keeps_what_others_did_to_file(bench: Any, text: Path) -> None:
    commit_by(bench, "s", replace_line(bench, "t.txt", 3, b"THREE\n"))
    commit_by(bench, "other", replace_line(bench, "t.txt", 20, b"theirs\n"))
    commit_by(bench, "s", replace_line(bench, "t.txt", 3, b"drei\nvier\n"))
    text.write_bytes(b"outside\n" + text.read_bytes())
    _, reversal = rewind(bench, "s")
    lines = [b"outside\n", *LINES]
    lines[20] = b"theirs\n"
    assert text.read_bytes() == b"".join(lines)
    assert reversal.merged


@not_on_wine("nothing is found below a folder that was renamed meanwhile")
def test_follows_rename_by_another_session(bench: Any, text: Path) -> None:
    commit_by(
        bench,
        "s",
        replace_line(bench, "t.txt", 3, b"THREE\n"),
        replace_line(bench, "f/x.txt", 1, b"EX\n"),
    )
    commit_by(
        bench,
        "other",
        Move(bench.at("t.txt"), bench.at("u.txt")),
        Move(bench.at("f"), bench.at("dir/f2")),
    )
    commit_by(
        bench,
        "s",
        replace_line(bench, "u.txt", 4, b"FOUR\n"),
        Delete(bench.at("dir/f2/g/y.txt")),
    )
    rewind(bench, "s")
    assert (bench.root / "u.txt").read_bytes() == TEXT
    assert not text.exists()
    assert (bench.root / "dir/f2/x.txt").read_bytes() == b"ex\n"
    assert (bench.root / "dir/f2/g/y.txt").read_bytes() == b"why\n"


def test_brings_back_what_outsiders_removed(bench: Any, text: Path) -> None:
    commit_by(bench, "s", replace_line(bench, "t.txt", 3, b"THREE\n"))
    commit_by(
        bench,
        "s",
        replace_line(bench, "t.txt", 5, b"FIVE\n"),
        replace_line(bench, "f/x.txt", 1, b"EX\n"),
    )
    text.unlink()
    (bench.root / "f").rename(bench.root / "elsewhere")
    _, reversal = rewind(bench, "s")
    assert text.read_bytes() == TEXT
    assert (bench.root / "f/x.txt").read_bytes() == b"ex\n"
    assert (bench.root / "elsewhere/x.txt").read_bytes() == b"EX\n"
    assert sum("recreated" in note for note in reversal.notes) == 2


@pytest.mark.parametrize("by", ["outsider", "other"])
def test_brings_back_file_deleted_in_between(
    bench: Any, scene: Any, text: Path, by: str
) -> None:
    before = scene.tree(bench.root)

    def delete(path: str) -> None:
        if by == "other":
            commit_by(bench, "other", Delete(bench.at(path)))
        else:
            (bench.root / path).unlink()

    commit_by(
        bench,
        "s",
        replace_line(bench, "t.txt", 3, b"THREE\n"),
        Create(bench.at("n"), b"n\n"),
    )
    delete("t.txt")
    delete("n")
    commit_by(
        bench,
        "s",
        Create(bench.at("t.txt"), b"another\n"),
        Create(bench.at("n"), b"n again\n"),
    )
    commit_by(bench, "s", replace_line(bench, "t.txt", 1, b"yet another\n"))
    made, _ = rewind(bench, "s")
    assert {
        name: kept[2:] for name, kept in scene.tree(bench.root).items()
    } == {name: kept[2:] for name, kept in before.items()}
    bench.changes.undo(made.id)
    assert text.read_bytes() == b"yet another\n"


def _same_line(b: Any) -> None:
    commit_by(b, "s", replace_line(b, "t.txt", 3, b"THREE\n"))
    commit_by(b, "other", replace_line(b, "t.txt", 3, b"theirs\n"))
    commit_by(b, "s", replace_line(b, "t.txt", 3, b"mine again\n"))


def _outsider_in_the_same_line(b: Any) -> None:
    commit_by(b, "s", replace_line(b, "t.txt", 3, b"THREE\n"))
    (b.root / "t.txt").write_bytes(TEXT.replace(b"line 3\n", b"theirs\n"))


def _created_and_edited_by_another(b: Any) -> None:
    commit_by(b, "s", Create(b.at("n"), b"n\n"))
    commit_by(b, "other", b.modify("n", Splice(0, 0, b"theirs\n")))
    commit_by(b, "s", b.modify("n", Splice(0, 0, b"mine\n")))


def _renamed_again_by_another(b: Any) -> None:
    commit_by(b, "s", Move(b.at("a.txt"), b.at("c.txt")))
    commit_by(b, "other", Move(b.at("c.txt"), b.at("d.txt")))


def _deleted_twice(b: Any) -> None:
    commit_by(b, "s", Delete(b.at("a.txt")))
    commit_by(b, "other", Create(b.at("a.txt"), b"theirs\n"))
    commit_by(b, "s", Delete(b.at("a.txt")))


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
    commit_by(bench, "s", replace_line(bench, "b.txt", 1, b"BEE\n"))
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
        commit_by(bench, "s", replace_line(bench, name, 1, b"mine\n"))
        (bench.root / name).write_bytes(
            b"theirs \x1b[2J\n" + (bench.root / name).read_bytes()[5:]
        )
    with pytest.raises(FilewrightError) as caught:
        rewind(bench, "s")
    message = caught.value.message
    for name, line in (("a.txt", "one"), ("b.txt", "bee"), ("t.txt", "line 1")):
        assert f"{name} (line 1)" in message
        assert f"=======\n{line}\n>>>>>>> undone" in message
    assert "\x1b" not in message


@st.composite
def _history(draw: Any) -> list[tuple[str, int, str]]:
    """Who edits which line of a file and how: two sessions, and somebody outside."""
    who = st.sampled_from(["s", "other", "outside"])
    how = st.sampled_from(["replace", "insert", "delete", "rename"])
    return draw(
        st.lists(
            st.tuples(who, st.integers(0, 40), how), min_size=1, max_size=12
        )
    )


@examples(10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=_history())
@example(
    history=[("s", 0, "insert"), ("other", 0, "replace"), ("s", 1, "delete")]
)
def test_rewind_keeps_lines_of_others(
    scene: Any, tmp_path_factory: Any, history: list[tuple[str, int, str]]
) -> None:
    """Each works in lines of its own, with lines nobody touches between them, so that nothing conflicts."""
    owners = ["s", "other", "outside"]
    start = [
        f"{owners[n // 3 % 3]} {n}\n" if n % 3 == 0 else f"- {n}\n"
        for n in range(36)
    ]
    with scene.quick_folder() as folder, scene.Bench(folder) as bench:
        name = "t.txt"
        (bench.root / name).write_bytes("".join(start).encode())
        for count, (who, number, how) in enumerate(history):
            path = bench.root / name
            lines = path.read_text().splitlines(keepends=True)
            own = [
                n for n, line in enumerate(lines) if line.startswith(f"{who} ")
            ]
            if how == "rename":
                if who == "other":
                    commit_by(
                        bench,
                        who,
                        Move(bench.at(name), bench.at(f"t{count}.txt")),
                    )
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
                commit_by(bench, who, bench.modify(name, splice))
        lines = (bench.root / name).read_text().splitlines(keepends=True)
        theirs = [line for line in lines if not line.startswith("s ")]
        if any(
            record.session == "s" for record in bench.changes.history(limit=100)
        ):
            changed = bench.changes.select(
                Scope(session="s")
            ).record.file_changes
            try:
                _ = rewind(bench, "s") if changed else None
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


@examples(7, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
                commit_by(bench, "s", step)
                done += 1
            except FilewrightError:
                continue
        after = scene.tree(bench.root)
        if after == before:
            return
        made, _ = rewind(bench, "s")
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
        return replace_line(bench, path, line, b"%d\n" % count)
    return chance.choice(
        [
            Move(bench.at(path), bench.at(to)),
            Delete(bench.at(path), recursive=True),
            Create(bench.at(to), TEXT, replace=True),
        ]
    )


@examples(7, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
                str(path.relative_to(bench.root))
                for path in bench.root.rglob("*")
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
                commit_by(bench, who, _any_step(bench, chance, path, to, count))
        before = scene.tree(bench.root)
        try:
            made, _ = rewind(bench, "s")
        except FilewrightError as error:
            refused = error
        else:
            bench.changes.undo(made.id)
            refused = FilewrightError(Code.NO_CHANGE, "")
        assert refused.code in (
            Code.STALE_VERSION,
            Code.NO_CHANGE,
            Code.NOT_FOUND,
        )
        assert scene.tree(bench.root) == before


@pytest.mark.parametrize("second", ["edit", "overwrite"])
def test_rewinds_two_edits_of_large_file(second: str, tmp_path: Path) -> None:
    root = tmp_path / "large"
    root.mkdir()
    before = "".join(f"line {number} of the file\n" for number in range(3000))
    (root / "f").write_text(before)
    small = Settings(state_dir=tmp_path / "state", whole_undo_bytes=10_000)
    with Workspace(root, settings=small, session="mine") as workspace:
        workspace.edit(
            "f", [{"search": "line 7 of", "replace": "line seven of"}]
        )
        if second == "edit":
            workspace.edit(
                "f", [{"search": "line 2777 of", "replace": "line x of"}]
            )
        else:
            workspace.write(
                "f",
                before.replace("line 2777 of", "line x of"),
                mode="overwrite",
            )
        workspace.revert_edit(session="mine")
        assert (root / "f").read_text() == before


@pytest.mark.parametrize("roots", [["n"], [".", "n"], ["n", "."]], ids=",".join)
def test_keeps_created_folder_that_is_a_root(
    tmp_path: Path, roots: list[str]
) -> None:
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
            entry.action
            for entry in inside.record(Scope(session="s")).file_changes
        ] == ["created"] * 2
    assert (root / "n" / "a.txt").read_text() == "two\n"
    with Workspace(root, settings=state) as above:
        above.revert_edit(session="s")
    assert not (root / "n").exists()
