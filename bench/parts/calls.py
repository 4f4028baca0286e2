"""Calls of models that failed in the published reports of an edit benchmark.

The data is that of react-edit-benchmark (MIT), which is not part of this
program:

    git clone https://github.com/can1357/oh-my-pi
    python -m bench calls --calls oh-my-pi

A call lands if the file is as its task wanted, or if exactly the lines that the
call names have changed and the file has them once, since a model may ask for
something else than its task. Everything else has to be refused.
"""

from __future__ import annotations

import gzip
import json
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.case import Asked, Case, Patch, Replace, Request, named_lines
from bench.parts.part import Options, PartError, from_cases, plain_file


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call of a model, with the file of its task before and after."""

    task: str
    before: str
    expected: str
    variant: str
    arguments: str


def make_cases(options: Options) -> list[Case]:
    """Return a case for each different call that can be read."""
    if options.calls is None:
        raise PartError("name a clone of the data with --calls")
    cases = []
    for number, call in enumerate(read_calls(options.calls)):
        request = request_of(call)
        if request is None:
            continue
        case = Case(
            number,
            f"{call.variant}: {call.task}",
            plain_file(Path(call.task).name, call.before),
            request,
            right_contents(call, request),
            asked=lines_of(request, call.before),
        )
        cases.append(case)
    if options.is_quick:
        return cases[:: max(1, len(cases) // 20)]
    step = max(1, len(cases) // options.cases)
    return cases[::step]


def right_contents(call: ModelCall, request: Request) -> tuple[bytes, ...]:
    """Return what the task wanted, and what a clear request asks for."""
    expected = [call.expected.encode()]
    if isinstance(request, Replace) and call.before.count(request.old) == 1:
        literal = call.before.replace(request.old, request.new)
        expected.append(literal.encode())
    return tuple(expected)


def request_of(call: ModelCall) -> Request | None:
    """Return the request of a call; None if its arguments cannot be read."""
    if call.variant == "patch":
        hunks = call.arguments
        return Patch(hunks if hunks.endswith("\n") else hunks + "\n")
    try:
        arguments = json.loads(call.arguments)
        return Replace(arguments["old_text"], arguments["new_text"])
    except (ValueError, KeyError, TypeError):
        return None


def lines_of(request: Request, before: str) -> Asked | None:
    """Return the lines that a request takes away and adds.

    None if the file has their place more than once, or not at all: whoever
    changes one of several places has guessed.
    """
    match request:
        case Replace(old, new):
            removed, added = old.split("\n"), new.split("\n")
            is_clear = old != new and count_places(removed, before) == 1
        case Patch(hunks):
            rows = hunks.split("\n")
            removed = [row[1:] for row in rows if row.startswith("-")]
            added = [row[1:] for row in rows if row.startswith("+")]
            is_clear = has_clear_places(hunks, before)
        case _:
            return None
    return named_lines(removed, added) if is_clear else None


def has_clear_places(hunks: str, before: str) -> bool:
    """Return whether each hunk has one place, or is the first after its heading.

    The heading is what follows the `@@`, or the text of the hunk before.
    """
    rest = _packed(before.split("\n"))
    is_below = False
    for hunk in re.split(r"^@@", hunks, flags=re.MULTILINE):
        first, *rows = [row for row in hunk.split("\n") if row.strip()] or [""]
        headings = [first] if first.strip() and hunk.startswith(first) else []
        if not headings:
            rows = [first, *rows]
        removed = [row[1:] for row in rows if row.startswith("-")]
        old = [row.lstrip("-") for row in rows if not row.startswith("+")]
        if headings and _packed(headings) in rest:
            rest = rest.partition(_packed(headings))[2]
            is_below = True
        has_change = any(row.startswith(("+", "-")) for row in rows)
        block = _packed(old)
        if has_change:
            counts = [count_places(lines, before) for lines in (old, removed)]
            is_first = is_below and block.strip() != "" and block in rest
            if 1 not in counts and not is_first:
                return False
        if block.strip() and block in rest:
            rest = rest.partition(block)[2]
            is_below = True
    return True


def count_places(lines: list[str], before: str) -> int:
    """Return how often lines follow each other in a file.

    They do so exactly if that is once, else but for blanks.
    """
    if f"\n{before}\n".count("\n" + "\n".join(lines) + "\n") == 1:
        return 1
    block = _packed(lines)
    return _packed(before.split("\n")).count(block) if block.strip() else 0


def _packed(lines: list[str]) -> str:
    """Return lines without blanks, each between two newlines of its own."""
    packed = ("".join(line.split()) for line in lines)
    return "".join(f"\n{line}\n" for line in packed if line)


def read_calls(source: Path) -> Iterator[ModelCall]:
    """Yield the different calls of a clone, or of a file of rows.

    Raises `PartError` if there are none.
    """
    rows = source / "dev.jsonl.gz" if source.is_dir() else source
    if rows.is_file():
        yield from _read_rows(rows)
        return
    yield from read_reports(source)


def _read_rows(path: Path) -> Iterator[ModelCall]:
    """Yield the calls of a file that has a row for each file and each call."""
    files: dict[str, dict[str, Any]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["kind"] == "file":
                files[row["key"]] = row
                continue
            file = files[row["key"]]
            yield ModelCall(
                row["key"],
                file["input"],
                file["expected"],
                row["variant"],
                row["args"],
            )


_TASK = re.compile(r"^### (.+) \(([^)]+)\)$")
_ARGUMENTS = re.compile(r"^\*\*(?:Patch|Replace|Edit) args\*\*$")
_VARIANT = re.compile(r"^\| Edit Variant \| (\w+) \|$")


def read_reports(clone: Path) -> Iterator[ModelCall]:
    """Yield the different calls of the reports in a clone.

    Raises `PartError` if it has no reports or no files of the tasks.
    """
    package = clone / "packages" / "react-edit-benchmark"
    reports = sorted((package / "runs").glob("*.md"))
    files = read_fixtures(package)
    if not reports or not files:
        raise PartError(f"{package} has no reports, or no fixtures")
    known = set()
    for report in reports:
        for task, variant, arguments in read_report(report):
            file = files.get(task)
            if file and (task, variant, arguments) not in known:
                known.add((task, variant, arguments))
                yield ModelCall(task, *file, variant, arguments)


def read_report(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield task, variant and arguments of each failed call of a report."""
    task = variant = ""
    block: list[str] | None = None
    is_arguments = False
    for line in path.read_text("utf-8", "replace").split("\n"):
        if block is not None:
            if line.startswith("```"):
                if is_arguments:
                    yield task, variant, "\n".join(block)
                block, is_arguments = None, False
            else:
                block.append(line)
        elif line.startswith("```"):
            block = []
        elif match := _TASK.match(line):
            task = f"{match[1].lower().replace(' ', '-')}/{match[2]}"
        elif match := _VARIANT.match(line):
            variant = match[1]
        elif _ARGUMENTS.match(line):
            is_arguments = True


def read_fixtures(package: Path) -> dict[str, tuple[str, str]]:
    """Return the text before and after of each task's file.

    They lie in a folder or an archive, as `TASK/input/FILE` and
    `TASK/expected/FILE`.
    """
    texts: dict[tuple[str, str], str] = {}
    place = re.compile(r"(?:^|/)([\w.-]+)/(input|expected)/(?:.*/)?([^/]+)$")
    for archive in sorted(package.glob("*.tar.gz")):
        with tarfile.open(archive) as members:
            for member in members:
                match = place.search(member.name)
                content = members.extractfile(member) if match else None
                if match and content is not None:
                    name = f"{match[1]}/{match[3]}"
                    texts[name, match[2]] = content.read().decode()
    for path in sorted((package / "fixtures").rglob("*")):
        match = place.search(path.as_posix())
        if match and path.is_file():
            texts[f"{match[1]}/{match[3]}", match[2]] = path.read_text("utf-8")
    return {
        name: (text, texts[name, "expected"])
        for (name, side), text in texts.items()
        if side == "input" and (name, "expected") in texts
    }


PART = from_cases(
    "calls",
    "Calls of models that failed elsewhere",
    make_cases,
    (Replace, Patch),
)
