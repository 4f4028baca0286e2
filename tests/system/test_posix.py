"""Files and folders: the same promises for every Unix and for this system."""

from __future__ import annotations

import errno
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from filewright import system
from filewright.system import File, Folder, flush_all, posix

Opener = Callable[[Path], Folder]


@pytest.fixture(params=["this system", "posix"])
def folder(request: pytest.FixtureRequest, path: Path) -> Iterator[Folder]:
    opener = (
        system.open_folder
        if request.param == "this system"
        else posix.open_folder
    )
    with opener(os.fsencode(path)) as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def code_of(call: Callable[[], object]) -> int | None:
    """The errno that a call fails with; None if it does not."""
    try:
        call()
    except OSError as error:
        return error.errno
    return None


class TestNames:
    @pytest.mark.parametrize(
        "name", [b"", b".", b"..", b"a/b", b"a/", b"/etc", b"a\0b"]
    )
    def test_refuses_invalid_names(
        self, folder: Folder, path: Path, name: bytes
    ) -> None:
        (path / "a").mkdir()
        (path / "a" / "b").write_text("x")
        with folder.create(b"other"):
            pass
        calls: list[Callable[[], object]] = [
            lambda: folder.stat(name),
            lambda: folder.open(name),
            lambda: folder.create(name),
            lambda: folder.make_folder(name),
            lambda: folder.make_link(name, b"x"),
            lambda: folder.read_link(name),
            lambda: folder.remove(name),
            lambda: folder.remove_folder(name),
            lambda: folder.set_mode(name, 0o600),
            lambda: folder.set_owner(name, -1, -1),
            lambda: folder.link(name, folder, b"new"),
            lambda: folder.link(b"other", folder, name),
            lambda: folder.rename(name, folder, b"new", "exclusive"),
            lambda: folder.rename(b"other", folder, name, "exclusive"),
            lambda: folder.rename(name, folder, b"new", "replace"),
            lambda: folder.rename(b"other", folder, name, "replace"),
        ]
        if name != b".":
            calls.append(lambda: folder.open_folder(name))
        assert [code_of(call) for call in calls] == [errno.EINVAL] * len(calls)
        assert folder.names() == [b"a", b"other"]

    def test_lists_names_and_kinds(self, folder: Folder, path: Path) -> None:
        (path / "file").write_text("x")
        (path / "folder").mkdir()
        (path / "link").symlink_to("nowhere")
        os.mkfifo(path / "fifo")
        with open(os.fsencode(path) + b"/\xff\n", "w"):
            pass
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path / "socket"))
            found = dict(folder.iter_entries())
        assert found == {
            b"file": "file", b"folder": "folder", b"link": "link", b"fifo": "fifo",
            b"socket": "socket", b"\xff\n": "file",
        }  # fmt: skip
        assert folder.names() == sorted(found)
        assert {name: folder.stat(name).kind for name in found} == found
        sizes = [sum(map(len, batch)) for batch in folder.iter_batches(2)]
        assert sum(sizes) == len(found)
        assert max(sizes) <= 2


