"""The calls of Windows' `ntdll` that files and folders are made of, each with its structure and its errors.

They take a handle and one name below it, which the Win32 calls above them do not; what the Win32 calls
offer beyond (the path of a handle) is asked of `kernel32`. Loaded when first used, so that the structures
and tables can be read on any system. Numbers are those of the Windows SDK's `ntifs.h` and `winternl.h`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import time
from collections.abc import Callable
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_int32,
    c_size_t,
    c_uint8,
    c_uint16,
    c_uint32,
    c_void_p,
)
from functools import cache
from typing import Any

# What a handle may be used for.
READ_DATA = LIST = 0x0001
WRITE_DATA = ADD_FILE = 0x0002
ADD_FOLDER = 0x0004
TRAVERSE = 0x0020
READ_ATTRIBUTES = 0x0080
WRITE_ATTRIBUTES = 0x0100
DELETE = 0x00010000
READ_RIGHTS = 0x00020000
WRITE_RIGHTS = 0x00040000
SYNCHRONIZE = 0x00100000
GENERIC_READ = 0x00120089
GENERIC_WRITE = 0x00120116

SHARE_READ, SHARE_WRITE, SHARE_DELETE = 1, 2, 4
SHARE_ALL = SHARE_READ | SHARE_WRITE | SHARE_DELETE

OPEN, CREATE, OPEN_OR_CREATE = 1, 2, 3

FOLDER_FILE = 0x00000001
SYNCHRONOUS = 0x00000020
PLAIN_FILE = 0x00000040
THE_LINK_ITSELF = 0x00200000  # FILE_OPEN_REPARSE_POINT

ATTRIBUTE_READONLY = 0x0001
ATTRIBUTE_DIRECTORY = 0x0010
ATTRIBUTE_NORMAL = 0x0080
ATTRIBUTE_REPARSE_POINT = 0x0400

TAG_SYMLINK = 0xA000000C
TAG_MOUNT_POINT = 0xA0000003
TAG_SOCKET = 0x80000023
TAG_FIFO = 0x80000024
TAG_CHARACTER_DEVICE, TAG_BLOCK_DEVICE = 0x80000025, 0x80000026
NAME_SURROGATE = 0x20000000

CASE_INSENSITIVE = 0x40

NO_MORE_FILES = 0x80000006
BUFFER_OVERFLOW = 0x80000005
BUFFER_TOO_SMALL = 0xC0000023
SHARING_VIOLATION = 0xC0000043
LOCK_CONFLICT = 0xC0000054
DELETE_PENDING = 0xC0000056
END_OF_FILE = 0xC0000011
ACCESS_DENIED = 0xC0000022
NO_SUCH_FILE = 0xC000000F
NAME_COLLISION = 0xC0000035
CANNOT_DELETE = 0xC0000121

_NOT_OFFERED = (0xC0000002, 0xC0000003, 0xC000000D, 0xC0000010, 0xC00000BB)
_BUSY = (SHARING_VIOLATION, LOCK_CONFLICT, DELETE_PENDING)

ERRNO = {
    0xC0000002: errno.ENOSYS,  # NOT_IMPLEMENTED
    0xC0000003: errno.ENOSYS,  # INVALID_INFO_CLASS
    0xC0000008: errno.EBADF,  # INVALID_HANDLE
    0xC000000D: errno.EINVAL,  # INVALID_PARAMETER
    NO_SUCH_FILE: errno.ENOENT,
    0xC0000010: errno.EOPNOTSUPP,  # INVALID_DEVICE_REQUEST
    0xC0000017: errno.ENOMEM,
    ACCESS_DENIED: errno.EACCES,
    0xC0000024: errno.ENOTDIR,  # OBJECT_TYPE_MISMATCH
    0xC0000033: errno.EINVAL,  # OBJECT_NAME_INVALID
    0xC0000034: errno.ENOENT,  # OBJECT_NAME_NOT_FOUND
    NAME_COLLISION: errno.EEXIST,
    0xC0000039: errno.EINVAL,  # OBJECT_PATH_INVALID
    0xC000003A: errno.ENOENT,  # OBJECT_PATH_NOT_FOUND
    0xC000003B: errno.EINVAL,  # OBJECT_PATH_SYNTAX_BAD
    SHARING_VIOLATION: errno.ETXTBSY,
    0xC0000044: errno.ENOSPC,  # QUOTA_EXCEEDED
    LOCK_CONFLICT: errno.ETXTBSY,
    DELETE_PENDING: errno.ETXTBSY,
    0xC0000061: errno.EPERM,  # PRIVILEGE_NOT_HELD
    0xC000007F: errno.ENOSPC,  # DISK_FULL
    0xC000009A: errno.ENOMEM,  # INSUFFICIENT_RESOURCES
    0xC00000A2: errno.EROFS,  # MEDIA_WRITE_PROTECTED
    0xC00000BA: errno.EISDIR,  # FILE_IS_A_DIRECTORY
    0xC00000BB: errno.EOPNOTSUPP,  # NOT_SUPPORTED
    0xC00000D4: errno.EXDEV,  # NOT_SAME_DEVICE
    0xC0000101: errno.ENOTEMPTY,
    0xC0000103: errno.ENOTDIR,
    0xC0000106: errno.ENAMETOOLONG,
    0xC000011F: errno.EMFILE,
    CANNOT_DELETE: errno.EACCES,
    0xC0000243: errno.ETXTBSY,  # USER_MAPPED_FILE
    0xC0000265: errno.EMLINK,
    0xC0000275: errno.EINVAL,  # NOT_A_REPARSE_POINT
    0xC0000279: errno.ELOOP,  # IO_REPARSE_TAG_NOT_HANDLED
    0xC000050B: errno.ELOOP,  # REPARSE_POINT_ENCOUNTERED
    0x8000002D: errno.ELOOP,  # STOPPED_ON_SYMLINK
}
"""What a status of the kernel means in the words of the rooms above."""

_ERROR_LOCK_VIOLATION, _ERROR_IO_PENDING = 33, 997
_PAUSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)


class UnicodeString(Structure):
    """`UNICODE_STRING`: lengths in bytes."""

    _fields_ = [("length", c_uint16), ("maximum", c_uint16), ("buffer", c_void_p)]


class ObjectAttributes(Structure):
    """`OBJECT_ATTRIBUTES`: a name, and the handle it is below."""

    _fields_ = [
        ("length", c_uint32),
        ("root", c_void_p),
        ("name", POINTER(UnicodeString)),
        ("attributes", c_uint32),
        ("security", c_void_p),
        ("quality", c_void_p),
    ]


class IoStatus(Structure):
    """`IO_STATUS_BLOCK`: the first member is a union of a status and a pointer."""

    _fields_ = [("status", c_void_p), ("information", c_size_t)]


class Overlapped(Structure):
    """`OVERLAPPED`: where in a file."""

    _fields_ = [
        ("internal", c_size_t),
        ("internal_high", c_size_t),
        ("offset", c_uint32),
        ("offset_high", c_uint32),
        ("event", c_void_p),
    ]


ALL = struct.Struct("<qqqqI4x qqI??2x q")
"""The beginning of `FILE_ALL_INFORMATION`: basic, standard and internal information."""
ID = struct.Struct("<Q16s")
"""`FILE_ID_INFORMATION`: the volume's serial number and the file's number."""
BASIC = struct.Struct("<qqqqI4x")
"""`FILE_BASIC_INFORMATION`: made, read, written, changed; attributes. Zero leaves one as it is."""
SIZES = struct.Struct("<qqqII")
"""`FILE_FS_FULL_SIZE_INFORMATION`: total, for us, free; sectors of a unit; bytes of a sector."""
ENTRY = struct.Struct("<II qqqqqq III B x 24s 2x q")
"""`FILE_ID_BOTH_DIR_INFORMATION` up to the name."""
DESCRIPTOR = struct.Struct("<BxHIIII")
"""`SECURITY_DESCRIPTOR_RELATIVE`: revision, control; where owner, group, system's and user's list begin."""
RENAME_HEAD = struct.Struct("<I4x Q I")
"""`FILE_RENAME_INFORMATION` and `FILE_LINK_INFORMATION` up to the name."""

JOB = struct.Struct("<qqI4xQQI4xQII 6Q QQQQ")
"""`JOBOBJECT_EXTENDED_LIMIT_INFORMATION`: times, flags, working set, processes; traffic; memory."""

_CLASS_BASIC, _CLASS_STANDARD, _CLASS_INTERNAL = 4, 5, 6
_CLASS_RENAME, _CLASS_LINK, _CLASS_DISPOSITION = 10, 11, 13
_CLASS_ALL, _CLASS_TAG, _CLASS_ID_BOTH, _CLASS_ID = 18, 35, 37, 59
_CLASS_DISPOSITION_EX, _CLASS_RENAME_EX = 64, 65
_FS_VOLUME, _FS_ATTRIBUTE, _FS_FULL_SIZE = 1, 5, 7
_LIST_OF_RIGHTS = 4  # DACL_SECURITY_INFORMATION
_LIST_PRESENT, _INHERIT_REQUESTED, _INHERITED, _PROTECTED = (
    0x0004,
    0x0100,
    0x0400,
    0x1000,
)
_ENTRY_INHERITED = 0x10
_GET_REPARSE_POINT, _SET_REPARSE_POINT = 0x000900A8, 0x000900A4


@cache
def _ntdll() -> Any:
    library = ctypes.WinDLL("ntdll")  # type: ignore[attr-defined,unused-ignore]
    handle, pointer, number = c_void_p, c_void_p, c_uint32
    status_block, long_pointer = POINTER(IoStatus), c_void_p
    for name, arguments in {
        "NtCreateFile": (
            POINTER(c_void_p), number, POINTER(ObjectAttributes), status_block, long_pointer,
            number, number, number, number, pointer, number,
        ),
        "NtClose": (handle,),
        "NtReadFile": (
            handle, handle, pointer, pointer, status_block, pointer, number, long_pointer, pointer
        ),
        "NtWriteFile": (
            handle, handle, pointer, pointer, status_block, pointer, number, long_pointer, pointer
        ),
        "NtFlushBuffersFile": (handle, status_block),
        "NtQueryInformationFile": (handle, status_block, pointer, number, number),
        "NtSetInformationFile": (handle, status_block, pointer, number, number),
        "NtQuerySecurityObject": (handle, number, pointer, number, POINTER(c_uint32)),
        "NtSetSecurityObject": (handle, number, pointer),
        "NtQueryVolumeInformationFile": (handle, status_block, pointer, number, number),
        "NtQueryDirectoryFile": (
            handle, handle, pointer, pointer, status_block, pointer, number, number, c_uint8, pointer, c_uint8
        ),
        "NtFsControlFile": (
            handle, handle, pointer, pointer, status_block, number, pointer, number, pointer, number
        ),
    }.items():  # fmt: skip
        call = library[name]
        call.argtypes = arguments
        call.restype = c_int32
    return library


@cache
def on_wine() -> bool:
    """Whether this is Wine, which makes up when a thing was made, from when it was last changed."""
    return hasattr(_ntdll(), "wine_get_version")


@cache
def _kernel32() -> Any:
    library = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
    call = library.GetFinalPathNameByHandleW
    call.argtypes = (c_void_p, c_void_p, c_uint32, c_uint32)
    call.restype = c_uint32
    for name, arguments in {
        "CreateJobObjectW": (c_void_p, c_void_p),
        "OpenProcess": (c_uint32, c_int32, c_uint32),
        "SetInformationJobObject": (c_void_p, c_int32, c_void_p, c_uint32),
        "AssignProcessToJobObject": (c_void_p, c_void_p),
    }.items():
        library[name].argtypes = arguments
        library[name].restype = c_void_p
    call = library.LockFileEx
    call.argtypes = (
        c_void_p,
        c_uint32,
        c_uint32,
        c_uint32,
        c_uint32,
        POINTER(Overlapped),
    )
    call.restype = c_int32
    return library


def error_of(status: int, name: bytes | None = None) -> OSError:
    """The `OSError` of a status, of the class that its `errno` has."""
    status &= 0xFFFFFFFF
    number = ERRNO.get(status, errno.EIO)
    text = os.strerror(number) + (
        f" (status {status:08X})" if number == errno.EIO else ""
    )
    if status in _BUSY:
        text = "another program has it open and does not share it"
    return OSError(number, text) if name is None else OSError(number, text, name)


def _call(name: str, *arguments: Any) -> int:
    """The status of a call of `ntdll`; 0 for every success."""
    status: int = getattr(_ntdll(), name)(*arguments)
    return status & 0xFFFFFFFF if status < 0 else 0


def require(status: int, name: bytes | None = None) -> None:
    """Raise the error of a status that is none of success."""
    if status:
        raise error_of(status, name)


def wide(name: bytes) -> str:
    """The text of a name; raises `OSError(EINVAL)` for what is not WTF-8."""
    try:
        text = name.decode("utf-8", "surrogatepass")
        if (
            text.encode("utf-16-le", "surrogatepass").decode(
                "utf-16-le", "surrogatepass"
            )
            == text
        ):
            return text
    except UnicodeDecodeError:
        pass
    raise OSError(errno.EINVAL, "the name is not UTF-8", name)


def narrow(units: bytes) -> bytes:
    """The name of UTF-16 units."""
    return units.decode("utf-16-le", "surrogatepass").encode("utf-8", "surrogatepass")


def _unicode(text: str) -> UnicodeString:
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) > 65_000:  # The length must fit into 16 bits.
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), text)
    string = UnicodeString(len(units), len(units))
    string.kept = ctypes.create_string_buffer(
        units, len(units) + 2
    )  # As long as the string that leads to it.
    string.buffer = ctypes.addressof(string.kept)
    return string


def open_below(
    folder: int | None,
    name: bytes | str,
    access: int,
    options: int = THE_LINK_ITSELF,
    *,
    disposition: int = OPEN,
    share: int = SHARE_ALL,
    patient: bool = True,
) -> int:
    """Open or create one name below a folder's handle (`b""`: the thing itself), or an NT path below nothing.

    What another program does not share is waited for, 0.4 s in all, unless not `patient`.
    """
    string = _unicode(wide(name) if isinstance(name, bytes) else name)
    size, below = ctypes.sizeof(ObjectAttributes), ctypes.pointer(string)
    asked = ObjectAttributes(size, folder, below, CASE_INSENSITIVE, None, None)
    handle = c_void_p()

    def ask() -> int:
        how = ATTRIBUTE_NORMAL, share, disposition, options | SYNCHRONOUS
        return _call(
            "NtCreateFile",
            byref(handle),
            access | SYNCHRONIZE,
            byref(asked),
            byref(IoStatus()),
            None,
            *how,
            None,
            0,
        )

    require(patiently(ask) if patient else ask(), os.fsencode(name))
    assert handle.value is not None
    return handle.value


def patiently(ask: Callable[[], int]) -> int:
    """The status of a call that others are in the way of for a moment: an indexer, a virus scanner, a build.

    Asked again for 0.4 s in all; 0 if it is done.
    """
    for pause in _PAUSES:
        status = ask()
        if status not in _BUSY:
            return status
        time.sleep(pause)
    return ask()


def close(handle: int) -> None:
    """Let go of a handle."""
    _ntdll().NtClose(handle)


def read_into(handle: int, address: int, length: int, offset: int) -> int:
    """Read at an offset into memory; how many bytes there were, 0 at the end."""
    return _transferred("NtReadFile", handle, address, length, offset)


def write_from(handle: int, address: int, length: int, offset: int) -> int:
    """Write memory at an offset; how many bytes were taken."""
    return _transferred("NtWriteFile", handle, address, length, offset)


def _transferred(call: str, handle: int, address: int, length: int, offset: int) -> int:
    done, place = IoStatus(), byref(ctypes.c_int64(offset))
    status = _call(
        call, handle, None, None, None, byref(done), address, length, place, None
    )
    if status == END_OF_FILE:
        return 0
    require(status)
    return int(done.information)


def flush(handle: int) -> None:
    """Bring it to the disk; the handle must be one for writing."""
    require(_call("NtFlushBuffersFile", handle, byref(IoStatus())))


def _query(handle: int, what: int, size: int) -> bytes:
    buffer = ctypes.create_string_buffer(size)
    status = _call(
        "NtQueryInformationFile", handle, byref(IoStatus()), buffer, size, what
    )
    if status != BUFFER_OVERFLOW:  # The name at the end is not what was asked for.
        require(status)
    return buffer.raw


def _set(handle: int, what: int, data: bytes) -> int:
    buffer = ctypes.create_string_buffer(data, len(data))
    return _call(
        "NtSetInformationFile", handle, byref(IoStatus()), buffer, len(data), what
    )


def query_all(handle: int) -> tuple[Any, ...]:
    """Made, read, written, changed, attributes; allocated, size, links, deleted, is folder; number."""
    try:
        return ALL.unpack_from(_query(handle, _CLASS_ALL, 256))
    except NotADirectoryError:
        # Wine knows no name of what lies in a folder that was renamed meanwhile, and then says nothing at all.
        each = ((_CLASS_BASIC, 40), (_CLASS_STANDARD, 24), (_CLASS_INTERNAL, 8))
        return ALL.unpack(b"".join(_query(handle, what, size) for what, size in each))


def query_tag(handle: int) -> int:
    """What kind of reparse point it is; 0 for none."""
    attributes, tag = struct.unpack("<II", _query(handle, _CLASS_TAG, 8))
    return int(tag) if attributes & ATTRIBUTE_REPARSE_POINT else 0


def query_identity(handle: int, number: int) -> tuple[int, int]:
    """(volume, number): of 64 and 128 bits, where the file system says; `number` is the one of 64 bits."""
    try:
        volume, long_number = ID.unpack(_query(handle, _CLASS_ID, ID.size))
    except OSError:
        return int.from_bytes(
            _query_volume(handle, _FS_VOLUME, 512)[8:12], "little"
        ), number
    return int(volume), int.from_bytes(long_number, "little")


def identity(handle: int) -> tuple[int, int]:
    """What stays the same however it is named: see `query_identity`."""
    return query_identity(handle, query_all(handle)[-1])


def free_bytes(handle: int) -> int:
    """The bytes that are free for us on its volume."""
    _, ours, _, sectors, size = SIZES.unpack(
        _query_volume(handle, _FS_FULL_SIZE, SIZES.size)
    )
    return int(ours * sectors * size)


def file_system(handle: int) -> str:
    """What the file system of its volume calls itself: `NTFS`, `FAT32`."""
    data = _query_volume(handle, _FS_ATTRIBUTE, 128)
    return narrow(data[12 : 12 + int.from_bytes(data[8:12], "little")]).decode()


def _query_volume(handle: int, what: int, size: int) -> bytes:
    buffer = ctypes.create_string_buffer(size)
    require(
        _call(
            "NtQueryVolumeInformationFile",
            handle,
            byref(IoStatus()),
            buffer,
            size,
            what,
        )
    )
    return buffer.raw


def set_basic(
    handle: int, *, read: int = 0, written: int = 0, attributes: int = 0
) -> None:
    """Set times, in 100 ns since 1601, and attributes; 0 leaves one as it is."""
    require(_set(handle, _CLASS_BASIC, BASIC.pack(0, read, written, 0, attributes)))


def query_rights(handle: int) -> bytes:
    """The security descriptor of an open thing with nothing but its access control list."""
    size, needed = 1024, c_uint32()
    while True:
        buffer = ctypes.create_string_buffer(size)
        status = _call(
            "NtQuerySecurityObject",
            handle,
            _LIST_OF_RIGHTS,
            buffer,
            size,
            byref(needed),
        )
        if status != BUFFER_TOO_SMALL or needed.value <= size:
            require(status)
            return buffer.raw[: needed.value]
        size = needed.value


def set_rights(handle: int, descriptor: bytes) -> None:
    """Give an open thing an access control list that `query_rights` gave."""
    revision, control, *places = DESCRIPTOR.unpack_from(descriptor)
    if control & _INHERITED:
        # Else the system forgets that what its folder gives it changes with the folder.
        control |= _INHERIT_REQUESTED
    data = DESCRIPTOR.pack(revision, control, *places) + descriptor[DESCRIPTOR.size :]
    buffer = ctypes.create_string_buffer(data, len(data))
    require(_call("NtSetSecurityObject", handle, _LIST_OF_RIGHTS, buffer))


def rights_are_its_own(descriptor: bytes) -> bool:
    """Whether an access control list says more than what a folder gives all that is made in it."""
    _, control, *_, at = DESCRIPTOR.unpack_from(descriptor)
    if not control & _LIST_PRESENT:
        return False
    if control & _PROTECTED or not at:
        return True
    (count,) = struct.unpack_from("<H", descriptor, at + 4)
    entry = at + 8
    for _ in range(count):
        flags, length = (
            descriptor[entry + 1],
            int.from_bytes(descriptor[entry + 2 : entry + 4], "little"),
        )
        if not flags & _ENTRY_INHERITED:
            return True
        entry += length
    return not count


def _head(flags: int, folder: int, name: bytes) -> bytes:
    """What a rename or a link takes: never shorter than the structure, whatever the name."""
    units = wide(name).encode("utf-16-le", "surrogatepass")
    return (RENAME_HEAD.pack(flags, folder, len(units)) + units).ljust(24, b"\0")


def rename(handle: int, folder: int, name: bytes, *, replace: bool) -> int:
    """Rename an open thing below a folder, in one step; the status, 0 if it is done.

    With POSIX semantics, by which a file that others hold open is replaced as well; where Windows
    (before 10) or Wine lack them, as of old.
    """
    posix, over_read_only = 0x2, 0x40
    status = _set(
        handle,
        _CLASS_RENAME_EX,
        _head(posix | over_read_only | int(replace), folder, name),
    )
    if status in _NOT_OFFERED:
        status = _set(handle, _CLASS_RENAME, _head(int(replace), folder, name))
    return status


def link(handle: int, folder: int, name: bytes) -> int:
    """Give an open file one more name below a folder; the status, 0 if it is done."""
    return _set(handle, _CLASS_LINK, _head(0, folder, name))


def remove(handle: int) -> int:
    """Remove the name of an open thing; the status, 0 if it is done.

    The name is gone at once where Windows has that (since 10), else when the last handle is closed.
    """
    delete, posix, read_only = 0x1, 0x2, 0x10
    status = _set(
        handle, _CLASS_DISPOSITION_EX, struct.pack("<I", delete | posix | read_only)
    )
    if status in _NOT_OFFERED:
        status = _set(handle, _CLASS_DISPOSITION, b"\1")
    return status


def lock(handle: int, *, exclusive: bool) -> bool:
    """Lock the first byte of a file; False if another handle has it."""
    fail_at_once, to_itself, where = 1, 2, Overlapped()
    flags = fail_at_once | (to_itself if exclusive else 0)
    if _kernel32().LockFileEx(handle, flags, 0, 1, 0, byref(where)):
        return True
    number = _last_error()
    if number in (_ERROR_LOCK_VIOLATION, _ERROR_IO_PENDING):
        return False
    raise OSError(errno.ENOLCK, f"the file cannot be locked (error {number})")


def bind_process(number: int, memory: int) -> int:
    """A job that holds a process to `memory` bytes and to no children, and ends it when the job is closed."""
    kernel32 = _kernel32()
    may_quota_and_end, extended = 0x0101, 9
    ends_with_job, one_process, own_memory = 0x2000, 0x8, 0x100
    job = kernel32.CreateJobObjectW(None, None)
    process = kernel32.OpenProcess(may_quota_and_end, 0, number)
    limits = JOB.pack(
        0,
        0,
        ends_with_job | one_process | own_memory,
        0,
        0,
        1,
        0,
        0,
        0,
        *(0,) * 6,
        memory,
        0,
        0,
        0,
    )
    try:
        if not (
            job
            and process
            and kernel32.SetInformationJobObject(job, extended, limits, len(limits))
            and kernel32.AssignProcessToJobObject(job, process)
        ):
            raise OSError(
                errno.ECHILD,
                f"the process cannot be bound to a job (error {_last_error()})",
            )
    except OSError:
        if job:
            close(job)
        raise
    finally:
        if process:
            close(process)
    return int(job)


def _last_error() -> int:
    return int(ctypes.get_last_error())  # type: ignore[attr-defined,unused-ignore]


def entries(
    handle: int, buffer: ctypes.Array[ctypes.c_char], *, restart: bool
) -> list[tuple[bytes, int, int]]:
    """Some of the names of a folder: (name, attributes, reparse tag); empty at the end."""
    status = _listed(handle, buffer, None, restart=restart)
    if status in (NO_MORE_FILES, NO_SUCH_FILE):
        return []
    require(status)
    return read_entries(buffer.raw)


def entry_name(handle: int, name: bytes) -> bytes:
    """The name of a folder's entry as the folder spells it. Raises `FileNotFoundError`."""
    buffer = ctypes.create_string_buffer(2048)
    status = _listed(handle, buffer, byref(_unicode(wide(name))), restart=True)
    require(NO_SUCH_FILE if status == NO_MORE_FILES else status, name)
    return read_entries(buffer.raw)[0][0]


