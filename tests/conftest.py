"""What holds for every test."""

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from tests.parsers import parsers
from tests.platforms import unix_only

from filewright.system import capabilities

__all__ = ["parsers"]

# A slow machine is not a failure: speed is measured in benchmarks/, never by a test.
settings.register_profile(
    "filewright", deadline=None, print_blob=True, max_examples=25
)
settings.register_profile(
    "long", deadline=None, print_blob=True, max_examples=10_000
)
settings.load_profile("filewright")

# Hundreds of processes are started here, each of which would compile the project anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.pop(
    "PYTHONUNBUFFERED", None
)  # each line that is printed would be a write

if sys.platform == "win32":
    unix_only.leave_out()


_FLUSHED = ("changes", "platforms", "promises", "system")
"""The folders of tests about what is left of a change whatever happens."""


@pytest.fixture(scope="module", autouse=True)
def flushing(request: pytest.FixtureRequest) -> Iterator[None]:
    """Wait for the disk, which takes longer than all else in many tests, only where it matters, and in the scheduled job."""
    room = request.path.relative_to(Path(__file__).parent).parts[0]
    with pytest.MonkeyPatch.context() as patch:
        if (
            room not in _FLUSHED
            and os.environ.get("FILEWRIGHT_TEST_START") != "anew"
        ):
            patch.setenv("FILEWRIGHT_FLUSH", "false")
        yield


@pytest.fixture(scope="session", autouse=True)
def patience() -> Iterator[None]:
    """Limit extras of answers by their work alone: on a busy machine all else takes long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("filewright.tools.best_effort.MIN_ELAPSED_SECONDS", 60.0)
        yield


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out test modules that only Unix can import."""
    is_test = sys.platform == "win32" and collection_path.match("test_*.py")
    return True if is_test and unix_only.imports_unix(collection_path) else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: many tests wait for processes and for the disk."""
    return 1 + (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Each worker takes a part of the list in order, and what is left of another's at the end."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_collection(session: pytest.Session) -> None:
    """Import a share of the modules before the rest: what a worker compiles, the others find compiled.

    In order, all would compile the same module at the same time; on a new
    clone this takes longer than all else before the first test.
    """
    # The tests made here live to the end: looking for cycles among them takes
    # a tenth of the time, in each worker.
    gc.disable()
    worker = getattr(session.config, "workerinput", None)
    if (
        worker is None
        or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    ):
        return
    number = int(worker["workerid"].removeprefix("gw"))
    folder = Path(__file__).parent
    paths = sorted(folder.rglob("test_*.py"))
    for path in paths[number :: worker["workercount"]]:
        parts = path.relative_to(folder.parent).with_suffix("").parts
        # What cannot be imported is reported when it is collected.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(parts))


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name the row of a long text by its beginning."""
    if isinstance(val, str | bytes) and len(val) > 40:
        return repr(val[:40]).removeprefix("b")[1:-1]
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give an hour to each sweep and each test of large files.

    Some sweeps race a hundred thousand times.
    """
    for item in items:
        marks = map(item.get_closest_marker, ("sweep", "big"))
        if any(marks) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(3600))


def pytest_collection_finish() -> None:
    """Keep thousands of tests, which live to the end, out of every later search for cycles.

    Each later search looks at what one test made; few tests make cycles.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out a test of something that this system does not have; `docs/platforms.md` says what there is instead."""
    for mark in item.iter_markers("needs"):
        for capability in mark.args:
            if not getattr(capabilities, capability):
                pytest.skip(f"this system lacks the capability {capability}")
