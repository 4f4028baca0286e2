"""What is open: how long it is held, and what files and folders have in common."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import ClassVar

from filewright.closing import Closing
from filewright.system.status import Status


class Handle(Closing):
    """The number by which the system knows an open thing; closed with the object.

    `reached` are the names, links resolved, that led to it from the folder it was opened beneath; of a
    file none if the kernel followed links and did not say.
    """

    __slots__ = ("_fd", "reached")
    refusals: ClassVar[tuple[int, ...]] = (errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOTSUP)
    """The errors of attributes that only the system may give."""
    removable: ClassVar[tuple[str, ...]] = ()
    """How the names of attributes begin that are taken from what is not to have them."""

    def __init__(self, number: int, reached: tuple[bytes, ...] = ()) -> None:
        self._fd = number
        self.reached = reached

    @staticmethod
    def _let_go(number: int) -> None:
        raise NotImplementedError

    def fileno(self) -> int:
        """The descriptor (on Windows: the handle), for a child process or a poll. It stays ours."""
        return self._fd

    def detach(self) -> int:
        """The descriptor, which is the caller's from now on."""
        number, self._fd = self._fd, -1
        return number

    def close(self) -> None:
        """Let go of it; more than once does no harm."""
        if self._fd >= 0:
            self._let_go(self.detach())

    def __del__(self) -> None:
        # Nobody should need it: what is opened is closed. But a descriptor is worth more than a reproach.
        if getattr(self, "_fd", -1) >= 0:
            self._let_go(self._fd)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._fd})"

    def status(self) -> Status:
        """What the system says of it now."""
        raise NotImplementedError

    def identity(self) -> tuple[int, int]:
        """(device, inode): what stays the same however it is named."""
        return self.status().identity

    def flush_file_system(self) -> bool:
        """Flush all of its file system in one call; False where there is none, and nothing is flushed."""
        return False

    def unchangeable(self) -> bool:
        """Whether it is immutable or append only, which no right overcomes; False where nobody can tell."""
        return False

    def attributes(self) -> dict[str, bytes]:
        """Its extended attributes, access control lists among them; empty where there are none."""
        return {}

    def set_attributes(self, wanted: Mapping[str, bytes], *, strict: bool = True) -> None:
        """Make its extended attributes `wanted`: set what differs, remove the user's own that are not in it.

        Raises `OSError` whose `filename` is the attribute's name; not `strict`, those that only the
        system may give are left out.
        """
        present = self.attributes()
        changes = {name: value for name, value in wanted.items() if present.get(name) != value}
        gone = [name for name in present.keys() - wanted.keys() if name.startswith(self.removable)]
        for name, value in (*changes.items(), *((name, None) for name in gone)):
            try:
                self._set_attribute(name, value)
            except OSError as error:
                if strict or error.errno not in self.refusals:
                    raise OSError(error.errno, error.strerror, name) from error

    def _set_attribute(self, name: str, value: bytes | None) -> None:  # noqa: ARG002
        """Set one, or remove it (None)."""
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
