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
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filewright.structure.parse import ParsedText

_KEPT_BYTES = 2 << 20  # content whose trees are kept; a tree takes some twenty times its text
_TRIM_BYTES = 1 << 20
_IDLE_SECONDS = 5.0  # memory of a big tree is kept for that long: the next parse may want it


def main(arguments: list[str]) -> int:
    """Serve until the input ends."""
    sys.path.extend(path for path in json.loads(arguments[0]) if path not in sys.path)
    _stand_in_for_packages()
    from filewright.system import standard

    gc.disable()  # nothing here makes cycles, and a collection in the middle of a big tree is slow
    with standard.claim_standard() as (wire_in, wire_out):
        _serve(wire_in, wire_out)
    return 0


def _stand_in_for_packages() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    above = os.path.dirname(here)
    folders = {"filewright": above, "filewright.structure": here, "filewright.system": f"{above}/system"}
    for name, folder in folders.items():
        package = types.ModuleType(name)
        package.__path__ = [folder]
        sys.modules[name] = package


def _serve(wire_in: io.FileIO, wire_out: io.FileIO) -> None:
    from filewright.languages import Language
    from filewright.structure import wire
    from filewright.structure.parse import ParsedText, parse
    from filewright.structure.symbol import Outline
    from filewright.system import standard

    requests, answers = io.BufferedReader(wire_in), io.BufferedWriter(wire_out)
    kept: OrderedDict[str, ParsedText] = OrderedDict()
    while len(lengths := requests.read(wire.FRAME.size)) == wire.FRAME.size:
        head_length, body_length = wire.FRAME.unpack(lengths)
        asked = wire.Request(*json.loads(requests.read(head_length)))
        body = requests.read(body_length)
        language = Language(asked.language)
        key = f"{asked.language} {asked.key}"
        try:
            found = parse(
                body, asked.codec, language, asked.seconds, kept.pop(key, None) if asked.key else None
            )
        except MemoryError:
            kept.clear()
            found = Outline(language, parsed=False, note="not parsed: it needs too much memory")
        except ImportError as error:
            found = Outline(
                language, parsed=False, note=f"not parsed: its grammar is not installed ({error.name})"
            )
        outline = found.outline if isinstance(found, ParsedText) else found
        answers.write(wire.frame(wire.encoded(outline)))
        answers.flush()
        if isinstance(found, ParsedText) and asked.key and body_length <= _KEPT_BYTES:
            _keep(kept, key, found)
        del found, body
        if body_length > _TRIM_BYTES:
            standard.give_back_when_idle(wire_in, _IDLE_SECONDS)


def _keep(kept: OrderedDict[str, ParsedText], key: str, parsed: ParsedText) -> None:
    kept[key] = parsed
    total = sum(len(each.content.data) for each in kept.values())
    while total > _KEPT_BYTES:
        _, oldest = kept.popitem(last=False)
        total -= len(oldest.content.data)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
