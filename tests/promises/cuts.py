"""Power cuts: what a disk that forgets holds after a process was cut off, SQLite's calls and ours together.

Not a test module. `disklog.c`, loaded below the C library's face of a real process, logs every call that changes the
disk, with each flush. From such a log any moment can be taken, and what a disk may hold after the power went then:
two kinds of file system are modelled. A *journaling* one brings names to the disk in the order of the calls, and any
flush takes all earlier names along (ext4, XFS). A *lazy* one promises only what POSIX does: a name is on the disk
once its folder was flushed. In both, the bytes of a file are there once the file was flushed; of what was written
since, all, nothing, a part or single blocks may be.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

BLOCK = 4096
Disk = Literal["journaling", "lazy"]
_EXCHANGE = 2


COMPILER = shutil.which("cc") if sys.platform.startswith("linux") else None


@functools.cache
def library() -> Path:
    """`disklog.c`, compiled for as long as the tests run."""
    folder = tempfile.TemporaryDirectory(prefix="disklog-")
    atexit.register(folder.cleanup)
    made = Path(folder.name) / "disklog.so"
    source = Path(__file__).with_name("disklog.c")
    assert COMPILER is not None
    subprocess.run(
        [
            COMPILER,
            "-O1",
            "-shared",
            "-fPIC",
            "-o",
            made,
            source,
            "-ldl",
            "-lpthread",
        ],
        check=True,
    )
    return made


@dataclass(eq=False)
class Thing:
    """An inode: its number and birth as the recorded process saw them."""

    number: int
    kind: Literal["file", "folder", "link"]
    mode: int
    target: bytes = b""
    born: tuple[int, int] = (0, 0)


@dataclass
class Event:
    """One call: names are the (folder, name, thing or None) that it set, all at once."""

    kind: Literal["names", "write", "size", "flush", "mode", "mark"]
    thing: Thing | None = None
    names: list[tuple[Thing, bytes, Thing | None]] = field(default_factory=list)
    offset: int = 0
    data: bytes = b""


class Log:
    """What a process did to the disk below a folder, `base`, which was empty or is as an `Image` left it."""

    def __init__(
        self, file: Path, base: Path, image: Image | None = None
    ) -> None:
        self.base = Thing(base.stat().st_ino, "folder", 0o755)
        self.start: dict[Thing, dict[bytes, Thing]] = {}
        self.events: list[Event] = []
        self.image = image
        self._things = {self.base.number: self.base}
        self._names: dict[Thing, dict[bytes, Thing]] = {self.base: {}}
        self.before: dict[Thing, bytearray] = {}
        self.more = 0
        if image is not None:
            self._take_over(image)
        for head, one, two in _records(file.read_bytes()):
            self._event(head, one, two)

    def _take_over(self, image: Image) -> None:
        """What an image held when the process began: all of it is on the disk."""
        self.more = image.more

        def take(thing: Thing) -> Thing:
            number, mode = (
                image.numbers[thing],
                image.modes.get(thing, thing.mode),
            )
            if number in self._things and thing.kind == "file":
                return self._things[number]
            now = self._things[number] = Thing(
                number, thing.kind, mode, thing.target, thing.born
            )
            if thing.kind == "folder":
                below = image.folders.get(thing, {})
                self._names[now] = {
                    name: take(each) for name, each in below.items()
                }
            elif thing.kind == "file":
                self.before[now] = bytearray(image.contents.get(thing, b""))
            return now

        self.base = take(image.base)
        self.start = {
            folder: dict(below) for folder, below in self._names.items()
        }

    def reported(self, thing: Thing) -> int:
        """The number by which the recorded process knew an inode."""
        known = self.image.known if self.image is not None else {}
        return known.get(thing.number, thing.number + self.more)

    def _event(self, head: list[int | str], one: bytes, two: bytes) -> None:
        kind, a, b, c = head[0], int(head[1]), int(head[2]), int(head[3])
        things, event = self._things, Event("names")
        if kind == "K":
            event = Event("mark", data=one)
        elif kind == "B":
            things[a].born = (b, c)
            return
        elif kind == "T":
            things[a] = Thing(a, "file", b)
            return
        elif kind in ("C", "D", "L"):
            thing = things[b] = Thing(
                b, {"C": "file", "D": "folder", "L": "link"}[str(kind)], c, two
            )  # type: ignore[arg-type]
            event.names = [(things[a], one, thing)]
        elif kind == "H":
            event.names = [(things[a], one, things[b])]
        elif kind == "U":
            event.names = [(things[a], one, None)]
        elif kind == "R":
            source, target = things[a], things[b]
            moved, other = (
                self._names[source][one],
                self._names.setdefault(target, {}).get(two),
            )
            event.names = [
                (source, one, other if c & _EXCHANGE else None),
                (target, two, moved),
            ]
        elif a not in things:
            return  # A file that was open before, outside of the folder.
        elif kind == "W":
            event = Event("write", things[a], offset=b, data=one)
        elif kind == "Z":
            event = Event("size", things[a], offset=b)
        elif kind == "F":
            event = Event("flush", things[a])
        elif kind == "M":
            event = Event("mode", things[a], offset=b)
        for folder, name, named in event.names:
            below = self._names.setdefault(folder, {})
            if named is None:
                below.pop(name, None)
            else:
                below[name] = named
        self.events.append(event)

    def marks(self) -> list[tuple[int, str]]:
        """The place and the text of each mark."""
        return [
            (at, event.data.decode())
            for at, event in enumerate(self.events)
            if event.kind == "mark"
        ]


def _records(data: bytes) -> Iterator[tuple[list[int | str], bytes, bytes]]:
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        head = data[at:end].decode().split()
        one = end + 1 + int(head[4])
        at = one + int(head[5])
        yield [*head], data[end + 1 : one], data[one:at]


class Image:
    """What the disk holds after the power went before the event `cut`, none of those before `safe` being lost.

    Without a `seed` everything that was not flushed is gone; with one, chance decides. `flushes` False is a disk
    that ignores them, on which nothing can be promised.
    """

    def __init__(
        self,
        log: Log,
        cut: int,
        *,
        disk: Disk,
        seed: int | None,
        safe: int = 0,
        flushes: bool = True,
    ):
        self.log, self.base = log, log.base
        self.more = log.more + (1 << 44)
        generator = random.Random(seed) if seed is not None else None
        self.folders = {
            folder: dict(below) for folder, below in log.start.items()
        }
        for at in _names_kept(
            log.events[:cut], disk, generator, safe, flushes=flushes
        ):
            for folder, name, thing in log.events[at].names:
                below = self.folders.setdefault(folder, {})
                if thing is None:
                    below.pop(name, None)
                else:
                    below[name] = thing
        self.contents = _contents_kept(
            log, cut, generator, safe, flushes=flushes
        )
        self.modes = {
            event.thing: event.offset
            for event in log.events[:cut]
            if event.kind == "mode" and event.thing
        }
        self.numbers: dict[Thing, int] = {}
        self.known: dict[int, int] = {}

    def make(self, target: Path) -> None:
        """Make it below `target`, an empty folder, and the map of its inodes beside it."""
        made: dict[Thing, Path] = {}
        rows: list[str] = []

        def build(thing: Thing, path: Path) -> None:
            if thing.kind == "folder":
                path.mkdir(exist_ok=True)
                for name, below in self.folders.get(thing, {}).items():
                    build(below, path / os.fsdecode(name))
                path.chmod(self.modes.get(thing, thing.mode))
            elif thing.kind == "link":
                os.symlink(thing.target, os.fsencode(path))
            elif thing in made:
                os.link(made[thing], path)
                return
            else:
                path.write_bytes(self.contents.get(thing, b""))
                path.chmod(self.modes.get(thing, thing.mode))
                made[thing] = path
            number, then = path.lstat().st_ino, self.log.reported(thing)
            self.numbers[thing], self.known[number] = number, then
            rows.append(f"{number} {then} {thing.born[0]} {thing.born[1]}\n")

        build(self.base, target)
        target.with_name(target.name + ".map").write_text("".join(rows))

    def tree(self, name: bytes | None = None) -> dict[str, tuple[Any, ...]]:
        """What is below the base, or a folder of it: kind, mode, content or target, by path."""
        found: dict[str, tuple[Any, ...]] = {}

        def look(folder: Thing, above: str) -> None:
            for part, thing in self.folders.get(folder, {}).items():
                path = above + os.fsdecode(part)
                mode = self.modes.get(thing, thing.mode)
                if thing.kind == "folder":
                    found[path] = ("folder", mode)
                    look(thing, path + "/")
                elif thing.kind == "link":
                    found[path] = ("link", thing.target)
                else:
                    found[path] = (
                        "file",
                        mode,
                        bytes(self.contents.get(thing, b"")),
                    )

        if name is None:
            look(self.base, "")
        elif name in self.folders.get(self.base, {}):
            look(self.folders[self.base][name], "")
        return found


def _names_kept(
    done: list[Event],
    disk: Disk,
    generator: random.Random | None,
    safe: int,
    *,
    flushes: bool,
) -> list[int]:
    """The events that set names which reached the disk."""
    names = [at for at, event in enumerate(done) if event.kind == "names"]
    kept = {at for at in names if at < safe}
    flushed = [
        (at, event.thing)
        for at, event in enumerate(done)
        if flushes and event.kind == "flush"
    ]
    if disk == "journaling":
        last = max((at for at, _ in flushed), default=-1)
        rest = [at for at in names if at >= max(last, safe)]
        kept.update(at for at in names if at < last)
        kept.update(
            rest[: generator.randint(0, len(rest))] if generator else ()
        )
        return sorted(kept)
    at_last = {
        thing: at
        for at, thing in flushed
        if thing is not None and thing.kind == "folder"
    }
    waiting: set[Thing] = (
        set()
    )  # Folders of which something later is on the disk: so is all that came before.
    for at in reversed(names):
        folders = {folder for folder, _, _ in done[at].names}
        if (
            at in kept
            or folders & waiting
            or any(at_last.get(folder, -1) > at for folder in folders)
        ):
            kept.add(at)
            waiting |= folders
    if generator:
        lost: set[Thing] = set()
        for at in names:
            folders = {folder for folder, _, _ in done[at].names}
            if at not in kept and (folders & lost or generator.random() < 0.5):
                lost |= folders
            else:
                kept.add(at)
    return sorted(kept)


def _contents_kept(
    log: Log,
    cut: int,
    generator: random.Random | None,
    safe: int,
    *,
    flushes: bool,
) -> dict[Thing, bytearray]:
    durable = {
        thing: bytearray(content) for thing, content in log.before.items()
    }
    waiting: dict[Thing, list[Event]] = {}
    for at, event in enumerate(log.events[:cut]):
        if event.thing is None:
            continue
        if event.kind in ("write", "size"):
            waiting.setdefault(event.thing, []).append(event)
        if (event.kind == "flush" and flushes) or at < safe:
            for each in waiting.pop(event.thing, ()):
                _apply(durable.setdefault(event.thing, bytearray()), each)
    for thing, events in waiting.items() if generator is not None else ():
        assert generator is not None
        content = durable.setdefault(thing, bytearray())
        fate = generator.random()
        if fate < 0.25:
            continue
        count = len(events) if fate < 0.5 else generator.randint(0, len(events))
        for number, event in enumerate(events):
            if fate < 0.75:
                if number < count:
                    _apply(content, event)
                elif number == count and event.kind == "write":
                    _apply(
                        content,
                        event,
                        generator.randint(0, len(event.data) // 512) * 512,
                    )
            elif generator.random() < 0.5:
                _apply(content, event)
    return durable


def _apply(content: bytearray, event: Event, most: int | None = None) -> None:
    if event.kind == "size":
        del content[event.offset :]
        content.extend(bytes(event.offset - len(content)))
        return
    data = event.data if most is None else event.data[:most]
    if data:
        content.extend(bytes(max(0, event.offset - len(content))))
        content[event.offset : event.offset + len(data)] = data


# Processes

_FRAME = """
import ctypes, json, os, sys
from filewright import FilewrightError, Settings, Workspace
disk = ctypes.CDLL(None)
def mark(**what):
    disk.disklog_mark(json.dumps(what).encode())
