"""The worker process: reads content on standard input, answers with outlines, touches nothing else.

Run as `python -I worker.py PATHS`, where PATHS is a JSON list of the folders modules are found in.
It imports the modules of this room without the packages above them, which import far more; gives up
writing, the network and all reading outside the system's and Python's own folders where the kernel
lets it; and bounds its own memory. Its end is the end of its standard input.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import resource
import select
import sys
import types
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from filewright.structure.parse import Parsed

_MEMORY = 3 << 30
_KEPT_BYTES = 2 << 20  # content whose trees are kept; a tree takes some twenty times its text
_TRIM_BYTES = 1 << 20
_IDLE_SECONDS = 5.0  # memory of a big tree is kept for that long: the next parse may want it


def main(arguments: list[str]) -> int:
    """Serve until the input ends."""
    sys.path.extend(path for path in json.loads(arguments[0]) if path not in sys.path)
    _stand_in_for_packages()
    _confine()
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing a library prints may reach the answers
    gc.disable()  # nothing here makes cycles, and a collection in the middle of a big tree is slow
    _serve(requests, answers)
    return 0


def _stand_in_for_packages() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    above = os.path.dirname(here)
    folders = {"filewright": above, "filewright.structure": here, "filewright.system": f"{above}/system"}
    for name, folder in folders.items():
        package = types.ModuleType(name)
        package.__path__ = [folder]
        sys.modules[name] = package


def _confine() -> None:
    with contextlib.suppress(ValueError, OSError):  # a lower limit is already set: better still
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    if "--unconfined" not in sys.argv:
        from filewright.system import landlock

        landlock.confine((), network=False)


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    from filewright.structure import wire
    from filewright.structure.language import Language
    from filewright.structure.parse import Parsed, parse
    from filewright.structure.symbol import Outline

    kept: OrderedDict[str, Parsed] = OrderedDict()
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
        outline = found.outline if isinstance(found, Parsed) else found
        head, places = wire.encoded(outline)
        answers.write(wire.frame(head, places))
        answers.write(places)
        answers.flush()
        if isinstance(found, Parsed) and asked.key and body_length <= _KEPT_BYTES:
            _keep(kept, key, found)
        del found, body
        if body_length > _TRIM_BYTES and not select.select([requests], [], [], _IDLE_SECONDS)[0]:
            _give_back()


def _keep(kept: OrderedDict[str, Parsed], key: str, parsed: Parsed) -> None:
    kept[key] = parsed
    total = sum(len(each.content.data) for each in kept.values())
    while total > _KEPT_BYTES:
        _, oldest = kept.popitem(last=False)
        total -= len(oldest.content.data)


def _give_back() -> None:
    """Return the memory of a big tree to the system (glibc keeps it otherwise)."""
    trim: Any = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
