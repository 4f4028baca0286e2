"""The launcher ends children that hang, that take too much memory, and that outlive us."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.boundary.children import children_of

from filewright import system
from filewright.boundary.launcher import PIPE, Launcher
from filewright.errors import Code, FilewrightError

CAT, SLEEP, SH = (str(shutil.which(name)) for name in ("cat", "sleep", "sh"))


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    launcher = Launcher(programs=[CAT, SLEEP, SH])
    yield launcher
    launcher.close()


def python(
    launcher: Launcher, program: str, **options: object
) -> tuple[int, bytes]:
    argv = [sys.executable, "-I", "-c", textwrap.dedent(program)]
    with launcher.start(argv, reads="python", **options) as child:  # type: ignore[arg-type]
        output = child.stdout.readall()
        return child.wait(), output


def watchdog_of(launcher: Launcher) -> subprocess.Popen[bytes]:
    (watchdog,) = launcher._watchdogs
    return watchdog


def gone(output: int) -> bool:
    """Wait until the last process that can write to a pipe has ended."""
    with open(output, "rb") as rest:
        return rest.read() == b""


def test_close_kills_stopped_watchdog(launcher: Launcher) -> None:
    with launcher.start([CAT], reads="python"):
        hung = watchdog_of(launcher)
    os.kill(hung.pid, signal.SIGSTOP)
    assert python(launcher, "print('here')")[1] == b"here\n"
    launcher.close()
    assert hung.poll() == -signal.SIGKILL
    assert python(launcher, "print('here')")[1] == b"here\n"


def test_children_end_with_launcher(launcher: Launcher) -> None:
    child = launcher.start([SLEEP, "1000"], reads="python")
    output = os.dup(child.stdout.fileno())
    launcher.close()
    assert gone(output)
    assert child.wait() == -signal.SIGKILL
    child.close()


def test_replaces_killed_watchdog(launcher: Launcher) -> None:
    child = launcher.start([SLEEP, "1000"], reads="python")
    output = os.dup(child.stdout.fileno())
    killed = watchdog_of(launcher)
    killed.kill()
    killed.wait()
    assert python(launcher, "print('here')")[1] == b"here\n"
    assert watchdog_of(launcher) is not killed
    launcher.close()
    assert gone(output)  # the new one knows of it
    child.close()


def test_kills_stopped_child_in_time(launcher: Launcher) -> None:
    with launcher.start([SLEEP, "1000"], reads="python", seconds=0.5) as child:
        (number,) = children_of(launcher)
        os.kill(number, signal.SIGSTOP)
        assert child.wait() == -signal.SIGKILL


@pytest.mark.parametrize(("memory", "status"), [(64 << 20, 1), (200 << 20, 0)])
def test_limits_memory_of_child(
    launcher: Launcher, memory: int, status: int
) -> None:
    # The child runs before its limit is set, so it waits until it is told to allocate.
    eat = "input(); x = bytearray(100 << 20)"
    argv = [sys.executable, "-I", "-c", eat]
    with launcher.start(
        argv, reads="python", memory=memory, stdin=PIPE
    ) as child:
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdout.readall()
        assert child.wait() == status


def test_child_has_group_and_writes_no_files(
    launcher: Launcher, tmp_path: Path
) -> None:
    status, output = python(
        launcher,
        "import os; print(os.getpgid(0) == os.getpid(), os.getpgid(os.getppid()))",
    )
    assert status == 0
    assert output.split() == [b"True", str(os.getpgid(0)).encode()]
    assert os.getpgid(watchdog_of(launcher).pid) == watchdog_of(launcher).pid
    (tmp_path / "file").touch()
    python(launcher, f"open({str(tmp_path / 'file')!r}, 'w').write('x')")
    assert (tmp_path / "file").read_bytes() == b""


@pytest.mark.needs("confinement")
def test_child_writes_only_below_writable_folders(tmp_path: Path) -> None:
    for name in ("read", "write"):
        (tmp_path / name).mkdir()
    with (
        system.open_folder(tmp_path / "read") as readable,
        system.open_folder(tmp_path / "write") as writable,
    ):
        launcher = Launcher(
            [readable], programs=[SH, CAT], writable_folders=[writable]
        )
        for folder in (readable, writable):
            script = "echo x > file"
            with launcher.start(
                [SH, "-c", script], folder=folder.fileno()
            ) as child:
                child.stdout.readall()
                child.wait()
        launcher.close()
    assert not (tmp_path / "read" / "file").exists()
    assert (tmp_path / "write" / "file").read_text() == "x\n"


def test_runs_unconfined_only_if_it_may() -> None:
    launcher = Launcher(programs=[SH], confine=False)
    with pytest.raises(FilewrightError) as refusal:
        launcher.start([SH, "-c", "echo x"])
    assert refusal.value.code is Code.UNSUPPORTED
    launcher = Launcher(programs=[SH], confine=False, can_run_unconfined=True)
    with launcher.start([SH, "-c", "echo x"]) as child:
        assert child.stdout.readall() == b"x\n"
    launcher.close()


def test_child_inherits_nothing(launcher: Launcher, tmp_path: Path) -> None:
    names = "import os, sys; print(*(os.readlink(f'/proc/self/fd/{n}') for n in range(3, 99) if os.path.exists(f'/proc/self/fd/{n}')))"
    with (tmp_path / "lock").open("w") as held:
        os.set_inheritable(
            held.fileno(), True
        )  # the worst a host program may do
        fcntl.flock(held, fcntl.LOCK_EX)
        child = launcher.start([SLEEP, "1000"], reads="python")
        assert python(launcher, names) == (0, b"\n")
    with (tmp_path / "lock").open(
        "w"
    ) as again:  # neither the child nor the watchdog keeps it
        fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
    child.close()


def test_child_reads_whole_input(launcher: Launcher) -> None:
    with launcher.start([CAT], reads="python", stdin=PIPE) as child:
        child.stdin.write(b"some text")
        child.stdin.close()
        assert child.stdout.readall() == b"some text"
        assert child.wait() == 0


def test_collected_launcher_ends_watchdog() -> None:
    launcher = Launcher()
    python(launcher, "")
    process = watchdog_of(launcher)
    del launcher
    gc.collect()
    assert process.poll() is not None


@pytest.mark.parametrize(
    "hang", [False, True], ids=["", "the watchdog is stopped"]
)
def test_children_end_when_parent_is_killed(hang: bool) -> None:
    program = f"""
    import os, signal, sys
    from filewright.boundary.launcher import Launcher
    launcher = Launcher(programs=[{SLEEP!r}])
    child = launcher.start([{SLEEP!r}, "1000"], reads="python", stdin=1)
    if {hang}:
        watchdog = launcher._watchdogs[0].pid
        status = f"/proc/{{watchdog}}/status"
        while not int(open(status).read().split("SigIgn:")[1].split()[0], 16) & 1 << signal.SIGHUP - 1:
            pass  # It is still starting.
        os.kill(watchdog, signal.SIGSTOP)
        os.waitid(os.P_PID, watchdog, os.WSTOPPED)
    os.kill(os.getpid(), signal.SIGKILL)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        timeout=60,
        start_new_session=True,
    )
    assert (
        run.returncode == -signal.SIGKILL
    )  # and its output ended, which the child held as its input
    assert run.stdout == b""


def test_reports_program_that_cannot_run(launcher: Launcher) -> None:
    with pytest.raises((FileNotFoundError, PermissionError)):
        launcher.start(["/no/such/program"], reads="python")
