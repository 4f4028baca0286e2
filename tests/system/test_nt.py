"""The structures and errors of Windows' calls, by the numbers of its headers; no Windows is needed."""

from __future__ import annotations

import ctypes
import errno
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filewright.system import nt

NAMES = st.text(
    st.characters(exclude_categories=[]), min_size=1, max_size=40
).map(
    lambda text: text.encode("utf-16-le", "surrogatepass").decode(
        "utf-16-le", "surrogatepass"
    )
)


@pytest.mark.parametrize(
    ("structure", "size", "offsets"),
    [
        (nt.UnicodeString, 16, {"length": 0, "maximum": 2, "buffer": 8}),
        (
            nt.ObjectAttributes,
            48,
            {
                "length": 0,
                "root": 8,
                "name": 16,
                "attributes": 24,
                "security": 32,
                "quality": 40,
            },
        ),
        (nt.IoStatus, 16, {"status": 0, "information": 8}),
        (
            nt.Overlapped,
            32,
            {
                "internal": 0,
                "internal_high": 8,
                "offset": 16,
                "offset_high": 20,
                "event": 24,
            },
        ),
    ],
)
def test_structures_have_layout_of_64_bit_windows(
    structure: type[ctypes.Structure], size: int, offsets: dict[str, int]
) -> None:
    assert ctypes.sizeof(structure) == size
    assert {
        name: getattr(structure, name).offset for name in offsets
    } == offsets


def test_information_has_layout_of_headers() -> None:
    sizes = {
        "ALL_INFORMATION": 72,
        "ID_INFORMATION": 24,
        "BASIC_INFORMATION": 40,
        "SIZE_INFORMATION": 32,
        "DIRECTORY_ENTRY": 104,
        "RENAME_HEAD": 20,
        "SECURITY_DESCRIPTOR": 20,
    }
    assert {name: getattr(nt, name).size for name in sizes} == sizes


@pytest.mark.parametrize(
    ("status", "number", "kind"),
    [
        (0xC0000034, errno.ENOENT, FileNotFoundError),
        (0xC0000035, errno.EEXIST, FileExistsError),
        (0xC0000022, errno.EACCES, PermissionError),
        (0xC0000103, errno.ENOTDIR, NotADirectoryError),
        (0xC00000BA, errno.EISDIR, IsADirectoryError),
        (0xC0000101, errno.ENOTEMPTY, OSError),
        (0xC0000043, errno.ETXTBSY, OSError),
        (0xC000050B, errno.ELOOP, OSError),
        (0xC0000999, errno.EIO, OSError),
    ],
)
def test_status_becomes_errno(
    status: int, number: int, kind: type[OSError]
) -> None:
    # The call returns a number of 32 bits with a sign.
    for signed in (status, status - (1 << 32)):
        error = nt.error_from_status(signed, b"a")
        assert (type(error), error.errno, error.filename) == (
            kind,
            number,
            b"a",
        )
    if number == errno.EIO:
        assert "C0000999" in str(error)


def rights(control: int, *flags: int) -> bytes:
    """Return a descriptor with an access control entry for each of the flags."""
    everybody = bytes.fromhex("01 01 00 00 00 00 00 01 00 00 00 00")
    entries = b"".join(
        struct.pack("<BBHI", 0, flag, 8 + len(everybody), 0x1F01FF) + everybody
        for flag in flags
    )
    head = struct.pack("<BBHIIII", 1, 0, 0x8000 | control, 0, 0, 0, 20)
    return (
        head
        + struct.pack("<BBHHH", 2, 0, 8 + len(entries), len(flags), 0)
        + entries
    )


