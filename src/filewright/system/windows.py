r"""Open files and folders of Windows: handles, and one name at a time below a handle.

The classes have the methods of `posix`, on top of `ntdll`. A name never leads
elsewhere: it holds no separator, is not `..`, a stream or a device (`windows_names`),
and a link, junction or mount point is opened as itself and refused. Only
`open_folder_beneath` follows links, and only relative ones inside the folder. Paths and
targets of links are returned with `/`. Every file is opened so that other programs may
read, write, rename and delete it meanwhile.

Substitutes for Unix: the read-only attribute for a file's mode (0666 or 0444); the
numbers of the volume and the file for device and inode; a lock file of this user for
`flock` of a folder; opening a file without sharing its writing to learn whether another
program writes to it. There are no users and groups.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from filewright.system import nt
from filewright.system.base import (
    BLOCK_BYTES,
    BaseFile,
    BaseFolder,
    Closable,
    Handle,
    NameBatch,
    RenameMode,
)
from filewright.system.capabilities import Capabilities
from filewright.system.errors import NotAFileError, require_same, system_error
from filewright.system.status import KIND_OF_FORMAT, FileKind, Status
from filewright.system.windows_names import (
    invalid_name,
    may_be_short,
    misread_name,
    split_path,
)

if TYPE_CHECKING:
    from subprocess import Popen

ENTER_ACCESS = nt.TRAVERSE | nt.READ_ATTRIBUTES
FOLDER_ACCESS = ENTER_ACCESS | nt.LIST | nt.READ_RIGHTS
READ_ACCESS = nt.GENERIC_READ
WRITE_ACCESS = nt.GENERIC_READ | nt.GENERIC_WRITE
MAX_BATCH_NAMES = 1 << 16
LISTING_BUFFER_BYTES = 1 << 16
MAX_TRANSFER_BYTES = 1 << 30  # The most that one call reads or writes.
ACCESS_LIST = "access control list"
EXACT_NAME_FILE_SYSTEMS = ("NTFS", "ReFS")
HandleType = TypeVar("HandleType", bound="WindowsHandle")
UNIX_EPOCH = 116_444_736_000_000_000  # 1970 in 100 ns since 1601

capabilities = Capabilities(
    exclusive_rename=True,
    path_handles=True,
    handle_paths=True,
    lease=True,
    attributes=True,
    birth_times=not nt.on_wine(),
)

FORMAT_OF_TAG = {
    nt.TAG_SOCKET: stat.S_IFSOCK,
    nt.TAG_FIFO: stat.S_IFIFO,
    nt.TAG_CHARACTER_DEVICE: stat.S_IFCHR,
    nt.TAG_BLOCK_DEVICE: stat.S_IFBLK,
}


def _mode_bits(attributes: int, tag: int) -> int:
    """Return kind and permission bits; `tag` is 0 if it is no reparse point."""
    if tag & nt.NAME_SURROGATE or (
        tag == 0 and attributes & nt.ATTRIBUTE_REPARSE_POINT
    ):
        return stat.S_IFLNK | 0o777
    if tag in FORMAT_OF_TAG:
        return FORMAT_OF_TAG[tag] | 0o666
    if attributes & nt.ATTRIBUTE_DIRECTORY:
        return stat.S_IFDIR | 0o777
    return stat.S_IFREG | (
        0o444 if attributes & nt.ATTRIBUTE_READONLY else 0o666
    )


def _nanoseconds(time: int) -> int:
    return (time - UNIX_EPOCH) * 100


class WindowsHandle(Handle):
    """A handle, with the methods that files and folders have in common."""

    __slots__ = ()

    def detach(self) -> int:
        """Return the handle, which the caller owns from now on."""
        handle, self._descriptor = self._descriptor, -1
        return handle

    def close(self) -> None:
        """Close the handle. Closing twice does no harm."""
        if self._descriptor >= 0:
            nt.close(self.detach())

    __del__ = close

    def status(self) -> Status:
        """Return its present status, with the time of creation if that is reliable."""
        information = nt.query_all(self._descriptor)
        tag = 0
        if information.attributes & nt.ATTRIBUTE_REPARSE_POINT:
            tag = nt.query_tag(self._descriptor)
        volume, number = nt.query_identity(self._descriptor, information.number)
        atime_ns = _nanoseconds(information.read)
        mtime_ns = _nanoseconds(information.written)
        # A file system without a time of change reports 0.
        ctime_ns = _nanoseconds(information.changed or information.written)
        raw = os.stat_result(
            (
                _mode_bits(information.attributes, tag),
                number,
                volume,
                0 if information.is_deleted else information.link_count,
                0,  # user
                0,  # group
                information.size,
                atime_ns // 1_000_000_000,
                mtime_ns // 1_000_000_000,
                ctime_ns // 1_000_000_000,
            ),
            {
                "st_atime_ns": atime_ns,
                "st_mtime_ns": mtime_ns,
                "st_ctime_ns": ctime_ns,
            },
        )
        birth_ns = None
        if capabilities.birth_times:
            birth_ns = _nanoseconds(information.created)
        return Status(raw, birth_ns)

    @contextmanager
    def _reopened(self, access: int) -> Iterator[int]:
        """Open the same file or folder again with other access rights."""
        handle = nt.open_below(self._descriptor, b"", access)
        try:
            yield handle
        finally:
            nt.close(handle)

    def free_bytes(self) -> int | None:
        """Return the bytes that are free for this user on its volume."""
        return nt.free_bytes(self._descriptor)

    def block_size(self) -> int:
        """Return the block size of NTFS, whatever the file system is."""
        return 4096

    def set_own_mode(self, mode: int) -> None:
        """Set the read-only attribute by 0444, clear it by 0666; a folder has 0777.

        Raises `OSError(EOPNOTSUPP)` for any other mode.
        """
        attributes = nt.query_all(self._descriptor).attributes
        is_folder = bool(attributes & nt.ATTRIBUTE_DIRECTORY)
        if mode != storable_mode(mode, is_folder=is_folder):
            raise OSError(errno.EOPNOTSUPP, "Windows has no such mode")
        new_attributes = (
            attributes if is_folder else attributes & ~nt.ATTRIBUTE_READONLY
        )
        if mode == 0o444:
            new_attributes |= nt.ATTRIBUTE_READONLY
        if new_attributes != attributes:
            self._set_basic(attributes=new_attributes or nt.ATTRIBUTE_NORMAL)

    def set_own_owner(self, uid: int, gid: int) -> None:
        """Accept -1 and 0, which stand for the user and group of every file."""
        _require_no_owner(uid, gid)

    def set_times(self, atime_ns: int, mtime_ns: int) -> None:
        """Set the times of the last read and write, in steps of 100 nanoseconds."""
        self._set_basic(
            read=atime_ns // 100 + UNIX_EPOCH,
            written=mtime_ns // 100 + UNIX_EPOCH,
        )

    def _set_basic(self, **values: int) -> None:
        try:
            # A handle opened for writing may do this even if the file is read-only by
            # now.
            nt.set_basic(self._descriptor, **values)
        except PermissionError:
            with self._reopened(nt.WRITE_ATTRIBUTES) as handle:
                nt.set_basic(handle, **values)

    def extended_attributes(self) -> dict[str, bytes]:
        """Return its access control list, unless all of it is inherited; no streams."""
        try:
            with self._reopened(nt.READ_RIGHTS) as handle:
                access_list = nt.query_rights(handle)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.ENOSYS):
                raise
            return {}  # The file system has no access control lists.
        return (
            {ACCESS_LIST: access_list} if nt.has_own_rights(access_list) else {}
        )

    def _set_attribute(self, name: str, value: bytes | None) -> None:
        if name != ACCESS_LIST or value is None:
            raise system_error(errno.EOPNOTSUPP)
        with self._reopened(nt.WRITE_RIGHTS) as handle:
            nt.set_rights(handle, value)


class File(BaseFile, WindowsHandle):
    """An open regular file, by its handle."""

    __slots__ = ()

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset`, or fewer at the end of the file."""
        if size >= BLOCK_BYTES:
            # A large buffer is only made for bytes that the file has.
            file_size = nt.query_all(self._descriptor).size
            size = max(0, min(size, file_size - offset))
        buffer = ctypes.create_string_buffer(max(1, size))
        address, bytes_read = ctypes.addressof(buffer), 0
        while bytes_read < size:
            count = nt.read_into(
                self._descriptor,
                address + bytes_read,
                min(size - bytes_read, MAX_TRANSFER_BYTES),
                offset + bytes_read,
            )
            if count == 0:
                break
            bytes_read += count
        return buffer.raw[:bytes_read]

    def write(self, data: bytes | bytearray | memoryview, offset: int) -> None:
        """Write all of `data` at `offset`."""
        view = memoryview(data).cast("B")
        written = 0
        while written < len(view):
            block = bytes(view[written : written + 16 * BLOCK_BYTES])
            buffer = ctypes.create_string_buffer(block, len(block))
            written += nt.write_from(
                self._descriptor,
                ctypes.addressof(buffer),
                len(block),
                offset + written,
            )

    def flush(self) -> None:
        """Flush its content to the disk."""
        try:
            nt.flush(self._descriptor)
        except PermissionError:  # Open for reading, which is enough on Unix.
            with self._reopened(nt.WRITE_DATA) as handle:
                nt.flush(handle)

    @contextmanager
    def watch_for_writers(self) -> Iterator[Callable[[], bool]]:
        """Yield a function that returns False while another program may write to it."""
        yield self._has_no_writer

    def _has_no_writer(self) -> bool:
        share = nt.SHARE_READ | nt.SHARE_DELETE
        try:
            nt.close(
                nt.open_below(
                    self._descriptor,
                    b"",
                    nt.READ_DATA,
                    share=share,
                    wait_while_busy=False,
                )
            )
        except OSError as error:
            return error.errno != errno.ETXTBSY
        return True


