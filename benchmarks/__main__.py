"""Every benchmark in one command: `python -m benchmarks [NAME …] [--markdown FILE]`.

Each module measures its work against a reference in the same run and hands out rows of
(what, ours in seconds, reference in seconds, the ratio not to be passed).
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time

MODULES = (
    "startup",
    "commits",
    "items",
    "listing",
    "searching",
    "outlines",
    "large_log",
    "large_edit",
    "growth",
    "hooks",
    "guard",
)


def main() -> int:
    """Run, print a table, and leave with 1 if a ratio is passed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"of {', '.join(MODULES)}; default: all",
    )
    parser.add_argument(
        "--markdown", metavar="FILE", help="also write the table there"
    )
    chosen = parser.parse_args()
    unknown = set(chosen.names) - set(MODULES)
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}")
    lines = [
        f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}, "
        f"Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}",
        "",
        "| work | ours | reference | ratio | goal |",
        "|---|---:|---:|---:|---:|",
    ]
    passed = 0
    for name in chosen.names or MODULES:
        module = importlib.import_module(f"benchmarks.{name}")
        for what, ours, reference, goal in module.rows():
            ratio = ours / reference if reference else float("nan")
            passed += not ratio <= goal  # work that failed has no ratio
            line = f"| {what} | {seconds(ours)} | {seconds(reference)} | {ratio:.2f} | {goal:g} |"
            print(line, flush=True)
            lines.append(line)
    if chosen.markdown:
        with open(chosen.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return 1 if passed else 0


def seconds(value: float) -> str:
    """A time for people, or a count as it is."""
    if type(value) is not float:
        return f"{value:g}"
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.1f} ms" if value >= 1e-3 else f"{value * 1e6:.1f} µs"


if __name__ == "__main__":
    sys.exit(main())
