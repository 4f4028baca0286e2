"""A disk that forgets: a log of what was written, renamed and flushed, and what a power cut leaves.

Not a test module. Two kinds of file system are modelled. A *journaling* one brings names to the disk
in the order of the calls, and any flush takes all earlier names along (ext4, XFS). A *lazy* one
promises only what POSIX does: a name is on the disk once its folder was flushed, and folders do not
wait for one another; a rename is one step, also between folders. In both a file's bytes are there
once the file was flushed, and before that may be missing, cut short, or there. A transaction of the
state's database is one step, flushed at its end as far as it asks for that.
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filewright.changes import database
from filewright.system import kernel


@dataclass
class Thing:
    """An inode as the model sees it: `number` on the recording system, content by time."""

    number: int
    kind: str
    target: str = ""
    mode: int = 0o600


@dataclass
class Event:
    """One call: `names` are the (folder, name, thing or None) that it sets, all at once."""

    kind: str
    names: list[tuple[Thing, str, Thing | None]] = field(default_factory=list)
    thing: Thing | None = None
    content: bytes = b""
    mode: int = 0


class Platter:
    """Records everything done below a folder while switched on."""

    def __init__(self, base: Path) -> None:
        self.base = str(base)
        self.events: list[Event] = []
        self._things: dict[int, Thing] = {}
        self.folders: dict[Thing, dict[str, Thing]] = {}
        self.start: dict[Thing, bytes] = {}
        self.top = self._scan(self.base)

    def __hash__(self) -> int:
        return id(self)

    def _scan(self, path: str) -> Thing:
        status = os.lstat(path)
        thing = self._thing(status)
        if thing.kind == "folder":
            below = self.folders[thing] = {}
            for name in os.listdir(path):
                below[name] = self._scan(os.path.join(path, name))
        elif thing.kind == "link":
            thing.target = os.readlink(path)
        else:
            self.start[thing] = Path(path).read_bytes()
        return thing

    def _thing(self, status: os.stat_result, *, fresh: bool = False) -> Thing:
        if fresh or status.st_ino not in self._things:
            kinds = {stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
            kind = kinds.get(stat.S_IFMT(status.st_mode), "file")
            self._things[status.st_ino] = Thing(status.st_ino, kind, mode=stat.S_IMODE(status.st_mode))
        return self._things[status.st_ino]

    Thing.__hash__ = object.__hash__  # type: ignore[method-assign]

    def _folder(self, path: Any, descriptor: int | None) -> tuple[Thing, str] | None:
        text = os.fsdecode(path)
        if descriptor is not None and descriptor >= 0 and not text.startswith("/"):
            above = os.readlink(f"/proc/self/fd/{descriptor}")
        else:
            above, text = os.path.split(text)
        if not above.startswith(self.base):
            return None
        return self._thing(os.stat(above)), text

    def _at(self, path: Any, descriptor: int | None) -> Thing:
        return self._thing(
            os.stat(
                path, dir_fd=descriptor if descriptor and descriptor >= 0 else None, follow_symlinks=False
            )
        )

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what is done inside."""
        real = {
            name: getattr(os, name)
            for name in [
                "open",
                "write",
                "pwrite",
                "ftruncate",
                "posix_fallocate",
                "fsync",
                "fchmod",
                "link",
                "unlink",
                "mkdir",
                "rmdir",
                "symlink",
                "rename",
            ]
        }
        real_rename, real_chmod = kernel.renameat2, kernel.chmod_descriptor

        def opened(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            descriptor = real["open"](path, flags, mode, dir_fd=dir_fd)
            if flags & os.O_CREAT and flags & os.O_EXCL:
                place = self._folder(path, dir_fd)
                if place is not None:
                    thing = self._thing(os.fstat(descriptor), fresh=True)
                    self.events.append(Event("names", [(*place, thing)]))
            return descriptor

        def changed(descriptor: int) -> None:
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode) and status.st_ino in self._things:
                content = os.pread(descriptor, 1 << 24, 0) if _readable(descriptor) else _reread(descriptor)
                self.events.append(Event("content", thing=self._things[status.st_ino], content=content))

        def writing(name: str) -> Callable[..., Any]:
            def call(descriptor: int, *args: Any) -> Any:
                result = real[name](descriptor, *args)
                changed(descriptor)
                return result

            return call

        def fsync(descriptor: int) -> None:
            real["fsync"](descriptor)
            status = os.fstat(descriptor)
            if status.st_ino in self._things:
                self.events.append(Event("flush", thing=self._things[status.st_ino]))

        def fchmod(descriptor: int, mode: int) -> None:
            real["fchmod"](descriptor, mode)
            self.events.append(Event("mode", thing=self._thing(os.fstat(descriptor)), mode=mode))

        def chmod_descriptor(descriptor: int, mode: int) -> None:
            real_chmod(descriptor, mode)
            self.events.append(Event("mode", thing=self._thing(os.fstat(descriptor)), mode=mode))

        def link(
            src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None, **more: Any
        ) -> None:
            thing = self._at(src, src_dir_fd)
            real["link"](src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd, **more)
            place = self._folder(dst, dst_dir_fd)
            assert place is not None
            self.events.append(Event("names", [(*place, thing)]))

        def gone(name: str) -> Callable[..., None]:
            def call(path: Any, *, dir_fd: int | None = None) -> None:
                place = self._folder(path, dir_fd)
                real[name](path, dir_fd=dir_fd)
                if place is not None:
                    self.events.append(Event("names", [(*place, None)]))

            return call

        def mkdir(path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
            real["mkdir"](path, mode, dir_fd=dir_fd)
            place = self._folder(path, dir_fd)
            if place is not None:
                status = os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
                self.events.append(Event("names", [(*place, self._thing(status, fresh=True))]))

        def symlink(target: Any, path: Any, *, dir_fd: int | None = None) -> None:
            real["symlink"](target, path, dir_fd=dir_fd)
            place = self._folder(path, dir_fd)
            assert place is not None
            thing = self._thing(os.stat(path, dir_fd=dir_fd, follow_symlinks=False), fresh=True)
            thing.target = os.fsdecode(target)
            self.events.append(Event("names", [(*place, thing)]))

        def rename(
            src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
        ) -> None:
            one, two = self._folder(src, src_dir_fd), self._folder(dst, dst_dir_fd)
            assert one is not None
            assert two is not None
            thing = self._at(src, src_dir_fd)
            real["rename"](src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
            self.events.append(Event("names", [(*one, None), (*two, thing)]))

        def renameat2(folder: int, src: bytes, target: int, dst: bytes, flags: int) -> None:
            one, two = self._folder(src, folder), self._folder(dst, target)
            assert one is not None
            assert two is not None
            thing = self._at(src, folder)
            other = self._at(dst, target) if flags == kernel.RENAME_EXCHANGE else None
            real_rename(folder, src, target, dst, flags)
            self.events.append(Event("names", [(*one, other), (*two, thing)]))

        real_end = database.end

        def end(connection: Any) -> None:
            real_end(connection)
            path = connection.execute("PRAGMA database_list").fetchone()[2]
            thing = self._thing(os.stat(path))
            thing.kind = "database"
            # Its image is of a database that is closed: the log beside it is not needed any more.
            self.events.append(Event("content", thing=thing, content=bytes(connection.serialize())))
            if connection.execute("PRAGMA synchronous").fetchone() == (2,):
                self.events.append(Event("flush", thing=thing))

        patched: dict[str, Any] = {
            "open": opened,
            "fsync": fsync,
            "fchmod": fchmod,
            "link": link,
            "unlink": gone("unlink"),
            "rmdir": gone("rmdir"),
            "mkdir": mkdir,
            "symlink": symlink,
            "rename": rename,
        } | {name: writing(name) for name in ("write", "pwrite", "ftruncate", "posix_fallocate")}
        try:
            for name, function in patched.items():
                setattr(os, name, function)
            kernel.renameat2, kernel.chmod_descriptor = renameat2, chmod_descriptor  # type: ignore[assignment]
            database.end = end
            yield
        finally:
            for name, function in real.items():
                setattr(os, name, function)
            kernel.renameat2, kernel.chmod_descriptor = real_rename, real_chmod
            database.end = real_end

    # After the power cut

    def names_on_disk(self, cut: int, kind: str, generator: random.Random | None) -> list[Event]:
        """The name events that reached the disk when the power went after `cut` events."""
        done = self.events[:cut]
        names = [(index, event) for index, event in enumerate(done) if event.kind == "names"]
        durable: set[int] = set()
        if kind == "journaling":
            last = max((i for i, event in enumerate(done) if event.kind == "flush"), default=-1)
            durable = {index for index, _ in names if index < last}
            rest = [index for index, _ in names if index >= last]
            durable |= set(rest[: generator.randint(0, len(rest))] if generator else ())
            return [event for index, event in names if index in durable]
        flushed: dict[Thing, int] = {}
        for index, event in enumerate(done):
            if event.kind == "flush" and event.thing is not None and event.thing.kind == "folder":
                flushed[event.thing] = index
        for index, event in reversed(names):
            # What is on the disk, and everything earlier in the same folders.
            own = {folder for folder, _, _ in event.names}
            asked = any(flushed.get(folder, -1) > index for folder in own)
            later = any(
                i in durable and own & {folder for folder, _, _ in other.names}
                for i, other in names
                if i > index
            )
            if asked or later:
                durable.add(index)
        if generator:
            for index, event in names:
                own = {folder for folder, _, _ in event.names}
                if index not in durable and generator.random() < 0.5:
                    before = [i for i, o in names if i < index and own & {f for f, _, _ in o.names}]
                    if set(before) <= durable:
                        durable.add(index)
        return [event for index, event in names if index in durable]

    def contents_on_disk(self, cut: int, generator: random.Random | None) -> dict[Thing, bytes]:
        """Every file's bytes after the power cut."""
        flushed = dict(self.start)
        written = dict(self.start)
        for event in self.events[:cut]:
            if event.kind == "content" and event.thing is not None:
                written[event.thing] = event.content
            elif event.kind == "flush" and event.thing in written:
                flushed[event.thing] = written[event.thing]
        if generator:
            for thing, content in written.items():
                fate = generator.random()
                if fate < 0.4:
                    flushed[thing] = content
                elif thing.kind == "database":
                    pass  # A transaction is on the disk, or is not.
                elif fate < 0.6 and flushed.get(thing) != content:
                    # What was flushed stays; of what was appended since, any part may be there.
                    safe = flushed.get(thing, b"")
                    kept = len(safe) if content.startswith(safe) else 0
                    flushed[thing] = content[: generator.randint(kept, len(content))]
        return flushed

    def image(self, cut: int, kind: str, target: Path, seed: int | None) -> dict[int, int]:
        """Make what a power cut leaves below `target`; returns inode numbers, then and now."""
        generator = random.Random(seed) if seed is not None else None
        folders = {folder: dict(below) for folder, below in self.folders.items()}
        for event in self.names_on_disk(cut, kind, generator):
            for folder, name, thing in event.names:
                below = folders.setdefault(folder, {})
                if thing is None:
                    below.pop(name, None)
                else:
                    below[name] = thing
        modes: dict[Thing, int] = {}
        for event in self.events[:cut]:
            if event.kind == "mode" and event.thing is not None:
                modes[event.thing] = event.mode
        contents = self.contents_on_disk(cut, generator)
        numbers: dict[int, int] = {}
        made: dict[Thing, Path] = {}

        def build(thing: Thing, path: Path) -> None:
            if thing.kind == "folder":
                path.mkdir(exist_ok=True)
                for name, below in folders.get(thing, {}).items():
                    build(below, path / name)
                path.chmod(modes.get(thing, thing.mode))
            elif thing.kind == "link":
                os.symlink(thing.target, path)
            elif thing in made:
                os.link(made[thing], path)
            else:
                path.write_bytes(contents.get(thing, b""))
                path.chmod(modes.get(thing, thing.mode))
                made[thing] = path
            numbers[thing.number] = os.lstat(path).st_ino

        build(self.top, target)
        return numbers


def _readable(descriptor: int) -> bool:
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_WRONLY


def _reread(descriptor: int) -> bytes:
    return Path(f"/proc/self/fd/{descriptor}").read_bytes()
