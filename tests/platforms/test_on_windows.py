"""Folders and files on Windows itself, or on Wine: run by `python -m tests.platforms.wine`, skipped elsewhere."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.platforms.unix_only import ON_WINE
from tests.system.windows_name_tables import ALLOWED, MISREAD, NO_NAMES

from filewright import system
from filewright.system import Folder, nt

pytestmark = pytest.mark.skipif(
    sys.platform != "win32", reason="this is not Windows"
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    with system.open_folder(os.fsencode(tmp_path)) as opened:
        yield opened


def code_of(call: Callable[[], object]) -> int | None:
    """The errno that a call fails with; None if it does not."""
    try:
        call()
    except OSError as error:
        return error.errno
    return None


def put(folder: Folder, name: bytes, content: bytes) -> None:
    with folder.create(name) as file:
        file.write(content, 0)
        file.flush()


def content(folder: Folder, name: bytes) -> bytes:
    with folder.open(name) as file:
        return file.read(0, 1 << 20)


def calls_with(folder: Folder, name: bytes) -> list[Callable[[], object]]:
    """Every call that takes a name."""
    calls: list[Callable[[], object]] = [
        lambda: folder.stat(name),
        lambda: folder.open(name),
        lambda: folder.create(name),
        lambda: folder.make_folder(name),
        lambda: folder.make_link(name, b"other"),
        lambda: folder.read_link(name),
        lambda: folder.remove(name),
        lambda: folder.remove_folder(name),
        lambda: folder.set_mode(name, 0o444),
        lambda: folder.link(name, folder, b"new"),
        lambda: folder.link(b"other", folder, name),
        lambda: folder.rename(name, folder, b"new", "exclusive"),
        lambda: folder.rename(b"other", folder, name, "exclusive"),
        lambda: folder.rename(b"other", folder, name, "replace"),
    ]
    if name != b".":
        calls.append(lambda: folder.open_folder(name))
    return calls


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_hostile_name_is_refused_by_every_call(
    folder: Folder, name: bytes
) -> None:
    put(folder, b"other", b"kept")
    assert {code_of(call) for call in calls_with(folder, name)} == {
        errno.EINVAL
    }
    assert folder.names() == [b"other"]
    assert content(folder, b"other") == b"kept"


def test_where_the_file_system_leaves_dots_out_no_call_takes_them(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, b"other", b"kept")
    monkeypatch.setattr(nt, "file_system", lambda _: "FAT32")
    assert {
        code_of(call) for name in MISREAD for call in calls_with(folder, name)
    } == {errno.EINVAL}
    assert folder.names() == [b"other"]


@pytest.mark.parametrize("name", MISREAD)
def test_what_other_programs_take_for_something_else_is_itself_below_a_handle(
    folder: Folder, name: bytes
) -> None:
    short = name.rstrip(b". ") or b"other"
    looks: list[Callable[[], object]] = [
        lambda: folder.stat(name), lambda: folder.open(name), lambda: folder.open_folder(name),
        lambda: folder.remove(name), lambda: folder.rename(name, folder, b"new", "replace"),
    ]  # fmt: skip
    if short not in MISREAD:
        put(folder, short, b"another")
    before = folder.names()
    assert {code_of(call) for call in looks} == {
        errno.ENOENT
    }  # Neither a device nor the other file.
    put(folder, name, b"content")
    assert folder.stat(name).kind == "file"
    assert content(folder, name) == b"content"
    folder.rename(name, folder, b"new", "exclusive")
    folder.rename(b"new", folder, name, "exclusive")
    assert folder.names() == sorted([*before, name])
    folder.remove(name)
    folder.make_folder(name)
    with folder.open_folder(name) as below:
        put(below, name, b"below")
        assert below.names() == [name]
        below.remove(name)
    folder.remove_folder(name)
    assert folder.names() == before
    assert not before or content(folder, short) == b"another"


@pytest.mark.parametrize("name", ALLOWED)
def test_an_unusual_name_is_a_file_like_any_other(
    folder: Folder, name: bytes
) -> None:
    if ON_WINE and (
        b"\xed\xa0" in name or b"\xed\xb0" in name or len(name) > 255
    ):
        pytest.skip(
            "Wine keeps names as UTF-8 on Linux: no half characters, at most 255 bytes"
        )
    put(folder, name, b"x")
    assert folder.names() == [name]
    assert content(folder, name) == b"x"
    folder.remove(name)
    assert folder.names() == []


def test_content_by_offset(folder: Folder) -> None:
    with folder.create(b"a") as file:
        file.write(b"0123456789" * 300_000, 0)
        file.write(b"XX", 5)
        assert file.read(3, 6) == b"34XX78"
        assert file.read(2_999_998, 10) == b"89"
        assert file.read(3_000_000, 10) == b""
        assert b"".join(file.blocks(2_999_993)) == b"3456789"
        assert file.status().size == 3_000_000
    with folder.open(b"a") as read_only:
        read_only.flush()
        assert code_of(lambda: read_only.write(b"x", 0)) == errno.EACCES


def test_what_is_not_a_file_is_never_opened_as_one(folder: Folder) -> None:
    folder.make_folder(b"folder")
    put(folder, b"file", b"x")
    assert code_of(lambda: folder.open(b"folder")) == errno.EISDIR
    assert code_of(lambda: folder.open(b"missing")) == errno.ENOENT
    assert code_of(lambda: folder.open_folder(b"file")) == errno.ENOTDIR
    assert code_of(lambda: folder.read_link(b"file")) == errno.EINVAL
    assert code_of(lambda: folder.remove(b"folder")) == errno.EISDIR
    assert code_of(lambda: folder.remove_folder(b"file")) == errno.ENOTDIR
    assert (
        code_of(lambda: folder.open_file_beneath((b"folder", b"missing")))
        == errno.ENOENT
    )


def test_two_spellings_are_one_file(folder: Folder) -> None:
    put(folder, b"Name.TXT", b"x")
    assert (
        folder.stat(b"name.txt").identity == folder.stat(b"NAME.TXT").identity
    )
    assert code_of(lambda: folder.create(b"NAME.txt")) == errno.EEXIST
    assert content(folder, b"nAME.txt") == b"x"
    assert folder.names() == [b"Name.TXT"]


def test_a_short_name_opens_nothing(folder: Folder, tmp_path: Path) -> None:
    long = "a name that is too long.for dos"
    put(folder, long.encode(), b"x")
    shown = subprocess.run(
        ["cmd", "/c", "dir", "/x", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    short = [
        word
        for line in shown.stdout.splitlines()
        if long in line
        for word in line.split()
        if "~" in word
    ]
    if not short:
        pytest.skip("this volume makes no short names")
    assert code_of(lambda: folder.open(short[0].encode())) == errno.EINVAL
    assert code_of(lambda: folder.remove(short[0].encode())) == errno.EINVAL
    assert folder.names() == [long.encode()]


def test_nothing_leads_out(folder: Folder) -> None:
    folder.make_folder(b"a")
    with folder.open_folder(b"a") as below:
        below.make_folder(b"b")
    with folder.open_folder_beneath((b"a", b"b", b"..", b".")) as found:
        assert found.resolved_parts == (b"a",)
        assert found.status().identity == folder.stat(b"a").identity
    assert code_of(lambda: folder.open_folder_beneath((b"..",))) == errno.EXDEV
    assert (
        code_of(lambda: folder.open_folder_beneath((b"a", b"..", b"..")))
        == errno.EXDEV
    )
    assert (
        code_of(lambda: folder.open_folder_beneath((b"a\\b",))) == errno.EINVAL
    )
    assert (
        code_of(lambda: folder.open_folder_beneath((b"a", b"..\\..\\windows")))
        == errno.EINVAL
    )


def test_a_junction_is_a_link_and_never_entered(
    folder: Folder, tmp_path: Path
) -> None:
    outside = tmp_path.parent / (tmp_path.name + "-outside")
    outside.mkdir()
    (outside / "secret").write_text("outside")
    made = subprocess.run(
        ["cmd", "/c", "mklink", "/J", str(tmp_path / "junction"), str(outside)],
        capture_output=True,
        check=False,
    )
    if made.returncode != 0 or b"junction" not in folder.names():
        pytest.skip("no junction can be made here (Wine 8 has none)")
    assert folder.stat(b"junction").kind == "link"
    assert code_of(lambda: folder.open_folder(b"junction")) == errno.ELOOP
    assert (
        code_of(lambda: folder.open_folder_beneath((b"junction",)))
        == errno.EXDEV
    )
    assert (
        code_of(lambda: folder.open_file_beneath((b"junction", b"secret")))
        == errno.EXDEV
    )
    folder.remove(b"junction")
    assert (outside / "secret").read_text() == "outside"


def test_paths_longer_than_260_characters(folder: Folder) -> None:
    above, parts = folder, (b"x" * 50,) * 12
    for part in parts:
        above.make_folder(part)
        above = above.open_folder(part)
    put(above, b"deep.txt", b"down here")
    with folder.open_file_beneath((*parts, b"deep.txt")) as file:
        assert file.resolved_parts == (*parts, b"deep.txt")
        assert file.read(0, 20) == b"down here"


def test_the_read_only_attribute_is_the_mode(folder: Folder) -> None:
    put(folder, b"a", b"old")
    seen = folder.stat(b"a")
    assert seen.mode == 0o666
    folder.set_mode(b"a", 0o444, expected=seen)
    assert folder.stat(b"a").mode == 0o444
    if not ON_WINE:  # Wine asks Linux, which lets root write to anything.
        assert code_of(lambda: folder.open(b"a", write=True)) == errno.EACCES
    assert code_of(lambda: folder.set_mode(b"a", 0o755)) == errno.EOPNOTSUPP
    assert code_of(lambda: folder.set_owner(b"a", 1000, -1)) == errno.EOPNOTSUPP
    put(folder, b"new", b"new")
    folder.rename(b"new", folder, b"a", "replace")
    assert content(folder, b"a") == b"new"
    folder.set_mode(b"a", 0o444)
    folder.remove(b"a")
    assert folder.names() == []


def test_renames(folder: Folder) -> None:
    put(folder, b"a", b"a")
    put(folder, b"b", b"b")
    folder.make_folder(b"folder")
    with folder.open_folder(b"folder") as below:
        assert (
            code_of(lambda: folder.rename(b"a", folder, b"b", "exclusive"))
            == errno.EEXIST
        )
        assert (
            code_of(lambda: folder.rename(b"a", folder, b"b", "exchange"))
            == errno.ENOSYS
        )
        folder.rename(b"a", below, b"c", "exclusive")
        folder.rename(b"b", below, b"c", "replace")
        assert content(below, b"c") == b"b"
        below.link(b"c", folder, b"d")
        assert folder.stat(b"d").identity == below.stat(b"c").identity
        assert folder.stat(b"d").link_count == 2
        assert code_of(lambda: below.link(b"c", folder, b"d")) == errno.EEXIST
        assert (
            code_of(lambda: folder.remove_folder(b"folder")) == errno.ENOTEMPTY
        )
    assert folder.names() == [b"d", b"folder"]


def test_what_another_program_does_not_share_is_in_use(
    folder: Folder, tmp_path: Path
) -> None:
    put(folder, b"a", b"x")
    hold = (
        "import ctypes, sys\n"
        "ctypes.windll.kernel32.CreateFileW.restype = ctypes.c_void_p\n"
        "h = ctypes.windll.kernel32.CreateFileW(sys.argv[1], 0x80000000, 0, None, 3, 0, None)\n"
        "print(h, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(tmp_path / "a")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout
        assert child.stdin
        child.stdout.readline()
        assert code_of(lambda: folder.open(b"a")) == errno.ETXTBSY
        assert (
            code_of(lambda: folder.rename(b"a", folder, b"b", "exclusive"))
            == errno.ETXTBSY
        )
        child.stdin.close()
        child.wait()
    assert content(folder, b"a") == b"x"


def test_who_writes_to_a_file_is_seen(folder: Folder) -> None:
    put(folder, b"a", b"x")
    with folder.open(b"a") as file:
        with file.watch_for_writers() as quiet:
            assert quiet()
        with folder.open(b"a", write=True), file.watch_for_writers() as quiet:
            assert not quiet()
        with file.watch_for_writers() as quiet:
            assert quiet()


def test_locks_exclude_and_are_shared(folder: Folder, tmp_path: Path) -> None:
    with system.open_folder(os.fsencode(tmp_path)) as other:
        assert folder.lock(True)
        assert not other.lock(True)
        assert not other.lock(False)
        folder.unlock()
        assert other.lock(False)
        assert folder.lock(False)
        assert not folder.lock(True)


def test_status_times_and_place(folder: Folder, tmp_path: Path) -> None:
    put(folder, b"a", b"x")
    with folder.open(b"a", write=True) as file:
        file.set_times(1_500_000_000_123_456_700, 1_600_000_000_123_456_700)
        status = file.status()
    assert (status.atime_ns, status.mtime_ns) == (
        1_500_000_000_123_456_700,
        1_600_000_000_123_456_700,
    )
    assert bool(status.birth_ns) is not ON_WINE
    assert (
        system.stat_path(os.fsencode(tmp_path / "a")).identity
        == status.identity
    )
    path = folder.path()
    assert path is not None
    assert os.path.samefile(os.fsdecode(path), tmp_path)
    above = folder.open_parent()
    assert above is not None
    with above:
        assert (
            above.stat(os.fsencode(tmp_path.name)).identity
            == folder.status().identity
        )
    room = folder.free_bytes()
    assert room
    assert room > 0
    folder.flush()
    system.flush_all([folder, folder])
