"""The command `python -m bench`.

    python -m bench [PART …] [--tool NAME …] [--quick]
    python -m bench bytes --tool NAME --case N --keep FOLDER
    python -m bench dialects
    python -m bench edits REPOSITORY …

The first form gives tools the requests of parts and prints a table for each
part. The second shows one case: the request, the bytes before, after and as
expected. The third plays calls on the published servers whose tools our
dialects offer, the last scores our own edits by class of mistake.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench import show
from bench.dialects import compare
from bench.environments import VARIABLE, Cache, NotInstalledError
from bench.generator import edits
from bench.parts.catalogue import NAMES, find_parts
from bench.parts.part import Options, Part, PartError
from bench.report import Row, count, draw, format_part, row_to_json, to_json
from bench.stdio import ServerGoneError
from bench.times import draw_times
from bench.tools.catalogue import QUICK, TOOLS, UNAVAILABLE
from bench.tools.tool import AnyTool, Tool

BEGIN = "<!-- tables: python -m bench --page -->"
END = "<!-- end of tables -->"


def main(words: Sequence[str] | None = None) -> int:
    """Run parts of the bench; return 1 if ours is not right in a case."""
    arguments = list(sys.argv[1:] if words is None else words)
    if arguments[:1] == ["dialects"]:
        return compare.main(arguments[1:])
    if arguments[:1] == ["edits"]:
        return edits.main(arguments[1:])
    chosen = parser().parse_args(arguments)
    options = Options(
        cache=Cache(chosen.cache.absolute())
        if chosen.cache
        else Cache.default(),
        seed=chosen.seed,
        is_quick=chosen.quick,
        cases=chosen.cases,
        repository=chosen.repository,
        calls=chosen.calls,
        only=frozenset(chosen.case),
        megabytes=tuple(chosen.megabytes or (1, 100, 1024)),
        kept=chosen.keep.absolute() if chosen.keep else None,
    )
    names = chosen.tool or (QUICK if chosen.quick else [*TOOLS])
    rows: list[Row] = []
    tables: list[str] = []
    for part in find_parts(chosen.parts or NAMES, options):
        started = time.monotonic()
        tools = [TOOLS[tool] for tool in names if part.can(TOOLS[tool])]
        part_rows = run_part(part, tools, options, chosen.json)
        rows += part_rows
        minutes = (time.monotonic() - started) / 60
        if not part_rows:
            continue
        tables.append(format_part(f"{part.name}: {part.title}", part_rows))
        print(tables[-1])
        print(f"{part.name} took {minutes:.1f} min", file=sys.stderr)
    if chosen.markdown:
        chosen.markdown.write_text("\n".join(tables), "utf-8")
    if chosen.page:
        write_tables(chosen.page, tables)
    if chosen.chart:
        timed = [row for row in rows if row.measures]
        chart = draw_times(timed) if timed else draw(rows)
        chosen.chart.write_text(chart, "utf-8")
    for tool, reason in UNAVAILABLE.items():
        print(f"{tool}: left out: {reason}", file=sys.stderr)
    ours = [row for row in rows if row.tool == "filewright"]
    return int(any(is_bad(row) for row in ours))


def run_part(
    part: Part, tools: Sequence[AnyTool], options: Options, lines: Path | None
) -> list[Row]:
    """Run a part by each tool; keep the outcomes as lines of JSON."""
    rows = []
    for tool in tools:
        try:
            run = part.play(tool, options)
        except NotInstalledError as error:
            print(f"{tool.name}: left out: {error}", file=sys.stderr)
            continue
        except ServerGoneError as error:
            print(f"{tool.name}: left out: {error}", file=sys.stderr)
            continue
        except PartError as error:
            print(f"{part.name}: left out: {error}", file=sys.stderr)
            break
        version = tool.version if isinstance(tool, Tool) else ""
        counted = count(part.name, tool.name, version, run)
        rows += counted
        if lines:
            with lines.open("a", encoding="utf-8") as file:
                for outcome in run.outcomes:
                    file.write(to_json(outcome) + "\n")
                for row in counted:
                    file.write(row_to_json(row) + "\n")
        if options.only:
            print(show.format_run(part, tool, run, options))
    return rows


def write_tables(page: Path, tables: Sequence[str]) -> None:
    """Put tables into a page in place of those that are there.

    A table of a part that did not run stays.
    """
    text = page.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    old, _, after = rest.partition(END)
    kept = {
        table.partition("\n")[0]: "### " + table
        for table in old.split("### ")[1:]
    }
    for table in tables:
        kept[table.removeprefix("### ").partition("\n")[0]] = table
    body = "\n".join(table.strip() + "\n" for table in kept.values())
    date = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"
    page.write_text(
        f"{before}{BEGIN}\n\nMeasured {date}.\n\n{body}\n{END}{after}", "utf-8"
    )


def is_bad(row: Row) -> bool:
    """Return whether a row has a case that no tool should have."""
    bad = ("wrong", "other bytes", "lost")
    return any(row.counts.get(verdict, 0) for verdict in bad)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    result = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = result.add_argument
    add("parts", nargs="*", metavar="PART", choices=[*NAMES, []])
    add("--tool", action="append", choices=[*TOOLS], metavar="NAME")
    add("--quick", action="store_true", help="few cases, three tools")
    add("--case", action="append", type=int, default=[], metavar="N")
    add("--megabytes", action="append", type=int, help="a size for `size`")
    add("--keep", type=Path, metavar="FOLDER", help="the files stay there")
    add("--seed", type=int, default=0)
    add("--cases", type=int, default=400, help="at most so many in a part")
    add("--repository", type=Path, help="a git repository with a history")
    add("--calls", type=Path, help="a clone of the data of models' calls")
    add("--cache", type=Path, help=f"of installations; default: ${VARIABLE}")
    add("--json", type=Path, help="append every outcome to this file")
    add("--markdown", type=Path, help="write the tables to this file")
    add("--page", type=Path, help="put the tables into this page")
    add("--chart", type=Path, help="write the chart to this file, as SVG")
    return result


if __name__ == "__main__":
    sys.exit(main())
