"""Killed by the kernel's tracer at real system calls: the same two states, without any hook of ours."""

from __future__ import annotations

import importlib.util
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest


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

CALLS = [
    "renameat2",
    "renameat",
    "rename",
    "fsync",
    "unlinkat",
    "unlink",
    "mkdirat",
    "mkdir",
    "linkat",
    "symlinkat",
    "ftruncate",
    "write",
    "pwrite64",
    "fchmod",
]
_CHILD = [sys.executable, str(Path(__file__).with_name("commit_once.py"))]


def _strace() -> str | None:
    """The tracer, where it is installed and may trace."""
    program = shutil.which("strace")
    if program is None:
        return None
    tried = subprocess.run(
        [program, "-f", "-qq", "-e", "trace=none", "true"],
        check=False,
        capture_output=True,
    )
    return program if tried.returncode == 0 else None


@pytest.fixture
def area() -> Iterator[Path]:
    with scene.quick_folder() as folder:
        yield folder


def _sweep(area: Path, points: int | None) -> int:
    """Kill at `points` calls spread over all (None: every one); returns how many did."""
    program = _strace()
    template, run = area / "template", area / "run"
    scene.furnish(template / "work")
    scene.copied(template, run)
    before = scene.tree(run / "work")
    log = area / "log"
    if program is None:
        # Nothing to trace with: the change itself must still come through; the hooks sweep the rest.
        subprocess.run([*_CHILD, str(run)], check=True)
        assert scene.tree(run / "work") != before
        return 0
    trace = ["-f", "-qq", "--seccomp-bpf", "-e", f"trace={','.join(CALLS)}"]
    subprocess.run(
        [program, *trace, "-o", str(log), *_CHILD, str(run)], check=True
    )
    after = scene.tree(run / "work")
    rows = log.read_text().splitlines()
    counts = {
        call: len([row for row in rows if re.search(rf"\b{call}\(", row)])
        for call in CALLS
    }
    every = [
        (call, number)
        for call, count in counts.items()
        for number in range(1, count + 1)
    ]
    chosen = every if points is None else every[:: max(1, len(every) // points)]
    killed = 0  # of some calls each thread makes fewer than all together
    for call, number in chosen:
        scene.copied(template, run)
        # With --seccomp-bpf strace kills nothing.
        inject = f"inject={call}:signal=KILL:when={number}"
        ended = subprocess.run(
            [
                program,
                "-f",
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                f"trace={call}",
                "-e",
                inject,
                *_CHILD,
                str(run),
            ],
            check=False,
        )
        killed += ended.returncode == -signal.SIGKILL
        with scene.Bench(run) as bench:
            found = bench.changes.recover()
            assert found.conflicts == [], (call, number)
            assert scene.tree(bench.root) in (before, after), (call, number)
            assert scene.temporaries(bench.root) == [], (call, number)
    assert killed >= len(chosen) // 2
    return killed


@pytest.mark.extra
def test_a_commit_killed_at_real_system_calls(area: Path) -> None:
    _sweep(area, 4)


@pytest.mark.sweep
def test_a_commit_killed_at_every_real_system_call(area: Path) -> None:
    print(f"\nstrace: {_sweep(area, None)} kill points")
