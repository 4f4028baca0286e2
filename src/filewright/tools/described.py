"""What is said of a file beside its text: encoding, line ending, version, how many lines."""

from __future__ import annotations

from typing import Any

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Snapshot


def total_lines(snapshot: Snapshot) -> int | None:
    """The number of lines where it is known or cheap to know, else None."""
    if snapshot.held is not None or snapshot.lines.complete:
        return snapshot.line_count
    return None


def line_ending(snapshot: Snapshot) -> str:
    """The name of the file's line ending; of a file that was not counted, of its beginning."""
    if snapshot.held is not None or snapshot.lines.complete:
        return snapshot.terminators.name
    return snapshot.lines.terminators_in(snapshot.start, min(snapshot.size, 1 << 18)).name


def kept_form(snapshot: Snapshot) -> str:
    """What is not plain about a file that stays as it is: ``; cp1252 and crlf kept``; "" of UTF-8 with line feeds."""
    encoding, ending = snapshot.encoding, line_ending(snapshot)
    name = encoding.name + (" with BOM" if encoding.bom else "")
    forms = [*([] if name == "utf-8" else [name]), *([] if ending in ("lf", "none") else [ending])]
    return f"; {' and '.join(forms)} kept" if forms else ""


def past_end(snapshot: Snapshot, start: int, task: Task, *, argument: str = "start") -> FilewrightError:
    """The refusal of a line number that the file does not have."""
    count = snapshot.lines.counted(task)
    return FilewrightError(
        Code.INVALID_INPUT,
        f"{argument}={start} is past the end of {snapshot.asked}, which has {count} lines",
        hint=f"use a {argument} from 1 to {count}"
        + (", or a negative one to count from the end" if argument == "start" else "")
        if count
        else "the file is empty",
        details={"path": snapshot.asked, "line_count": count, "argument": argument},
    )


def about(snapshot: Snapshot) -> str:
    """Encoding, line ending and version, for the first line of a result."""
    encoding = snapshot.encoding
    name = encoding.name + (" with BOM" if encoding.bom else "")
    if encoding.guessed and not encoding.invalid:
        name += f" (guessed, confidence {encoding.confidence:.2f})"
    if encoding.invalid:
        name += " with invalid bytes"
    return f"{name}; {line_ending(snapshot)}; version {snapshot.version}"


def facts(snapshot: Snapshot) -> dict[str, Any]:
    """The same as plain values."""
    encoding = snapshot.encoding
    return {
        "encoding": encoding.name,
        "encoding_confidence": round(encoding.confidence, 3),
        "bom": bool(encoding.bom),
        "line_ending": line_ending(snapshot),
        "version": snapshot.version,
    }
