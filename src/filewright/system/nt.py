"""Calls of Windows' `ntdll` on files and folders, with their structures and errors.

These calls take a handle and one name below it; the Win32 calls do not. `kernel32` is
only called for the path of a handle, for locks and for jobs. The libraries are loaded
when they are first used, so the structures and tables can be tested on every system.
Numbers are those of the Windows SDK's `ntifs.h` and `winternl.h`.
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
from dataclasses import dataclass
from functools import cache
from typing import Any

# Access rights of a handle.
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

NOT_OFFERED_STATUSES = (
    0xC0000002,
    0xC0000003,
    0xC000000D,
    0xC0000010,
    0xC00000BB,
)
BUSY_STATUSES = (SHARING_VIOLATION, LOCK_CONFLICT, DELETE_PENDING)

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
"""The `errno` for each status of the kernel; the packages above know no status."""

ERROR_LOCK_VIOLATION, ERROR_IO_PENDING = 33, 997
RETRY_PAUSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)


class UnicodeString(Structure):
    """`UNICODE_STRING`: lengths in bytes."""

    _fields_ = [
        ("length", c_uint16),
        ("maximum", c_uint16),
        ("buffer", c_void_p),
    ]


class ObjectAttributes(Structure):
    """`OBJECT_ATTRIBUTES`: a name, and the handle of the folder that holds it."""

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
    """`OVERLAPPED`: an offset in a file."""

    _fields_ = [
        ("internal", c_size_t),
        ("internal_high", c_size_t),
        ("offset", c_uint32),
        ("offset_high", c_uint32),
        ("event", c_void_p),
    ]


ALL_INFORMATION = struct.Struct("<qqqqI4x qqI??2x q")
"""The beginning of `FILE_ALL_INFORMATION`: basic, standard and internal information."""
ID_INFORMATION = struct.Struct("<Q16s")
"""`FILE_ID_INFORMATION`: the volume's serial number and the file's number."""
BASIC_INFORMATION = struct.Struct("<qqqqI4x")
"""`FILE_BASIC_INFORMATION`: times created, read, written, changed; attributes.

A value of 0 leaves that field unchanged.
"""
SIZE_INFORMATION = struct.Struct("<qqqII")
"""`FILE_FS_FULL_SIZE_INFORMATION`: units in all, available, free; unit sizes."""
DIRECTORY_ENTRY = struct.Struct("<II qqqqqq III B x 24s 2x q")
"""`FILE_ID_BOTH_DIR_INFORMATION` up to the name."""
SECURITY_DESCRIPTOR = struct.Struct("<BxHIIII")
"""`SECURITY_DESCRIPTOR_RELATIVE`: revision, control; offsets of owner, group, lists."""
RENAME_HEAD = struct.Struct("<I4x Q I")
"""`FILE_RENAME_INFORMATION` and `FILE_LINK_INFORMATION` up to the name."""

JOB_LIMITS = struct.Struct("<qqI4xQQI4xQII 6Q QQQQ")
"""`JOBOBJECT_EXTENDED_LIMIT_INFORMATION`.

