"""The benchmarks in one command.

    python -m benchmarks [NAME …] [--quick] [--markdown FILE]
    python -m benchmarks NAME [--quick] OPTIONS

Most measure their work against a reference in the same run, and all of these
run if no name is given. The others print tables of their own and take options
of their own: `python -m benchmarks scaling --help`. `--quick` runs the same
code on small data in seconds, and without a name every benchmark there is; its
figures mean nothing.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time
from collections.abc import Sequence

from benchmarks.row import Row

RATIOS = (
    "startup",
    "commits",
    "items",
    "listing",
    "searching",
    "outlines",
    "large_log",
    "logs",
    "large_edit",
    "growth",
    "hooks",
    "guard",
)
"""Modules with `rows(quick=…)`."""
REPORTS = ("scaling", "history", "readers", "taking_back")
"""Modules with `report(words, quick=…)`."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the named benchmarks; return 1 if a ratio is above its goal."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    names = ", ".join((*RATIOS, *REPORTS))
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {names}")
    parser.add_argument("--quick", action="store_true", help="small data")
    parser.add_argument("--markdown", metavar="FILE", help="keep the table")
    options, others = parser.parse_known_args(words)
    [*chosen] = options.names
    if chosen and chosen[0] in REPORTS:
        report = importlib.import_module(f"benchmarks.{chosen[0]}").report
        report([*chosen[1:], *others], quick=options.quick)
        return 0
    if "--help" in others or "-h" in others:
        parser.print_help()
        return 0
    unknown = [*sorted(set(chosen) - set(RATIOS)), *others]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {names}")
    rows = run(chosen or RATIOS, quick=options.quick)
    if options.quick and not chosen:
        for name in REPORTS:
            module = importlib.import_module(f"benchmarks.{name}")
            module.report([], quick=True)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write(format_table(rows))
    is_met = all(row.is_met for row in rows)
    return 0 if is_met or options.quick else 1


def run(names: Sequence[str], *, quick: bool) -> list[Row]:
    """Run benchmarks, and print each row as soon as it is measured."""
    rows = []
    for name in names:
        module = importlib.import_module(f"benchmarks.{name}")
        for row in module.rows(quick=quick):
            print(format_row(row), flush=True)
            rows.append(row)
    return rows


def format_table(rows: Sequence[Row]) -> str:
    """Return the table in Markdown, below a line on the machine."""
    machine = (
        f"{platform.machine()}, {os.cpu_count()} cores, "
        f"Linux {platform.release()}, Python {platform.python_version()}, "
        f"{time.strftime('%Y-%m-%d')}"
    )
    head = (
        "| work | ours | reference | ratio | goal |\n|---|---:|---:|---:|---:|"
    )
    return "\n".join([machine, "", head, *map(format_row, rows), ""])


def format_row(row: Row) -> str:
    """Return a row in Markdown, with a missed goal in bold."""
    ratio = f"{row.ratio:.2f}" if row.is_met else f"**{row.ratio:.2f}**"
    ours, reference = format_value(row.ours), format_value(row.reference)
    return f"| {row.work} | {ours} | {reference} | {ratio} | {row.goal:g} |"


def format_value(value: float) -> str:
    """Return seconds in a unit that suits them, or a count as it is."""
    if isinstance(value, int):
        return f"{value:g}"
    if value >= 1:
        return f"{value:.2f} s"
    if value >= 1e-3:
        return f"{value * 1e3:.1f} ms"
    return f"{value * 1e6:.1f} µs"


if __name__ == "__main__":
    sys.exit(main())
