"""The parser process: it reads content, and answers with outlines, the syntax of spans or imports.

It is started as `python -I worker.py PATHS`, where PATHS is a JSON list of the folders in
which modules are found. The launcher has confined it and limited its memory. It ends when
its standard input ends.
"""

from __future__ import annotations

import io
import json
import os
import sys
import types
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filewright.structure.parser import ParsedText
    from filewright.structure.wire import Answer, Request

_MAX_CACHED_BYTES = 2 << 20
"""Content whose trees are kept. A tree takes some twenty times its text."""

_LARGE_CONTENT_BYTES = 1 << 20
"""Content whose parse leaves much memory behind."""

_IDLE_SECONDS = 5.0
"""The time for which the memory of a large tree is kept: the next parse may need it."""


def main(arguments: list[str]) -> int:
    """Answer requests until the input ends."""
    for path in json.loads(arguments[0]):
        # Appended, so that no module there replaces one of Python's own.
        if path not in sys.path:
            sys.path.append(path)
    _replace_packages()
    from filewright.system import streams

    with streams.claim_standard_streams() as (wire_in, wire_out):
        _serve(wire_in, wire_out)
    return 0


def _replace_packages() -> None:
    """Make the modules here importable without their packages.

    The packages import far more than a parser needs.
    """
    structure_folder = os.path.dirname(os.path.abspath(__file__))
    top_folder = os.path.dirname(structure_folder)
    folders = {
        "filewright": top_folder,
        "filewright.structure": structure_folder,
        "filewright.system": f"{top_folder}/system",
    }
    for name, folder in folders.items():
        package = types.ModuleType(name)
        package.__path__ = [folder]
        sys.modules[name] = package


def _serve(wire_in: io.FileIO, wire_out: io.FileIO) -> None:
    from filewright.structure.wire import decode_request, encode_line
    from filewright.system import streams

    requests = io.BufferedReader(wire_in)
    answers = io.BufferedWriter(wire_out)
    trees = _TreeCache()
    while line := requests.readline():
        request = decode_request(line)
        answer = _answer(request, requests.read(request.size), trees)
        answers.write(encode_line(answer))
        answers.flush()
        # Its memory is free while the next request is awaited.
        del answer
        if request.size > _LARGE_CONTENT_BYTES:
            streams.give_back_when_idle(wire_in, _IDLE_SECONDS)


def _answer(request: Request, content: bytes, trees: _TreeCache) -> Answer:
    """Return the answer of a request, with a note if the content was not parsed."""
    from filewright.languages import Language
    from filewright.structure.import_statements import ImportFacts
    from filewright.structure.outline import Outline
    from filewright.structure.syntax_kinds import SyntaxAnswer

    try:
        answer = _read(request, content, trees)
    except MemoryError:
        # The trees count for the limit that was reached, and the next request needs
        # room.
        trees.clear()
        answer = "not parsed: it needs too much memory"
    except ImportError as error:
        answer = f"not parsed: its grammar is not installed ({error.name})"
    if not isinstance(answer, str):
        return answer
    if request.names:
        return ImportFacts(note=answer)
    if request.spans:
        return SyntaxAnswer(note=answer)
    return Outline(Language(request.language), parsed=False, note=answer)


def _read(request: Request, content: bytes, trees: _TreeCache) -> Answer | str:
    """Return the outline of a content, or the syntax or the imports of a request.

    The tree is kept for the next parse. Returns a note if there is none.
    """
    from filewright.languages import Language
    from filewright.structure.import_collector import collect_imports
    from filewright.structure.import_statements import ImportFacts
    from filewright.structure.parser import build_outline, parse_text
    from filewright.structure.syntax_kinds import classify_spans

    key = f"{request.language} {request.key}"
    parsed = parse_text(
        content,
        request.codec,
        Language(request.language),
        request.seconds,
        trees.take(key),
    )
    if isinstance(parsed, str):
        return parsed
    answer: Answer
    if request.names:
        if not parsed.is_whole:
            return ImportFacts(note="not parsed to its end")
        answer = collect_imports(
            parsed.tree,
            parsed.grammar,
            parsed.content,
            request.names,
            request.spans,
        )
    elif request.spans:
        answer = classify_spans(
            parsed.tree, parsed.grammar, parsed.content, request.spans
        )
    else:
        answer = build_outline(parsed)
    if parsed.is_whole and request.key and request.size <= _MAX_CACHED_BYTES:
        trees.put(key, parsed)
    return answer


class _TreeCache:
    """The trees of the files that were parsed last, up to a limit of their contents."""

    def __init__(self) -> None:
        self._trees: dict[str, ParsedText] = {}

    def take(self, key: str) -> ParsedText | None:
        """Remove and return the tree of a file, if it is there."""
        return self._trees.pop(key, None)

    def put(self, key: str, parsed: ParsedText) -> None:
        """Keep a tree; the oldest ones make room for it."""
        self._trees[key] = parsed
        while self._content_bytes > _MAX_CACHED_BYTES:
            del self._trees[next(iter(self._trees))]

    def clear(self) -> None:
        """Remove all trees."""
        self._trees.clear()

    @property
    def _content_bytes(self) -> int:
        return sum(len(tree.content.data) for tree in self._trees.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
