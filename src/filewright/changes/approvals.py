"""Calls that wait for a person's word: asked for by a server whose client cannot ask, answered on the review page.

::

    waiting/ID           the call, as JSON: what would be done, and who wants it
    waiting/ID.allowed   the person's word; or .refused; or .taken while it is read

Server and page are two processes, and this folder of the state is all that they share. A word counts for
exactly one call, the one whose digest `ID` is, once, and no longer than `WAIT` seconds.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Literal

from filewright.changes.state import StateFolder, read_file, write_whole
from filewright.system import Folder

WAIT = 600.0
"""Seconds for which a call waits, and for which a word given counts."""
_FOLDER = b"waiting"
_MOST = 100
"""Calls that wait at one time; another pushes the oldest out."""
_ID = re.compile(r"[0-9a-f]{32}")
_SHOWN_CHARS = 100_000

Word = Literal["allowed", "refused"]


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """A call that waits: `question` names it, `shown` is the diff of what it would do, as far as that is known."""

    id: str
    time: float
    question: str
    shown: str
    session: str
    client: str


class Approvals:
    """The calls that wait. Every method that writes raises `OSError` where the state folder cannot be used.

    They wait in the first of `states`, and are looked for in all: those of folders above and below too, and
    one that another process has made since.
    """

    def __init__(self, states: Sequence[StateFolder]) -> None:
        self._states = states

    def ask(self, call: WaitingCall) -> None:
        """Let a call wait; one that waits already is asked for anew."""
        state = self._states[0]
        state.open()
        with state.folder() as above, suppress(FileExistsError):
            above.make(_FOLDER, 0o700)
        with state.folder(_FOLDER) as folder:
            for stale in _stale(state, folder):
                _remove(folder, stale)
            content = {**asdict(call), "shown": call.shown[:_SHOWN_CHARS]}
            write_whole(folder, call.id.encode(), json.dumps(content).encode())

    def waiting(self) -> list[WaitingCall]:
        """The calls that wait, the oldest first."""
        found = [
            _read(state, name) for state in self._states for name in _names(state) if _ID.fullmatch(name)
        ]
        calls = {call.id: call for call in found if call is not None and 0 <= time.time() - call.time < WAIT}
        return sorted(calls.values(), key=lambda call: call.time)

    def answer(self, call_id: str, word: Word) -> bool:
        """Give the person's word; False if the call does not wait any more."""
        name = call_id.encode()
        for state in self._states if any(call.id == call_id for call in self.waiting()) else ():
            with suppress(FileNotFoundError, NotADirectoryError), state.folder(_FOLDER) as folder:
                folder.rename(name, folder, name + b"." + word.encode(), "replace")
                return True
        return False

    def take(self, call_id: str) -> Word | None:
        """The word for a call, which counts this once; None if there is none."""
        words: tuple[Word, ...] = ("refused", "allowed")
        taken = f"{call_id}.taken"
        for state in self._states:
            for word in words:
                with suppress(FileNotFoundError, NotADirectoryError), state.folder(_FOLDER) as folder:
                    # Of two that take it at the same time, one alone can rename it.
                    folder.rename(f"{call_id}.{word}".encode(), folder, taken.encode(), "replace")
                    call = _read(state, taken)
                    _remove(folder, taken.encode())
                    return word if call is not None and 0 <= time.time() - call.time < WAIT else None
        return None


def _names(state: StateFolder) -> list[str]:
    try:
        with state.folder(_FOLDER) as folder:
            return [name.decode("ascii", "replace") for name in folder.names()]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _read(state: StateFolder, name: str) -> WaitingCall | None:
    try:
        return WaitingCall(**json.loads(read_file(state.at(_FOLDER, name.encode()))))
    except (OSError, ValueError, TypeError):
        return None


def _stale(state: StateFolder, folder: Folder) -> list[bytes]:
    """What waited too long, and the oldest of too many."""
    calls = {name: _read(state, name.decode("ascii", "replace")) for name in folder.names()}
    old = [name for name, call in calls.items() if call is None or time.time() - call.time > 2 * WAIT]
    left = sorted((call.time, name) for name, call in calls.items() if call is not None and name not in old)
    return old + [name for _, name in left[: max(0, len(left) - _MOST + 1)]]


def _remove(folder: Folder, name: bytes) -> None:
    with suppress(FileNotFoundError):
        folder.remove(name)
