"""What macOS adds, by its calls: the headers' numbers, and a library that stands for its own. No Mac is needed."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from filewright.system import darwin
from filewright.system.darwin import Calls, DarwinFile, DarwinFolder


class Library:
    """libSystem's calls, done with what Linux has; `missing` answer as a file system without them."""

    def __init__(self, *missing: str) -> None:
        self.missing = missing
        self.asked: list[tuple[Any, ...]] = []
        self.attributes: dict[bytes, bytes] = {}

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> int:
            plain = [
                getattr(argument, "value", argument) for argument in arguments
            ]
            self.asked.append((name, *plain))
            try:
                if name in self.missing:
                    raise OSError(errno.ENOTSUP, "")
                return int(getattr(self, f"do_{name}")(*arguments) or 0)
            except OSError as error:
                ctypes.set_errno(error.errno or 0)
                return -1

        return call

    def do_renameatx_np(
        self, folder: Any, name: bytes, to: Any, to_name: bytes, flags: Any
    ) -> None:
        source, target = {"src_dir_fd": folder.value}, {"dst_dir_fd": to.value}
        taken = to_name in map(os.fsencode, os.listdir(to.value))
        if flags.value == 4:
            if taken:
                raise FileExistsError(errno.EEXIST, "")
            os.rename(name, to_name, **source, **target)
        else:
            assert flags.value == 2
            os.rename(name, b"aside", **source, dst_dir_fd=folder.value)
            os.rename(
                to_name, name, src_dir_fd=to.value, dst_dir_fd=folder.value
            )
            os.rename(b"aside", to_name, **source, **target)

    def do_flistxattr(
        self, _descriptor: Any, buffer: Any, size: Any, options: Any
    ) -> int:
        return self._fill(
            b"".join(name + b"\0" for name in self.attributes), buffer
        )

    def do_fgetxattr(
        self,
        _: Any,
        name: bytes,
        buffer: Any,
        size: Any,
        position: Any,
        options: Any,
    ) -> int:
        return self._fill(self.attributes[name], buffer)

    def do_fsetxattr(
        self,
        _: Any,
        name: bytes,
        value: bytes,
        size: Any,
        position: Any,
        options: Any,
    ) -> None:
        assert size.value == len(value)
        self.attributes[name] = value

    def do_fremovexattr(self, _: Any, name: bytes, options: Any) -> None:
        del self.attributes[name]

    @staticmethod
    def _fill(data: bytes, buffer: Any) -> int:
        if buffer is not None:
            ctypes.memmove(buffer, data, len(data))
        return len(data)


def on_a_mac(library: Library) -> type[DarwinFolder]:
    """The class of folders that ask `library`."""

    class File(DarwinFile):
        calls = Calls(library)

    class Folder(DarwinFolder):
        calls = Calls(library)
        file_type = File

    return Folder


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.fixture
def folder(library: Library, tmp_path: Path) -> Iterator[DarwinFolder]:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    with on_a_mac(library)(
        os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    ) as opened:
        yield opened


def test_numbers_of_headers() -> None:
    assert (darwin.RENAME_SWAP, darwin.RENAME_EXCL) == (0x2, 0x4)
    assert (darwin.F_GETPATH, darwin.F_FULLFSYNC) == (50, 51)
    assert darwin.O_NOFOLLOW_ANY == 0x20000000
    assert (darwin.O_EVTONLY, darwin.O_SYMLINK) == (0x8000, 0x200000)


def test_true_name_by_path_of_descriptor(
    folder: DarwinFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Calls, "path", lambda self, descriptor: b"/Users/x/A")
    gc.collect()  # What other tests have left.
    before = set(os.listdir("/proc/self/fd"))
    assert folder.true_name(b"a") == b"A"
    assert set(os.listdir("/proc/self/fd")) == before
    with pytest.raises(FileNotFoundError):
        folder.true_name(b"missing")


def test_case_sensitive_folder_needs_no_true_name(
    folder: DarwinFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Calls, "path", lambda self, descriptor: b"/Users/x/A")
    assert folder.true_names((b"a",)) == (b"a",)
    assert folder.true_names((b"missing", b"a")) == (b"missing", b"a")
    assert folder.true_names(()) == ()


def test_exclusive_rename_is_one_call(
    folder: DarwinFolder, library: Library
) -> None:
    with pytest.raises(FileExistsError):
        folder.rename(b"a", folder, b"b", "exclusive")
    folder.rename(b"a", folder, b"c", "exclusive")
    assert folder.names() == [b"b", b"c"]
    fd = folder.fileno()
    assert library.asked == [
        ("renameatx_np", fd, b"a", fd, b"b", 4),
        ("renameatx_np", fd, b"a", fd, b"c", 4),
    ]


