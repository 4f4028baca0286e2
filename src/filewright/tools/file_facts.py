"""The encoding, the line ending and the version of a file, as results name them."""

from __future__ import annotations

from typing import Any

from filewright.text.codec import Encoding
from filewright.text.snapshot import Snapshot

SAMPLE_BYTES = 256 << 10
"""The beginning of a large file by which its line ending is named."""


def line_ending(snapshot: Snapshot) -> str:
    """Return the name of a file's line ending, of a large file that of its beginning."""
    if snapshot.content is not None or snapshot.lines.is_complete:
        return snapshot.lines.terminators.name
    end = snapshot.clip(SAMPLE_BYTES)
    return snapshot.lines.count_terminators(snapshot.start, end).name


def describe_kept_form(snapshot: Snapshot) -> str:
    """Return the unusual properties that a file keeps: ``; cp1252 and crlf kept``, or ""."""
    encoding = snapshot.encoding
    ending = "lf"
    if not snapshot.has_no_returns:
        ending = line_ending(snapshot)
    forms: list[str] = []
    if encoding.bom or encoding.name != "utf-8":
        forms.append(_encoding_name(encoding))
    if ending not in ("lf", "none"):
        forms.append("mixed line endings" if ending == "mixed" else ending)
    elif forms and encoding.name != "utf-8":
        forms[0] = f"encoding {forms[0]}"
    return f"; {' and '.join(forms)} kept" if forms else ""


def describe_encoding(snapshot: Snapshot) -> str:
    """Return encoding and line ending, for the first line of a result.

    The version is left out: an edit by lines compares with what the session was shown.
    """
    encoding = snapshot.encoding
    name = _encoding_name(encoding)
    if snapshot.compression:
        name = f"{snapshot.compression}, {name}"
    if encoding.declared_label:
        name += f" (declared as {encoding.declared_label})"
    if encoding.has_invalid_bytes:
        name += " with invalid bytes"
    elif encoding.is_guess:
        name += f" (guessed, confidence {encoding.confidence:.2f})"
    return f"{name}; {line_ending(snapshot)}"


def encoding_facts(snapshot: Snapshot) -> dict[str, Any]:
    """Return encoding, line ending and version as plain values."""
    encoding = snapshot.encoding
    return {
        "encoding": encoding.name,
        "encoding_confidence": round(encoding.confidence, 3),
        "bom": bool(encoding.bom),
        "line_ending": line_ending(snapshot),
        "version": snapshot.version,
    }


def _encoding_name(encoding: Encoding) -> str:
    return f"{encoding.name} with BOM" if encoding.bom else encoding.name