Its fields are times, flags, working set, processes; traffic; memory.
"""

_CLASS_BASIC, _CLASS_STANDARD, _CLASS_INTERNAL = 4, 5, 6
_CLASS_RENAME, _CLASS_LINK, _CLASS_DISPOSITION = 10, 11, 13
_CLASS_ALL, _CLASS_TAG, _CLASS_ID_BOTH, _CLASS_ID = 18, 35, 37, 59
_CLASS_DISPOSITION_EX, _CLASS_RENAME_EX = 64, 65
_FS_VOLUME, _FS_ATTRIBUTE, _FS_FULL_SIZE = 1, 5, 7
DACL_SECURITY_INFORMATION = 4  # DACL_SECURITY_INFORMATION
(
    DACL_PRESENT,
    DACL_AUTO_INHERIT_REQUESTED,
    DACL_AUTO_INHERITED,
    DACL_PROTECTED,
) = (
    0x0004,
    0x0100,
    0x0400,
    0x1000,
)
INHERITED_ACE = 0x10
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
    """Return True on Wine, where times of creation are those of the last change."""
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


def error_from_status(status: int, name: bytes | None = None) -> OSError:
    """Return the `OSError` of a status, of the subclass that belongs to its `errno`."""
    status &= 0xFFFFFFFF
    number = ERRNO.get(status, errno.EIO)
    text = os.strerror(number) + (
        f" (status {status:08X})" if number == errno.EIO else ""
    )
    if status in BUSY_STATUSES:
        text = "another program has it open and does not share it"
    return (
        OSError(number, text) if name is None else OSError(number, text, name)
    )


def _call(name: str, *arguments: Any) -> int:
    """Call a function of `ntdll` and return its status, or 0 if it succeeded."""
    status: int = getattr(_ntdll(), name)(*arguments)
    return status & 0xFFFFFFFF if status < 0 else 0


def require(status: int, name: bytes | None = None) -> None:
    """Raise the error of a status, unless it is 0."""
    if status:
        raise error_from_status(status, name)


def text_from_name(name: bytes) -> str:
    """Return the text of a name. Raises `OSError(EINVAL)` if the name is not WTF-8."""
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


def name_from_units(units: bytes) -> bytes:
    """Return the name that UTF-16 units spell."""
    return units.decode("utf-16-le", "surrogatepass").encode(
        "utf-8", "surrogatepass"
    )


def _unicode(text: str) -> UnicodeString:
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) > 65_000:  # The length must fit into 16 bits.
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), text)
    string = UnicodeString(len(units), len(units))
    # The structure holds only an address, so the buffer must live as long as it does.
    string.units = ctypes.create_string_buffer(units, len(units) + 2)
    string.buffer = ctypes.addressof(string.units)
    return string


def open_below(
    folder: int | None,
    name: bytes | str,
    access: int,
    options: int = THE_LINK_ITSELF,
    *,
    disposition: int = OPEN,
    share: int = SHARE_ALL,
    wait_while_busy: bool = True,
) -> int:
    """Open or create one name below a folder's handle, and return its handle.

    `b""` opens the folder or file of the handle again; without a handle, `name` is an
    NT path. With `wait_while_busy`, wait 0.4 s in all for a file that another program
    does not share.
    """
    unicode_name = _unicode(
        text_from_name(name) if isinstance(name, bytes) else name
    )
    structure_size, name_pointer = (
        ctypes.sizeof(ObjectAttributes),
        ctypes.pointer(unicode_name),
    )
    object_attributes = ObjectAttributes(
        structure_size, folder, name_pointer, CASE_INSENSITIVE, None, None
    )
    handle = c_void_p()

    def ask() -> int:
        sharing = ATTRIBUTE_NORMAL, share, disposition, options | SYNCHRONOUS
        return _call(
            "NtCreateFile",
            byref(handle),
            access | SYNCHRONIZE,
            byref(object_attributes),
            byref(IoStatus()),
            None,
            *sharing,
            None,
            0,
        )

    require(
        retry_while_busy(ask) if wait_while_busy else ask(), os.fsencode(name)
    )
    assert handle.value is not None
    return handle.value


def retry_while_busy(call: Callable[[], int]) -> int:
    """Repeat a call while another program has the file open, and return its status.

    Indexers, virus scanners and builds open a file for a moment. The call is repeated
    for 0.4 s in all.
    """
    for pause in RETRY_PAUSES:
        status = call()
        if status not in BUSY_STATUSES:
            return status
        time.sleep(pause)
    return call()


def close(handle: int) -> None:
    """Close a handle."""
    _ntdll().NtClose(handle)


def read_into(handle: int, address: int, length: int, offset: int) -> int:
    """Read at an offset into memory; return the number of bytes read, 0 at the end."""
    return _transfer("NtReadFile", handle, address, length, offset)


def write_from(handle: int, address: int, length: int, offset: int) -> int:
    """Write memory at an offset; return the number of bytes written."""
    return _transfer("NtWriteFile", handle, address, length, offset)


def _transfer(
    call: str, handle: int, address: int, length: int, offset: int
) -> int:
    io_status, position = IoStatus(), byref(ctypes.c_int64(offset))
    status = _call(
        call,
        handle,
        None,
        None,
        None,
        byref(io_status),
        address,
        length,
        position,
        None,
    )
    if status == END_OF_FILE:
        return 0
    require(status)
    return int(io_status.information)


def flush(handle: int) -> None:
    """Flush a file or folder to the disk. The handle must be open for writing."""
    require(_call("NtFlushBuffersFile", handle, byref(IoStatus())))


def _query_information(handle: int, information_class: int, size: int) -> bytes:
    buffer = ctypes.create_string_buffer(size)
    status = _call(
        "NtQueryInformationFile",
        handle,
        byref(IoStatus()),
        buffer,
        size,
        information_class,
    )
    if (
        status != BUFFER_OVERFLOW
    ):  # The name at the end does not fit, and is not needed.
        require(status)
    return buffer.raw


def _set_information(handle: int, information_class: int, data: bytes) -> int:
    buffer = ctypes.create_string_buffer(data, len(data))
    return _call(
        "NtSetInformationFile",
        handle,
        byref(IoStatus()),
        buffer,
        len(data),
        information_class,
    )


@dataclass(frozen=True, slots=True)
class FileInformation:
    """The fields of `ALL_INFORMATION`. Times are in 100 ns since 1601."""

    created: int
    read: int
    written: int
    changed: int
    attributes: int
    allocated_bytes: int
    size: int
    link_count: int
    is_deleted: bool
    is_folder: bool
    number: int


def query_all(handle: int) -> FileInformation:
    """Return times, attributes, size and number of an open file or folder."""
    try:
        information = _query_information(handle, _CLASS_ALL, 256)
    except NotADirectoryError:
        # Wine fails to find the name of a file whose folder was renamed, and then
        # returns nothing: ask for the parts that need no name.
        information = (
            _query_information(handle, _CLASS_BASIC, 40)
            + _query_information(handle, _CLASS_STANDARD, 24)
            + _query_information(handle, _CLASS_INTERNAL, 8)
        )
    return FileInformation(*ALL_INFORMATION.unpack_from(information))


def query_tag(handle: int) -> int:
    """Return the tag of a reparse point; 0 if it is none."""
    attributes, tag = struct.unpack(
        "<II", _query_information(handle, _CLASS_TAG, 8)
    )
    return int(tag) if attributes & ATTRIBUTE_REPARSE_POINT else 0


def query_identity(handle: int, short_number: int) -> tuple[int, int]:
    """Return (volume, number), of 64 and 128 bits if the file system has them.

    `short_number` is the file's number of 64 bits, for other file systems.
    """
    try:
        volume, long_number = ID_INFORMATION.unpack(
            _query_information(handle, _CLASS_ID, ID_INFORMATION.size)
        )
    except OSError:
        serial_number = _query_volume(handle, _FS_VOLUME, 512)[8:12]
        return int.from_bytes(serial_number, "little"), short_number
    return int(volume), int.from_bytes(long_number, "little")


def identity(handle: int) -> tuple[int, int]:
    """Return the identity of an open file, whatever its name: see `query_identity`."""
    return query_identity(handle, query_all(handle).number)


def free_bytes(handle: int) -> int:
    """Return the bytes that are free for this user on the volume of a handle."""
    _, available, _, sectors, size = SIZE_INFORMATION.unpack(
        _query_volume(handle, _FS_FULL_SIZE, SIZE_INFORMATION.size)
    )
    return int(available * sectors * size)


def file_system(handle: int) -> str:
    """Return the name of the file system of a handle: `NTFS`, `FAT32`."""
    data = _query_volume(handle, _FS_ATTRIBUTE, 128)
    return name_from_units(
        data[12 : 12 + int.from_bytes(data[8:12], "little")]
    ).decode()


def _query_volume(handle: int, information_class: int, size: int) -> bytes:
    buffer = ctypes.create_string_buffer(size)
    require(
        _call(
            "NtQueryVolumeInformationFile",
            handle,
            byref(IoStatus()),
            buffer,
            size,
            information_class,
        )
    )
    return buffer.raw


def set_basic(
    handle: int, *, read: int = 0, written: int = 0, attributes: int = 0
) -> None:
    """Set times, in 100 ns since 1601, and attributes; 0 leaves one unchanged."""
    require(
        _set_information(
            handle,
            _CLASS_BASIC,
            BASIC_INFORMATION.pack(0, read, written, 0, attributes),
        )
    )


def query_rights(handle: int) -> bytes:
    """Return the security descriptor of a file, with its access control list only."""
    size, needed = 1024, c_uint32()
    while True:
        buffer = ctypes.create_string_buffer(size)
        status = _call(
            "NtQuerySecurityObject",
            handle,
            DACL_SECURITY_INFORMATION,
            buffer,
            size,
            byref(needed),
        )
        if status != BUFFER_TOO_SMALL or needed.value <= size:
            require(status)
            return buffer.raw[: needed.value]
        size = needed.value


def set_rights(handle: int, descriptor: bytes) -> None:
    """Set the access control list of an open file, as returned by `query_rights`."""
    revision, control, *offsets = SECURITY_DESCRIPTOR.unpack_from(descriptor)
    if control & DACL_AUTO_INHERITED:
        # Otherwise the inherited entries would no longer follow changes of the
        # folder's.
        control |= DACL_AUTO_INHERIT_REQUESTED
    data = (
        SECURITY_DESCRIPTOR.pack(revision, control, *offsets)
        + descriptor[SECURITY_DESCRIPTOR.size :]
    )
    buffer = ctypes.create_string_buffer(data, len(data))
    require(
        _call("NtSetSecurityObject", handle, DACL_SECURITY_INFORMATION, buffer)
    )


def has_own_rights(descriptor: bytes) -> bool:
    """Return True if an access control list has entries that are not inherited."""
    _, control, *_, list_offset = SECURITY_DESCRIPTOR.unpack_from(descriptor)
    if not control & DACL_PRESENT:
        return False
    if control & DACL_PROTECTED or not list_offset:
        return True
    (entry_count,) = struct.unpack_from("<H", descriptor, list_offset + 4)
    entry_offset = list_offset + 8
    for _ in range(entry_count):
        flags, length = (
            descriptor[entry_offset + 1],
            int.from_bytes(
                descriptor[entry_offset + 2 : entry_offset + 4], "little"
            ),
        )
        if not flags & INHERITED_ACE:
            return True
        entry_offset += length
    return not entry_count


def _pack_target_name(flags: int, folder: int, name: bytes) -> bytes:
    """Return the input of a rename or link, padded to the size of the structure."""
    units = text_from_name(name).encode("utf-16-le", "surrogatepass")
    return (RENAME_HEAD.pack(flags, folder, len(units)) + units).ljust(
        24, b"\0"
    )


def rename(handle: int, folder: int, name: bytes, *, replace: bool) -> int:
    """Rename an open file or folder in one step; return the status, 0 if it succeeded.

    POSIX semantics replace a file that other programs have open. Windows before 10 and
    Wine lack them; there the older call is used, which does not.
    """
    posix_semantics, ignore_read_only = 0x2, 0x40
    status = _set_information(
        handle,
        _CLASS_RENAME_EX,
        _pack_target_name(
            posix_semantics | ignore_read_only | int(replace), folder, name
        ),
    )
    if status in NOT_OFFERED_STATUSES:
        status = _set_information(
            handle, _CLASS_RENAME, _pack_target_name(int(replace), folder, name)
        )
    return status


def link(handle: int, folder: int, name: bytes) -> int:
    """Give an open file one more name in a folder; return the status."""
    return _set_information(
        handle, _CLASS_LINK, _pack_target_name(0, folder, name)
    )


def remove(handle: int) -> int:
    """Remove the name of an open file or folder; return the status, 0 if it succeeded.

    The name disappears at once on Windows 10 and later, else when the last handle of
    the file is closed.
    """
    delete, posix_semantics, ignore_read_only = 0x1, 0x2, 0x10
    status = _set_information(
        handle,
        _CLASS_DISPOSITION_EX,
        struct.pack("<I", delete | posix_semantics | ignore_read_only),
    )
    if status in NOT_OFFERED_STATUSES:
        status = _set_information(handle, _CLASS_DISPOSITION, b"\1")
    return status


def lock(handle: int, *, exclusive: bool) -> bool:
    """Lock the first byte of a file; return False if another handle has the lock."""
    fail_immediately, exclusive_flag, first_byte = 1, 2, Overlapped()
    flags = fail_immediately | (exclusive_flag if exclusive else 0)
    if _kernel32().LockFileEx(handle, flags, 0, 1, 0, byref(first_byte)):
        return True
    number = _last_error()
    if number in (ERROR_LOCK_VIOLATION, ERROR_IO_PENDING):
        return False
    raise OSError(errno.ENOLCK, f"the file cannot be locked (error {number})")


def bind_process(process_id: int, max_bytes: int) -> int:
    """Bind a process to a job, and return the job's handle.

    The process may use `max_bytes` of memory and start no children. It ends when the
    job is closed.
    """
    kernel32 = _kernel32()
    set_quota_and_terminate, extended_limit_class = 0x0101, 9
    kill_on_job_close, active_process_limit, process_memory_limit = (
        0x2000,
        0x8,
        0x100,
    )
    job = kernel32.CreateJobObjectW(None, None)
    process = kernel32.OpenProcess(set_quota_and_terminate, 0, process_id)
    limits = JOB_LIMITS.pack(
        *(0, 0),  # time of a process, of the job
        kill_on_job_close | active_process_limit | process_memory_limit,
        *(0, 0),  # working set, least and most
        1,  # processes
        *(0, 0, 0),  # affinity, priority, scheduling
        *(0, 0, 0, 0, 0, 0),  # counters of traffic
        *(max_bytes, 0),  # memory of a process, of the job
        *(0, 0),  # their peaks
    )
    try:
        if not (
            job
            and process
            and kernel32.SetInformationJobObject(
                job, extended_limit_class, limits, len(limits)
            )
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
    """Return some names of a folder with attributes and reparse tag; [] at the end."""
    status = _query_directory(handle, buffer, None, restart=restart)
    if status in (NO_MORE_FILES, NO_SUCH_FILE):
        return []
    require(status)
    return parse_entries(buffer.raw)


def entry_name(handle: int, name: bytes) -> bytes:
    """Return the folder's own spelling of a name. Raises `FileNotFoundError`."""
    buffer = ctypes.create_string_buffer(2048)
    status = _query_directory(
        handle, buffer, byref(_unicode(text_from_name(name))), restart=True
    )
    require(NO_SUCH_FILE if status == NO_MORE_FILES else status, name)
    return parse_entries(buffer.raw)[0][0]