def _listed(
    handle: int, buffer: ctypes.Array[ctypes.c_char], name: Any, *, restart: bool
) -> int:
    one = int(name is not None)
    what = buffer, len(buffer), _CLASS_ID_BOTH, one, name, int(restart)
    return _call(
        "NtQueryDirectoryFile", handle, None, None, None, byref(IoStatus()), *what
    )


def read_entries(data: bytes) -> list[tuple[bytes, int, int]]:
    """What `entries` finds in the buffer that the system filled."""
    found: list[tuple[bytes, int, int]] = []
    at = 0
    while True:
        following, *_, attributes, length, tag, _, _, _ = ENTRY.unpack_from(data, at)
        name = narrow(data[at + ENTRY.size : at + ENTRY.size + length])
        if name not in (b".", b".."):
            found.append(
                (name, attributes, tag if attributes & ATTRIBUTE_REPARSE_POINT else 0)
            )
        if not following:
            return found
        at += following


def link_target(handle: int) -> tuple[bytes, bool]:
    """Where an open link points, and whether that is relative. `OSError(EINVAL)` if it is none that says so."""
    return read_target(_controlled(handle, _GET_REPARSE_POINT, b"", 16 * 1024))


def _controlled(handle: int, control: int, data: bytes, room: int) -> bytes:
    given, answer, done = (
        ctypes.create_string_buffer(data, len(data)),
        ctypes.create_string_buffer(room),
        IoStatus(),
    )
    where = given, len(data), answer, room
    require(
        _call("NtFsControlFile", handle, None, None, None, byref(done), control, *where)
    )
    return answer.raw[: done.information]