class TestOpening:
    def test_reads_file(self, folder: Folder, path: Path) -> None:
        (path / "a").write_bytes(b"0123456789" * 300_000)
        with folder.open(b"a") as file:
            assert file.status().size == 3_000_000
            assert file.read(5, 10) == b"5678901234"
            assert file.read(2_999_999, 10) == b"9"
            assert file.read(3_000_000, 10) == b""
            assert b"".join(file.blocks(7)) == (path / "a").read_bytes()[7:]
            assert code_of(lambda: file.write(b"x", 0)) == errno.EBADF

    def test_refuses_to_open_other_kinds(
        self, folder: Folder, path: Path
    ) -> None:
        os.mkfifo(path / "fifo")
        (path / "folder").mkdir()
        (path / "target").write_text("x")
        (path / "link").symlink_to("target")
        assert code_of(lambda: folder.open(b"fifo")) == errno.ENXIO
        assert code_of(lambda: folder.open(b"fifo", write=True)) == errno.ENXIO
        assert code_of(lambda: folder.open(b"folder")) == errno.EISDIR
        assert code_of(lambda: folder.open(b"link")) == errno.ELOOP
        assert code_of(lambda: folder.open(b"missing")) == errno.ENOENT
        assert (
            code_of(lambda: folder.open_file_beneath((b"fifo",))) == errno.ENXIO
        )
        assert (
            code_of(lambda: folder.open_file_beneath((b"folder",)))
            == errno.EISDIR
        )

    def test_never_opens_folder_through_link(
        self, folder: Folder, path: Path
    ) -> None:
        (path / "real").mkdir()
        (path / "link").symlink_to("real")
        with folder.open_folder(b"real") as real:
            assert real.resolved_parts == (b"real",)
        assert code_of(lambda: folder.open_folder(b"link")) in (
            errno.ENOTDIR,
            errno.ELOOP,
        )
        with folder.open_folder(b".") as again:
            assert again.status().identity == folder.status().identity

    def test_opens_parents_up_to_top(self, folder: Folder, path: Path) -> None:
        steps = 0
        above = folder.open_parent()
        while above is not None:
            steps += 1
            with above:
                above = above.open_parent()
        assert steps == len(path.resolve().parts) - 1

    def test_path_follows_rename(self, folder: Folder, path: Path) -> None:
        (path / "a").mkdir()
        with folder.open_folder(b"a") as held:
            folder.rename(b"a", folder, b"b", "exclusive")
            assert held.path() in (None, os.fsencode(path.resolve() / "b"))
            folder.remove_folder(b"b")
            assert held.path() is None


