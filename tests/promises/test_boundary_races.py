"""While another process swaps a folder for a link outwards, no byte outside is read, listed or written.

The default run is short. `-m sweep` runs each race for as long as it takes to lose it by chance.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which

import pytest
from tests import processes

from filewright import Workspace
from filewright.boundary.boundary import Boundary
from filewright.boundary.launcher import Launcher
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings

REFUSED = {
    *(
        Code.PATH_ESCAPE,
        Code.NOT_FOUND,
        Code.NOT_A_DIRECTORY,
        Code.IN_USE,
        Code.SYMLINK,
        Code.NOT_A_FILE,
    ),
    Code.STALE_VERSION,
}

SWAP = """
import os, sys
from filewright.system import linux
folder = os.open(sys.argv[1], os.O_RDONLY)
print("swapping", flush=True)
while True:
    linux.renameat2(folder, b"swap", folder, b"link", linux.RENAME_EXCHANGE)
"""
REMOVE_AND_LINK = """
import os, sys
os.chdir(sys.argv[1])
print("swapping", flush=True)
while True:
    os.rename("swap", "away")
    os.symlink("../outside", "swap")
    os.unlink("swap")
    os.rename("away", "swap")
"""
MOVE_OUT = """
import os, sys
os.chdir(sys.argv[1])
os.rename("swap/below", "../outside/below")
print("swapping", flush=True)
while True:
    os.rename("../outside/below", "swap/below")
    os.rename("swap/below", "../outside/below")
