"""Confinement of a whole process by the kernel, so that bugs stay inside the roots.

Landlock cannot be undone: a process gives up every access that it does not name, for
itself, for threads that it starts later and for its children. It covers opening,
making, removing, renaming, linking and truncating, and in later versions TCP and
signals. It does **not** cover `chmod`, `chown`, `utime`, extended attributes, `stat`,
nor descriptors opened before: those are left to `Boundary`, which opens a file beneath
a root first and then acts on the descriptor.

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

ADD_RULE_NUMBER, RESTRICT_SELF_NUMBER, PR_SET_NO_NEW_PRIVS = 445, 446, 38

FileOrPath = int | str | bytes
"""A descriptor or a path; a path that does not exist is ignored."""

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
MAKE_AND_REMOVE = sum(1 << bit for bit in range(4, 13))
FILE_ACCESS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
# Character and block devices are never made.
NO_DEVICES = ~((1 << 6) | (1 << 11))

READ = READ_FILE | READ_DIR
RUN = READ | EXECUTE
CHANGE = (READ | WRITE_FILE | MAKE_AND_REMOVE | REFER | TRUNCATE) & NO_DEVICES

ACCESS_BY_VERSION = {1: (1 << 13) - 1, 2: REFER, 3: TRUNCATE, 5: IOCTL_DEV}
LATER_FEATURES = {
    2: "moves between folders",
    3: "truncation",
    4: "TCP",
    5: "device control",
    6: "signals",
}
TCP_VERSION, SCOPE_VERSION = 4, 6
ALL_TCP = 0b11
ALL_SCOPES = 0b11  # abstract Unix sockets, signals

# fmt: off
SYSTEM_PATHS = (
    "/bin", "/lib", "/lib32", "/lib64", "/usr", "/opt",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/localtime", "/etc/timezone", "/etc/passwd", "/etc/group",
    "/etc/nsswitch.conf", "/etc/mime.types", "/etc/terminfo",
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
    "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/sys", "/proc/filesystems",
    "/sys/devices/system/cpu", "/sys/fs/cgroup",
)
# fmt: on
"""Programs, libraries and tables that a Python process and its programs read."""
LIBRARY_PATHS = (
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
)


@dataclass(frozen=True, slots=True)
class AccessRule:
    """Accesses that are allowed on some files and on all files below some folders."""

    access: int
    paths: Iterable[FileOrPath]


@dataclass(frozen=True, slots=True)
class Confinement:
    """The result of a confinement: writable and readable paths, and what is missing.

    `version` is that of Landlock, 0 if the kernel has none. `missing` names the
    protections that it lacks; `reason` says why nothing is enforced.
    """

    version: int
    write: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    reason: str = ""

    @property
    def enforced(self) -> bool:
        """True if the process is confined."""
        return self.version > 0 and not self.reason

    @property
    def summary(self) -> str:
        """The result as one line for the log and for `doctor`."""
        if not self.enforced:
            return f"not confined by the kernel: {self.reason}; the boundary alone holds"
        writable_paths = ", ".join(self.write) or "nothing"
        text = (
            f"confined by Landlock {self.version}: writes only below {writable_paths}, "
            "reads there and of the system"
        )
        if self.missing:
            text += f"; not covered: {', '.join(self.missing)}"
        return text


def available_version() -> int:
    """Return the version of Landlock; 0 if there is none or it is switched off."""
    if (
        sys.platform != "linux"
        or os.environ.get("FILEWRIGHT_SYSTEM") == "posix"
    ):
        return 0
    return linux.landlock_version()


def program_paths() -> tuple[str, ...]:
    """Return the paths that this Python runs from: prefixes, library and `sys.path`."""
    import sysconfig

    paths = {
        sys.prefix,
        sys.exec_prefix,
        sys.base_prefix,
        sys.base_exec_prefix,
        os.path.dirname(sys.executable),
    }
    paths.update(path for path in sysconfig.get_paths().values() if path)
    # `python -m` adds the current folder to `sys.path`, and that may be any folder.
    excluded_paths = {
        os.path.realpath(path)
        for path in (os.getcwd(), os.path.expanduser("~"))
    }
    paths.update(
        path
        for path in sys.path
        if path and os.path.realpath(path) not in excluded_paths
    )
    paths.update(os.path.realpath(path) for path in list(paths))
    paths.add(os.path.dirname(os.path.realpath(sys.executable)))
    paths.add(
        os.path.dirname(
            os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        )
    )
    # An installation in `/` itself would allow every path; SYSTEM_PATHS has its parts.
    return tuple(sorted(path for path in paths if path.strip("/")))


def confine(
    write: Sequence[FileOrPath],
    read: Sequence[FileOrPath] = (),
    *,
    network: bool = True,
) -> Confinement:
    """Confine this process for good.

    It may change files below `write`, read below `read`, and run the system's programs.
    `network=False` also forbids outgoing and listening TCP, if the kernel can. Call it
    before any thread is started: running threads are not confined, and `missing` says
    so.

    Raises nothing for a kernel without Landlock, for a filter that forbids it, or for a
    path that does not exist; `Confinement.reason` says why nothing is enforced.
    """
    version = available_version()
    if not version:
        return Confinement(
            0, reason="this kernel has no Landlock, or it is switched off"
        )
    missing = [
        feature
        for since, feature in LATER_FEATURES.items()
        if version < since and (since != TCP_VERSION or not network)
    ]
    thread_count = _count_threads()
    if thread_count > 1:
        missing.append(f"{thread_count - 1} threads that were running already")
    rules = [
        AccessRule(CHANGE, write),
        AccessRule(READ, read),
        AccessRule(RUN, ("/proc/self", *SYSTEM_PATHS, *program_paths())),
        AccessRule(READ_FILE | WRITE_FILE, ("/dev/null", "/dev/tty")),
    ]
    try:
        restrict(rules, network=network)
    except OSError as error:
        return Confinement(
            version, reason=f"the system refused it ({error.strerror})"
        )
    return Confinement(
        version,
        tuple(map(_display_path, write)),
        tuple(map(_display_path, read)),
        tuple(missing),
    )


def confine_child(
    folders: Sequence[FileOrPath],
    programs: Sequence[str] | None,
    writable_folders: Sequence[FileOrPath] = (),
) -> bool:
    """Let this thread and its children only read below `folders` and run `programs`.

    Below `writable_folders` they may change files. `programs` None means this Python.
    Return False, with nothing confined, if the kernel cannot do it.
    """
    if programs is None:
        runnable = (*SYSTEM_PATHS, *program_paths())
    else:
        runnable = (*LIBRARY_PATHS, *map(os.path.realpath, programs))
    rules = [
        AccessRule(READ, folders),
        AccessRule(CHANGE, writable_folders),
        AccessRule(RUN, runnable),
        AccessRule(READ_FILE, ("/etc/ld.so.cache", "/dev/urandom")),
        AccessRule(READ_FILE | WRITE_FILE, ("/dev/null",)),
        # Python finds the descriptors to close there.
        AccessRule(READ_DIR, ("/proc",)),
    ]
    if not available_version():
        return False
    try:
        restrict(rules, network=False)
    except OSError:
        return False  # A system call filter forbids it.
    return True


def restrict(rules: Sequence[AccessRule], *, network: bool) -> None:
    """Allow this thread and its later children only the accesses of `rules`."""
    version = available_version()
    handled_access = sum(
        access
        for since, access in ACCESS_BY_VERSION.items()
        if version >= since
    )
    handled_tcp = ALL_TCP if version >= TCP_VERSION and not network else 0
    scopes = ALL_SCOPES if version >= SCOPE_VERSION else 0
    attributes = struct.pack("=QQQ", handled_access, handled_tcp, scopes)
    # An older kernel refuses a structure with fields that it does not know.
    size = 8
    if version >= TCP_VERSION:
        size = 16
    if version >= SCOPE_VERSION:
        size = 24
    ruleset = _require_success(
        linux.landlock_create(
            linux.LANDLOCK_CREATE_RULESET, attributes, size, 0
        )
    )
    try:
        for rule in rules:
            for path in rule.paths:
                _allow(ruleset, rule.access & handled_access, path)
        _require_success(linux.libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        _require_success(_restrict_self(RESTRICT_SELF_NUMBER, ruleset, 0))
    finally:
        os.close(ruleset)


def _require_success(result: int) -> int:
    if result < 0:
        raise linux.last_error()
    return result


def _allow(ruleset: int, access: int, path: FileOrPath) -> None:
    if isinstance(path, int):
        _allow_descriptor(ruleset, access, path)
        return
    try:
        descriptor = os.open(path, linux.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return  # A path that cannot be reached needs no rule.
    try:
        _allow_descriptor(ruleset, access, descriptor)
    finally:
        os.close(descriptor)


def _allow_descriptor(ruleset: int, access: int, descriptor: int) -> None:
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        access &= FILE_ACCESS
    if access:
        attributes = struct.pack("=Qi", access, descriptor)
        _require_success(_add_rule(ADD_RULE_NUMBER, ruleset, 1, attributes, 0))


def _count_threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1  # Without /proc the number is unknown.


def _display_path(path: FileOrPath) -> str:
    if isinstance(path, int):
        try:
            return os.readlink(f"/proc/self/fd/{path}")
        except OSError:
            return f"descriptor {path}"
    return os.fsdecode(path)
