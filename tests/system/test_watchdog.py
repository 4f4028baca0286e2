"""The process that kills children which their parent left running."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys

import pytest

from filewright.system import watchdog

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no process groups"
)


def test_kills_groups_that_still_run() -> None:
    sleep = [str(shutil.which("sleep")), "1000"]
    left, ended = (
        subprocess.Popen(sleep, start_new_session=True) for _ in range(2)
    )
    program = [sys.executable, "-I", "-S", watchdog.__file__, str(os.getpid())]
    numbers = (left.pid, ended.pid, -ended.pid)
    with subprocess.Popen(program, stdin=subprocess.PIPE) as process:
        process.communicate(b"".join(map(watchdog.NUMBER.pack, numbers)))
    assert process.returncode == 0
    assert left.wait() == -signal.SIGKILL
    assert ended.poll() is None
    ended.kill()
    ended.wait()