class Folder(BaseFolder[File], WindowsHandle):
    """An open folder, by its handle: see `posix.Folder` for its methods."""

    __slots__ = ("_lock_handle",)

    def __init__(
        self, handle: int, resolved_parts: tuple[bytes, ...] = ()
    ) -> None:
        super().__init__(handle, resolved_parts)
        self._lock_handle: int | None = None

    def close(self) -> None:
        """Close the handle and release the lock."""
        self.unlock()
        super().close()

    __del__ = close

    # Looking

    def stat(self, name: bytes, *, with_birth: bool = False) -> Status:  # noqa: ARG002
        """Return the status of a name; of a link, not of its target: see `base`."""
        with self._open_itself(name, nt.READ_ATTRIBUTES) as file:
            return file.status()

    def contains_any(self, paths: Iterable[bytes]) -> bool:
        """Return True if something is at one of the paths from here: see `posix`."""
        path_here = self.path()
        return path_here is None or any(
            map(_exists, (path_here + b"/" + path for path in paths))
        )

    def ancestor_identity(self, levels: int) -> tuple[int, int]:
        """Return the identity of the folder `levels` above; 0 means this folder."""
        if not levels:
            return nt.identity(self._descriptor)
        path_here = self.path()
        if path_here is None:
            raise system_error(errno.ENOENT)
        return stat_path(path_here + b"/.." * levels).identity

    def stat_names(self, names: Iterable[bytes]) -> list[Status | None]:
        """Return the status of each name, or None for a name that no longer exists.

        None also for a file that no program may open: a swap file of the system, or a
        file that is deleted once other programs close it. The names come from the
        folder itself, so a name that no path may use (`nul.txt`) is opened too.
        """
        statuses: list[Status | None] = []
        for name in names:
            try:
                file = WindowsHandle(
                    nt.open_below(
                        self._descriptor,
                        name,
                        nt.READ_ATTRIBUTES,
                        wait_while_busy=False,
                    )
                )
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ETXTBSY):
                    raise
                statuses.append(None)
                continue
            with file:
                statuses.append(file.status())
        return statuses

    def _entries(self) -> Iterator[tuple[bytes, int, int]]:
        # A handle keeps the position of its listing, so each listing has its own
        # handle.
        with self._reopened(nt.LIST) as handle:
            buffer = ctypes.create_string_buffer(LISTING_BUFFER_BYTES)
            restart = True
            while entries := nt.entries(handle, buffer, restart=restart):
                yield from entries
                restart = False

    def iter_batches(self, count: int = MAX_BATCH_NAMES) -> Iterator[NameBatch]:
        """Yield all names, unsorted, in batches of at most `count`."""
        batch, remaining = NameBatch([], [], []), count
        for name, attributes, tag in self._entries():
            kind = _kind_of_mode(_mode_bits(attributes, tag))
            if kind == "file":
                batch.files.append(name)
            elif kind == "folder":
                batch.folders.append(name)
            else:
                batch.others.append((name, kind))
            remaining -= 1
            if remaining == 0:
                yield batch
                batch, remaining = NameBatch([], [], []), count
        yield batch

    def names(self) -> list[bytes]:
        """Return every name, sorted."""
        return sorted(name for name, _, _ in self._entries())

    def true_names(self, parts: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """Return a path in the spelling of the folders on the way: see `posix`."""
        names: list[bytes] = []
        folder = self
        try:
            for part in parts:
                with folder._reopened(nt.LIST) as handle:
                    names.append(
                        nt.entry_name(handle, folder._require_name(part))
                    )
                try:
                    child = folder.open_folder(names[-1])
                except OSError as error:
                    if error.errno != errno.ELOOP:
                        raise
                    child = self.open_folder_beneath(
                        tuple(names)
                    )  # A link: its target may be above the folder that holds it.
                if folder is not self:
                    folder.close()
                folder = child
        except OSError:
            pass  # The rest of the path does not exist: it keeps its spelling.
        finally:
            if folder is not self:
                folder.close()
        return (*names, *parts[len(names) :])

    def read_link(self, name: bytes) -> bytes:
        """Return the target of a link as it is stored: see `posix`."""
        with self._open_itself(name, nt.READ_ATTRIBUTES) as link:
            return nt.link_target(link.fileno())[0]

    def link_target(self, name: bytes) -> tuple[bytes, bool]:
        """Return the target of a link, with `/`, and True if it is relative."""
        with self._open_itself(name, nt.READ_ATTRIBUTES) as link:
            target, relative = nt.link_target(link.fileno())
        return target.replace(b"\\", b"/"), relative

    def is_writable(self, name: bytes | None = None) -> bool:
        """Return True if its names, or the content of file `name`, may be changed."""
        try:
            if name is not None:
                self._open_itself(name, nt.WRITE_DATA).close()
            else:
                nt.close(
                    nt.open_below(
                        self._descriptor, b"", nt.ADD_FILE | nt.ADD_FOLDER
                    )
                )
        except PermissionError:
            return False
        return True

    def path(self) -> bytes | None:
        """Return its present absolute path, with `/`; None if it was deleted."""
        path = nt.path_of(self._descriptor)
        if path is None:
            return None
        path = (
            "//" + path[8:]
            if path.startswith("\\\\?\\UNC\\")
            else path.removeprefix("\\\\?\\")
        )
        return path.replace("\\", "/").encode("utf-8", "surrogatepass")

    # Opening

    def open(
        self,
        name: bytes,
        *,
        write: bool = False,
        known_file: bool = False,  # noqa: ARG002
    ) -> File:
        """Open a regular file by its name: see `base`.

        Raises `OSError(ETXTBSY)` if another program does not share the file.
        """
        # The kind is read before opening, so that a link or a folder has its own error.
        if (kind := self.stat(name).kind) != "file":
            raise NotAFileError(kind)
        return self._open_checked(
            File, name, WRITE_ACCESS if write else READ_ACCESS, "file"
        )

    def open_folder(self, name: bytes, *, listable: bool = True) -> Folder:
        """Open a folder by its name: see `base`."""
        access = FOLDER_ACCESS if listable else ENTER_ACCESS
        if name == b".":
            return Folder(nt.open_below(self._descriptor, b"", access))
        return self._open_checked(Folder, name, access, "folder")

    def _open_checked(
        self,
        handle_type: type[HandleType],
        name: bytes,
        access: int,
        expected_kind: FileKind,
    ) -> HandleType:
        """Open a name if it is of the expected kind.

        A file that a filter fills in (stored in a cloud, compressed) is opened again
        through that filter. The two must be the same file: a link may have taken its
        place between the two calls.
        """
        handle = handle_type(self._open_itself(name, access).detach(), (name,))
        try:
            kind = handle.status().kind
            if kind != expected_kind:
                number = errno.ELOOP if kind == "link" else errno.ENOTDIR
                raise (
                    NotAFileError(kind)
                    if expected_kind == "file"
                    else system_error(number, name)
                )
            if nt.query_tag(handle.fileno()):
                with (
                    handle,
                    handle_type(
                        nt.open_below(
                            self._descriptor,
                            self._require_name(name),
                            access,
                            0,
                        ),
                        (name,),
                    ) as filtered,
                ):
                    if nt.identity(filtered.fileno()) != nt.identity(
                        handle.fileno()
                    ):
                        raise system_error(errno.ELOOP, name)
                    return handle_type(filtered.detach(), (name,))
        except OSError:
            handle.close()
            raise
        return handle

    def _open_itself(self, name: bytes, access: int) -> WindowsHandle:
        """Open a name; a link itself, not its target."""
        handle = WindowsHandle(
            nt.open_below(self._descriptor, self._require_name(name), access)
        )
        if may_be_short(name) or misread_name(name):
            try:
                self._require_long(handle, name)
            except OSError:
                handle.close()
                raise
        return handle

    def _require_long(self, handle: WindowsHandle, name: bytes) -> None:
        """Raise `OSError(EINVAL)` if `name` is a second, short name of the file.

        A file that is protected by its long name must not be reached by another. The
        name comes from the handle. If the handle has none (a volume without a letter),
        or for a name that ends in dots, which Wine omits there, it comes from the
        folder's listing.
        """
        path = None if misread_name(name) else nt.path_of(handle.fileno())
        if path is not None:
            long_name = path.rpartition("\\")[2]
        else:
            with self._reopened(nt.LIST) as list_handle:
                long_name = nt.text_from_name(nt.entry_name(list_handle, name))
        if long_name.casefold() != nt.text_from_name(name).casefold():
            raise OSError(
                errno.EINVAL,
                "it is a short form of another name: use the long one",
                name,
            )

    def _require_name(self, name: bytes) -> bytes:
        """Return `name`, or raise `OSError(EINVAL)` if it may not be used in a call.

        Below a folder's handle no name is a device. A name that other programs misread
        is used only where the file system stores it as it is: FAT drops dots and spaces
        at the end. Paths of callers are checked before and never hold such a name.
        """
        problem = invalid_name(name)
        if problem is None:
            problem = misread_name(name)
            if problem is not None and (
                nt.file_system(self._descriptor) in EXACT_NAME_FILE_SYSTEMS
            ):
                problem = None
        if problem is not None:
            raise OSError(errno.EINVAL, f"the name {problem}", name)
        return name

    def open_parent(self, *, listable: bool = True) -> Folder | None:  # noqa: ARG002
        """Open the folder above, wherever this one is now: see `posix`."""
        path = nt.path_of(self._descriptor)
        if path is None:
            return None
        parent_path = os.path.dirname(path)
        if parent_path.rstrip("\\") in (
            path.rstrip("\\"),
            "\\\\?",
            "\\\\?\\UNC",
        ):
            return None
        try:
            return open_folder(parent_path)
        except (FileNotFoundError, NotADirectoryError):
            return None

    # Changing

    def create(self, name: bytes, mode: int = 0o600) -> File:  # noqa: ARG002
        """Create an empty file, open for reading and writing: see `posix`."""
        options = nt.PLAIN_FILE | nt.THE_LINK_ITSELF
        return File(
            nt.open_below(
                self._descriptor,
                self._require_name(name),
                WRITE_ACCESS,
                options,
                disposition=nt.CREATE,
            )
        )

    def append(self, name: bytes, data: bytes) -> None:
        """Add `data` to the end of a file, created if missing, and flush it."""
        try:
            file = self.create(name)
        except FileExistsError:
            file = self.open(name, write=True)
        with file:
            file.write(data, file.status().size)
            file.flush()

    def make_folder(self, name: bytes, mode: int = 0o777) -> None:  # noqa: ARG002
        """Make a folder. Raises `FileExistsError` if the name is taken."""
        options = nt.FOLDER_FILE | nt.THE_LINK_ITSELF
        nt.close(
            nt.open_below(
                self._descriptor,
                self._require_name(name),
                nt.LIST,
                options,
                disposition=nt.CREATE,
            )
        )

    def make_link(self, name: bytes, target: bytes) -> None:
        """Make a symbolic link, of the kind for folders if the target is a folder now.

        Raises `OSError(EPERM)` if this user may not make links.
        """
        text = nt.text_from_name(target)
        relative = (
            not os.path.isabs(text)
            and not text.startswith(("/", "\\"))
            and text[1:2] != ":"
        )
        parts = tuple(
            part for part in target.replace(b"\\", b"/").split(b"/") if part
        )
        try:
            leads_to_folder = (
                relative and self.stat_beneath(parts).kind == "folder"
            )
        except OSError:
            leads_to_folder = False
        options = (
            nt.FOLDER_FILE if leads_to_folder else nt.PLAIN_FILE
        ) | nt.THE_LINK_ITSELF
        access = nt.GENERIC_WRITE | nt.DELETE
        handle = nt.open_below(
            self._descriptor,
            self._require_name(name),
            access,
            options,
            disposition=nt.CREATE,
        )
        try:
            nt.make_link(handle, text.replace("/", "\\"), relative=relative)
        except OSError:
            nt.remove(handle)
            raise
        finally:
            nt.close(handle)

    def rename(
        self,
        name: bytes,
        target_folder: Folder,
        target_name: bytes,
        mode: RenameMode,
    ) -> None:
        """Rename a file, folder or link: see `posix`.

        Windows has no `exchange` (`ENOSYS`). The older call of Wine and of Windows
        before 10 does not replace a file that another program has open (`ETXTBSY`).
        """
        if mode == "exchange":
            raise system_error(errno.ENOSYS)
        target_folder._require_name(target_name)
        with self._open_itself(name, nt.DELETE | nt.READ_ATTRIBUTES) as source:

            def ask() -> int:
                status = nt.rename(
                    source.fileno(),
                    target_folder._descriptor,
                    target_name,
                    replace=mode == "replace",
                )
                if status == nt.ACCESS_DENIED:
                    status = (
                        self._rename_over_existing(
                            source, target_folder, target_name
                        )
                        if mode == "replace"
                        else target_folder._explain_refusal()
                    )
                return status

            nt.require(nt.retry_while_busy(ask), target_name)

    @staticmethod
    def _rename_over_existing(
        source: WindowsHandle, target_folder: Folder, target_name: bytes
    ) -> int:
        """Replace an empty folder or a read-only file, which the older call cannot.

        Return the status of the rename.
        """
        try:
            status = target_folder.stat(target_name)
        except FileNotFoundError:
            return target_folder._explain_refusal()
        is_folder = source.status().kind == "folder"
        if is_folder != (status.kind == "folder"):
            raise system_error(
                errno.ENOTDIR if is_folder else errno.EISDIR, target_name
            )
        if is_folder:
            target_folder.remove_folder(target_name)
            return nt.rename(
                source.fileno(),
                target_folder._descriptor,
                target_name,
                replace=False,
            )
        if status.kind != "file":
            return nt.ACCESS_DENIED
        if status.mode == 0o444:
            target_folder.set_mode(target_name, 0o666)
            rename_status = nt.rename(
                source.fileno(),
                target_folder._descriptor,
                target_name,
                replace=True,
            )
            if rename_status:
                target_folder.set_mode(target_name, 0o444)
            return rename_status
        return target_folder._explain_refusal(target_name)

    def _explain_refusal(self, name: bytes | None = None) -> int:
        """Return the status that a refused rename into this folder stands for.

        Windows has one status for a missing right and for a file in use. If no right is
        missing, another program has the file to replace open, or a file in the folder
        to rename.
        """
        return (
            nt.SHARING_VIOLATION if self.is_writable(name) else nt.ACCESS_DENIED
        )

    def link(
        self, name: bytes, target_folder: Folder, target_name: bytes
    ) -> None:
        """Give a file, or a link itself, another name.

        Raises `OSError(ETXTBSY)` while another program does not share its deletion,
        since neither name could be removed again.
        """
        target_folder._require_name(target_name)
        with self._open_itself(
            name, nt.READ_ATTRIBUTES | nt.WRITE_ATTRIBUTES | nt.DELETE
        ) as file:
            nt.require(
                nt.link(file.fileno(), target_folder._descriptor, target_name),
                target_name,
            )

    def remove(self, name: bytes) -> None:
        """Remove a file or link."""
        self._remove(name, folder=False)

    def remove_folder(self, name: bytes) -> None:
        """Remove an empty folder."""
        self._remove(name, folder=True)

    def _remove(self, name: bytes, *, folder: bool) -> None:
        with self._open_itself(name, nt.DELETE | nt.READ_ATTRIBUTES) as file:
            file_status = file.status()
            if folder != (file_status.kind == "folder"):
                raise system_error(
                    errno.ENOTDIR if folder else errno.EISDIR, name
                )
            status = nt.remove(file.fileno())
        if status == nt.CANNOT_DELETE and file_status.mode == 0o444:
            # The older call does not delete a read-only file; on Unix the mode of the
            # folder decides.
            self.set_mode(name, 0o666)
            self._remove(name, folder=folder)
            return
        nt.require(status, name)

    def set_mode(
        self, name: bytes, mode: int, *, expected: Status | None = None
    ) -> None:
        """Set the read-only attribute of a file: see `set_own_mode` and `posix`."""
        with self._open_itself(name, nt.READ_ATTRIBUTES) as file:
            status = file.status()
            require_same(status, expected)
            if status.kind not in ("file", "folder"):
                raise system_error(errno.EOPNOTSUPP)
            file.set_own_mode(mode)

    def set_owner(
        self, name: bytes, uid: int, gid: int, *, expected: Status | None = None
    ) -> None:
        """Accept -1 and 0: see `set_own_owner`."""
        require_same(self.stat(name), expected)
        _require_no_owner(uid, gid)

    # Locking and flushing

    def flush(self) -> None:
        """Flush its names to the disk, if the file system can; NTFS has its journal."""
        try:
            with self._reopened(nt.ADD_FILE | nt.ADD_FOLDER) as handle:
                nt.flush(handle)
        except OSError as error:
            if error.errno not in (
                errno.EACCES,
                errno.EOPNOTSUPP,
                errno.ENOSYS,
                errno.EINVAL,
                errno.EBADF,
            ):
                raise

    def lock(self, exclusive: bool) -> bool:
        """Lock the folder, or return False if a process of this user has the lock.

        Windows locks files, not folders, so a file of this user is locked that is named
        after the folder's identity. The lock ends with `unlock`, `close` or this
        process.
        """
        volume, number = nt.identity(self._descriptor)
        if self._lock_handle is None:
            path = os.path.join(_lock_folder(), f"{volume:x}-{number:x}")
            self._lock_handle = nt.open_below(
                None,
                _nt_path(path),
                WRITE_ACCESS,
                nt.PLAIN_FILE,
                disposition=nt.OPEN_OR_CREATE,
            )
        is_locked = nt.lock(self._lock_handle, exclusive=exclusive)
        if not is_locked:
            self.unlock()
        return is_locked

    def unlock(self) -> None:
        """Release the lock."""
        lock, self._lock_handle = self._lock_handle, None
        if lock is not None:
            nt.close(lock)


def open_folder(
    path: bytes | str,
    *,
    resolves_in_kernel: bool = True,  # noqa: ARG001
) -> Folder:
    """Open a folder by a path that the user named. Links are followed."""
    return Folder(
        nt.open_below(None, _nt_path(path), FOLDER_ACCESS, nt.FOLDER_FILE)
    )


def open_file(path: bytes | str) -> File:
    """Open a file for reading by a path that the user named. Links are followed."""
    if (kind := stat_path(path).kind) != "file":
        raise NotAFileError(kind)
    return File(
        nt.open_below(None, _nt_path(path), READ_ACCESS, 0)
    ).require_regular()


def make_folder(path: bytes | str, mode: int = 0o777) -> None:  # noqa: ARG001
    """Make a folder at a path that the user named. Raises `FileExistsError`."""
    nt.close(
        nt.open_below(
            None, _nt_path(path), nt.LIST, nt.FOLDER_FILE, disposition=nt.CREATE
        )
    )


def stat_path(path: bytes | str) -> Status:
    """Return the status of a path that the user named. Links are followed."""
    with WindowsHandle(
        nt.open_below(None, _nt_path(path), nt.READ_ATTRIBUTES, 0)
    ) as handle:
        return handle.status()


def limit_process(
    process_id: int,
    memory: int,
    *,
    can_write: bool = False,  # noqa: ARG001  # Windows has no limit on file sizes.
) -> Closable | None:
    """Let a child allocate at most `memory` bytes and start no children.

    Closing the result ends the child.
    """
    return WindowsHandle(nt.bind_process(process_id, memory))


def kill_process_tree(process: Popen[bytes]) -> None:
    """Kill a child; `limit_process` keeps it from starting children."""
    process.kill()


def absolute_path(path: bytes) -> bytes:
    """Return a user's path as an absolute one with `/`; links and case are kept."""
    return _with_slashes(os.path.abspath(os.path.expanduser(path)))


def real_path(
    path: bytes | str | os.PathLike[bytes] | os.PathLike[str],
) -> bytes:
    """Return the absolute path without links and in its stored case, if it exists."""
    return _with_slashes(os.path.realpath(os.fsencode(path)))


def _with_slashes(path: bytes) -> bytes:
    try:
        anchor, parts = split_path(path)
    except ValueError:
        return path.replace(
            b"\\", b"/"
        )  # A device: opening it fails with a reason.
    return anchor + b"/".join(parts)


def storable_mode(mode: int, *, is_folder: bool) -> int:
    """Return the permission bits that can be stored: only if a file is read-only."""
    return 0o777 if is_folder else 0o666 if mode & 0o200 else 0o444


def umask() -> int:
    """Return 0: new files get 0666 and new folders 0777."""
    return 0


def effective_user_id() -> int:
    """Return 0, the owner of every file: Windows has no numbers for users."""
    return 0


def effective_group_id() -> int:
    """Return 0: see `effective_user_id`."""
    return 0


def group_ids() -> frozenset[int]:
    """Return the only group, 0: see `effective_user_id`."""
    return frozenset((0,))


def _nt_path(path: bytes | str) -> str:
    r"""Return a path in the form of the kernel: `\??\C:\…` or `\??\UNC\server\…`.

    It may be longer than 260 characters.
    """
    text = os.fsdecode(path)
    if "\0" in text:
        raise OSError(errno.EINVAL, "embedded null character", path)
    full_path = os.path.abspath(text)
    if full_path.startswith(("\\\\?\\", "\\\\.\\")):
        return "\\??\\" + full_path[4:]
    if full_path.startswith("\\\\"):
        return "\\??\\UNC\\" + full_path[2:]
    return "\\??\\" + full_path


def _exists(path: bytes) -> bool:
    """Return True if something is at an absolute path, or if that may not be known."""
    try:
        nt.close(nt.open_below(None, _nt_path(path), nt.READ_ATTRIBUTES))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _lock_folder() -> str:
    base = os.environ.get("LOCALAPPDATA") or tempfile.gettempdir()
    folder = os.path.join(base, "filewright", "locks")
    os.makedirs(folder, exist_ok=True)
    return folder


def _kind_of_mode(mode: int) -> FileKind:
    return KIND_OF_FORMAT.get(stat.S_IFMT(mode), "device")


def _require_no_owner(uid: int, gid: int) -> None:
    if not {uid, gid} <= {-1, 0}:
        raise OSError(errno.EOPNOTSUPP, "Windows has no such users and groups")
