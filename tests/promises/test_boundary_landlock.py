"""The kernel confines a process and its children to reading the roots."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.boundary.launcher import Launcher
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.system import landlock

pytestmark = pytest.mark.needs("confinement")

CONFINED = """
import json, os, socket, subprocess, sys, threading
from filewright.boundary.boundary import Boundary
from filewright.boundary.launcher import Launcher
from filewright.system import landlock
from filewright.settings import Settings
root, outside, state = sys.argv[1:4]
boundary = Boundary([root], Settings())
held = os.open(outside, os.O_RDONLY)
moving = os.open(root + "/moving", os.O_RDONLY)
report = landlock.confine([boundary.roots[0].descriptor, state], network="network" in sys.argv)

def write(path, folder=None):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, dir_fd=folder))

def confined_child(argv):
    launcher = Launcher([root.folder for root in boundary.roots], ["/bin/cat"])
    with launcher.start(argv, folder=boundary.roots[0].descriptor) as child:
        if (child.stdout.readall(), child.wait()) != (b"file", 0):
            raise OSError("it has not read the file")
    launcher.close()

def in_a_thread(act):
    caught = []
    def run():
        try:
            act()
        except OSError as error:
            caught.append(error)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if caught:
        raise caught[0]

tried = {
    "write inside": lambda: write(root + "/new"),
    "make a folder inside": lambda: os.mkdir(root + "/folder"),
    "move between folders inside": lambda: os.rename(root + "/new", root + "/folder/new"),
    "truncate inside": lambda: os.truncate(root + "/folder/new", 0),
    "delete inside": lambda: os.unlink(root + "/folder/new"),
    "write state": lambda: write(state + "/journal"),
    "read inside": lambda: open(root + "/file").close(),
    "run a program": lambda: subprocess.run(["/bin/true"], check=True),
    "read a module": lambda: __import__("sqlite3"),
    "read a table of the system": lambda: open("/etc/passwd").close(),
    "write outside": lambda: write(outside + "/new"),
    "write outside through a held descriptor": lambda: write("new", held),
    "write outside from a thread": lambda: in_a_thread(lambda: write(outside + "/new")),
    "read outside": lambda: open(outside + "/secret").close(),
    "list outside": lambda: os.listdir(outside),
    "list outside through a held descriptor": lambda: os.close(os.open(".", os.O_RDONLY, dir_fd=held)),
    "truncate outside": lambda: os.truncate(outside + "/secret", 0),
    "delete outside": lambda: os.unlink(outside + "/secret"),
    "move out": lambda: os.rename(root + "/file", outside + "/file"),
    "move in": lambda: os.rename(outside + "/secret", root + "/secret"),
    "link in": lambda: os.link(outside + "/secret", root + "/secret"),
    "read through a link": lambda: open(root + "/link").close(),
    "make a device": lambda: os.mknod(root + "/device", 0o020600, os.makedev(1, 3)),
    "read /root": lambda: os.listdir("/root"),
    "write in a child": lambda: subprocess.run(["/bin/touch", outside + "/new"], check=True, stderr=-3),
    "start a confined child": lambda: confined_child(["/bin/cat", "file"]),
    "connect": lambda: socket.create_connection(("127.0.0.1", 9), 1),
    "new privileges": lambda: None,
}
results = {}
for name, act in tried.items():
    try:
        act()
        results[name] = "done"
    except PermissionError:
        results[name] = "refused"
    except (OSError, subprocess.CalledProcessError) as error:
        results[name] = type(error).__name__
