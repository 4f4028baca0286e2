"""The worker process: reads content on standard input, answers with outlines, touches nothing else.

Run as `python -I worker.py PATHS`, where PATHS is a JSON list of the folders modules are found in.
It imports the modules of this room without the packages above them, which import far more. The
launcher has confined it and bounded its memory. Its end is the end of its standard input.
"""

from __future__ import annotations

import gc
import io
import json
import os
import sys
import types
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filewright.structure.parser import ParsedText

_KEPT_BYTES = (
    2 << 20
)  # content whose trees are kept; a tree takes some twenty times its text
_TRIM_BYTES = 1 << 20
_IDLE_SECONDS = 5.0  # memory of a big tree is kept for that long: the next parse may want it


def main(arguments: list[str]) -> int:
    """Serve until the input ends."""
    sys.path.extend(
        path for path in json.loads(arguments[0]) if path not in sys.path
    )
    here = os.path.dirname(os.path.abspath(__file__))
    above = os.path.dirname(here)
    folders = {
        "filewright": above,
        "filewright.structure": here,
        "filewright.system": f"{above}/system",
    }
    for name, folder in folders.items():  # in place of the packages
        package = sys.modules[name] = types.ModuleType(name)
        package.__path__ = [folder]
    from filewright.system import streams

    gc.disable()  # nothing here makes cycles, and a collection in the middle of a big tree is slow
    with streams.claim_standard_streams() as (wire_in, wire_out):
        _serve(wire_in, wire_out)
    return 0


def _serve(wire_in: io.FileIO, wire_out: io.FileIO) -> None:
    from filewright.languages import Language
    from filewright.structure.outline import Outline
    from filewright.structure.parser import ParsedText, parse_text
    from filewright.structure.wire import Request, encode_line
    from filewright.system import streams

    requests, answers = io.BufferedReader(wire_in), io.BufferedWriter(wire_out)
    kept: dict[str, ParsedText] = {}
    while asked_for := requests.readline():
        asked = Request(*json.loads(asked_for))
        body = requests.read(asked.size)
        language, key = (
            Language(asked.language),
            f"{asked.language} {asked.key}",
        )
        try:
            found = parse_text(
                body, asked.codec, language, asked.seconds, kept.pop(key, None)
            )
        except MemoryError:
            kept.clear()
            found = Outline(
                language,
                parsed=False,
                note="not parsed: it needs too much memory",
            )
        except ImportError as error:
            why = f"its grammar is not installed ({error.name})"
            found = Outline(language, parsed=False, note=f"not parsed: {why}")
        answers.write(
            encode_line(
                found.outline if isinstance(found, ParsedText) else found
            )
        )
        answers.flush()
        if (
            isinstance(found, ParsedText)
            and asked.key
            and asked.size <= _KEPT_BYTES
        ):
            kept[key] = found
            while (
                sum(len(each.content.data) for each in kept.values())
                > _KEPT_BYTES
            ):
                del kept[next(iter(kept))]
        del found, body
        if asked.size > _TRIM_BYTES:
            streams.give_back_when_idle(wire_in, _IDLE_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
