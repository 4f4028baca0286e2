"""Writers in threads and processes lose nothing; readers never meet a missing or mixed file."""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

from filewright.edit.changeset import ChangeSet, Create, Move
from filewright.errors import Code, FilewrightError
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

FILES = 20
BEGIN, END = b"BEGIN\n", b"END\n"


@pytest.fixture
def area() -> Iterator[Path]:
    with scene.quick_folder() as folder:
        yield folder


def _start(work: Callable[[], object]) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
        finally:
            os._exit(code)
    return child


def _wait(children: list[int]) -> None:
    for child in children:
        assert os.waitpid(child, 0)[1] == 0


def _insert(
    bench: object, path: str, token: bytes, generator: random.Random
) -> None:
    """Insert a line somewhere; tried again for as long as somebody else is faster."""
    while True:
        data = (bench.root / path).read_bytes()
        cut = data.index(b"\n", generator.randrange(len(data) - len(END))) + 1
        cut = min(cut, len(data) - len(END))
        step = bench.modify(path, Splice(cut, 0, token + b"\n"))
        if step.expected.size != len(data):
            continue
        try:
            bench.commit(step)
            return
        except FilewrightError as error:
            if error.code is not Code.STALE_VERSION:
                raise


def _write(base: Path, number: int, count: int) -> None:
    generator = random.Random(number)
    with (
        scene.Bench(base, lock_seconds=120) as bench,
        open(base / f"acknowledged{number}", "wb") as log,
    ):
        for turn in range(count):
            name = f"file{generator.randrange(FILES)}.txt"
            token = b"%d-%d" % (number, turn)
            _insert(bench, name, token, generator)
            log.write(name.encode() + b" " + token + b"\n")
            log.flush()


def _read(root: Path, stop: Path) -> None:
    passes = 0
    while not (stop.exists() and passes):
        for number in range(FILES):
            data = (
                root / f"file{number}.txt"
            ).read_bytes()  # a missing file ends the reader
            assert data.startswith(BEGIN)
            assert data.endswith(END)
            assert data.count(BEGIN) == data.count(END) == 1
        passes += 1


def _contend(base: Path, writers: int, count: int) -> None:
    root = base / "work"
    root.mkdir()
    for number in range(FILES):
        (root / f"file{number}.txt").write_bytes(BEGIN + b"a line\n" * 30 + END)
    stop = base / "stop"
    readers = [_start(lambda: _read(root, stop)) for _ in range(2)]
    _wait(
        [
            _start(lambda n=number: _write(base, n, count))
            for number in range(writers)
        ]
    )
    stop.touch()
    _wait(readers)
    total = 0
    for number in range(writers):
        for row in (base / f"acknowledged{number}").read_bytes().splitlines():
            name, token = row.split(b" ")
            lines = (root / name.decode()).read_bytes().split(b"\n")
            assert lines.count(token) == 1, row
            total += 1
    assert total == writers * count
    assert sum(
        len((root / f"file{n}.txt").read_bytes().splitlines())
        for n in range(FILES)
    ) == (total + FILES * 32)
    assert scene.temporaries(root) == []
    with scene.Bench(base) as bench:
        assert bench.changes.recover().conflicts == []
        assert len(bench.changes.history(limit=10**6)) == total


def test_four_processes_lose_no_edit_and_readers_see_whole_files(
    area: Path,
) -> None:
    _contend(area, 4, 20)


@pytest.mark.sweep
def test_four_processes_of_five_hundred_edits(area: Path) -> None:
    _contend(area, 4, 500)


def test_twenty_parallel_edits_of_different_lines_all_land(area: Path) -> None:
    with scene.Bench(area) as bench:
        (bench.root / "a.txt").write_bytes(
            b"".join(b"%03d\n" % n for n in range(20))
        )

        def edit(number: int) -> None:
            with bench.changes.writing():
                bench.commit(
                    bench.modify(
                        "a.txt", Splice(number * 4, 3, b"x%02d" % number)
                    )
                )

        with ThreadPoolExecutor(20) as pool:
            list(pool.map(edit, range(20)))
        assert (bench.root / "a.txt").read_bytes() == b"".join(
            b"x%02d\n" % n for n in range(20)
        )
        assert len(bench.changes.history(limit=100)) == 20


