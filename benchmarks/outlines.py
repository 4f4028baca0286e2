"""The outline of 10 MB of Python against the parser alone, best of five each."""

from __future__ import annotations

import contextlib
import os
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.row import Row
from filewright.languages import Language
from filewright.settings import Settings
from filewright.structure.grammar import load_grammar
from filewright.structure.outlines import Outlines


@contextlib.contextmanager
def measured(into: list[tuple[float, float]]) -> Iterator[None]:
    """Elapsed time, and processor time of this process and its children."""
    started, processor = time.perf_counter(), processor_time()
    yield
    into.append((time.perf_counter() - started, processor_time() - processor))


def processor_time() -> float:
    total = time.process_time()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(") ")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended meanwhile
        if int(fields[1]) == os.getpid():
            total += (int(fields[11]) + int(fields[12])) / os.sysconf(
                "SC_CLK_TCK"
            )
    return total


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Yield elapsed and processor time against the parser alone."""
    alone, whole, size = timed(
        100_000 if quick else 10_000_000, 1 if quick else 5
    )
    work = f"outline of {size / 1e6:.1f} MB of Python, against the parser alone"
    for place, clock in enumerate(("", ", in processor time")):
        ours = min(run[place] for run in whole)
        reference = min(run[place] for run in alone)
        yield Row(work + clock, ours, reference, 1.3)


def timed(
    length: int, rounds: int
) -> tuple[list[tuple[float, float]], list[tuple[float, float]], int]:
    """(elapsed, processor) seconds of the parser alone and of the outline, and the bytes parsed."""
    parts: list[bytes] = []
    size = 0
    stdlib = Path(sysconfig.get_paths()["stdlib"])
    sources = sorted(
        path for path in stdlib.rglob("*.py") if "lib2to3" not in path.parts
    )
    while size < length:
        for path in sources:
            data = path.read_bytes()
            if b"\0" not in data and not data.startswith(b"\xef\xbb\xbf"):
                parts.append(data + b"\n")
                size += len(data) + 1
                if size >= length:
                    break
    source = b"".join(parts)
    grammar = load_grammar(Language.PYTHON)
    outlines = Outlines(Settings(parse_seconds=60))
    outlines.outline(b"x = 1", Language.PYTHON)
    alone: list[tuple[float, float]] = []
    whole: list[tuple[float, float]] = []
    for number in range(rounds):
        content = source + b"# %d\n" % number
        with measured(alone):
            grammar.parser().parse(content)
        with measured(whole):
            outline = outlines.outline(content, Language.PYTHON)
        assert outline.count
    outlines.close()
    return alone, whole, len(source)
