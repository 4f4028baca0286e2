"""Search as ratios against the reference engine's own process (`rg`) on the same files, in one run.

Ours and the reference take turns, and the best of each counts. Ours starts from a path each time: it opens
the file through the boundary and knows nothing of it beforehand, and like the reference it tells the hit's line number.
"""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import time
from collections.abc import Callable

from benchmarks.row import Row, fastest_in_turns
from filewright.boundary.boundary import Boundary
from filewright.boundary.launcher import find_program
from filewright.search.hits import search_snapshot
from filewright.search.pattern import compile_pattern
from filewright.search.searcher import Searcher
from filewright.search.similarity import search_fuzzy
from filewright.search.tree import TreeSearch
from filewright.search.tree_options import TreeOptions
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot

ROUNDS = 9
RARE = "FATAL checksum of segment Zebra-4711 differs from the journal"
LEVELS = ("INFO", "DEBUG", "WARN", "ERROR")


def make_log(path: str, size: int, *, count: int = 200_000) -> list[str]:
    """Write a log of about `size` bytes whose lines hardly repeat, a rare line near its end; some of its lines."""
    chance = random.Random(7)
    words = [
        "".join(
            chance.choices(
                "abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10)
            )
        )
        for _ in range(5000)
    ]
    lines = []
    for n in range(count):
        clock = f"2026-11-{n % 28 + 1:02d}T{n // 3600 % 24:02d}:{n // 60 % 60:02d}:{n % 60:02d}.{n * 7919 % 1000:03d}"
        text = " ".join(chance.choices(words, k=chance.randint(4, 12)))
        lines.append(
            f"{clock} {LEVELS[n % 4]} [{chance.choice(words)}-{n % 97}] {text}\n"
        )
    block = "".join(lines).encode()
    with open(path, "wb") as file:
        while file.tell() + len(block) < size:
            file.write(block)
        chance.shuffle(lines)
        file.write(
            "".join(
                lines[
                    : max(
                        1, int((size - file.tell()) / len(block) * len(lines))
                    )
                ]
            ).encode()
        )
        file.write(f"2026-11-21T00:00:00.000 {RARE}\n".encode())
    return lines


def make_tree(base: str, count: int) -> int:
    """Make text files of 1 to 12 KB; return the number of those with a rare word."""
    chance = random.Random(3)
    words = [
        "".join(
            chance.choices(
                "abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10)
            )
        )
        for _ in range(3000)
    ]
    rows = [" ".join(chance.choices(words, k=12)) for _ in range(20_000)]
    with open(os.path.join(base, ".gitignore"), "w", encoding="utf-8") as file:
        file.write("*.log\nbuild/\n*.pyc\n")
    rare = 0
    for number in range(count):
        folder = f"{base}/pkg{number // 1000:02}/mod{number // 50 % 20:02}"
        if number % 50 == 0:
            os.makedirs(folder, exist_ok=True)
        at, length = chance.randrange(len(rows) - 160), chance.randint(10, 160)
        body = "\n".join(rows[at : at + length]) + (
            "\nneedle_rare is here\n" if number % 9973 == 0 else "\n"
        )
        with open(
            f"{folder}/file{number % 50:02}.py", "w", encoding="utf-8"
        ) as file:
            file.write(body)
        rare += number % 9973 == 0
    return rare


