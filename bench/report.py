"""The results as JSON lines, as tables in Markdown and as a chart."""

from __future__ import annotations

import html
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from bench.case import Outcome, Verdict
from bench.parts.part import Run

COLOURS = {
    Verdict.LANDED: "#2b8a3e",
    Verdict.REFUSED: "#adb5bd",
    Verdict.OTHER_BYTES: "#f08c00",
    Verdict.WRONG: "#e03131",
    Verdict.LOST: "#862e9c",
}
KIND_ORDER = ("edit", "write", "patch")


@dataclass(frozen=True, slots=True)
class Row:
    """A part by one tool, counted."""

    part: str
    tool: str
    version: str
    kind: str
    """The kind of the requests; empty for a part that measures."""
    counts: Mapping[str, int]
    cases: int
    right: int
    milliseconds: float
    """The median of one case."""
    peak_bytes: int
    measures: Mapping[str, str] = field(default_factory=dict)
    """Further columns of the part by their heads."""


def count(part: str, tool: str, version: str, run: Run) -> list[Row]:
    """Return the rows of a run: one for each kind of request that it has."""
    kinds = list(dict.fromkeys(outcome.kind for outcome in run.outcomes))
    if not kinds:
        return [_count(part, tool, run.version or version, "", (), run)]
    rows = []
    for kind in kinds:
        outcomes = [each for each in run.outcomes if each.kind == kind]
        name = run.version or version
        rows.append(_count(part, tool, name, kind, outcomes, run))
    return rows


def _count(
    part: str,
    tool: str,
    version: str,
    kind: str,
    outcomes: Sequence[Outcome],
    run: Run,
) -> Row:
    """Return the row of some outcomes of a run."""
    counts = dict.fromkeys(map(str, Verdict), 0)
    for outcome in outcomes:
        counts[str(outcome.verdict)] += 1
    seconds = [outcome.seconds for outcome in outcomes]
    return Row(
        part=part,
        tool=tool,
        version=version,
        kind=kind,
        counts=counts,
        cases=len(outcomes),
        right=sum(outcome.is_right for outcome in outcomes),
        milliseconds=statistics.median(seconds) * 1000 if seconds else 0.0,
        peak_bytes=run.peak_bytes,
        measures=run.measures,
    )


def to_json(outcome: Outcome) -> str:
    """Return an outcome as a line of JSON, without the bytes of its file."""
    values = asdict(outcome)
    del values["result"]
    values["seconds"] = round(outcome.seconds, 4)
    return json.dumps(values, ensure_ascii=False)


def row_to_json(row: Row) -> str:
    """Return a row as a line of JSON."""
    return json.dumps(asdict(row), ensure_ascii=False)


def format_part(title: str, rows: Sequence[Row]) -> str:
    """Return the table of a part in Markdown, with one row for each tool.

    The kinds of requests are added up; they stay apart in the JSON and in the
    chart.
    """
    verdicts = list(map(str, Verdict))
    more = list(dict.fromkeys(head for row in rows for head in row.measures))
    heads = [*verdicts, "right", "ms"]
    if more:
        heads = [*more, "memory"]
    lines = [
        f"### {title}",
        "",
        f"| {' | '.join(['tool', *heads])} |",
        f"|---|{'---:|' * len(heads)}",
    ]
    for name in dict.fromkeys((row.tool, row.version) for row in rows):
        tool_rows = [row for row in rows if (row.tool, row.version) == name]
        cells = [" ".join(name).strip()]
        if more:
            cells += _measured_cells(tool_rows[0], more)
        else:
            cells += _counted_cells(tool_rows)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _measured_cells(row: Row, heads: Sequence[str]) -> list[str]:
    """Return the cells of a tool in a part that measures."""
    cells = [row.measures.get(head, "–") for head in heads]
    if row.peak_bytes:
        return [*cells, f"{row.peak_bytes / (1 << 20):,.0f} MB"]
    return [*cells, "–"]


def _counted_cells(rows: Sequence[Row]) -> list[str]:
    """Return the cells of a tool in a part that counts."""
    cells = []
    for verdict in map(str, Verdict):
        cells.append(str(sum(row.counts[verdict] for row in rows)))
    cases = sum(row.cases for row in rows)
    cells.append(format_share(sum(row.right for row in rows), cases))
    times = {row.kind: row.milliseconds for row in rows}
    shown = [
        f"{times[kind]:.1f}" for kind in KIND_ORDER if times.get(kind, 0) > 0
    ]
    return [*cells, "/".join(shown) or "–"]


def format_share(part: int, whole: int) -> str:
    """Return a share in percent."""
    return f"{100 * part / whole:.0f} %" if whole else "–"


def draw(rows: Sequence[Row]) -> str:
    """Return a chart as SVG: a bar of verdicts for each part and tool."""
    counted = [row for row in rows if row.cases]
    width, left, top, bar, gap = 860, 210, 46, 14, 26
    parts = list(dict.fromkeys((row.part, row.kind) for row in counted))
    height = top + gap * len(parts) + (bar + 4) * len(counted) + 12
    shapes = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    place = left
    for verdict, colour in COLOURS.items():
        shapes.append(
            f'<rect x="{place}" y="14" width="12" height="12" fill="{colour}"/>'
        )
        shapes.append(f'<text x="{place + 17}" y="24">{verdict}</text>')
        place += 110
    y = top
    for part, kind in parts:
        y += gap
        title = f"{part}: {kind}"
        shapes.append(
            f'<text x="{left}" y="{y - 8}" font-weight="bold">{title}</text>'
        )
        for row in counted:
            if (row.part, row.kind) == (part, kind):
                shapes += _draw_row(row, left, y, bar, width - left - 20)
                y += bar + 4
    return "\n".join([*shapes, "</svg>"]) + "\n"


def _draw_row(row: Row, left: int, y: int, bar: int, width: int) -> list[str]:
    """Return the shapes of one bar with its name."""
    name = html.escape(row.tool)
    shapes = [
        f'<text x="{left - 8}" y="{y + bar - 3}" text-anchor="end">{name}</text>'
    ]
    x = float(left)
    for verdict, colour in COLOURS.items():
        share = width * row.counts[verdict] / row.cases
        if share:
            shapes.append(
                f'<rect x="{x:.1f}" y="{y}" width="{share:.1f}"'
                f' height="{bar}" fill="{colour}"><title>{verdict}:'
                f" {row.counts[verdict]} of {row.cases}</title></rect>"
            )
        x += share
    return shapes
