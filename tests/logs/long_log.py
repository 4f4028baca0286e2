"""A long log with an entry each second, a dump of all threads, and counted reads."""

from filewright.text.snapshot import Snapshot


def stamp(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    return f"2026-11-28T{hours:02}:{rest // 60:02}:{rest % 60:02}Z"


LOG = "".join(
    f"{stamp(second)} request {'x' * 60}\n" for second in range(30_000)
).encode()
HEAD = LOG[: 90 * 400]
DUMP = b"  at frame of a dump of all threads\n" * 4_000


class CountedReads(Snapshot):
    """A snapshot that counts the bytes that are read of it."""

    read_bytes = 0

    def read(self, offset: int, length: int) -> bytes:
        self.read_bytes += length
        return super().read(offset, length)