def test_an_edit_on_content_that_moved_on_is_told_so(area: Path) -> None:
    with scene.Bench(area) as bench:
        (bench.root / "a.txt").write_bytes(b"one\n")
        first, second = (
            bench.modify("a.txt", Splice(0, 3, text))
            for text in (b"two", b"six")
        )
        bench.commit(first)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(second)
        assert caught.value.code is Code.STALE_VERSION
        assert caught.value.details["path"] == "a.txt"
        assert (bench.root / "a.txt").read_bytes() == b"two\n"


def test_a_same_size_edit_within_one_tick_of_the_clock_is_noticed(
    area: Path,
) -> None:
    with scene.Bench(area) as bench:
        path = bench.root / "a.txt"
        path.write_bytes(b"one\n")
        step = bench.modify("a.txt", Splice(0, 3, b"two"))
        status = path.stat()
        path.write_bytes(b"ten\n")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        with pytest.raises(FilewrightError) as caught:
            bench.commit(step)
        assert caught.value.code is Code.STALE_VERSION
        assert path.read_bytes() == b"ten\n"


def test_the_lock_is_waited_for_and_then_given_up(area: Path) -> None:
    with scene.Bench(area) as one, scene.Bench(area, lock_seconds=0.05) as two:
        step = Create(two.at("b.txt"), b"")
        with one.changes.writing():
            with pytest.raises(FilewrightError) as caught:
                two.commit(step)
            assert caught.value.code is Code.TIMEOUT
        two.commit(step)


def test_workspaces_that_share_roots_in_another_order_do_not_block_each_other(
    area: Path,
) -> None:
    from filewright.boundary.boundary import Boundary
    from filewright.changes.changes import Changes
    from filewright.settings import Settings

    for name in ("one", "two"):
        (area / name).mkdir()
    settings = Settings(state_dir=area / "state")
    boundaries = [
        Boundary([area / "one", area / "two"], settings),
        Boundary([area / "two", area / "one"], settings),
    ]
    changes = [Changes(boundary, settings) for boundary in boundaries]

    def write(number: int) -> None:
        side = number % 2
        where = boundaries[side].locate(f"file{number}")
        changes[side].commit(ChangeSet("test", "", (Create(where, b"x"),)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(24)))
    assert len(os.listdir(area / "one")) + len(os.listdir(area / "two")) == 24
    for boundary in boundaries:
        boundary.close()


def test_a_destination_that_appears_in_between_is_not_lost(
    area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.Bench(area) as bench:
        (bench.root / "a.txt").write_bytes(b"mine\n")

        def racing(_: str, __: bytes, target: bytes) -> None:
            if target == b"b.txt":
                (bench.root / "b.txt").write_bytes(b"theirs\n")

        scene.before_renames(monkeypatch, racing)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(Move(bench.at("a.txt"), bench.at("b.txt")))
        assert caught.value.code is Code.ALREADY_EXISTS
        assert (bench.root / "a.txt").read_bytes() == b"mine\n"
        assert (bench.root / "b.txt").read_bytes() == b"theirs\n"


def test_an_edit_between_check_and_exchange_is_given_back(
    area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.Bench(area) as bench:
        path = bench.root / "a.txt"
        path.write_bytes(b"one\n")
        calls = []

        def racing(mode: str, *_: bytes) -> None:
            if mode == "exchange" and not calls:
                path.write_bytes(b"theirs\n")
                calls.append(mode)

        scene.before_renames(monkeypatch, racing)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(bench.modify("a.txt", Splice(0, 3, b"two")))
        assert caught.value.code is Code.STALE_VERSION
        assert path.read_bytes() == b"theirs\n"
        assert scene.temporaries(bench.root) == []
