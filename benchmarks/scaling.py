"""How cost grows with the size of a file: one session on logs from 1 MB up, a table and a chart.

    python -m benchmarks scaling [--largest GIGABYTES] [--chart FILE.svg] [--markdown FILE.md]

Every call goes through the real server. Memory is what the server holds privately beyond what it
held when idle, at its highest after any call of the session.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.large_log import Sample, reference_copy, session

MB, GB = 1 << 20, 1 << 30
SIZES = (1 * MB, 10 * MB, 100 * MB, 1 * GB, 10 * GB)
COLOURS = (
    "#0b7285",
    "#e8590c",
    "#5f3dc4",
    "#2b8a3e",
    "#c92a2a",
    "#495057",
    "#a61e4d",
)


def measured(largest: int) -> dict[int, list[Sample]]:
    """The session at each size up to `largest`, and a copy by `cp` for comparison."""
    found = {}
    for size in SIZES:
        if size > largest:
            break
        with tempfile.TemporaryDirectory(prefix="filewright-scaling-") as name:
            found[size] = session(Path(name), size)
            found[size].append(
                Sample(
                    "`cp` and a flush, for comparison",
                    reference_copy(Path(name)),
                    0,
                )
            )
    return found


def label(size: int) -> str:
    """A size for people."""
    return f"{size // GB} GB" if size >= GB else f"{size // MB} MB"


def table(found: dict[int, list[Sample]]) -> str:
    """The times and the memory as Markdown."""
    sizes = list(found)
    lines = [
        "| call | " + " | ".join(map(label, sizes)) + " |",
        "|---|" + "---:|" * len(sizes),
    ]
    for row in range(len(found[sizes[0]])):
        cells = [f"{found[size][row].seconds * 1e3:,.1f} ms" for size in sizes]
        lines.append(
            f"| {found[sizes[0]][row].call} | " + " | ".join(cells) + " |"
        )
    memory = [
        f"{max(sample.beyond_idle for sample in found[size]) / MB:,.0f} MB"
        for size in sizes
    ]
    lines.append(
        "| **memory beyond idle, highest** | " + " | ".join(memory) + " |"
    )
    return "\n".join(lines) + "\n"


def chart(found: dict[int, list[Sample]]) -> str:
    """Time against size, both logarithmic, as SVG."""
    sizes = list(found)
    calls = [sample.call for sample in found[sizes[0]]][1:]
    width, height, left, top, right, bottom = 760, 420, 70, 20, 220, 50
    low, high = -3.5, 2.0  # powers of ten of a second

    def x(size: int) -> float:
        share = (math.log10(size) - math.log10(sizes[0])) / max(
            1e-9, math.log10(sizes[-1]) - math.log10(sizes[0])
        )
        return left + share * (width - left - right)

    def y(seconds: float) -> float:
        share = (math.log10(max(seconds, 10**low)) - low) / (high - low)
        return height - bottom - share * (height - top - bottom)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = y(10**power)
        name = f"{10**power:g} s" if power >= 0 else f"{10 ** (power + 3):g} ms"
        parts.append(
            f'<line x1="{left}" y1="{at:.1f}" x2="{width - right}" y2="{at:.1f}" stroke="#dee2e6"/>'
        )
        parts.append(
            f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end" fill="#495057">{name}</text>'
        )
    for size in sizes:
        place = f'x="{x(size):.1f}" y="{height - bottom + 20}"'
        parts.append(
            f'<text {place} text-anchor="middle" fill="#495057">{label(size)}</text>'
        )
    for index, call in enumerate(calls):
        colour = COLOURS[index % len(COLOURS)]
        points = [
            (x(size), y(found[size][index + 1].seconds)) for size in sizes
        ]
        parts.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="'
            + " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
            + '"/>'
        )
        parts += [
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>'
            for a, b in points
        ]
        at = top + 20 + 22 * index
        parts.append(
            f'<rect x="{width - right + 16}" y="{at - 9}" width="12" height="12" fill="{colour}"/>'
        )
        parts.append(
            f'<text x="{width - right + 34}" y="{at + 2}">{call.replace("`", "")}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def report(words: Sequence[str], *, quick: bool = False) -> None:
    """Measure, print the table, write the files that are asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks scaling", description=__doc__
    )
    parser.add_argument(
        "--largest", type=float, default=1.0, metavar="GIGABYTES"
    )
    parser.add_argument("--chart", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args(words)
    samples = measured(MB if quick else int(options.largest * GB))
    text = table(samples)
    print(text)
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    if options.chart:
        options.chart.write_text(chart(samples), encoding="utf-8")
