"""Confinement of a whole process by the kernel, so that even a bug in it stays inside the roots.

Landlock is a one-way door: a process gives up every access it does not name, for itself, for the
threads it starts later and for its children. It covers opening, making, removing, renaming,
linking and truncating, and by version outgoing TCP and signals. It does **not** cover `chmod`,
`chown`, `utime`, extended attributes, `stat`, nor descriptors opened before: those stay the work of
`Boundary`, which opens beneath a root first and then acts on the descriptor.

The rules are the kernel's own (`Documentation/userspace-api/landlock.rst`).
"""

from __future__ import annotations

import os
import stat
import struct
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

if sys.platform == "linux":
    from ctypes import c_char_p, c_int, c_uint

    from filewright.system import linux

    _add_rule = linux.system_call(c_int, c_int, c_char_p, c_uint)
    _restrict_self = linux.system_call(c_int, c_uint)

_ADD_RULE, _RESTRICT_SELF, _NO_NEW_PRIVILEGES = 445, 446, 38

Place = int | str | bytes
"""A descriptor, or a path; what is not there is left out."""

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_MAKE_AND_REMOVE = sum(1 << bit for bit in range(4, 13))
_ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
_NO_DEVICES = ~(
    (1 << 6) | (1 << 11)
)  # no making of character and block devices, whoever asks

READ = READ_FILE | READ_DIR
RUN = READ | EXECUTE
CHANGE = (READ | WRITE_FILE | _MAKE_AND_REMOVE | REFER | TRUNCATE) & _NO_DEVICES

_BY_VERSION = {1: (1 << 13) - 1, 2: REFER, 3: TRUNCATE, 5: IOCTL_DEV}
_LATER = {
    2: "moves between folders",
    3: "truncation",
    4: "TCP",
    5: "device control",
    6: "signals",
}
_NET_VERSION, _SCOPE_VERSION = 4, 6
_TCP = 0b11
_SCOPES = 0b11  # abstract Unix sockets, signals

SYSTEM_READS = (
    *("/bin", "/lib", "/lib32", "/lib64", "/usr", "/opt"),
    *(
        "/etc/ld.so.cache",
        "/etc/ld.so.conf",
        "/etc/ld.so.conf.d",
        "/etc/localtime",
        "/etc/timezone",
    ),
    *(
        "/etc/passwd",
        "/etc/group",
        "/etc/nsswitch.conf",
        "/etc/mime.types",
        "/etc/terminfo",
    ),
    *("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"),
    *("/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/sys", "/proc/filesystems"),
    *("/sys/devices/system/cpu", "/sys/fs/cgroup"),
)
"""What a Python process and the programs it starts read of a system: programs, libraries, tables."""
_LIBRARIES = (
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
)


@dataclass(frozen=True, slots=True)
class Confinement:
    """What was and was not enforced. `version` is Landlock's; 0 means that nothing is."""

    version: int
    write: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    reason: str = ""

    @property
    def enforced(self) -> bool:
        """Whether the process is confined."""
        return self.version > 0 and not self.reason

    @property
    def line(self) -> str:
        """One line for the log and for `doctor`."""
        if not self.enforced:
            return (
                f"not confined by the kernel: {self.reason}; the boundary alone holds"
            )
        places = ", ".join(self.write) or "nothing"
        text = f"confined by Landlock {self.version}: writes only below {places}, reads there and of the system"
        return (
            f"{text}; not covered: {', '.join(self.missing)}" if self.missing else text
        )


def available() -> int:
    """Landlock's version here; 0 where the kernel has none, or is not to be used."""
    if sys.platform != "linux" or os.environ.get("FILEWRIGHT_SYSTEM") == "posix":
        return 0
    return linux.landlock_version()


def program_reads() -> tuple[str, ...]:
    """The folders this Python runs from: its prefixes, its library and where `sys.path` finds modules."""
    import sysconfig

    places = {
        sys.prefix,
        sys.exec_prefix,
        sys.base_prefix,
        sys.base_exec_prefix,
        os.path.dirname(sys.executable),
    }
    places.update(path for path in sysconfig.get_paths().values() if path)
    # `python -m` puts the current folder there, which may be anything.
    elsewhere = {
        os.path.realpath(place) for place in (os.getcwd(), os.path.expanduser("~"))
    }
    places.update(
        path for path in sys.path if path and os.path.realpath(path) not in elsewhere
    )
    places.update(os.path.realpath(place) for place in list(places))
    places.add(os.path.dirname(os.path.realpath(sys.executable)))
    places.add(
        os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    )
    # An installation in `/` itself would open everything: its parts are in SYSTEM_READS already.
    return tuple(sorted(place for place in places if place.strip("/")))