def read_target(data: bytes) -> tuple[bytes, bool]:
    """What `link_target` finds in a `REPARSE_DATA_BUFFER`."""
    tag = int.from_bytes(data[:4], "little")
    if tag not in (TAG_SYMLINK, TAG_MOUNT_POINT):
        # A link of another system (WSL makes some): Windows itself follows none. The rest are no links.
        number = errno.ELOOP if tag & NAME_SURROGATE else errno.EINVAL
        raise OSError(number, os.strerror(number))
    substitute_at, substitute_length, print_at, print_length = struct.unpack_from(
        "<HHHH", data, 8
    )
    relative, start = False, 16
    if tag == TAG_SYMLINK:
        relative, start = bool(data[16] & 1), 20
    at, length = (
        (print_at, print_length) if print_length else (substitute_at, substitute_length)
    )
    target = narrow(data[start + at : start + at + length])
    return target, relative and not target.startswith((b"\\", b"/"))


def link_data(target: str, *, relative: bool) -> bytes:
    """The `REPARSE_DATA_BUFFER` of a symbolic link to `target`."""
    shown = target.encode("utf-16-le", "surrogatepass")
    kernel = (
        shown if relative else ("\\??\\" + target).encode("utf-16-le", "surrogatepass")
    )
    names = kernel + shown
    body = (
        struct.pack("<HHHHI", 0, len(kernel), len(kernel), len(shown), int(relative))
        + names
    )
    return struct.pack("<IHH", TAG_SYMLINK, len(body), 0) + body


def make_link(handle: int, target: str, *, relative: bool) -> None:
    """Make an open empty file or folder a symbolic link."""
    _controlled(handle, _SET_REPARSE_POINT, link_data(target, relative=relative), 0)


def path_of(handle: int) -> str | None:
    r"""The path of a handle at this moment with long names, `\\?\C:\…`; None if nobody says."""
    size = 1024
    while size <= 65536:
        buffer = ctypes.create_unicode_buffer(size)
        length = _kernel32().GetFinalPathNameByHandleW(handle, buffer, size, 0)
        if length == 0:
            return None
        if length < size:
            return buffer.value
        size = length + 1
    return None
