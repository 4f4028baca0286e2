"""The database of a log: processes, forks and threads share it; damage harms no file."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests import processes
from tests.changes.steps import EDIT

from filewright import Workspace
from filewright.changes.database import Database, Flusher
from filewright.edit.changeset import ChangeSet, Create
from filewright.errors import Code, FilewrightError
from filewright.progress import Task


def _database(bench: Any) -> Path:
    return Path(os.fsdecode(bench.changes.logs[0].database.locate()))


@contextmanager
def _cut(path: Path) -> Iterator[None]:
    path.write_bytes(path.read_bytes()[:5000])
    yield


@contextmanager
def _overwritten(path: Path) -> Iterator[None]:
    data = bytearray(path.read_bytes())
    for at in range(0, len(data), 4096):
        data[at + 100 : at + 160] = b"\xee" * 60
    path.write_bytes(data)
    yield


@contextmanager
def _text(path: Path) -> Iterator[None]:
    path.write_bytes(b"this is no database\n" * 1000)
    yield


@contextmanager
def _folder(path: Path) -> Iterator[None]:
    path.unlink()
    path.mkdir()
    yield


@contextmanager
def _newer(path: Path) -> Iterator[None]:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=1000")
    connection.close()
    yield


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (_cut, Code.IO_ERROR),
        (_overwritten, Code.IO_ERROR),
        (_text, Code.IO_ERROR),
        (_folder, Code.IO_ERROR),
        (_newer, Code.UNSUPPORTED),
        (_locked, Code.TIMEOUT),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_broken_database_refuses_only_changes(
    bench: Any, scene: Any, area: Path, wrong: Callable[[Path], Any], code: Code
) -> None:
    bench.commit(bench.modify("a.txt", EDIT))
    bench.changes.close()
    before = scene.tree(bench.root)
    arguments = {
        "items": [{"path": "a.txt", "content": "new", "mode": "overwrite"}]
    }
    with (
        wrong(_database(bench)),
        Workspace(
            bench.root, settings=bench.settings.replace(lock_seconds=0.2)
        ) as workspace,
    ):
        assert "ONE" in workspace.read("a.txt").text
        assert (
            "ONE" in workspace.call("search_content", {"pattern": "ONE"}).text
        )
        for _ in range(2):
            refused = workspace.call("write_content", arguments)
            assert refused.code == code, refused.text
            assert "state.db" in refused.text or code is Code.TIMEOUT
        assert scene.tree(bench.root) == before
        assert workspace.call("get_history", {}).code in (code, None)
        if code is not Code.TIMEOUT:
            assert workspace.log_problems()


def test_wait_for_database_checks_task(bench: Any) -> None:
    bench.commit(bench.modify("a.txt", EDIT))
    step = bench.modify("b.txt", EDIT)
    with _locked(_database(bench)):
        with pytest.raises(FilewrightError) as caught:
            bench.changes.commit(
                ChangeSet("test", "a change", (step,)), task=Task(seconds=0.1)
            )
        assert caught.value.code is Code.TIMEOUT
        task = Task()
        threading.Timer(0.1, task.cancel).start()
        with pytest.raises(FilewrightError) as caught:
            bench.changes.commit(
                ChangeSet("test", "a change", (step,)), task=task
            )
        assert caught.value.code is Code.CANCELLED
    bench.commit(step)


@pytest.mark.skipif(
    sys.platform == "win32", reason="its folders have no such rights"
)
def test_reads_read_only_state(bench: Any, scene: Any, area: Path) -> None:
    """By a user whom rights bind; and a workspace that is read-only writes nothing there in any case."""

    def child() -> None:
        if os.geteuid() == 0:
            for path in (area, *area.rglob("*")):
                os.chown(path, 65534, 65534)
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        with scene.Bench(area) as first:
            made = first.commit(first.modify("a.txt", EDIT)).id
            first.undo(made)
        first.state.chmod(0o500)
        _database(first).chmod(0o400)
        before = scene.tree(first.state)
        for read_only in (True, False):
            with scene.Bench(area, read_only=read_only) as fresh:
                for _ in range(2):
                    assert fresh.changes.history()[1].id == made
                    fresh.changes.recover_if_needed()
                assert not read_only or scene.tree(first.state) == before
                with pytest.raises(FilewrightError) as caught:
                    fresh.commit(Create(fresh.at("n"), b"n"))
                assert caught.value.code in (
                    Code.PERMISSION_DENIED,
                    Code.READ_ONLY,
                )
        first.state.chmod(0o700)

    # What the child needs is imported here: another user may not be allowed to.
    bench.undo(bench.commit(bench.modify("a.txt", EDIT)).id)
    bench.changes.history()
    bench.changes.recover()
    bench.changes.close()
    assert scene.forked(child) == 0


def test_read_only_workspace_writes_no_log(
    bench: Any, scene: Any, area: Path
) -> None:
    made = bench.commit(bench.modify("a.txt", EDIT))
    for closed in (False, True):
        if closed:
            bench.changes.close()
        before = scene.tree(bench.state)
        with scene.Bench(area, read_only=True) as fresh:
            for _ in range(2):
                assert [record.id for record in fresh.changes.history()] == [
                    made.id
                ]
        assert scene.tree(bench.state) == before


def test_begins_new_log_if_deleted(bench: Any) -> None:
    bench.commit(bench.modify("a.txt", EDIT))
    for path in bench.state.glob("state.db*"):
        path.unlink()
    assert bench.changes.history() == []
    made = bench.commit(bench.modify("b.txt", EDIT))
    assert [record.id for record in bench.changes.history()] == [made.id]
    bench.undo(made.id)
    assert (bench.root / "b.txt").read_bytes() == b"bee\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no system with forks")
def test_no_connection_crosses_a_fork(bench: Any, scene: Any) -> None:
    made = [bench.commit(Create(bench.at("first"), b"")).id]
    assert (
        scene.forked(lambda: bench.commit(Create(bench.at("second"), b""))) == 0
    )
    assert (
        scene.forked(lambda: bench.commit(Create(bench.at("third"), b""))) == 0
    )
    bench.commit(Create(bench.at("fourth"), b""))
    history = bench.changes.history()
    assert [record.display_paths for record in history] == [
        ["fourth"],
        ["third"],
        ["second"],
        ["first"],
    ]
    assert history[-1].id == made[0]
    assert bench.changes.problems() == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no system with forks")
def test_forks_among_threads_lose_nothing(bench: Any, scene: Any) -> None:
    made = bench.commit(Create(bench.at("n"), b""))
    log = bench.changes.logs[0]
    ended = threading.Event()
    written: list[str] = []

    def writing() -> None:
        while not ended.is_set():
            log.add_notes(made.number, [f"thread {len(written)}"])
            written.append(f"thread {len(written)}")

    def reading() -> None:
        while not ended.is_set():
            assert log.newest_number() == made.number

    threads = [
        threading.Thread(target=writing),
        threading.Thread(target=reading),
    ]
    for thread in threads:
        thread.start()
    try:
        for number in range(10):
            assert (
                scene.forked(
                    lambda n=number: log.add_notes(made.number, [f"child {n}"])
                )
                == 0
            )
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    operation = log.read_record(made.number)
    assert operation is not None
    assert set(operation.notes) == {
        *written,
        *(f"child {n}" for n in range(10)),
    }
    assert bench.changes.problems() == []


def test_processes_share_log(bench: Any, area: Path) -> None:
    program = (
        "import sys\nfrom filewright import Workspace\n"
        "with Workspace(sys.argv[1], state_dir=sys.argv[2]) as workspace:\n"
        "    for number in range(15):\n"
        "        workspace.write(f'{sys.argv[3]}-{number}', 'x')\n"
    )
    given = [str(bench.root), str(area / "state")]
    children = [
        processes.start(
            [sys.executable, "-c", program, *given, str(n)], heard=False
        )
        for n in range(3)
    ]
    for child in children:
        assert child.stdin is not None
        assert child.stdout is not None
        with child.stdin, child.stdout:
            assert child.wait() == 0
    assert len(bench.changes.history(limit=100)) == 45
    assert bench.changes.problems() == []


def test_uses_rollback_journal_without_memory(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class WithoutMemory(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if sql == "PRAGMA journal_mode=WAL":
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMMAP
                raise error
            return super().execute(sql, *values)

    monkeypatch.setattr(
        sqlite3, "connect", partial(sqlite3.connect, factory=WithoutMemory)
    )
    first = bench.commit(bench.modify("a.txt", EDIT))
    with bench.changes.logs[0].database.transaction() as execute:
        assert execute("PRAGMA journal_mode").fetchone() == ("truncate",)
    with scene.Bench(area) as other:
        other.commit(other.modify("b.txt", EDIT))
    bench.undo(first.id)
    assert len(bench.changes.history()) == 3
    assert (bench.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"
    assert not list(bench.state.glob("*-wal"))


_UNMAPPED = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
static int shared(int fd) {
    char link[64], path[4096];
    if (fd < 0) return 0;
    snprintf(link, 64, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, 4095);
    return size > 4 && !memcmp(path + size - 4, "-shm", 4);
}
void *mmap64(void *at, size_t size, int access, int flags, int fd, off64_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "mmap64");
    if (shared(fd)) { errno = ENODEV; return MAP_FAILED; }
    return real(at, size, access, flags, fd, offset);
}
void *mmap(void *at, size_t size, int access, int flags, int fd, off_t offset) {
    return mmap64(at, size, access, flags, fd, offset);
}
"""


