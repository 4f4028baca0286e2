"""How long an open thing is held, whatever the system."""

from __future__ import annotations

from filewright.closing import Closing


class Handle(Closing):
    """The number by which the system knows an open thing; closed with the object."""

    __slots__ = ("_fd",)

    def __init__(self, number: int) -> None:
        self._fd = number

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
