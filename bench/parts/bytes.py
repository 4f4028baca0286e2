"""One request on each kind of file that damage is known of.

The kinds are those of `bench.kinds`: encodings, line ends, marks, modes and
links. The request says nothing of any of these, so each must stay. A line that
is inserted may end as either of its neighbours does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.case import Case, Patch, Replace, Request, Write
from bench.kinds import KINDS, Kind
from bench.parts.part import Options, from_cases

NEW_LINE = "colour = red"
_QUICK_KINDS = ("Latin-1", "CRLF", "mixed, more LF", "executable")


def make_cases(options: Options) -> list[Case]:
    """Return the cases: every request on every kind."""
    cases = []
    number = 0
    for kind in KINDS:
        for name, request, expected in requests(kind):
            title = f"{kind.name}: {name}"
            case = Case(
                number,
                title,
                kind.file,
                request,
                tuple(expected),
                may_refuse=False,
            )
            if not options.is_quick or kind.name in _QUICK_KINDS:
                cases.append(case)
            number += 1
    return cases


def requests(kind: Kind) -> Iterator[tuple[str, Request, Sequence[bytes]]]:
    """Yield the requests of a file by name, with the bytes that are right."""
    indent = kind.indent
    port = indent + "port = 80"
    size = indent + "size = 10"
    if kind.name == "invalid bytes":
        # The line "size" has bytes that no text can name.
        size = indent + "host = one"
    new = indent + NEW_LINE
    content = kind.content
    changed = kind.edited([("port = 80", "port = 8080")])
    yield "edit", Replace("port = 80", "port = 8080"), [changed]

    inserted = []
    deleted = content
    for end in ("\r\n", "\n", "\r"):
        line = kind.encode(size + end)
        if line in content:
            added = [kind.encode(new + other) for other in line_ends(kind)]
            inserted += [
                content.replace(line, kind.encode(size + other_end) + rest)
                for other_end, rest in _splits(kind, end, added)
            ]
            deleted = content.replace(line, b"")
            break
    yield "insertion", Replace(size, f"{size}\n{new}"), _unique(inserted)
    yield "deletion", Replace(size + "\n", ""), [deleted]

    text = kind.text.replace("\r\n", "\n")
    written = Write(text.replace("port = 80", "port = 8080"))
    yield "write", written, whole_writes(kind, changed)

    lines = text.split("\n")
    at = lines.index(port) if port in lines else -1
    if at >= 0:
        above, below = lines[max(0, at - 1) : at], lines[at + 1 : at + 3]
        body = [f" {line}" for line in above]
        body += [f"-{port}", f"+{port}80"]
        body += [f" {line}" for line in below]
        count = len(above) + len(below) + 1
        first = at + 1 - len(above)
        head = f"@@ -{first},{count} +{first},{count} @@"
        patch = Patch("\n".join([head, *body]) + "\n")
        yield "patch", patch, [changed]


def line_ends(kind: Kind) -> list[str]:
    """Return the line ends that a file has."""
    rest = kind.text.replace("\r\n", "")
    has = {"\r\n": "\r\n" in kind.text, "\n": "\n" in rest, "\r": "\r" in rest}
    return [end for end, is_there in has.items() if is_there]


def _splits(
    kind: Kind, end: str, added: Sequence[bytes]
) -> Iterator[tuple[str, bytes]]:
    """Yield the ends of the line above with the line that is added.

    The line above keeps its own end, or gives it to the new line.
    """
    for line in added:
        yield end, line
    for other in line_ends(kind):
        yield other, kind.encode(kind.indent + NEW_LINE + end)


def whole_writes(kind: Kind, changed: bytes) -> list[bytes]:
    """Return what may be right after the whole text is written.

    The text cannot say which of several line ends each line has, nor which
    bytes no text can name; it may keep them or mean its own.
    """
    text = kind.text.replace("port = 80", "port = 8080")
    results = [changed]
    if len(line_ends(kind)) > 1:
        plain = text.replace("\r\n", "\n")
        for end in ("\n", "\r\n"):
            results.append(kind.encode(plain.replace("\n", end)))
            bare = plain.replace("\r", "\n")
            results.append(kind.encode(bare.replace("\n", end)))
    if kind.name == "invalid bytes":
        results.append(text.encode())
    return _unique(results)


def _unique(contents: Sequence[bytes]) -> list[bytes]:
    return list(dict.fromkeys(contents))


PART = from_cases(
    "bytes",
    "An edit, an insertion, a deletion, a whole write and a patch of every kind of file",
    make_cases,
    (Replace, Write, Patch),
    needs_files=True,
)