@pytest.mark.extra
@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None,
    reason="needs Linux and a C compiler",
)
def test_works_without_mapped_files(tmp_path: Path) -> None:
    """As on FUSE with direct_io, or 9p without a cache: the mapping of the -shm file is refused by the system."""
    library = tmp_path / "unmapped.so"
    compiler = [
        "cc",
        "-shared",
        "-fPIC",
        "-x",
        "c",
        "-",
        "-o",
        str(library),
        "-ldl",
    ]
    subprocess.run(compiler, input=_UNMAPPED, text=True, check=True)
    (tmp_path / "work").mkdir()
    program = (
        "import sys\nfrom filewright import Workspace\n"
        "with Workspace(sys.argv[1], state_dir=sys.argv[2]) as workspace:\n"
        "    made = workspace.write(sys.argv[3], 'one\\n')\n"
        "    workspace.edit(sys.argv[3], [{'search': 'one', 'replace': 'two'}])\n"
        "    workspace.undo()\n"
        "    print(len(workspace.history()), workspace.log_problems(), workspace.log_damage(seconds=9))\n"
    )
    for number in range(3):
        given = [
            sys.executable,
            "-c",
            program,
            str(tmp_path / "work"),
            str(tmp_path / "state"),
            f"f{number}",
        ]
        done = subprocess.run(
            given,
            env={**os.environ, "LD_PRELOAD": str(library)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (
            0,
            f"{3 * number + 3} [] []\n",
        ), done.stderr
    assert (tmp_path / "work/f2").read_text() == "one\n"
    # Where it can be mapped, the same log goes on.
    with Workspace(
        tmp_path / "work", state_dir=tmp_path / "state"
    ) as workspace:
        workspace.write("more", "1")
        assert len(workspace.history()) == 10


def test_small_blocks_are_not_mapped(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk a hole in a mapped file ends the process."""
    bench.commit(bench.modify("a.txt", EDIT))
    monkeypatch.setattr(scene.FOLDER, "block_size", lambda _: 1024)
    for number in range(
        3
    ):  # The first finds a log that is shared, made before its disk was copied, say.
        bench.changes.close()
        with scene.Bench(area) as fresh:
            assert len(fresh.changes.history()) == number + 1
            fresh.commit(Create(fresh.at(f"n{number}"), b"n"))
            with fresh.changes.logs[0].database.transaction() as execute:
                assert execute("PRAGMA journal_mode").fetchone() == (
                    "truncate",
                )
            assert not list(fresh.state.glob("*-wal"))
            assert len(fresh.changes.history()) == number + 2
            assert fresh.changes.problems() == []


@pytest.mark.skipif(
    sys.platform == "win32", reason="Windows removes no file that is open"
)
@pytest.mark.parametrize(
    "names",
    [["state.db-wal"], ["state.db-wal", "state.db-shm"]],
    ids=["log", "log and index"],
)
def test_rescues_removed_wal(tmp_path: Path, names: list[str]) -> None:
    (tmp_path / "work").mkdir()
    with Workspace(
        tmp_path / "work", state_dir=tmp_path / "state"
    ) as workspace:
        for number in range(4):
            workspace.write(f"f{number}", "1")
            assert len(workspace.history()) == number + 1
            if number == 1:
                for name in names:
                    next(tmp_path.glob(f"state/*/{name}")).unlink()
    with Workspace(
        tmp_path / "work", state_dir=tmp_path / "state"
    ) as workspace:
        assert len(workspace.history()) == 4
        assert workspace.log_problems() == []
        assert workspace.log_damage(seconds=9) == []
        assert workspace.recover().clean


def test_opening_again_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "some.db"

    def opened() -> Database:
        return Database(
            lambda: os.fsencode(path),
            "CREATE TABLE some (value)",
            Flusher(enabled=True),
            1.0,
        )

    with closing(opened()) as made, made.transaction() as execute:
        execute("INSERT INTO some VALUES (1)")
    before = path.read_bytes()
    with closing(opened()) as again:
        with again.transaction():
            pass
        assert again.read("PRAGMA auto_vacuum") == [(2,)]
        assert not path.with_name("some.db-wal").stat().st_size
    assert path.read_bytes() == before


def test_reads_while_wal_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite removes the write-ahead log and its index then, at any moment."""
    path = tmp_path / "some.db"
    table = "CREATE TABLE some (value)"
    database = Database(
        lambda: os.fsencode(path), table, Flusher(enabled=True), 1.0
    )
    with closing(database), database.transaction() as execute:
        execute("INSERT INTO some VALUES (1)")
    path.with_name("some.db-wal").write_bytes(b"")
    real, looks = os.stat, 0

    def stat_and_remove(name: Any, **options: Any) -> os.stat_result:
        nonlocal looks
        status = real(name, **options)
        if isinstance(name, bytes) and name.endswith(b"-wal"):
            looks += 1
            if looks == 2:
                os.remove(name)
        return status

    with closing(
        Database(lambda: os.fsencode(path), table, Flusher(enabled=True), 1.0)
    ) as database:
        monkeypatch.setattr(os, "stat", stat_and_remove)
        assert database.read("SELECT value FROM some") == [(1,)]
