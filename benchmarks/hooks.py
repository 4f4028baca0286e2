"""`filewright snapshot begin` and `end` around a command in trees of 10,000 and 100,000 files, as hooks call them.

Processes of their own, with all that starting them takes, against what a person does not notice. The first call
has nothing to go by and spends its whole budget on keeping what the files hold; the others are what every
further command costs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

FILES = 100
RUNS = 7
LIMITS = {100: 0.15, 1000: 0.6}
"""By folders: the seconds that `begin` and `end` together may take."""
FIRST = 0.5


def rows() -> Iterator[tuple[str, float, float, float]]:
    """The seconds of the first `begin`, and of the fastest `begin` with its `end`, each against the limit."""
    for folders, limit in LIMITS.items():
        with tempfile.TemporaryDirectory() as place:
            begins, both = _measured(Path(place), folders)
        count = f"{folders * FILES:,} files"
        yield f"the first snapshot begin in {count}, against half a second", begins, FIRST, 1.0
        yield f"snapshot begin and end in {count}, against {limit:g} s", both, limit, 1.0


def _measured(place: Path, folders: int) -> tuple[float, float]:
    root = place / "root"
    for folder in range(folders):
        below = root / f"package{folder // 25}" / f"module{folder}"
        below.mkdir(parents=True)
        for file in range(FILES):
            (below / f"file{file}.py").write_text(f"# {folder} {file}\nx = {folder * file}\n" * 8)
    environment = {**os.environ, "FILEWRIGHT_STATE_DIR": str(place / "state")}

    def timed(*words: str) -> tuple[float, str]:
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "filewright", "snapshot", *words, "--root", str(root)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return time.perf_counter() - begun, done.stdout.strip()

    begins: list[float] = []
    both: list[float] = []
    for run in range(RUNS + 1):
        taken, identifier = timed("begin")
        begins.append(taken)
        (root / "package3" / "module80" / "file7.py").write_text(f"x = {run}\n")
        both.append(taken + timed("end", identifier, "--command", "echo")[0])
    return begins[0], min(both[1:])


if __name__ == "__main__":
    for what, ours, reference, _ in rows():
        print(f"{what}: {ours:.2f} s of {reference} s")