class TestChanging:
    def test_writes_at_offset(self, folder: Folder, path: Path) -> None:
        with folder.create(b"new", 0o640) as file:
            file.write(b"hello world", 0)
            file.write(memoryview(b"W"), 6)
            file.start_writeback(0, 8)
            file.flush()
            file.set_times(1_000, 2_000_000_000)
            assert file.read(0, 99) == b"hello World"
            assert file.status().mtime_ns == 2_000_000_000
            assert file.free_bytes() is None or file.free_bytes() >= 0
        assert code_of(lambda: folder.create(b"new")) == errno.EEXIST
        assert (
            stat.S_IMODE((path / "new").stat().st_mode)
            == 0o640 & ~system.umask()
        )

    def test_exclusive_rename_never_replaces(
        self, folder: Folder, path: Path
    ) -> None:
        for name in ("file", "taken"):
            (path / name).write_text(name)
        (path / "folder").mkdir()
        (path / "folder" / "x").write_text("x")
        (path / "empty").mkdir()
        (path / "link").symlink_to("nowhere")
        for source in (b"file", b"folder", b"link"):
            for target in (b"taken", b"empty"):
                assert (
                    code_of(
                        lambda s=source, t=target: folder.rename(
                            s, folder, t, "exclusive"
                        )
                    )
                    == errno.EEXIST
                )
            folder.rename(source, folder, source + b"2", "exclusive")
        assert folder.names() == [
            b"empty",
            b"file2",
            b"folder2",
            b"link2",
            b"taken",
        ]
        assert folder.read_link(b"link2") == b"nowhere"
        assert (path / "folder2" / "x").read_text() == "x"

    def test_replaces_and_exchanges(self, folder: Folder, path: Path) -> None:
        (path / "a").write_text("a")
        (path / "b").write_text("b")
        (path / "sub").mkdir()
        with folder.open_folder(b"sub") as sub:
            number = code_of(
                lambda: folder.rename(b"a", folder, b"b", "exchange")
            )
            if number is None:
                assert ((path / "a").read_text(), (path / "b").read_text()) == (
                    "b",
                    "a",
                )
                folder.rename(b"a", folder, b"b", "exchange")
            else:
                assert number in (errno.ENOSYS, errno.EOPNOTSUPP)
            folder.rename(b"a", sub, b"c", "replace")
            folder.rename(b"b", sub, b"c", "replace")
        assert (path / "sub" / "c").read_text() == "b"

    def test_acts_on_link_itself(
        self, folder: Folder, path: Path, tmp_path: Path
    ) -> None:
        outside = tmp_path / "outside"
        outside.write_text("x")
        outside.chmod(0o600)
        folder.make_link(b"link", b"../outside")
        assert (
            code_of(lambda: folder.set_mode(b"link", 0o777)) == errno.EOPNOTSUPP
        )
        folder.set_owner(b"link", os.geteuid(), os.getegid())
        folder.link(b"link", folder, b"second")
        assert folder.stat(b"second").kind == "link"
        folder.remove(b"link")
        assert stat.S_IMODE(outside.stat().st_mode) == 0o600

    def test_refuses_unexpected_file(self, folder: Folder, path: Path) -> None:
        (path / "a").write_text("x")
        seen = folder.stat(b"a")
        folder.set_mode(b"a", 0o604, expected=seen)
        (path / "b").write_text("y")
        (path / "b").chmod(0o600)
        folder.rename(b"b", folder, b"a", "replace")
        assert (
            code_of(lambda: folder.set_mode(b"a", 0o777, expected=seen))
            == errno.ESTALE
        )
        assert (
            code_of(lambda: folder.set_owner(b"a", 0, 0, expected=seen))
            == errno.ESTALE
        )
        assert folder.stat(b"a").mode == 0o600

    def test_copies_extended_attributes(self, folder: Folder) -> None:
        with folder.create(b"a") as one, folder.create(b"b") as two:
            try:
                os.setxattr(one.fileno(), "user.colour", b"red")
                os.setxattr(two.fileno(), "user.other", b"gone")
            except OSError:
                pytest.skip("this file system has no extended attributes")
            if (
                isinstance(folder, posix.Folder)
                and type(folder) is posix.Folder
            ):
                assert one.extended_attributes() == {}
                return
            two.set_extended_attributes(one.extended_attributes())
            assert (
                two.extended_attributes()
                == one.extended_attributes()
                == {"user.colour": b"red"}
            )
            with pytest.raises(OSError) as caught:
                two.set_extended_attributes({"nonsense": b""})
            assert caught.value.filename == "nonsense"
            two.set_extended_attributes(
                {"nonsense": b"", "user.colour": b"blue"}, strict=False
            )
            assert two.extended_attributes() == {"user.colour": b"blue"}

    def test_flushes_many_files(self, folder: Folder) -> None:
        handles: list[File | Folder] = [
            folder,
            *(folder.create(b"%d" % number) for number in range(40)),
        ]
        flush_all(handles)
        reader, writer = os.pipe()
        os.close(writer)
        handles.insert(3, File(reader))  # Cannot be flushed.
        with pytest.raises(OSError):
            flush_all(handles)
        for handle in handles[1:]:
            handle.close()
        assert folder.flush_file_system() == (type(folder) is not posix.Folder)


