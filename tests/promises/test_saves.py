"""What other programs save beside us is never lost: it stays, goes back to its place, or is kept and told."""

from __future__ import annotations

import errno
import importlib.util
import itertools
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from filewright import FilewrightError, Workspace
from filewright.edit.changeset import Create, Delete, Move
from filewright.errors import Code
from filewright.system import capabilities
from filewright.text.splice import Splice


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "scene", Path(__file__).with_name("scene.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["scene"] = module
    spec.loader.exec_module(module)
    return module


scene = sys.modules.get("scene") or _load()


@pytest.fixture
def area() -> Iterator[Path]:
    with scene.quick_folder() as folder:
        yield folder


@pytest.fixture
def disk() -> Iterator[Path]:
    with scene.disk_folder() as folder:
        yield folder


def _save_over(path: Path, content: bytes) -> None:
    """As vim, git and `sed -i` do: a new file, renamed over the old one."""
    fresh = path.with_name(".saving")
    fresh.write_bytes(content)
    fresh.replace(path)


def _save_in_place(path: Path, content: bytes) -> None:
    path.write_bytes(content)


SAVES = pytest.mark.parametrize("save", [_save_over, _save_in_place])


def _saving_before(
    monkeypatch: pytest.MonkeyPatch,
    path: Path,
    saves: dict[int, Callable[[], None]],
) -> None:
    """Save something just before the exchange with that number."""
    calls = [0]

    def saving(mode: str, *_: bytes) -> None:
        if mode == "exchange":
            calls[0] += 1
            saves.get(calls[0], lambda: None)()

    scene.before_renames(monkeypatch, saving)


@SAVES
@pytest.mark.parametrize("how", ["modify", "overwrite", "move over"])
def test_a_save_between_the_look_and_the_exchange_stays(
    area: Path,
    monkeypatch: pytest.MonkeyPatch,
    save: Callable[[Path, bytes], None],
    how: str,
) -> None:
    with scene.Bench(area) as bench:
        path = bench.root / "a.txt"
        path.write_bytes(b"one\n")
        (bench.root / "b.txt").write_bytes(b"bee\n")
        step = {
            "modify": bench.modify("a.txt", Splice(0, 3, b"ONE")),
            "overwrite": Create(bench.at("a.txt"), b"ours\n", replace=True),
            "move over": Move(
                bench.at("b.txt"), bench.at("a.txt"), overwrite=True
            ),
        }[how]
        _saving_before(monkeypatch, path, {1: lambda: save(path, b"theirs\n")})
        with pytest.raises(FilewrightError) as caught:
            bench.commit(step)
        assert caught.value.code is Code.STALE_VERSION
        assert path.read_bytes() == b"theirs\n"
        assert sorted(os.listdir(bench.root)) == ["a.txt", "b.txt"]
        assert bench.changes.recover().clean


@pytest.mark.parametrize("step", ["move", "delete"])
def test_a_save_over_what_is_moved_or_deleted_goes_back_to_its_name(
    area: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with scene.Bench(area) as bench:
        path = bench.root / "a.txt"
        path.write_bytes(b"one\n")
        wanted = (
            Move(bench.at("a.txt"), bench.at("b.txt"))
            if step == "move"
            else Delete(bench.at("a.txt"))
        )

        def save() -> None:
            (bench.root / "new").write_bytes(b"theirs\n")
            os.replace(bench.root / "new", path)

        saves = [save]
        scene.before_renames(
            monkeypatch,
            lambda _, name, __: (
                saves.pop()() if name == b"a.txt" and saves else None
            ),
        )
        with pytest.raises(FilewrightError) as caught:
            bench.commit(wanted)
        assert caught.value.code is Code.STALE_VERSION
        assert "conflicts" not in caught.value.details
        assert path.read_bytes() == b"theirs\n"
        assert os.listdir(bench.root) == ["a.txt"]
        assert bench.changes.recover().clean


REQUESTS: dict[str, tuple[Callable[[Workspace], Any], bytes]] = {
    "append": (
        lambda w: w.write("a.txt", "agent\n", mode="append"),
        b"one\ntwo\nsaved\nagent\n",
    ),
    "edit": (
        lambda w: w.edit("a.txt", [{"search": "two", "replace": "TWO"}]),
        b"one\nTWO\nsaved\n",
    ),
    "overwrite": (
        lambda w: w.write("a.txt", "ours\n", mode="overwrite"),
        b"one\ntwo\nsaved\n",
    ),
    "patch": (
        lambda w: w.apply_patch(
            "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+TWO\n*** Add File: n.txt\n+new\n*** End Patch"
        ),
        b"one\nTWO\nsaved\n",
    ),
    "move over": (
        lambda w: w.move("b.txt", "a.txt", overwrite=True),
        b"one\ntwo\nsaved\n",
    ),
    "delete": (lambda w: w.delete("a.txt"), b"one\ntwo\nsaved\n"),
}
"""Each with what the file holds after it, if an editor has added the line `saved` meanwhile."""


@pytest.mark.parametrize("exchange", [True, False])
@pytest.mark.parametrize("request_", REQUESTS)
def test_a_save_between_the_look_and_the_staging_stays_on_a_disk_that_gives_its_number_to_our_file(
    disk: Path, monkeypatch: pytest.MonkeyPatch, request_: str, exchange: bool
) -> None:
    from filewright.changes.staging import stage

    root = disk / "work"
    root.mkdir()
    path = root / "a.txt"
    path.write_bytes(b"one\ntwo\n")
    (root / "b.txt").write_bytes(b"bee\n")
    call, wanted = REQUESTS[request_]
    staged: list[None] = []

    def stage_after_a_save(*given: Any) -> Any:
        if not staged:
            _save_over(path, b"one\ntwo\nsaved\n")
        staged.append(None)
        return stage(*given)

    def refuse_to_exchange(mode: str, *_: bytes) -> None:
        if mode == "exchange" and not exchange:
            raise OSError(errno.EINVAL, "no exchange here")

    monkeypatch.setattr("filewright.changes.commit.stage", stage_after_a_save)
    scene.before_renames(monkeypatch, refuse_to_exchange)
    with Workspace(root, state_dir=disk / "state") as workspace:
        refused = None
        workspace.read("a.txt")
        try:
            call(workspace)
        except FilewrightError as error:
            refused = error
    assert path.read_bytes() == wanted
    assert (refused is None) is (request_ in ("append", "edit", "patch")), (
        refused
    )
    assert refused is None or "kept" not in str(refused)
    assert not [*disk.glob("state/*/kept/*"), *scene.temporaries(root)]


@pytest.mark.needs("exchange")
def test_two_saves_while_a_change_is_taken_back_both_stay_and_are_told(
    area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.Bench(area) as bench:
        path = bench.root / "a.txt"
        path.write_bytes(b"one\n")
        step = bench.modify("a.txt", Splice(0, 3, b"ONE"))
        saves = {
            1: lambda: _save_over(path, b"first\n"),
            2: lambda: _save_over(path, b"second\n"),
        }
        _saving_before(monkeypatch, path, saves)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(step)
        assert caught.value.code is Code.STALE_VERSION
        assert "a.txt.other-save" in str(caught.value)
        assert path.read_bytes() == b"second\n"
        assert (bench.root / "a.txt.other-save").read_bytes() == b"first\n"
        assert sorted(os.listdir(bench.root)) == ["a.txt", "a.txt.other-save"]


@pytest.mark.needs("exchange")
def test_lines_appended_while_a_change_is_rolled_back_stay_and_the_change_does_not(
    area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def append(line: bytes) -> None:
        with path.open("ab") as log:
            log.write(line)

    with scene.Bench(area) as bench:
        path = bench.root / "app.log"
        path.write_bytes(b"one\n")
        step = bench.modify("app.log", Splice(0, 3, b"ONE"))
        saves = {1: lambda: append(b"first\n"), 2: lambda: append(b"second\n")}
        _saving_before(monkeypatch, path, saves)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(step)
        assert caught.value.code is Code.STALE_VERSION
        assert path.read_bytes() == b"one\nfirst\n"
        (kept,) = area.glob("state/*/kept/*")
        assert kept.read_bytes() == b"ONE\nsecond\n"
        assert str(kept) in str(caught.value)
        assert os.listdir(bench.root) == ["app.log"]


def test_a_log_goes_on_while_a_change_is_rolled_back_where_names_cannot_be_exchanged(
    area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = itertools.count()

    def log_a_line(mode: str, name: bytes, to_name: bytes) -> None:
        if b"app.log" in (name, to_name):
            with log.open("ab") as file:
                file.write(b"line %d\n" % next(lines))
        if mode == "exchange":
            raise OSError(errno.EINVAL, "no exchange here")

    with scene.Bench(area) as bench:
        log = bench.root / "app.log"
        log.write_bytes(b"one\n")
        step = bench.modify("app.log", Splice(0, 3, b"ONE"))
        scene.before_renames(monkeypatch, log_a_line)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(step)
        assert caught.value.code is Code.STALE_VERSION
        assert log.read_bytes() == b"one\nline 0\nline 1\n"
        (kept,) = area.glob("state/*/kept/*")
        assert kept.read_bytes() == b"ONE\nline 2\nline 3\n"
        assert os.listdir(bench.root) == ["app.log"]


@pytest.mark.needs("exchange")
@pytest.mark.needs("lease")
def test_what_a_program_writes_to_a_file_while_a_change_is_rolled_back_is_kept_once_it_closes_it(
    area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.Bench(area) as bench, ExitStack() as programs:
        log, other = bench.root / "app.log", bench.root / "b.txt"
        for path in (log, other):
            path.write_bytes(b"one\n")

        def save() -> None:
            _save_over(other, b"theirs\n")
            programs.enter_context(log.open("ab", buffering=0)).write(
                b"first\n"
            )

        edits = [
            bench.modify(name, Splice(0, 3, b"ONE"))
            for name in ("app.log", "b.txt")
        ]
        _saving_before(monkeypatch, other, {2: save})
        with pytest.raises(FilewrightError) as caught:
            bench.commit(*edits)
        assert caught.value.code is Code.STALE_VERSION
        assert (log.read_bytes(), other.read_bytes()) == (b"one\n", b"theirs\n")
        with pytest.raises(FilewrightError) as caught:
            bench.commit(bench.modify("app.log", Splice(0, 3, b"ONE")))
        assert caught.value.code is Code.IN_USE
        programs.close()
        record = bench.commit(bench.modify("app.log", Splice(0, 3, b"ONE")))
        assert log.read_bytes() == b"ONE\n"
        (kept,) = area.glob("state/*/kept/*")
        assert kept.read_bytes() == b"ONE\nfirst\n"
        assert sorted(os.listdir(bench.root)) == ["app.log", "b.txt"]
        assert str(kept) in " ".join(
            [*record.notes, *bench.changes.recover().conflicts]
        )


@pytest.mark.needs("exchange")
@pytest.mark.parametrize("looked", range(1, 4))
def test_a_line_that_is_appended_while_its_file_is_looked_at_does_not_keep_a_change_that_was_refused(
    area: Path, monkeypatch: pytest.MonkeyPatch, looked: int
) -> None:
    from filewright.changes import file_match

    compute_digest, looks = file_match.compute_digest, 0

    def late(file: Any, **given: Any) -> str:
        nonlocal looks
        if file.read(0, 3) == b"ONE":
            looks += 1
            if looks == looked:
                with path.open("ab") as log:
                    log.write(b"late\n")
        return compute_digest(file, **given)

    def first() -> None:
        with path.open("ab") as log:
            log.write(b"first\n")

    with scene.Bench(area) as bench:
        path = bench.root / "app.log"
        path.write_bytes(b"one\n")
        step = bench.modify("app.log", Splice(0, 3, b"ONE"))
        _saving_before(monkeypatch, path, {1: first})
        monkeypatch.setattr(file_match, "compute_digest", late)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(step)
        assert caught.value.code is Code.STALE_VERSION
        assert path.read_bytes().startswith(b"one\nfirst\n")
        kept = b"".join(
            each.read_bytes() for each in area.glob("state/*/kept/*")
        )
        assert looks < looked or b"late\n" in path.read_bytes() + kept
        assert os.listdir(bench.root) == ["app.log"]


_EDITOR = """
import os, sys, time
path, how = sys.argv[1:]
for number, pause in enumerate(map(float, sys.stdin)):
    text = f"save {number}\\n" + "the middle\\n" * 20 + "agent: 0\\n"
    time.sleep(pause)
    if how == "over":
        with open(path + ".saving", "w") as file:
            file.write(text)
        os.replace(path + ".saving", path)
    else:
        with open(path, "r+") as file:
            file.truncate()
            file.write(text)
    print("saved", flush=True)
"""
_BESIDE: dict[str, Callable[[int], tuple[str, dict[str, Any]]]] = {
    "edit": lambda n: (
        "edit_content",
        {
            "path": "a.txt",
            "edits": [{"search": "agent: 0", "replace": f"agent {n}."}],
        },
    ),
    "append": lambda n: (
        "write_content",
        {
            "items": [
                {"path": "a.txt", "content": f"agent {n}.\n", "mode": "append"}
            ]
        },
    ),
    "overwrite": lambda n: (
        "write_content",
        {
            "items": [
                {
                    "path": "a.txt",
                    "content": f"agent {n}.\n",
                    "mode": "overwrite",
                }
            ]
        },
    ),
    "patch": lambda n: (
        "apply_patch",
        {
            "patch": f"--- a/a.txt\n+++ b/a.txt\n@@ -22 +22 @@\n-agent: 0\n+agent {n}.\n"
        },
    ),
}
_LONGEST_PAUSE = 0.02


@pytest.mark.needs("exchange")
@pytest.mark.parametrize("how", ["over", "in place"])
@pytest.mark.parametrize("where", ["disk", "memory"])
def test_an_editor_that_saves_beside_calls_at_every_pace_loses_nothing(
    where: str, how: str
) -> None:
    _work_beside(where, how, saves=40)


@pytest.mark.sweep
@pytest.mark.needs("exchange")
@pytest.mark.parametrize("how", ["over", "in place"])
@pytest.mark.parametrize("where", ["disk", "memory"])
def test_an_editor_beside_thousands_of_calls_loses_nothing(
    where: str, how: str
) -> None:
    _work_beside(
        where, how, saves=int(os.environ.get("FILEWRIGHT_TEST_SAVES", "10000"))
    )


def _work_beside(where: str, how: str, saves: int) -> None:
    """Each save is in the file, beside it, kept, or in the undo data of a change that came after it; and no
    call is made twice, or although it was refused."""
    with (
        scene.disk_folder() if where == "disk" else scene.quick_folder() as area
    ):
        root = area / "work"
        root.mkdir()
        path = root / "a.txt"
        path.write_text("save -1\n" + "the middle\n" * 20 + "agent: 0\n")
        command = [sys.executable, "-c", _EDITOR, str(path), how]
        pauses = random.Random(saves)
        codes = set()
        with (
            Workspace(root, state_dir=area / "state") as workspace,
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            ) as editor,
        ):
            assert editor.stdin is not None
            assert editor.stdout is not None
            for number, kind in zip(
                range(saves), itertools.cycle(_BESIDE), strict=False
            ):
                tool, arguments = _BESIDE[kind](number)
                editor.stdin.write(f"{pauses.random() ** 2 * _LONGEST_PAUSE}\n")
                editor.stdin.flush()
                made = workspace.call(tool, arguments)
                codes.add(str(made.code))
                assert editor.stdout.readline() == "saved\n"
                now = path.read_text()
                assert now.count(f"agent {number}.") <= (not made.is_error), (
                    number,
                    kind,
                    made.text,
                    now,
                )
                aside = [
                    *area.glob("state/*/kept/*"),
                    *root.glob("a.txt.other-save*"),
                ]
                save = f"save {number}\n"
                if save not in now and not any(
                    save in file.read_text() for file in aside
                ):
                    assert kind == "overwrite", (number, made.text, now)
                    workspace.undo()
                    assert save in path.read_text(), (number, made.text)
                for file in aside:
                    file.unlink()
            editor.stdin.close()
        assert codes <= {
            "None",
            "stale_version",
            "in_use",
            "no_match",
            "ambiguous_match",
            "patch_failed",
        }
        assert scene.temporaries(root) == []


MADE_ONCE: dict[str, Callable[[Workspace], Any]] = {
    "append": lambda w: w.call(
        "write_content",
        {"items": [{"path": "a.txt", "content": "agent\n", "mode": "append"}]},
    ),
    "edit": lambda w: w.call(
        "edit_content",
        {
            "path": "a.txt",
            "edits": [{"search": "two\n", "replace": "two\nagent\n"}],
        },
    ),
    "replace": lambda w: w.call(
        "replace_content",
        {
            "pattern": "two\n",
            "replacement": "two\nagent\n",
            "path": "a.txt",
            "preview": False,
        },
    ),
    "patch": lambda w: w.call(
        "apply_patch",
        {
            "patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n two\n+agent\n*** End Patch"
        },
    ),
}


@SAVES
@pytest.mark.needs("exchange")
@pytest.mark.parametrize(
    "when", ["after the exchange", "while it is taken back", "after that"]
)
@pytest.mark.parametrize("how", MADE_ONCE)
def test_what_an_editor_has_read_of_a_change_is_not_made_twice(
    area: Path,
    monkeypatch: pytest.MonkeyPatch,
    save: Callable[[Path, bytes], None],
    when: str,
    how: str,
) -> None:
    """It saves just before the exchange, so that the change is taken back, and then saves what it read between."""
    root = area / "work"
    root.mkdir()
    path = root / "a.txt"
    path.write_bytes(b"editor: 0\none\ntwo\n")
    (root / "z").write_bytes(b"z")
    read: list[bytes] = []
    second = {
        "after the exchange": (1, "after"),
        "while it is taken back": (2, "before"),
        "after that": (2, "after"),
    }
    calls = [0]
    real = scene.FOLDER.rename

    def rename(
        folder: Any, name: bytes, to: Any, to_name: bytes, mode: str
    ) -> None:
        calls[0] += mode == "exchange"
        if (mode, calls[0]) == ("exchange", 1):
            _save_over(path, b"editor: 1\none\ntwo\n")
        if (mode, calls[0], "before") == ("exchange", *second[when]):
            save(path, read[0].replace(b"editor: 0", b"editor: 2"))
        real(folder, name, to, to_name, mode)
        if (mode, calls[0]) == ("exchange", 1):
            read.append(path.read_bytes())
        if (mode, calls[0], "after") == ("exchange", *second[when]):
            save(path, read[0].replace(b"editor: 0", b"editor: 2"))

    monkeypatch.setattr(scene.FOLDER, "rename", rename)
    with Workspace(root, state_dir=area / "state") as workspace:
        answer = MADE_ONCE[how](workspace)
        assert read[0].count(b"agent") == 1
        now = path.read_bytes()
        assert (now.count(b"agent"), b"editor: 2" in now) == (1, True), (
            answer.text
        )
        assert answer.is_error
        if answer.code != Code.ALREADY_APPLIED:
            assert "may have this change already" in answer.text
            assert "read the file before you repeat the change" in answer.text
        aside = [*area.glob("state/*/kept/*"), *root.glob("a.txt.other-save*")]
        if when != "after that":
            assert any(b"editor: 1" in file.read_bytes() for file in aside)
        assert scene.temporaries(root) == []
        assert workspace.changes.recover().unsettled == []


# Logs


_LOGGER = """
import sys, time
path, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    with open(path, "a") as log:
        log.write(f"line {number}\\n")
    time.sleep(0.01)
"""


def _log_beside_edits(area: Path, count: int) -> list[int]:
    """Edit a log whose writer opens and closes it for each line; the lines that are nowhere any more."""
    root = area / "work"
    root.mkdir()
    log = root / "app.log"
    log.write_text("level: info\n")
    command = [sys.executable, "-c", _LOGGER, str(log), str(count)]
    landed = 0
    with (
        Workspace(root, state_dir=area / "state") as workspace,
        subprocess.Popen(command) as logger,
    ):
        level = "info"
        while logger.poll() is None:
            new = "debug" if level == "info" else "info"
            edit = {"search": f"level: {level}", "replace": f"level: {new}"}
            made = workspace.call(
                "edit_content", {"path": "app.log", "edits": [edit]}
            )
            if not made.is_error:
                level, landed = new, landed + 1
    assert landed
    lines = log.read_text().split("\n")
    assert lines[0] == f"level: {level}"
    kept = "".join(
        file.read_text() for file in (area / "state").glob("*/kept/*")
    )
    return [
        n
        for n in range(count)
        if f"line {n}" not in lines and f"line {n}\n" not in kept
    ]


@pytest.mark.parametrize(
    "count", [200, pytest.param(3000, marks=pytest.mark.sweep)]
)
def test_a_log_whose_writer_opens_and_closes_it_for_each_line_can_be_edited(
    area: Path, count: int
) -> None:
    """No refused edit of it stays; and no line is lost where a lease tells who has the log open."""
    lost = _log_beside_edits(area, count)
    assert lost == [] or not capabilities.lease


def test_sixteen_threads_append_and_every_line_lands(area: Path) -> None:
    root = area / "work"
    root.mkdir()
    (root / "log").write_text("start\n")
    with (
        Workspace(root, state_dir=area / "state") as workspace,
        ThreadPoolExecutor(16) as pool,
    ):

        def append(number: int) -> None:
            for turn in range(5):
                workspace.write("log", f"{number}-{turn}\n", mode="append")

        list(pool.map(append, range(16)))
    wanted = [
        "start",
        *(f"{number}-{turn}" for number in range(16) for turn in range(5)),
    ]
    assert sorted((root / "log").read_text().split()) == sorted(wanted)


def test_what_was_appended_and_stays_with_others_lines_is_not_appended_again(
    area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = area / "work"
    root.mkdir()
    old, new = root / "old", root / "new"
    old.write_text("start\n")

    def go_on() -> None:
        with new.open("a") as file:
            file.write("theirs\n")
        old.write_text("start\nmore\n")

    with Workspace(root, state_dir=area / "state") as workspace:
        _saving_before(monkeypatch, old, {1: go_on})
        items = [
            {"path": name, "content": "ours\n", "mode": "append"}
            for name in ("new", "old")
        ]
        with pytest.raises(
            FilewrightError,
            match=(
                "new was created by the change and then edited by another "
                "program: it stays"
            ),
        ):
            workspace.run("write_content", {"items": items})
    assert (new.read_text(), old.read_text()) == (
        "ours\ntheirs\n",
        "start\nmore\n",
    )


def test_a_version_that_was_named_is_held_to(
    area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = area / "work"
    root.mkdir()
    (root / "log").write_text("start\n")
    with Workspace(root, state_dir=area / "state") as workspace:
        version = workspace.read("log").data["version"]
        path = root / "log"
        _saving_before(
            monkeypatch, path, {1: lambda: path.write_text("start\nmore\n")}
        )
        with pytest.raises(FilewrightError) as caught:
            workspace.write(
                "log", "ours\n", mode="append", expected_version=version
            )
        assert caught.value.code is Code.STALE_VERSION
        assert path.read_text() == "start\nmore\n"


# Between a crash and the recovery


def _crashed(bench: Any, monkeypatch: pytest.MonkeyPatch, *steps: Any) -> None:
    """Everything is published, and the process ends before it can say so."""

    class EndError(BaseException):
        pass

    def end(*_: Any) -> Any:
        raise EndError

    with monkeypatch.context() as patch:
        patch.setattr("filewright.changes.log.Log.mark_done", end)
        patch.setattr("filewright.changes.commit.roll_back", end)
        with pytest.raises(EndError):
            bench.commit(*steps)


def test_a_folder_that_was_renamed_after_a_crash_is_found_and_taken_back(
    area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.Bench(area) as bench:
        (bench.root / "in/deep").mkdir(parents=True)
        for number in range(20):
            (bench.root / f"in/deep/{number}").write_bytes(b"old\n")
        _crashed(
            bench,
            monkeypatch,
            *(
                bench.modify(f"in/deep/{n}", Splice(0, 3, b"new"))
                for n in range(20)
            ),
        )
        (bench.root / "in").rename(bench.root / "out")
        (bench.root / "in/deep").mkdir(parents=True)
    with scene.Bench(area) as bench:
        found = bench.changes.recover()
        assert (len(found.rolled_back), found.conflicts, found.unsettled) == (
            1,
            [],
            [],
        )
        assert {
            path.read_bytes() for path in (bench.root / "out/deep").iterdir()
        } == {b"old\n"}
        assert os.listdir(bench.root / "in/deep") == []


def test_what_cannot_be_taken_back_is_kept_named_and_blocks_only_its_own_files(
    area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.Bench(area) as bench:
        for name in ("a.txt", "b.txt", "c.txt"):
            (bench.root / name).write_bytes(b"old\n")
        _crashed(
            bench,
            monkeypatch,
            *(
                bench.modify(n, Splice(0, 3, b"new"))
                for n in ("a.txt", "b.txt")
            ),
        )
        aside = next(
            path
            for path in bench.root.glob(".fw~*")
            if path.read_bytes() == b"old\n"
        )
        aside.rename(area / "aside")
        torn = (
            (bench.root / "a.txt").read_bytes(),
            (bench.root / "b.txt").read_bytes(),
        )
        assert torn == (b"new\n", b"new\n")
    with scene.Bench(area) as bench:
        found = bench.changes.recover()
        assert found.rolled_back == []
        (told,) = found.unsettled
        name, other = (
            ("a.txt", "b.txt") if "a.txt" in told else ("b.txt", "a.txt")
        )
        assert (bench.root / other).read_bytes() == b"old\n"
        bench.commit(bench.modify("c.txt", Splice(0, 3, b"new")))
        with pytest.raises(FilewrightError) as caught:
            bench.commit(bench.modify(name, Splice(0, 3, b"xxx")))
        assert caught.value.code is Code.IN_USE
        assert bench.changes.recover().unsettled == [told]
        # Whoever took it away brings it back: then it is settled.
        (area / "aside").rename(bench.root / aside.name)
        assert len(bench.changes.recover().rolled_back) == 1
        assert (bench.root / name).read_bytes() == b"old\n"
        bench.commit(bench.modify(name, Splice(0, 3, b"xxx")))
        assert bench.changes.recover().clean


def test_a_conflict_met_by_recovery_is_in_the_next_answer(
    area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.Bench(area) as bench:
        (bench.root / "a.txt").write_bytes(b"old\n")
        (bench.root / "b.txt").write_bytes(b"old\n")
        _crashed(
            bench,
            monkeypatch,
            bench.modify("a.txt", Splice(0, 3, b"new")),
            Delete(bench.at("b.txt")),
        )
        (bench.root / "a.txt").write_bytes(b"theirs\n")
    with scene.Bench(area) as bench:
        record = bench.commit(Create(bench.at("c.txt"), b""))
        assert any("a.txt" in note for note in record.notes)
        assert bench.changes.record(record.id).notes == record.notes
        assert any(
            "a.txt" in conflict
            for conflict in bench.changes.recover().conflicts
        )
