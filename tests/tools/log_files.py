"""Logs of ten minutes, as text in rotated files and as JSON lines, and searches of them."""

import gzip
import json
from pathlib import Path
from typing import Any

START = 10 * 3600


def stamp(second: int) -> str:
    """Return the time of the given second of the logs."""
    hours, rest = divmod(START + second, 3600)
    return f"2026-11-28T{hours:02}:{rest // 60:02}:{rest % 60:02}Z"


ENTRIES = [
    {
        "ts": stamp(number),
        "level": "error" if number % 10 == 3 else "info",
        "ms": number,
        "err": {"code": f"E{number % 3}"} if number % 10 == 3 else None,
    }
    for number in range(600)
]
PLAIN = [
    f"{stamp(number)} {'ERROR' if number % 10 == 3 else 'INFO'} request {number}\n"
    + ("  at Cart.total\n" if number % 10 == 3 else "")
    for number in range(600)
]
_FILES = {
    "app.jsonl": "".join(json.dumps(entry) + "\n" for entry in ENTRIES).encode()
    + b"{broken\n",
    "app.log.2.gz": gzip.compress("".join(PLAIN[:200]).encode()),
    "app.log.1": "".join(PLAIN[200:400]).encode(),
    "app.log": "".join(PLAIN[400:]).encode(),
}


def write_logs(root: Path) -> None:
    """Write the JSON lines, of which the last is broken, and the rotated files."""
    for name, content in _FILES.items():
        (root / name).write_bytes(content)


def search(logs: Any, **arguments: Any) -> Any:
    """Return the result of a search."""
    return logs.call("search_content", arguments)


def lines(result: Any) -> list[tuple[str, int]]:
    """Return the path and the line of each hit."""
    return [(hit.path, hit.line) for hit in result.results]