"""


@pytest.fixture(params=[True, False], ids=["openat2", "component-wise"])
def boundary(
    tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Boundary]:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder, content in ((root / "swap", b"inside"), (outside, b"SECRET")):
        (folder / "deep").mkdir(parents=True)
        (folder / "file").write_bytes(content)
        (folder / "deep" / "file").write_bytes(content)
    (root / "swap" / "below").mkdir()
    (root / "swap" / "below" / "file").write_bytes(b"inside")
    (outside / "secret-name").write_bytes(b"SECRET")
    (outside / "deep" / "secret-name").write_bytes(b"SECRET")
    (root / "link").symlink_to("../outside")
    boundary = Boundary([root], Settings(openat2=request.param))
    yield boundary
    boundary.close()


@pytest.fixture(params=[SWAP])
def swapping(
    tmp_path: Path, boundary: Boundary, request: pytest.FixtureRequest
) -> Iterator[None]:
    yield from swap_with(request.param, tmp_path / "root")


def swap_with(program: str, root: Path) -> Iterator[None]:
    process = processes.start(
        [sys.executable, "-c", program, str(root)], heard=False
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        assert process.stdout.readline() == b"swapping\n"
        yield
        assert process.poll() is None, "the other process stopped swapping"
        process.send_signal(signal.SIGKILL)
        process.wait()


def race(act: Callable[[], object], rounds: int) -> Counter[object]:
    """Act again and again until both sides have won often; what came of it, counted."""
    seen: Counter[object] = Counter()
    while (
        seen.total() < rounds
        or len(seen) < 2
        or min(seen["done"], seen.total() - seen["done"]) < rounds // 50
    ):
        try:
            act()
            seen["done"] += 1
        except FilewrightError as error:
            if error.code not in REFUSED:
                raise
            seen[error.code] += 1
    return seen


def outside_names(boundary: Boundary) -> list[str]:
    outside = Path(os.fsdecode(boundary.roots[0].path)).parent / "outside"
    return sorted(str(path.relative_to(outside)) for path in outside.rglob("*"))


def reading(boundary: Boundary) -> Callable[[], None]:
    def act() -> None:
        for name in ("swap/file", "swap/deep/file"):
            with boundary.open_file(boundary.locate(name)) as file:
                assert file.read(0, 10) == b"inside"

    return act


def looking(boundary: Boundary) -> Callable[[], None]:
    def act() -> None:
        with pytest.raises(FilewrightError) as caught:
            boundary.stat(boundary.locate("swap/secret-name"))
        assert caught.value.code in REFUSED
        boundary.stat(boundary.locate("swap/below/file"))

    return act


def climbing(boundary: Boundary) -> Callable[[], None]:
    def act() -> None:
        assert boundary.locate("swap/deep/../file").parts == (b"swap", b"file")
        where = boundary.locate("swap/deep/../../swap/file")
        with boundary.open_file(where) as file:
            assert file.read(0, 10) == b"inside"

    return act


def walking(boundary: Boundary) -> Callable[[], None]:
    def act() -> None:
        for where in (".", "swap"):
            walk = boundary.walk(
                boundary.locate(where),
                WalkOptions(details=True, glob="**"),
                task=Task(),
            )
            for entry in walk:
                assert b"secret" not in entry.path

    return act


ACTS = {
    act.__name__: (act, rounds)
    for act, rounds in (
        (reading, 300),
        (looking, 300),
        (climbing, 200),
        (walking, 80),
    )
}


RACES = [
    pytest.param(name, program, id=f"{name}, {how}")
    for name in ACTS
    for program, how in (
        (SWAP, "exchanged"),
        (REMOVE_AND_LINK, "removed and linked"),
    )
]


@pytest.mark.usefixtures("swapping")
@pytest.mark.parametrize(("name", "swapping"), RACES, indirect=["swapping"])
def test_nothing_outside_is_touched_while_a_folder_is_swapped(
    boundary: Boundary, name: str
) -> None:
    before = outside_names(boundary)
    act, rounds = ACTS[name]
    race(act(boundary), rounds)
    assert outside_names(boundary) == before


@pytest.mark.sweep
@pytest.mark.usefixtures("swapping")
@pytest.mark.parametrize(("name", "swapping"), RACES, indirect=["swapping"])
def test_nothing_outside_is_touched_in_many_times_as_many_rounds(
    boundary: Boundary, name: str
) -> None:
    before = outside_names(boundary)
    act, rounds = ACTS[name]
    race(act(boundary), rounds * 250)
    assert outside_names(boundary) == before


def make_folders(boundary: Boundary, state: Path, rounds: int) -> None:
    """Write files whose folders are missing, by real changes. Where folders are made, a name that is free for a
    moment is taken, and a process that removes and links could not go on: names are exchanged."""
    [root] = boundary.roots
    settings = Settings(openat2=boundary.settings.openat2, state_dir=state)
    before, numbers = outside_names(boundary), iter(range(1 << 40))
    with Workspace(os.fsdecode(root.path), settings=settings) as workspace:
        race(
            lambda: workspace.write(
                f"swap/deep/new-{next(numbers)}/more/file", "x\n"
            ),
            rounds,
        )
    assert outside_names(boundary) == before


@pytest.mark.usefixtures("swapping")
def test_folders_are_made_only_inside_while_one_is_swapped(
    boundary: Boundary, tmp_path: Path
) -> None:
    make_folders(boundary, tmp_path / "state", 100)


@pytest.mark.sweep
@pytest.mark.usefixtures("swapping")
def test_folders_are_made_only_inside_in_fifty_times_as_many_rounds(
    boundary: Boundary, tmp_path: Path
) -> None:
    make_folders(boundary, tmp_path / "state", 5_000)


def test_a_folder_moved_in_and_out_gives_only_its_own_content(
    boundary: Boundary, tmp_path: Path
) -> None:
    mover = swap_with(MOVE_OUT, tmp_path / "root")
    next(mover)

    def act() -> None:
        with pytest.raises(FilewrightError):
            boundary.open_file(
                boundary.locate("swap/below/../../../outside/file")
            ).close()
        boundary.open_file(boundary.locate("swap/below/file")).close()

    seen = race(act, 400)
    assert seen["done"]
    assert seen[Code.NOT_FOUND]
    list(mover)


@pytest.mark.needs("confinement")
@pytest.mark.usefixtures("swapping")
@pytest.mark.parametrize("boundary", [True], indirect=True)
def test_a_confined_search_prints_nothing_from_outside(
    boundary: Boundary,
) -> None:
    grep = which("grep")
    assert grep is not None
    launcher = Launcher([root.folder for root in boundary.roots], [grep])
    counted: Counter[bytes] = Counter()
    for _ in range(150):
        with launcher.start(
            [grep, "-rhs", ".", "swap/file", "swap/deep"],
            folder=boundary.roots[0].descriptor,
        ) as child:
            assert child.stdout is not None
            counted.update(child.stdout.readall().split())
            child.wait()
    launcher.close()
    assert counted[b"inside"]
    assert not counted[b"SECRET"]
