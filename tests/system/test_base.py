"""The methods that files and folders of all systems share."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import ClassVar

import pytest

from filewright.system.base import BaseFile, BaseFolder, Handle, NameBatch


class Attributes(Handle):
    """A file whose attributes are held here; those of the system are refused."""

    removable_prefixes: ClassVar = ("user.",)

    def __init__(self, **attributes: bytes) -> None:
        super().__init__(-1)
        self.attributes = {
            name.replace("_", "."): value for name, value in attributes.items()
        }
        self.changed: list[str] = []

    def extended_attributes(self) -> dict[str, bytes]:
        return dict(self.attributes)

    def _set_attribute(self, name: str, value: bytes | None) -> None:
        if name.startswith("system."):
            raise PermissionError(errno.EPERM, "not allowed")
        self.changed.append(name)
        self.attributes.pop(name, None)
        if value is not None:
            self.attributes[name] = value


def test_sets_only_attributes_that_differ() -> None:
    file = Attributes(user_a=b"1", user_b=b"2", user_c=b"3", other_d=b"4")
    file.set_extended_attributes({"user.a": b"1", "user.b": b"x"})
    assert file.attributes == {
        "user.a": b"1",
        "user.b": b"x",
        "other.d": b"4",
    }
    assert sorted(file.changed) == ["user.b", "user.c"]


def test_attributes_of_system() -> None:
    wanted = {"system.a": b"1", "user.a": b"1"}
    with pytest.raises(PermissionError) as caught:
        Attributes().set_extended_attributes(wanted)
    assert caught.value.filename == "system.a"
    file = Attributes()
    file.set_extended_attributes(wanted, strict=False)
    assert file.attributes == {"user.a": b"1"}


class Text(BaseFile):
    """A file of some bytes that reads a few at a time."""

    def read(self, offset: int, size: int) -> bytes:
        return b"0123456789"[offset : offset + min(size, 4)]


def test_blocks() -> None:
    assert list(Text(-1).blocks()) == [b"0123", b"4567", b"89"]
    assert list(Text(-1).blocks(start=7)) == [b"789"]
    assert list(Text(-1).blocks(start=10)) == []


def test_fallbacks() -> None:
    file = Text(-1)
    assert not file.clone_from(file)
    assert not file.flush_file_system()
    assert not file.is_immutable()
    assert file.extended_attributes() == {}
    with file.watch_for_writers() as has_no_writers:
        assert has_no_writers()
    with pytest.raises(OSError) as caught:
        file.set_extended_attributes({"user.a": b""}, strict=True)
    assert caught.value.errno == errno.ENOTSUP


class Names(BaseFolder[Text]):
    """A folder that lists names in two batches."""

    def iter_batches(self) -> Iterator[NameBatch]:
        yield NameBatch([b"a"], [b"f"], [])
        yield NameBatch([b"b"], [], [(b"l", "link")])


def test_iterates_entries() -> None:
    assert list(Names(-1).iter_entries()) == [
        (b"a", "file"),
        (b"f", "folder"),
        (b"b", "file"),
        (b"l", "link"),
    ]
