"""The chart of a part that measures times: bars on a logarithmic scale."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence

from bench.report import Row

COLOURS = ("#0b7285", "#e8590c", "#5f3dc4", "#2b8a3e", "#c92a2a", "#495057")
_LOW, _HIGH = -2.0, 2.5
"""Powers of ten of a second."""
_WIDTH, _LEFT, _RIGHT, _TOP, _BAR, _GAP = 920, 220, 110, 44, 13, 14


def draw_times(rows: Sequence[Row]) -> str:
    """Return the times of rows as SVG; a hollow bar is a wrong answer."""
    works = list(dict.fromkeys(work for row in rows for work in row.measures))
    group = _BAR * len(rows) + _GAP
    height = _TOP + group * len(works) + 30
    shapes = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{_LEFT - 10}" y="24" text-anchor="end" font-weight="bold">'
        f"{rows[0].part.removeprefix('size ')}</text>",
        *_draw_scale(height),
    ]
    for number, row in enumerate(rows):
        colour = COLOURS[number % len(COLOURS)]
        x = _LEFT + 140 * number
        shapes.append(
            f'<rect x="{x}" y="14" width="12" height="12" fill="{colour}"/>'
        )
        shapes.append(
            f'<text x="{x + 18}" y="24">{html.escape(row.tool)}</text>'
        )
        for index, work in enumerate(works):
            if work in row.measures:
                y = _TOP + group * index + _BAR * number
                shapes += _draw_bar(row.measures[work], y, colour)
    for index, work in enumerate(works):
        y = _TOP + group * index + (group - _GAP) // 2 + 4
        shapes.append(
            f'<text x="{_LEFT - 10}" y="{y}" text-anchor="end">{work}</text>'
        )
    return "\n".join([*shapes, "</svg>"]) + "\n"


def _draw_scale(height: int) -> list[str]:
    """Return a line and a label for each power of ten."""
    shapes = []
    for power in range(math.ceil(_LOW), math.floor(_HIGH) + 1):
        x = _x(10.0**power)
        label = f"{10**power} s" if power >= 0 else f"{10 ** (power + 3)} ms"
        shapes.append(
            f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{height - 30}"'
            ' stroke="#dee2e6"/>'
        )
        shapes.append(
            f'<text x="{x:.1f}" y="{height - 12}" text-anchor="middle"'
            f' fill="#495057">{label}</text>'
        )
    return shapes


def _draw_bar(text: str, y: int, colour: str) -> list[str]:
    """Return the bar of a measured text, `1.50 s` or what was wrong."""
    seconds = re.search(r"([\d.]+) s", text)
    end = _x(float(seconds[1])) if seconds else _LEFT + 2
    is_right = re.fullmatch(r"[\d.]+ s", text) is not None
    fill = f'fill="{colour}"'
    if not is_right:
        fill = f'fill="#fff" stroke="{colour}"'
    return [
        f'<rect x="{_LEFT}" y="{y + 1}" width="{end - _LEFT:.1f}"'
        f' height="{_BAR - 2}" {fill}/>',
        f'<text x="{end + 5:.1f}" y="{y + _BAR - 2}" font-size="11"'
        f' fill="#495057">{html.escape(text)}</text>',
    ]


def _x(seconds: float) -> float:
    """Return the place of a time on the scale."""
    power = math.log10(max(seconds, 10**_LOW))
    share = min((power - _LOW) / (_HIGH - _LOW), 1.0)
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)
