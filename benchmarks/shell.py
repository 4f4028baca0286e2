"""`filewright snapshot begin` and `end` around a command in a tree of 50,000 files, as an agent's hooks call them.

Processes of their own, with all that starting them takes, against the half second that a person does not
notice. The first call has nothing to go by and spends its whole budget on keeping what the files hold; the
others are what every further command costs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

FOLDERS, FILES = 500, 100
RUNS = 5
LIMIT = 0.5


def rows() -> Iterator[tuple[str, float, float, float]]:
    """The seconds of the first `begin`, and the fastest of the others, each against the limit."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place, "root")
        for folder in range(FOLDERS):
            below = root / f"package{folder // 25}" / f"module{folder}"
            below.mkdir(parents=True)
            for file in range(FILES):
                (below / f"file{file}.py").write_text(f"# {folder} {file}\nx = {folder * file}\n" * 8)
        environment = {**os.environ, "FILEWRIGHT_STATE_DIR": str(Path(place, "state"))}

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
        ends: list[float] = []
        for run in range(RUNS + 1):
            taken, identifier = timed("begin")
            begins.append(taken)
            changed = root / "package3" / "module80" / "file7.py"
            changed.write_text(f"x = {run}\n")
            taken, _ = timed("end", identifier, "--command", "echo")
            ends.append(taken)
    count = f"{FOLDERS * FILES:,} files"
    yield f"the first snapshot begin in {count}, against half a second", begins[0], LIMIT, 1.0
    yield f"snapshot begin in {count}, against half a second", min(begins[1:]), LIMIT, 1.0
    yield f"snapshot end in {count}, against half a second", min(ends), LIMIT, 1.0


if __name__ == "__main__":
    for what, ours, reference, _ in rows():
        print(f"{what}: {ours:.2f} s of {reference} s")