class TestAppending:
    def test_creates_private_file_and_appends(
        self, folder: Folder, path: Path
    ) -> None:
        folder.append(b"lines", b"one\n")
        folder.append(b"lines", b"two\n")
        assert (path / "lines").read_bytes() == b"one\ntwo\n"
        assert stat.S_IMODE((path / "lines").stat().st_mode) == 0o600

    def test_concurrent_appends_lose_nothing(
        self, folder: Folder, path: Path
    ) -> None:
        lines = [b"%03d\n" % number * 50 for number in range(100)]
        threads = [
            threading.Thread(
                target=lambda some: [
                    folder.append(b"lines", line) for line in some
                ],
                args=(some,),
            )
            for some in (lines[:50], lines[50:])
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted((path / "lines").read_bytes().split()) == sorted(
            b"".join(lines).split()
        )

    def test_appends_to_regular_file_only(
        self, folder: Folder, path: Path
    ) -> None:
        (path / "target").write_bytes(b"x")
        (path / "link").symlink_to("target")
        (path / "sub").mkdir()
        os.mkfifo(path / "pipe")
        assert code_of(lambda: folder.append(b"link", b"y")) == errno.ELOOP
        assert code_of(lambda: folder.append(b"sub", b"y")) == errno.EISDIR
        assert code_of(lambda: folder.append(b"pipe", b"y")) == errno.ENXIO
        assert code_of(lambda: folder.append(b"..", b"y")) == errno.EINVAL
        assert (path / "target").read_bytes() == b"x"


def test_closes_file_without_status(
    folder: Folder, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path / "a").write_text("x")
    opened: list[File] = []

    def failing(file: File) -> system.Status:
        opened.append(file)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with folder.open(b"a") as file:
        monkeypatch.setattr(type(file), "status", failing)
    assert code_of(lambda: folder.open(b"a", known_file=True)) == errno.EIO
    assert opened[0].fileno() == -1


def test_makes_folder_at_path(path: Path) -> None:
    made_path = os.fsencode(path / "made")
    system.make_folder(made_path, 0o700)
    assert stat.S_IMODE(os.stat(made_path).st_mode) == 0o700
    assert code_of(lambda: system.make_folder(made_path)) == errno.EEXIST
    assert (
        code_of(lambda: system.make_folder(made_path + b"/a/b")) == errno.ENOENT
    )


class TestLocks:
    def test_one_writer_or_many_readers(self, folder: Folder) -> None:
        with folder.open_folder(b".") as one, folder.open_folder(b".") as two:
            assert one.lock(exclusive=False)
            assert two.lock(exclusive=False)
            two.unlock()
            assert not two.lock(exclusive=True)
            one.close()
            assert two.lock(exclusive=True)

    def test_forked_process_holds_no_lock(self, folder: Folder) -> None:
        reader, writer = os.pipe()
        held = folder.open_folder(b".")
        assert held.lock(exclusive=True)
        child = os.fork()
        if child == 0:
            os.close(writer)
            os.read(reader, 1)  # Until the parent is done.
            os._exit(0)
        os.close(reader)
        try:
            held.close()
            with folder.open_folder(b".") as other:
                assert other.lock(exclusive=True)
        finally:
            os.close(writer)
            os.waitpid(child, 0)

    def test_killed_process_leaves_no_lock(self, path: Path) -> None:
        program = (
            "import os, signal, sys\n"
            "from filewright import system\n"
            "folder = system.open_folder(sys.argv[1])\n"
            "assert folder.lock(exclusive=True)\n"
            "if os.fork() == 0:\n"
            "    sys.stdout.write('forked\\n'); sys.stdout.flush(); sys.stdin.read(); os._exit(0)\n"
            "signal.pause()\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", program, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"forked\n"
            process.kill()
            process.wait()
            with system.open_folder(os.fsencode(path)) as other:
                assert other.lock(exclusive=True)


@pytest.mark.needs("lease")
class TestLeases:
    def test_notices_writer(self, path: Path) -> None:
        (path / "log").write_text("x")
        with (
            system.open_folder(os.fsencode(path)) as folder,
            folder.open(b"log") as file,
        ):
            with file.watch_for_writers() as quiet:
                assert quiet()
            with open(path / "log", "a") as writer:
                with file.watch_for_writers() as quiet:
                    assert not quiet()
                writer.write("y")
            with file.watch_for_writers() as quiet:
                assert quiet()
                waiting = threading.Thread(
                    target=lambda: (path / "log").write_text("z")
                )
                waiting.start()
                while quiet():
                    time.sleep(0.001)
            waiting.join()
            assert (path / "log").read_text() == "z"


def test_birth_time_of_folder(path: Path, tmp_path: Path) -> None:
    with system.open_folder(os.fsencode(path)) as folder:
        birth = folder.status_with_birth().birth_ns
        assert birth is None or 0 < birth <= folder.status().ctime_ns


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has Landlock")
def test_child_older_than_the_confinement_cannot_be_killed() -> None:
    program = (
        "import subprocess, sys\n"
        "from filewright.system import landlock, posix\n"
        "child = subprocess.Popen(['cat'], stdin=-1, start_new_session=True)\n"
        "landlock.confine(['/tmp'])\n"
        "posix.kill_process_tree(child)\n"
        "child.stdin.close()\n"
        "child.wait(10)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