def mistyped(text: str, every: int) -> str:
    """`text` with about every nth character changed, dropped or doubled in turn."""
    chars = list(text)
    for turn, at in enumerate(range(every // 2, len(chars), every)):
        chars[at] = ("~", "", chars[at] * 2)[turn % 3]
    return "".join(chars)


def rows(*, quick: bool = False) -> list[Row]:
    """Return the measurements; they need some 1.5 GB of disk for a minute."""
    megabytes, files = (1, 500) if quick else (1024, 50_000)
    count = 2_000 if quick else 200_000
    rounds = 1 if quick else ROUNDS
    engine = find_program("rg")
    assert engine is not None, "rg is not installed"
    settings = Settings()
    result: list[Row] = []

    def reference(*arguments: str, folder: str) -> Callable[[], object]:
        argv = [engine, "--no-config", *arguments]
        return lambda: subprocess.run(
            argv, cwd=folder, stdout=subprocess.DEVNULL, check=False
        )

    with tempfile.TemporaryDirectory() as base:
        lines = make_log(f"{base}/big.log", megabytes << 20, count=count)
        make_log(f"{base}/tenth.log", (megabytes << 20) // 10, count=count)
        os.mkdir(f"{base}/tree")
        rare_files = make_tree(f"{base}/tree", files)
        boundary = Boundary([base], settings)

        def exact(
            name: str, text: str, mode: str, *, again: bool = False
        ) -> Callable[[], object]:
            def act() -> None:
                if not again:
                    os.utime(
                        f"{base}/{name}"
                    )  # What was learned of it holds no more.
                where = boundary.locate(name)
                pattern = compile_pattern(text, mode=mode, case="sensitive")  # type: ignore[arg-type]
                with Snapshot.of_file(
                    boundary.open_file(where),
                    where,
                    settings,
                    launcher=boundary.launcher,
                ) as snapshot:
                    found = search_snapshot(snapshot, pattern, limit=50)
                    assert found.complete
                    assert len(found.hits) == (0 if "absent" in text else 1)

            return act

        def similar(name: str, needle: str) -> Callable[[], object]:
            def act() -> None:
                where = boundary.locate(name)
                with Snapshot.of_file(
                    boundary.open_file(where),
                    where,
                    settings,
                    launcher=boundary.launcher,
                ) as snapshot:
                    assert (
                        search_fuzzy(snapshot, needle, limit=5).hits[0].score
                        > 0.9
                    )

            return act

        size = "1 GB" if megabytes == 1024 else f"{megabytes} MB"
        rare = "segment Zebra-4711"
        lined = reference("-n", "-e", rare, "big.log", folder=base)
        result.append(
            Row(
                f"literal, rare, {size}, against rg -n",
                *fastest_in_turns(
                    exact("big.log", rare, "literal"), lined, rounds
                ),
                1.15,
            )
        )
        time.sleep(0.1)
        repeated = fastest_in_turns(
            exact("big.log", rare, "literal", again=True), lined, rounds
        )
        result.append(
            Row(
                f"the same literal again, {size}, against rg -n", *repeated, 0.5
            )
        )
        plain = reference("-e", "absent Zebra", "big.log", folder=base)
        ours = fastest_in_turns(
            exact("big.log", "absent Zebra", "literal"), plain, rounds
        )
        result.append(Row(f"literal, absent, {size}, against rg", *ours, 1.15))
        for text in (
            r"segment [A-Z]\w+-\d+ differs",
            r"(?i)CHECKSUM of \w+ zebra",
        ):
            lined = reference("-n", "-e", text, "big.log", folder=base)
            result.append(
                Row(
                    f"regex {text}, {size}, against rg -n",
                    *fastest_in_turns(
                        exact("big.log", text, "regex"), lined, rounds
                    ),
                    1.25,
                )
            )
        scan = reference("-n", "-F", "-e", rare, "big.log", folder=base)
        result.append(
            Row(
                f"fuzzy, a line with typos, {size}, against rg -n -F",
                *fastest_in_turns(
                    similar("big.log", mistyped(RARE, 25)), scan, rounds
                ),
                8.0,
            )
        )
        scan = reference("-n", "-F", "-e", rare, "tenth.log", folder=base)
        block = mistyped("".join(lines[500:512]), 33)
        result.append(
            Row(
                "fuzzy, 12 lines with 3 % edits, a tenth of it, against rg -n -F",
                *fastest_in_turns(similar("tenth.log", block), scan, rounds),
                10.0,
            )
        )

        searcher = Searcher(boundary, settings)
        where = boundary.locate("tree")
        for text, mode in (
            ("needle_rare", "literal"),
            (r"needle_\w+ is", "regex"),
        ):
            pattern = compile_pattern(text, mode=mode, case="sensitive")  # type: ignore[arg-type]

            def tree(pattern: object = pattern) -> None:
                search = TreeSearch(
                    searcher,
                    where,
                    pattern,  # type: ignore[arg-type]
                    TreeOptions(limit=100),
                )
                assert (
                    sum(file_hits.count for _, file_hits in search)
                    == rare_files
                )

            lined = reference(
                "-n",
                "--hidden",
                "--no-require-git",
                "-e",
                text,
                folder=f"{base}/tree",
            )
            result.append(
                Row(
                    f"{mode} in a tree of {files:,} files, against rg -n",
                    *fastest_in_turns(tree, lined, rounds),
                    1.3,
                )
            )
        boundary.close()
    return result