def _query_directory(
    handle: int,
    buffer: ctypes.Array[ctypes.c_char],
    name: Any,
    *,
    restart: bool,
) -> int:
    only_one = int(name is not None)
    arguments = (
        buffer,
        len(buffer),
        _CLASS_ID_BOTH,
        only_one,
        name,
        int(restart),
    )
    return _call(
        "NtQueryDirectoryFile",
        handle,
        None,
        None,
        None,
        byref(IoStatus()),
        *arguments,
    )


def parse_entries(data: bytes) -> list[tuple[bytes, int, int]]:
    """Return the entries in a buffer filled by `NtQueryDirectoryFile`."""
    entries_found: list[tuple[bytes, int, int]] = []
    offset = 0
    while True:
        next_offset, *_, attributes, length, tag, _, _, _ = (
            DIRECTORY_ENTRY.unpack_from(data, offset)
        )
        name = name_from_units(
            data[
                offset + DIRECTORY_ENTRY.size : offset
                + DIRECTORY_ENTRY.size
                + length
            ]
        )
        if name not in (b".", b".."):
            entries_found.append(
                (
                    name,
                    attributes,
                    tag if attributes & ATTRIBUTE_REPARSE_POINT else 0,
                )
            )
        if not next_offset:
            return entries_found
        offset += next_offset