def test_exchange_is_one_call(
    folder: DarwinFolder, library: Library, tmp_path: Path
) -> None:
    folder.rename(b"a", folder, b"b", "exchange")
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (
        b"b",
        b"a",
    )
    assert library.asked == [
        ("renameatx_np", folder.fileno(), b"a", folder.fileno(), b"b", 2)
    ]


def test_falls_back_to_posix_rename(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    with on_a_mac(Library("renameatx_np"))(
        os.open(tmp_path, os.O_RDONLY)
    ) as folder:
        with pytest.raises(FileExistsError):
            folder.rename(b"a", folder, b"b", "exclusive")
        with pytest.raises(OSError, match=os.strerror(errno.ENOSYS)) as caught:
            folder.rename(b"a", folder, b"b", "exchange")
        assert caught.value.errno == errno.ENOSYS
        folder.rename(b"a", folder, b"c", "exclusive")
        folder.rename(b"c", folder, b"b", "replace")
        assert folder.names() == [b"b"]


def test_reads_sets_and_removes_attributes(
    folder: DarwinFolder, library: Library
) -> None:
    library.attributes = {b"com.apple.quarantine": b"0081;", b"old": b""}
    with folder.open(b"a", write=True) as file:
        assert file.extended_attributes() == {
            "com.apple.quarantine": b"0081;",
            "old": b"",
        }
        file.set_extended_attributes(
            {"com.apple.quarantine": b"0081;", "new": b"\0\1"}
        )
    assert library.attributes == {
        b"com.apple.quarantine": b"0081;",
        b"new": b"\0\1",
    }
    sets = [asked for asked in library.asked if asked[0] == "fsetxattr"]
    assert [asked[2:] for asked in sets] == [(b"new", b"\0\1", 2, 0, 0)]


def test_no_attributes_on_other_file_system(tmp_path: Path) -> None:
    with on_a_mac(Library("flistxattr", "fsetxattr"))(
        os.open(tmp_path, os.O_RDONLY)
    ) as folder:
        assert folder.extended_attributes() == {}
        folder.set_extended_attributes({"new": b"x"}, strict=False)
        with pytest.raises(OSError, match=os.strerror(errno.ENOTSUP)) as caught:
            folder.set_extended_attributes({"new": b"x"})
        assert caught.value.filename == "new"


class Recorded(Calls):
    """Calls that only say what they were asked."""

    def __init__(self, number: int | None = None) -> None:
        super().__init__(Library())
        self.number = number
        self.asked: list[tuple[Any, ...]] = []

    def full_flush(self, descriptor: int) -> None:
        self.asked.append(("flush", descriptor))
        if self.number is not None:
            raise OSError(self.number, os.strerror(self.number))

    def open_without_links(self, path: bytes, flags: int, folder: int) -> int:
        self.asked.append(("open", path))
        if self.number is not None:
            raise OSError(self.number, os.strerror(self.number))
        return os.open(path, flags, dir_fd=folder)


def recorded(path: Path, calls: Calls) -> DarwinFolder:
    kept = calls

    class Folder(DarwinFolder):
        calls = kept

    return Folder(os.open(path, os.O_RDONLY | os.O_DIRECTORY))


@pytest.mark.parametrize("number", [None, errno.ENOTSUP, errno.EINVAL])
def test_flushes_disk_cache(tmp_path: Path, number: int | None) -> None:
    calls = Recorded(number)
    with recorded(tmp_path, calls) as folder:
        folder.flush()
        assert calls.asked == [("flush", folder.fileno())]


def test_raises_failed_flush(tmp_path: Path) -> None:
    with (
        recorded(tmp_path, Recorded(errno.EIO)) as folder,
        pytest.raises(OSError, match="Input/output"),
    ):
        folder.flush()


def test_opens_plain_path_in_one_call(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    calls = Recorded()
    with (
        recorded(tmp_path, calls) as folder,
        folder.open_folder_beneath((b"a", b"b")) as found,
    ):
        assert found.resolved_parts == (b"a", b"b")
    assert calls.asked == [("open", b"a/b")]


def test_walks_links_and_dots(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "in").symlink_to("a")
    (tmp_path / "out").symlink_to("..")
    with recorded(tmp_path, Recorded(errno.ELOOP)) as folder:
        with folder.open_folder_beneath((b"in", b"b", b"..")) as found:
            assert found.resolved_parts == (b"a",)
        with folder.open_folder_beneath((b"in", b"b")) as found:
            assert found.resolved_parts == (b"a", b"b")
        for parts in ((b"out",), (b"..",), (b"a", b"..", b"..")):
            with pytest.raises(OSError, match=os.strerror(errno.EXDEV)):
                folder.open_folder_beneath(parts)
