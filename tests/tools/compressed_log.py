"""A compressed log, larger than a window of the reader."""

import gzip
import os
import time
from pathlib import Path

COMPRESSED_LINES = b"".join(
    b"2026-11-01T00:00:%02dZ %s request %d\n"
    % (number % 60, b"ERROR" if number == 4_000 else b"INFO", number)
    for number in range(8_000)
)
_COMPRESSED = gzip.compress(COMPRESSED_LINES)


def write_compressed_log(path: Path) -> None:
    """Write the log, old enough for facts of its content to be shared."""
    path.write_bytes(_COMPRESSED)
    past = time.time() - 10
    os.utime(path, (past, past))