results["new privileges"] = [l for l in open("/proc/self/status") if l.startswith("NoNewPrivs")][0].split()[1]
results["report"] = [report.enforced, report.version, report.summary, list(report.missing)]
json.dump(results, sys.stdout)
"""

DONE = [
    "write inside", "make a folder inside", "move between folders inside", "truncate inside", "delete inside",
    "write state", "read inside", "run a program", "read a module", "read a table of the system",
    "start a confined child",
]  # fmt: skip
REFUSED = [
    "write outside", "write outside through a held descriptor", "write outside from a thread", "read outside",
    "list outside", "list outside through a held descriptor", "truncate outside", "delete outside",
    "read through a link", "make a device", "read /root",
]  # fmt: skip


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path, Path]:
    # Not below /usr, /opt or the like, which a process may read.
    root, outside, state = (
        tmp_path / name for name in ("root", "outside", "state")
    )
    for folder in (root, outside, state, root / "moving"):
        folder.mkdir()
    (root / "file").write_text("file")
    (root / "link").symlink_to(outside / "secret")
    (outside / "secret").write_text("SECRET")
    return root, outside, state


def confined(places: tuple[Path, Path, Path], *flags: str) -> dict[str, object]:
    said = subprocess.run(
        [sys.executable, "-c", CONFINED, *places, *flags],
        capture_output=True,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    found: dict[str, object] = json.loads(said.stdout)
    return found


def test_a_confined_process_keeps_its_work_and_loses_the_rest(
    places: tuple[Path, Path, Path],
) -> None:
    found = confined(places)
    assert {name: found[name] for name in DONE} == dict.fromkeys(DONE, "done")
    assert {name: found[name] for name in REFUSED} == dict.fromkeys(
        REFUSED, "refused"
    )
    for name in ("move out", "move in", "link in"):
        assert found[name] in (
            "refused",
            "OSError",
        )  # EXDEV, as between file systems
    assert found["write in a child"] == "CalledProcessError"
    assert found["new privileges"] == "1"
    assert sorted(path.name for path in places[1].iterdir()) == ["secret"]


def test_the_report_says_what_is_enforced(
    places: tuple[Path, Path, Path],
) -> None:
    enforced, version, line, missing = confined(places, "network")["report"]  # type: ignore[misc]
    assert enforced
    assert version == landlock.available_version()
    assert str(places[0]) in line
    assert str(places[2]) in line
    assert len(line.splitlines()) == 1
    assert not [what for what in missing if "thread" in what]


@pytest.mark.skipif(landlock.available_version() < 4, reason="needs Landlock 4")
def test_tcp_can_be_taken_away(places: tuple[Path, Path, Path]) -> None:
    assert confined(places)["connect"] == "refused"
    assert confined(places, "network")["connect"] != "refused"


def test_a_kernel_without_landlock_is_reported_and_nothing_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(landlock.linux, "landlock_version", lambda: 0)
    report = landlock.confine([str(tmp_path)])
    assert not report.enforced
    assert "no Landlock" in report.summary
    with pytest.raises(FilewrightError) as caught:
        Launcher((), []).start(["/bin/cat"])
    assert caught.value.code is Code.UNSUPPORTED


def test_a_filter_that_forbids_landlock_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(_: int, attributes: bytes | None, *__: int) -> int:
        if attributes is None:
            return 1  # the version
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(landlock.linux, "landlock_create", refuse)
    report = landlock.confine([str(tmp_path)])
    assert not report.enforced
    assert "Operation not permitted" in report.summary


class TestConfinedChild:
    @pytest.fixture
    def boundary(self, places: tuple[Path, Path, Path]) -> Iterator[Boundary]:
        boundary = Boundary([places[0]], Settings())
        yield boundary
        boundary.close()

    @pytest.fixture
    def launcher(self, boundary: Boundary) -> Iterator[Launcher]:
        programs = [
            path
            for name in ("cat", "sh", "touch", "sleep", "env", "ls")
            if (path := shutil.which(name))
        ]
        launcher = Launcher([root.folder for root in boundary.roots], programs)
        yield launcher
        launcher.close()

    def run(
        self, launcher: Launcher, boundary: Boundary, *argv: str
    ) -> tuple[int, bytes, bytes]:
        """Its status and output; and its errors, which go nowhere, of another run whose output goes there instead."""

        def heard(*words: str) -> tuple[int, bytes]:
            with launcher.start(
                words, folder=boundary.roots[0].descriptor
            ) as child:
                output = child.stdout.readall()
                return child.wait(), output

        program, shell = (
            shutil.which(argv[0]) or argv[0],
            str(shutil.which("sh")),
        )
        status, output = heard(program, *argv[1:])
        again, errors = heard(
            shell,
            "-c",
            'exec "$0" "$@" 3>&1 1>&2 2>&3 3>&-',
            program,
            *argv[1:],
        )
        assert again == status
        return status, output, errors

    def test_it_reads_below_the_roots_from_the_folder_given(
        self, launcher: Launcher, boundary: Boundary
    ) -> None:
        assert self.run(launcher, boundary, "cat", "file") == (0, b"file", b"")

    @pytest.mark.parametrize(
        "argv",
        [
            ("cat", "../outside/secret"),
            ("cat", "link"),
            ("cat", "/etc/passwd"),
            ("cat", "/proc/self/root/etc/passwd"),
            ("cat", "/proc/1/environ"),
            ("ls", "/"),
            ("touch", "new"),
            ("touch", "../outside/new"),
            ("sh", "-c", "echo x > file"),
            ("sh", "-c", "/bin/cat ../outside/secret"),
        ],
    )
    def test_it_can_do_nothing_else(
        self,
        launcher: Launcher,
        boundary: Boundary,
        places: tuple[Path, Path, Path],
        argv: tuple[str, ...],
    ) -> None:
        status, output, errors = self.run(launcher, boundary, *argv)
        assert status != 0
        assert not output
        assert b"denied" in errors
        assert (places[0] / "file").read_text() == "file"
        assert not (places[0] / "new").exists()

    def test_a_program_that_was_not_named_is_not_run(
        self, launcher: Launcher, boundary: Boundary
    ) -> None:
        with pytest.raises(PermissionError):
            self.run(launcher, boundary, shutil.which("id") or "/usr/bin/id")
        with pytest.raises(FileNotFoundError):
            self.run(launcher, boundary, "/no/such/program")

    def test_it_inherits_no_environment_and_no_descriptor(
        self,
        launcher: Launcher,
        boundary: Boundary,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("TOKEN", "SECRET")
        _, output, _ = self.run(launcher, boundary, "env")
        assert b"SECRET" not in output
        _, output, _ = self.run(launcher, boundary, "ls", "/proc/self/fd")
        assert set(output.split()) <= {b"0", b"1", b"2", b"3"}

    def test_input_may_be_given(
        self, launcher: Launcher, boundary: Boundary
    ) -> None:
        cat = shutil.which("cat")
        assert cat is not None
        with (
            boundary.open_file(boundary.locate("file")) as source,
            launcher.start(
                [cat],
                folder=boundary.roots[0].descriptor,
                stdin=source.fileno(),
            ) as child,
        ):
            assert child.stdout.readall() == b"file"
            assert child.wait() == 0

    def test_the_thread_that_starts_one_stays_free(
        self,
        launcher: Launcher,
        boundary: Boundary,
        places: tuple[Path, Path, Path],
    ) -> None:
        assert self.run(launcher, boundary, "cat", "file")[0] == 0
        assert (places[1] / "secret").read_text() == "SECRET"
        (places[1] / "new").touch()

    def test_many_threads_start_many_at_once(
        self, launcher: Launcher, boundary: Boundary
    ) -> None:
        results: list[tuple[int, bytes, bytes]] = []

        def work() -> None:
            results.extend(
                self.run(launcher, boundary, "cat", "file") for _ in range(10)
            )

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [(0, b"file", b"")] * 40

    def test_it_ends_when_it_is_killed_or_let_go(
        self, launcher: Launcher, boundary: Boundary
    ) -> None:
        sleep = shutil.which("sleep")
        sh = shutil.which("sh")
        assert sleep
        assert sh
        with launcher.start(
            [sleep, "1000"], folder=boundary.roots[0].descriptor
        ) as child:
            assert child.poll() is None
            child.kill()
            assert child.wait() == -9
            child.kill()
        with launcher.start(
            [sh, "-c", f"{sleep} 1000 & echo started; wait"],
            folder=boundary.roots[0].descriptor,
        ) as child:
            assert child.stdout is not None
            assert child.stdout.read(8) == b"started\n"
            reader = os.dup(child.stdout.fileno())
        with open(reader, "rb") as rest:
            assert (
                rest.read() == b""
            )  # the pipe ends when the last that holds it, the grandchild, is gone

    def test_a_wait_can_be_limited(
        self, launcher: Launcher, boundary: Boundary
    ) -> None:
        sleep = shutil.which("sleep")
        assert sleep
        with launcher.start(
            [sleep, "1000"], folder=boundary.roots[0].descriptor
        ) as child:
            with pytest.raises(FilewrightError) as caught:
                child.wait(0.01)
            assert caught.value.code is Code.TIMEOUT

    def test_a_long_list_of_arguments_arrives(
        self, launcher: Launcher, boundary: Boundary
    ) -> None:
        status, output, _ = self.run(
            launcher, boundary, "cat", *["file"] * 20_000
        )
        assert status == 0
        assert len(output) == 80_000

    def test_arguments_of_any_bytes_arrive(
        self,
        launcher: Launcher,
        boundary: Boundary,
        places: tuple[Path, Path, Path],
    ) -> None:
        name = os.fsdecode(b"bad\xff\nname")
        (places[0] / name).write_text("odd")
        assert self.run(launcher, boundary, "cat", name) == (0, b"odd", b"")

    def test_it_reaches_no_socket_outside(
        self, boundary: Boundary, places: tuple[Path, Path, Path]
    ) -> None:
        launcher = Launcher([root.folder for root in boundary.roots], [])
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            program = f"import socket, sys; sys.stderr = sys.stdout; socket.create_connection(('127.0.0.1', {port}), 2)"
            with launcher.start(
                [sys.executable, "-I", "-c", program], reads="python"
            ) as child:
                errors, status = child.stdout.readall(), child.wait()
        launcher.close()
        if landlock.available_version() >= 4:
            assert status == 1
            assert b"PermissionError" in errors