@pytest.mark.parametrize(
    ("descriptor", "own"),
    [
        (rights(0x0404, 0x10), False),  # All inherited.
        (rights(0x0404, 0x10, 0x13, 0x10), False),
        (rights(0x0004, 0), True),
        (rights(0x0404, 0x10, 0x00, 0x10), True),
        (rights(0x0404, 0x10, 0x10, 0x0B), True),
        (rights(0x1404, 0x10), True),  # Protected: it no longer changes with its folder.
        (rights(0x0404), True),  # An empty list allows nothing.
        (struct.pack("<BBHIIII", 1, 0, 0x8004, 0, 0, 0, 0), True),  # Explicitly no list: everything is allowed.
        (struct.pack("<BBHIIII", 1, 0, 0x8000, 0, 0, 0, 0), False),
    ],
)  # fmt: skip
def test_tells_own_from_inherited_rights(descriptor: bytes, own: bool) -> None:
    assert nt.has_own_rights(descriptor) == own


def entry(name: str, attributes: int, tag: int, last: bool) -> bytes:
    units = name.encode("utf-16-le", "surrogatepass")
    size = 0 if last else (nt.DIRECTORY_ENTRY.size + len(units) + 7) & ~7
    head = nt.DIRECTORY_ENTRY.pack(
        size, 0, 1, 2, 3, 4, 5, 6, attributes, len(units), tag, 0, b"", 7
    )
    return (head + units).ljust(size, b"\0")


@given(
    st.lists(
        st.tuples(NAMES, st.sampled_from([0x20, 0x10, 0x420, 0x410])),
        min_size=1,
        max_size=8,
    )
)
def test_parses_directory_entries(found: list[tuple[str, int]]) -> None:
    data = b"".join(
        entry(name, attributes, nt.TAG_SYMLINK, number == len(found) - 1)
        for number, (name, attributes) in enumerate(found)
    )
    assert nt.parse_entries(data) == [
        (
            name.encode("utf-8", "surrogatepass"),
            attributes,
            nt.TAG_SYMLINK if attributes & 0x400 else 0,
        )
        for name, attributes in found
        if name not in (".", "..")
    ]


@given(NAMES, st.booleans())
def test_link_target_round_trip(target: str, relative: bool) -> None:
    read, is_relative = nt.parse_link_target(
        nt.pack_link_target(target, relative=relative)
    )
    assert read.decode("utf-8", "surrogatepass") == target
    assert is_relative == (relative and not target.startswith(("\\", "/")))


def test_junction_is_absolute() -> None:
    kernel, shown = (
        r"\??\C:\a".encode("utf-16-le"),
        r"C:\a".encode("utf-16-le"),
    )
    body = (
        struct.pack("<HHHH", 0, len(kernel), len(kernel), len(shown))
        + kernel
        + shown
    )
    data = struct.pack("<IHH", nt.TAG_MOUNT_POINT, len(body), 0) + body
    assert nt.parse_link_target(data) == (rb"C:\a", False)


def test_other_reparse_point_is_no_link() -> None:
    with pytest.raises(OSError, match="Invalid") as caught:
        nt.parse_link_target(struct.pack("<IHH", 0x9000001A, 8, 0) + bytes(32))
    assert caught.value.errno == errno.EINVAL


@pytest.mark.parametrize(
    ("data", "number"),
    [
        (struct.pack("<IHH", nt.TAG_SOCKET, 0, 0), errno.EINVAL),
        (
            struct.pack("<IHHI", 0xA000001D, 6, 0, 2) + b"to",
            errno.ELOOP,
        ),  # made by WSL
    ],
)
def test_links_of_other_systems_are_not_followed(
    data: bytes, number: int
) -> None:
    with pytest.raises(OSError) as caught:
        nt.parse_link_target(data)
    assert caught.value.errno == number


@given(NAMES)
def test_name_round_trip(name: str) -> None:
    encoded_name = name.encode("utf-8", "surrogatepass")
    units = nt.text_from_name(encoded_name).encode("utf-16-le", "surrogatepass")
    assert nt.name_from_units(units) == encoded_name


@pytest.mark.parametrize(
    "name", [b"\xff", b"\xc3", b"\xed\xa0\xbd\xed\xb8\x80"]
)
def test_refuses_name_that_is_not_wtf_8(name: bytes) -> None:
    with pytest.raises(OSError, match="not UTF-8"):
        nt.text_from_name(name)