def link_target(handle: int) -> tuple[bytes, bool]:
    """Return the target of an open link, and True if it is relative.

    Raises `OSError(EINVAL)` if the file is not a link.
    """
    return parse_link_target(
        _control(handle, _GET_REPARSE_POINT, b"", 16 * 1024)
    )


def _control(handle: int, control: int, data: bytes, output_size: int) -> bytes:
    input_buffer, output_buffer, io_status = (
        ctypes.create_string_buffer(data, len(data)),
        ctypes.create_string_buffer(output_size),
        IoStatus(),
    )
    buffers = input_buffer, len(data), output_buffer, output_size
    require(
        _call(
            "NtFsControlFile",
            handle,
            None,
            None,
            None,
            byref(io_status),
            control,
            *buffers,
        )
    )
    return output_buffer.raw[: io_status.information]


def parse_link_target(data: bytes) -> tuple[bytes, bool]:
    """Return the target in a `REPARSE_DATA_BUFFER`, and True if it is relative."""
    tag = int.from_bytes(data[:4], "little")
    if tag not in (TAG_SYMLINK, TAG_MOUNT_POINT):
        # A link of another system, such as WSL, which Windows does not follow; other
        # reparse points are not links.
        number = errno.ELOOP if tag & NAME_SURROGATE else errno.EINVAL
        raise OSError(number, os.strerror(number))
    substitute_offset, substitute_length, print_offset, print_length = (
        struct.unpack_from("<HHHH", data, 8)
    )
    is_relative, names_start = False, 16
    if tag == TAG_SYMLINK:
        is_relative, names_start = bool(data[16] & 1), 20
    name_offset, name_length = (
        (print_offset, print_length)
        if print_length
        else (substitute_offset, substitute_length)
    )
    target = name_from_units(
        data[
            names_start + name_offset : names_start + name_offset + name_length
        ]
    )
    return target, is_relative and not target.startswith((b"\\", b"/"))


def pack_link_target(target: str, *, relative: bool) -> bytes:
    """Return the `REPARSE_DATA_BUFFER` of a symbolic link to `target`."""
    print_name = target.encode("utf-16-le", "surrogatepass")
    substitute_name = (
        print_name
        if relative
        else ("\\??\\" + target).encode("utf-16-le", "surrogatepass")
    )
    names = substitute_name + print_name
    body = (
        struct.pack(
            "<HHHHI",
            0,
            len(substitute_name),
            len(substitute_name),
            len(print_name),
            int(relative),
        )
        + names
    )
    return struct.pack("<IHH", TAG_SYMLINK, len(body), 0) + body


def make_link(handle: int, target: str, *, relative: bool) -> None:
    """Turn an open empty file or folder into a symbolic link."""
    _control(
        handle,
        _SET_REPARSE_POINT,
        pack_link_target(target, relative=relative),
        0,
    )


def path_of(handle: int) -> str | None:
    r"""Return the present path of a handle with long names, `\\?\C:\…`, or None."""
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
