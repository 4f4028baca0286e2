"""What is closed at the end of a `with`."""

from __future__ import annotations

from typing import Self


class Closing:
    """Something that is let go of by `close`, which a `with` calls at its end."""

    __slots__ = ()

    def close(self) -> None:
        """Let go of it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
