r"""Folders and files as Windows has them: handles, and one name at a time below a folder's handle.

The same objects as `posix`, on `ntdll`. A name never leads anywhere: no separator, no `..`, no stream, no
device (`windows_names`), and what is a link, a junction or a mount point is opened as itself and refused;
only relative links are followed, by `open_folder_beneath`, and only inside the folder. Paths and links are handed
out with `/`. Everything is opened so that others may read, write, rename and delete it meanwhile.

In place of what Unix has: the read-only attribute for a file's mode (0666 or 0444); the number of the
volume and of the file for device and inode; a lock file of this user's own for `flock` of a folder.
There are no users and groups. Whether others write to a file is asked by opening it without sharing that.
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
    Batch,
    Closable,
    Handle,
    RenameMode,
)
from filewright.system.capabilities import Capabilities
from filewright.system.errors import NotAFileError, require_same, system_error
from filewright.system.status import KINDS, FileKind, Status
from filewright.system.windows_names import may_be_short, misread, no_name, split_path

if TYPE_CHECKING:
    from subprocess import Popen

_ENTER = nt.TRAVERSE | nt.READ_ATTRIBUTES
_FOLDER = _ENTER | nt.LIST | nt.READ_RIGHTS
_READ = nt.GENERIC_READ
_WRITE = nt.GENERIC_READ | nt.GENERIC_WRITE
_BATCH = 1 << 16
_LISTING = 1 << 16
_AT_ONCE = 1 << 30  # what one call may read or write
_RIGHTS = "access control list"
_KEEP_ALL_NAMES = ("NTFS", "ReFS")
_H = TypeVar("_H", bound="_WindowsHandle")
_EPOCH = 116_444_736_000_000_000  # 1970 in 100 ns since 1601

capabilities = Capabilities(
    exclusive_rename=True,
    path_handles=True,
    handle_paths=True,
    lease=True,
    attributes=True,
    birth_times=not nt.on_wine(),
)

_KINDS = {
    nt.TAG_SOCKET: stat.S_IFSOCK,
    nt.TAG_FIFO: stat.S_IFIFO,
    nt.TAG_CHARACTER_DEVICE: stat.S_IFCHR,
    nt.TAG_BLOCK_DEVICE: stat.S_IFBLK,
}


def _mode(attributes: int, tag: int) -> int:
    """Kind and permission bits; `tag` is 0 for what is no reparse point."""
    if tag & nt.NAME_SURROGATE or (
        tag == 0 and attributes & nt.ATTRIBUTE_REPARSE_POINT
    ):
        return stat.S_IFLNK | 0o777
    if tag in _KINDS:
        return _KINDS[tag] | 0o666
    if attributes & nt.ATTRIBUTE_DIRECTORY:
        return stat.S_IFDIR | 0o777
    return stat.S_IFREG | (0o444 if attributes & nt.ATTRIBUTE_READONLY else 0o666)


def _nanoseconds(time: int) -> int:
    return (time - _EPOCH) * 100


class _WindowsHandle(Handle):
    """A handle and what files and folders have in common."""

    __slots__ = ()

    def detach(self) -> int:
        """The handle, which is the caller's from now on."""
        number, self._fd = self._fd, -1
        return number

    def close(self) -> None:
        """Let go of it; more than once does no harm."""
        if self._fd >= 0:
            nt.close(self.detach())

    __del__ = close

    def status(self) -> Status:
        """What the system says of it now; when it was made, where that can be believed."""
        made, read, written, changed, attributes, _, size, links, deleted, _, number = (
            nt.query_all(self._fd)
        )
        tag = nt.query_tag(self._fd) if attributes & nt.ATTRIBUTE_REPARSE_POINT else 0
        volume, number = nt.query_identity(self._fd, number)
        times = [_nanoseconds(time) for time in (read, written, changed or written)]
        seconds = [time // 1_000_000_000 for time in times]
        values = (
            _mode(attributes, tag),
            number,
            volume,
            0 if deleted else links,
            0,
            0,
            size,
            *seconds,
        )
        exact = dict(
            zip(("st_atime_ns", "st_mtime_ns", "st_ctime_ns"), times, strict=True)
        )
        return Status(
            os.stat_result(values, exact),
            _nanoseconds(made) if capabilities.birth_times else None,
        )

    @contextmanager
    def _reopened(self, access: int) -> Iterator[int]:
        """The same thing, opened for something else."""
        handle = nt.open_below(self._fd, b"", access)
        try:
            yield handle
        finally:
            nt.close(handle)

    def free_bytes(self) -> int | None:
        """The bytes that are free for us on its volume."""
        return nt.free_bytes(self._fd)

    def block_size(self) -> int:
        """The bytes that its volume gives to a file at a time; those of NTFS, whatever it is."""
        return 4096

    def set_own_mode(self, mode: int) -> None:
        """Set the read-only attribute by 0444 and clear it by 0666; a folder is 0777, always.

        `OSError(EOPNOTSUPP)` for any other mode: Windows has no such thing.
        """
        attributes = nt.query_all(self._fd)[4]
        folder = bool(attributes & nt.ATTRIBUTE_DIRECTORY)
        if mode != storable_mode(mode, folder=folder):
            raise OSError(errno.EOPNOTSUPP, "Windows has no such mode")
        wanted = attributes if folder else attributes & ~nt.ATTRIBUTE_READONLY
        if mode == 0o444:
            wanted |= nt.ATTRIBUTE_READONLY
        if wanted != attributes:
            self._set_basic(attributes=wanted or nt.ATTRIBUTE_NORMAL)

    def set_own_owner(self, uid: int, gid: int) -> None:
        """There are no users and groups to set: -1 and 0 are what everything has."""
        _require_no_owner(uid, gid)

    def set_times(self, atime_ns: int, mtime_ns: int) -> None:
        """Set when it was last read and written, to 100 nanoseconds."""
        self._set_basic(read=atime_ns // 100 + _EPOCH, written=mtime_ns // 100 + _EPOCH)

    def _set_basic(self, **values: int) -> None:
        try:
            # What was opened for writing may, whatever its rights are by now.
            nt.set_basic(self._fd, **values)
        except PermissionError:
            with self._reopened(nt.WRITE_ATTRIBUTES) as handle:
                nt.set_basic(handle, **values)

    def extended_attributes(self) -> dict[str, bytes]:
        """Its access control list, unless all of it comes from the folder it is in. Streams are not among them."""
        try:
            with self._reopened(nt.READ_RIGHTS) as handle:
                rights = nt.query_rights(handle)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.ENOSYS):
                raise
            return {}  # A file system without any.
        return {_RIGHTS: rights} if nt.rights_are_its_own(rights) else {}

    def _set_attribute(self, name: str, value: bytes | None) -> None:
        if name != _RIGHTS or value is None:
            raise system_error(errno.EOPNOTSUPP)
        with self._reopened(nt.WRITE_RIGHTS) as handle:
            nt.set_rights(handle, value)


class File(BaseFile, _WindowsHandle):
    """An open regular file, by its handle."""

    __slots__ = ()

    def read(self, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset`: fewer only at the end."""
        size = (
            max(0, min(size, nt.query_all(self._fd)[6] - offset))
            if size >= BLOCK_BYTES
            else size
        )
        buffer = ctypes.create_string_buffer(max(1, size))
        address, done = ctypes.addressof(buffer), 0
        while done < size and (
            count := nt.read_into(
                self._fd, address + done, min(size - done, _AT_ONCE), offset + done
            )
        ):
            done += count
        return buffer.raw[:done]

    def write(self, data: bytes | bytearray | memoryview, offset: int) -> None:
        """Write all of `data` at `offset`."""
        view = memoryview(data).cast("B")
        done = 0
        while done < len(view):
            piece = bytes(view[done : done + 16 * BLOCK_BYTES])
            kept = ctypes.create_string_buffer(piece, len(piece))
            done += nt.write_from(
                self._fd, ctypes.addressof(kept), len(piece), offset + done
            )

    def flush(self) -> None:
        """Bring its content to the disk."""
        try:
            nt.flush(self._fd)
        except PermissionError:  # It was opened for reading, which is enough on Unix.
            with self._reopened(nt.WRITE_DATA) as handle:
                nt.flush(handle)

    @contextmanager
    def watch_for_writers(self) -> Iterator[Callable[[], bool]]:
        """Yields whether nobody else has it open for writing at that moment; nobody is kept from it."""
        yield self._nobody_writes

    def _nobody_writes(self) -> bool:
        share = nt.SHARE_READ | nt.SHARE_DELETE
        try:
            nt.close(
                nt.open_below(self._fd, b"", nt.READ_DATA, share=share, patient=False)
            )
        except OSError as error:
            return error.errno != errno.ETXTBSY
        return True


class Folder(BaseFolder, _WindowsHandle):
    """An open folder: see `posix.Folder`, of which this is the same on handles."""

    __slots__ = ("_lock",)

    def __init__(self, handle: int, resolved_parts: tuple[bytes, ...] = ()) -> None:
        super().__init__(handle, resolved_parts)
        self._lock: int | None = None

    def close(self) -> None:
        """Let go of it, and of its lock."""
        self.unlock()
        super().close()

    __del__ = close

    # Looking

    def stat(self, name: bytes, *, with_birth: bool = False) -> Status:  # noqa: ARG002
        """The status of what has that name, a link itself included. Raises `FileNotFoundError`."""
        with self._itself(name, nt.READ_ATTRIBUTES) as thing:
            return thing.status()

    def contains_any(self, paths: Iterable[bytes]) -> bool:
        """Whether anything is at one of the paths from here: see `posix.Folder.contains_any`."""
        here = self.path()
        return here is None or any(
            map(_is_there, (here + b"/" + path for path in paths))
        )

    def ancestor_identity(self, levels: int) -> tuple[int, int]:
        """The identity of the folder so many levels above this one, by the path it has now; 0: of this one."""
        if not levels:
            return nt.identity(self._fd)
        here = self.path()
        if here is None:
            raise system_error(errno.ENOENT)
        return stat_path(here + b"/.." * levels).identity

    def stat_names(self, names: Iterable[bytes]) -> list[Status | None]:
        """The status of each of many names that were just listed; None for what is gone meanwhile.

        None too for what nobody may look at: the system's swap files, and what goes once others let go of
        it. Names that no path leads to (`nul.txt`) are looked at as well: they come from the folder itself.
        """
        found: list[Status | None] = []
        for name in names:
            try:
                thing = _WindowsHandle(
                    nt.open_below(self._fd, name, nt.READ_ATTRIBUTES, patient=False)
                )
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ETXTBSY):
                    raise
                found.append(None)
                continue
            with thing:
                found.append(thing.status())
        return found

    def _entries(self) -> Iterator[tuple[bytes, int, int]]:
        # On a handle of its own: where a listing is, is kept with the handle.
        with self._reopened(nt.LIST) as handle:
            buffer = ctypes.create_string_buffer(_LISTING)
            restart = True
            while found := nt.entries(handle, buffer, restart=restart):
                yield from found
                restart = False

    def iter_batches(self, count: int = _BATCH) -> Iterator[Batch]:
        """All names, unsorted, at most `count` at a time."""
        batch, room = Batch([], [], []), count
        for name, attributes, tag in self._entries():
            kind = _kind(_mode(attributes, tag))
            if kind == "file":
                batch.files.append(name)
            elif kind == "folder":
                batch.folders.append(name)
            else:
                batch.others.append((name, kind))
            room -= 1
            if room == 0:
                yield batch
                batch, room = Batch([], [], []), count
        yield batch

    def names(self) -> list[bytes]:
        """Every name, sorted."""
        return sorted(name for name, _, _ in self._entries())

    def true_names(self, parts: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """The path `parts` below this folder as the folders on the way spell it: see `posix.Folder.true_names`."""
        names: list[bytes] = []
        folder = self
        try:
            for part in parts:
                with folder._reopened(nt.LIST) as handle:
                    names.append(nt.entry_name(handle, folder._one(part)))
                try:
                    below = folder.open_folder(names[-1])
                except OSError as error:
                    if error.errno != errno.ELOOP:
                        raise
                    below = self.open_folder_beneath(
                        tuple(names)
                    )  # A link may lead above the folder it is in.
                if folder is not self:
                    folder.close()
                folder = below
        except OSError:
            pass  # What is not there, or no folder, ends it.
        finally:
            if folder is not self:
                folder.close()
        return (*names, *parts[len(names) :])

    def read_link(self, name: bytes) -> bytes:
        """Where the link of that name points, as it is written. `OSError(EINVAL)` if it is no link."""
        with self._itself(name, nt.READ_ATTRIBUTES) as link:
            return nt.link_target(link.fileno())[0]

    def link_target(self, name: bytes) -> tuple[bytes, bool]:
        """Where the link of that name leads: see `base`."""
        with self._itself(name, nt.READ_ATTRIBUTES) as link:
            target, relative = nt.link_target(link.fileno())
        return target.replace(b"\\", b"/"), relative

    def is_writable(self, name: bytes | None = None) -> bool:
        """Whether we may make and remove names in it; with `name`, whether we may write to that file."""
        try:
            if name is not None:
                self._itself(name, nt.WRITE_DATA).close()
            else:
                nt.close(nt.open_below(self._fd, b"", nt.ADD_FILE | nt.ADD_FOLDER))
        except PermissionError:
            return False
        return True

    def path(self) -> bytes | None:
        """Its absolute path at this moment, with `/`; None if it was deleted, or the system does not say."""
        path = nt.path_of(self._fd)
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
        """The regular file of that name: see `base`. `ETXTBSY` for what another program does not share."""
        # Looked at before it is opened: a folder opened for writing, or a link, is distinguished first.
        if (kind := self.stat(name).kind) != "file":
            raise NotAFileError(kind)
        return self._opened(File, name, _WRITE if write else _READ, "file")

    def open_folder(self, name: bytes, *, listable: bool = True) -> Folder:
        """The folder of that name, which is no link; `b"."` is this one, opened once more."""
        access = _FOLDER if listable else _ENTER
        if name == b".":
            return Folder(nt.open_below(self._fd, b"", access))
        return self._opened(Folder, name, access, "folder")

    def _opened(self, made: type[_H], name: bytes, access: int, wanted: FileKind) -> _H:
        """What has that name, if it is what is wanted.

        What a filter fills in (kept in a cloud, compressed) is opened through that filter, if it is certainly
        the same thing: between the two a link may have taken its place.
        """
        thing = made(self._itself(name, access).detach(), (name,))
        try:
            kind = thing.status().kind
            if kind != wanted:
                number = errno.ELOOP if kind == "link" else errno.ENOTDIR
                raise (
                    NotAFileError(kind)
                    if wanted == "file"
                    else system_error(number, name)
                )
            if nt.query_tag(thing.fileno()):
                with (
                    thing,
                    made(
                        nt.open_below(self._fd, self._one(name), access, 0), (name,)
                    ) as through,
                ):
                    if nt.identity(through.fileno()) != nt.identity(thing.fileno()):
                        raise system_error(errno.ELOOP, name)
                    return made(through.detach(), (name,))
        except OSError:
            thing.close()
            raise
        return thing

    def _itself(self, name: bytes, access: int) -> _WindowsHandle:
        """What has that name, a link itself included."""
        thing = _WindowsHandle(nt.open_below(self._fd, self._one(name), access))
        if may_be_short(name) or misread(name):
            try:
                self._require_long(thing, name)
            except OSError:
                thing.close()
                raise
        return thing

    def _require_long(self, thing: _WindowsHandle, name: bytes) -> None:
        """Refuse a second, short name: what is protected or asked for by its long one must not have another.

        The handle says its own name; where it does not (a volume without a letter), or Wine leaves the dots at its
        end out, the folder's listing does, and it raises if that cannot be read either.
        """
        path = None if misread(name) else nt.path_of(thing.fileno())
        if path is not None:
            long = path.rpartition("\\")[2]
        else:
            with self._reopened(nt.LIST) as listing:
                long = nt.wide(nt.entry_name(listing, name))
        if long.casefold() != nt.wide(name).casefold():
            raise OSError(
                errno.EINVAL,
                "it is a short form of another name: use the long one",
                name,
            )

    def _one(self, name: bytes) -> bytes:
        """The name, for a call below the folder's handle: by that no name is a device.

        What other programs take for something else is used only where the file system keeps it as it is:
        FAT leaves dots and spaces at the end out. A path that a caller writes never has such a name.
        """
        problem = no_name(name)
        if (
            problem is None
            and (problem := misread(name))
            and nt.file_system(self._fd) in _KEEP_ALL_NAMES
        ):
            problem = None
        if problem is not None:
            raise OSError(errno.EINVAL, f"the name {problem}", name)
        return name

    def open_parent(self, *, listable: bool = True) -> Folder | None:  # noqa: ARG002
        """The folder above, wherever this one is now; None at the top, and for a deleted one."""
        path = nt.path_of(self._fd)
        if path is None:
            return None
        above = os.path.dirname(path)
        if above.rstrip("\\") in (path.rstrip("\\"), "\\\\?", "\\\\?\\UNC"):
            return None
        try:
            return open_folder(above)
        except (FileNotFoundError, NotADirectoryError):
            return None

    # Changing

    def create(self, name: bytes, mode: int = 0o600) -> File:  # noqa: ARG002
        """A new empty file, open for reading and writing. `FileExistsError` if the name is taken."""
        options = nt.PLAIN_FILE | nt.THE_LINK_ITSELF
        return File(
            nt.open_below(
                self._fd, self._one(name), _WRITE, options, disposition=nt.CREATE
            )
        )

    def append(self, name: bytes, data: bytes) -> None:
        """Add `data` to the end of a file, which is made if it is not there, and flush it."""
        try:
            file = self.create(name)
        except FileExistsError:
            file = self.open(name, write=True)
        with file:
            file.write(data, file.status().size)
            file.flush()

    def make_folder(self, name: bytes, mode: int = 0o777) -> None:  # noqa: ARG002
        """A new folder. `FileExistsError` if the name is taken."""
        options = nt.FOLDER_FILE | nt.THE_LINK_ITSELF
        nt.close(
            nt.open_below(
                self._fd, self._one(name), nt.LIST, options, disposition=nt.CREATE
            )
        )

    def make_link(self, name: bytes, target: bytes) -> None:
        """A new symbolic link; to a folder, if one is there now. `EPERM` for who may not make links."""
        text = nt.wide(target)
        relative = (
            not os.path.isabs(text)
            and not text.startswith(("/", "\\"))
            and text[1:2] != ":"
        )
        steps = tuple(part for part in target.replace(b"\\", b"/").split(b"/") if part)
        try:
            leads_to_folder = relative and self.stat_beneath(steps).kind == "folder"
        except OSError:
            leads_to_folder = False
        options = (
            nt.FOLDER_FILE if leads_to_folder else nt.PLAIN_FILE
        ) | nt.THE_LINK_ITSELF
        access = nt.GENERIC_WRITE | nt.DELETE
        handle = nt.open_below(
            self._fd, self._one(name), access, options, disposition=nt.CREATE
        )
        try:
            nt.make_link(handle, text.replace("/", "\\"), relative=relative)
        except OSError:
            nt.remove(handle)
            raise
        finally:
            nt.close(handle)

    def rename(self, name: bytes, to: Folder, to_name: bytes, mode: RenameMode) -> None:
        """Rename: `exclusive` raises `FileExistsError` if `to_name` is taken, `replace` replaces it in one step.

        Windows has no `exchange`: `OSError(ENOSYS)`. Replacing is refused by the older call, which Wine and
        Windows before 10 have, while anybody has the other file open (`ETXTBSY`).
        """
        if mode == "exchange":
            raise system_error(errno.ENOSYS)
        to._one(to_name)
        with self._itself(name, nt.DELETE | nt.READ_ATTRIBUTES) as thing:

            def ask() -> int:
                status = nt.rename(
                    thing.fileno(), to._fd, to_name, replace=mode == "replace"
                )
                if status == nt.ACCESS_DENIED:
                    status = (
                        self._rename_over(thing, to, to_name)
                        if mode == "replace"
                        else to._refused()
                    )
                return status

            nt.require(nt.patiently(ask), to_name)

    @staticmethod
    def _rename_over(thing: _WindowsHandle, to: Folder, to_name: bytes) -> int:
        """Replace once more what the older call does not: an empty folder, a read-only file; the status."""
        try:
            status = to.stat(to_name)
        except FileNotFoundError:
            return to._refused()
        folder = thing.status().kind == "folder"
        if folder != (status.kind == "folder"):
            raise system_error(errno.ENOTDIR if folder else errno.EISDIR, to_name)
        if folder:
            to.remove_folder(to_name)
            return nt.rename(thing.fileno(), to._fd, to_name, replace=False)
        if status.kind != "file":
            return nt.ACCESS_DENIED
        if status.mode == 0o444:
            to.set_mode(to_name, 0o666)
            again = nt.rename(thing.fileno(), to._fd, to_name, replace=True)
            if again:
                to.set_mode(to_name, 0o444)
            return again
        return to._refused(to_name)

    def _refused(self, name: bytes | None = None) -> int:
        """Which of two things a refused rename to here means, for which Windows has one status.

        Where no right is missing, another program holds what would be replaced, or something in the folder to rename.
        """
        return nt.SHARING_VIOLATION if self.is_writable(name) else nt.ACCESS_DENIED

    def link(self, name: bytes, to: Folder, to_name: bytes) -> None:
        """Give what has that name, a link itself included, another name.

        `ETXTBSY` while others hold it and do not share its deletion: neither name could be taken back.
        """
        to._one(to_name)
        with self._itself(
            name, nt.READ_ATTRIBUTES | nt.WRITE_ATTRIBUTES | nt.DELETE
        ) as thing:
            nt.require(nt.link(thing.fileno(), to._fd, to_name), to_name)

    def remove(self, name: bytes) -> None:
        """Remove a name that is not a folder's."""
        self._remove(name, folder=False)

    def remove_folder(self, name: bytes) -> None:
        """Remove an empty folder."""
        self._remove(name, folder=True)

    def _remove(self, name: bytes, *, folder: bool) -> None:
        with self._itself(name, nt.DELETE | nt.READ_ATTRIBUTES) as thing:
            seen = thing.status()
            if folder != (seen.kind == "folder"):
                raise system_error(errno.ENOTDIR if folder else errno.EISDIR, name)
            status = nt.remove(thing.fileno())
        if status == nt.CANNOT_DELETE and seen.mode == 0o444:
            # The older call keeps what is read-only, which on Unix is the folder's to say.
            self.set_mode(name, 0o666)
            self._remove(name, folder=folder)
            return
        nt.require(status, name)

    def set_mode(
        self, name: bytes, mode: int, *, expected: Status | None = None
    ) -> None:
        """Set the read-only attribute of the thing itself: see `set_own_mode`; `EOPNOTSUPP` for a link.

        If it is not the same thing as `expected`, nothing is changed and `OSError(ESTALE)` is raised.
        """
        with self._itself(name, nt.READ_ATTRIBUTES) as thing:
            status = thing.status()
            require_same(status, expected)
            if status.kind not in ("file", "folder"):
                raise system_error(errno.EOPNOTSUPP)
            thing.set_own_mode(mode)

    def set_owner(
        self, name: bytes, uid: int, gid: int, *, expected: Status | None = None
    ) -> None:
        """There are no users and groups to set: see `set_own_owner`."""
        require_same(self.stat(name), expected)
        _require_no_owner(uid, gid)

    # Locking and flushing

    def flush(self) -> None:
        """Bring its names to the disk, where the file system lets a folder be flushed; NTFS keeps its own journal."""
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
        """Lock the folder against others of this user, here and in other processes; False if they have it.

        Windows locks files, not folders: what is locked is a file of this user's own, named after the
        folder's identity. Ends with `unlock`, `close` or this process.
        """
        volume, number = nt.identity(self._fd)
        if self._lock is None:
            path = os.path.join(_lock_folder(), f"{volume:x}-{number:x}")
            self._lock = nt.open_below(
                None,
                _nt_path(path),
                _WRITE,
                nt.PLAIN_FILE,
                disposition=nt.OPEN_OR_CREATE,
            )
        taken = nt.lock(self._lock, exclusive=exclusive)
        if not taken:
            self.unlock()
        return taken

    def unlock(self) -> None:
        """Give the lock back."""
        lock, self._lock = self._lock, None
        if lock is not None:
            nt.close(lock)


def open_folder(path: bytes | str, *, resolves_in_kernel: bool = True) -> Folder:  # noqa: ARG001
    """The folder of a path that the user named, such as a root; links in it are followed."""
    return Folder(nt.open_below(None, _nt_path(path), _FOLDER, nt.FOLDER_FILE))


def open_file(path: bytes | str) -> File:
    """The regular file of a path that the user named, for reading; links in it are followed."""
    if (kind := stat_path(path).kind) != "file":
        raise NotAFileError(kind)
    return File(nt.open_below(None, _nt_path(path), _READ, 0)).require_regular()


def make_folder(path: bytes | str, mode: int = 0o777) -> None:  # noqa: ARG001
    """A new folder at a path that the user named. `FileExistsError` if something is there."""
    nt.close(
        nt.open_below(
            None, _nt_path(path), nt.LIST, nt.FOLDER_FILE, disposition=nt.CREATE
        )
    )


def stat_path(path: bytes | str) -> Status:
    """The status of what a path that the user named leads to."""
    with _WindowsHandle(
        nt.open_below(None, _nt_path(path), nt.READ_ATTRIBUTES, 0)
    ) as looked:
        return looked.status()


def limit_process(number: int, memory: int) -> Closable | None:
    """Let a child allocate no more than `memory` bytes and start none, and end it when what is returned is closed."""
    return _WindowsHandle(nt.bind_process(number, memory))


def kill_process_tree(process: Popen[bytes]) -> None:
    """Kill a child, which has started none."""
    process.kill()


def absolute_path(path: bytes) -> bytes:
    """A path that the user named from the top, with `/` between its parts; links and case are kept."""
    return _plain(os.path.abspath(os.path.expanduser(path)))


def real_path(path: bytes | str | os.PathLike[bytes] | os.PathLike[str]) -> bytes:
    """The same without links and in its own case, as far as it is there."""
    return _plain(os.path.realpath(os.fsencode(path)))


def _plain(path: bytes) -> bytes:
    try:
        anchor, parts = split_path(path)
    except ValueError:
        return path.replace(b"\\", b"/")  # A device: opening it tells.
    return anchor + b"/".join(parts)


def storable_mode(mode: int, *, folder: bool) -> int:
    """What the system keeps of permission bits: of a file whether it is read-only, of a folder nothing."""
    return 0o777 if folder else 0o666 if mode & 0o200 else 0o444


def umask() -> int:
    """Windows has none: new files get 0666, new folders 0777."""
    return 0


def effective_user_id() -> int:
    """Windows has no numbers for users: 0, as everything is said to belong to."""
    return 0


def effective_group_id() -> int:
    """As `effective_user_id`."""
    return 0


def group_ids() -> frozenset[int]:
    """As `effective_user_id`."""
    return frozenset((0,))


def _nt_path(path: bytes | str) -> str:
    r"""A path as the kernel takes it: `\??\C:\…`, `\??\UNC\server\…`; longer than 260 characters too."""
    text = os.fsdecode(path)
    if "\0" in text:
        raise OSError(errno.EINVAL, "embedded null character", path)
    full_path = os.path.abspath(text)
    if full_path.startswith(("\\\\?\\", "\\\\.\\")):
        return "\\??\\" + full_path[4:]
    if full_path.startswith("\\\\"):
        return "\\??\\UNC\\" + full_path[2:]
    return "\\??\\" + full_path


def _is_there(path: bytes) -> bool:
    """Whether anything, a link itself included, is at an absolute path; also if nobody may say."""
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


def _kind(mode: int) -> FileKind:
    return KINDS.get(stat.S_IFMT(mode), "device")


def _require_no_owner(uid: int, gid: int) -> None:
    if not {uid, gid} <= {-1, 0}:
        raise OSError(errno.EOPNOTSUPP, "Windows has no such users and groups")