def confine(
    write: Sequence[Place], read: Sequence[Place] = (), *, network: bool = True
) -> Confinement:
    """Confine this process for good: changes below `write`, reading below `read`, running of what the system has.

    `network=False` also takes outgoing and
    listening TCP away where the kernel can. Call it before any thread is started: threads that run
    already are not confined (`missing` says so). Never raises for a kernel without Landlock, for a
    filter that forbids it, or for a place that is not there; `Confinement.reason` says why.
    """
    version = available()
    if not version:
        return Confinement(
            0, reason="this kernel has no Landlock, or it is switched off"
        )
    missing = [
        what
        for since, what in _LATER.items()
        if version < since and (since != _NET_VERSION or not network)
    ]
    running = _threads()
    if running > 1:
        missing.append(f"{running - 1} threads that were running already")
    rules: list[tuple[int, Iterable[Place]]] = [
        (CHANGE, write),
        (READ, read),
        (RUN, ("/proc/self", *SYSTEM_READS, *program_reads())),
        (READ_FILE | WRITE_FILE, ("/dev/null", "/dev/tty")),
    ]
    try:
        restrict(rules, network=network)
    except OSError as error:
        return Confinement(version, reason=f"the system refused it ({error.strerror})")
    return Confinement(
        version, tuple(map(_named, write)), tuple(map(_named, read)), tuple(missing)
    )


def confine_child(folders: Sequence[Place], programs: Sequence[str] | None) -> bool:
    """Let this thread, and what it starts, only read below `folders` and run `programs` (None: this Python).

    False, and nothing is confined, where the kernel cannot.
    """
    runs = (*SYSTEM_READS, *program_reads())
    if programs is not None:
        runs = (*_LIBRARIES, *map(os.path.realpath, programs))
    rules: list[tuple[int, Iterable[Place]]] = [
        *((READ, folders), (RUN, runs)),
        *(
            (READ_FILE, ("/etc/ld.so.cache", "/dev/urandom")),
            (READ_FILE | WRITE_FILE, ("/dev/null",)),
        ),
        (READ_DIR, ("/proc",)),  # Python closes the descriptors that it finds there.
    ]
    try:
        if available():
            restrict(rules, network=False)
            return True
    except OSError:
        pass  # A filter forbids it.
    return False


def restrict(rules: Sequence[tuple[int, Iterable[Place]]], *, network: bool) -> None:
    """Enforce `(access, places)` rules on this thread and its future children; everything else is refused."""
    version = available()
    handled = sum(bits for since, bits in _BY_VERSION.items() if version >= since)
    tcp = _TCP if version >= _NET_VERSION and not network else 0
    scopes = _SCOPES if version >= _SCOPE_VERSION else 0
    size = 24 if version >= _SCOPE_VERSION else 16 if version >= _NET_VERSION else 8
    attributes = struct.pack("=QQQ", handled, tcp, scopes)
    ruleset = _done(
        linux.landlock_create(linux.LANDLOCK_CREATE_RULESET, attributes, size, 0)
    )
    try:
        for access, places in rules:
            for place in places:
                _allow(ruleset, access & handled, place)
        _done(linux.libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _done(_restrict_self(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def _done(result: int) -> int:
    if result < 0:
        raise linux.failure()
    return result


def _allow(ruleset: int, access: int, place: Place) -> None:
    if isinstance(place, int):
        descriptor, opened = place, False
    else:
        try:
            descriptor, opened = os.open(place, linux.O_PATH | os.O_CLOEXEC), True
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return  # What cannot be reached needs no permission.
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= _ON_FILES
        if access:
            _done(
                _add_rule(
                    _ADD_RULE, ruleset, 1, struct.pack("=Qi", access, descriptor), 0
                )
            )
    finally:
        if opened:
            os.close(descriptor)


def _threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1  # No /proc: nobody can say.


def _named(place: Place) -> str:
    if isinstance(place, int):
        try:
            return os.readlink(f"/proc/self/fd/{place}")
        except OSError:
            return f"descriptor {place}"
    return os.fsdecode(place)