def opened(base):
    # A file of 140 KB is large: of it, what an edit takes out is kept, or the file itself by a second name.
    settings = Settings(state_dir=base + "/state", whole_undo_bytes=100_000)
    return Workspace(base + "/work", settings=settings)
"""


def recorded(program: str, base: Path, image: Image | None = None) -> Log:
    """Run a program on `base`, with `mark(…)` and `opened(base)`, and log what it does to the disk."""
    file = base.with_name(base.name + ".log")
    file.unlink(missing_ok=True)
    begin = f"base = {str(base)!r}\n"
    if image is not None:
        begin += f"disk.disklog_map({str(base) + '.map'!r}.encode(), ctypes.c_ulonglong({image.more}))\n"
    environment = os.environ | {
        "LD_PRELOAD": str(library()),
        "DISKLOG": str(file),
        "DISKLOG_DEVICE": str(base.stat().st_dev),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(base.parent),
    }
    done = subprocess.run(
        [sys.executable, "-c", _FRAME + begin + program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    return Log(file, base, image)


_LOOK = """
for line in sys.stdin:
    base, more, then = json.loads(line)
    disk.disklog_map((base + ".map").encode(), ctypes.c_ulonglong(more))
    answer = {}
    try:
        with opened(base) as workspace:
            found = workspace.recover()
            answer = {"conflicts": list(found.conflicts), "changes": [each.id for each in workspace.history(limit=500)][::-1]}
            for change in answer["changes"]:
                workspace.diff(change)
            answer["kept"] = list(workspace.changes.kept_versions)
            if then == "rewind" and len(answer["changes"]) > 1:
                try:
                    workspace.revert_edit(since=answer["changes"][0])
                except FilewrightError as error:
                    if error.code.value != "no_change":  # The change that was cut off was that rewind.
                        raise
    except FilewrightError as error:
        answer["error"] = str(error)
    print(json.dumps(answer), flush=True)
"""


class Looking:
    """A process that opens images as the next start would, recovers, and says what it finds."""

    def __enter__(self) -> Looking:
        environment = os.environ | {
            "LD_PRELOAD": str(library()),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [sys.executable, "-c", _FRAME + _LOOK],
            env=environment,
            stdin=pipe,
            stdout=pipe,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def at(self, image: Image, base: Path, then: str = "") -> dict[str, Any]:
        """What it finds in an image that was made below `base`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(
            json.dumps([str(base), image.more, then]) + "\n"
        )
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found
