"""The files a caller was shown last, to say which of them somebody else has changed since."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable

from filewright.boundary import Boundary, Location
from filewright.errors import Code, FilewrightError
from filewright.text import Identity, Snapshot

_MOST = 16
"""Files that are looked at before an answer: each is opened and asked for its status, nothing is watched."""


_MOST_SHOWN = 256
"""Files of which it is known what a session was shown."""


class SeenFiles:
    """The newest files shown, each with its identity and version then. Thread-safe."""

    def __init__(self, boundary: Boundary, open_file: Callable[[Location], Snapshot]) -> None:
        self._boundary = boundary
        self._open = open_file
        self._files: OrderedDict[Location, tuple[Identity, str]] = OrderedDict()
        self._shown: OrderedDict[tuple[str | None, Location], str] = OrderedDict()
        self._unsaid: list[str] = []
        self._lock = threading.Lock()

    def note(self, snapshot: Snapshot, session: str | None) -> None:
        """It was shown just now, to that session."""
        if snapshot.location is None or snapshot.identity is None:
            return
        with self._lock:
            self._shown[session, snapshot.location] = snapshot.version
            self._shown.move_to_end((session, snapshot.location))
            if len(self._shown) > _MOST_SHOWN:
                self._shown.popitem(last=False)
        self._note(snapshot)

    def shown_to(self, session: str | None, location: Location) -> str | None:
        """The version that a session was shown last."""
        with self._lock:
            return self._shown.get((session, location))

    def _note(self, snapshot: Snapshot) -> None:
        if snapshot.location is None or snapshot.identity is None:
            return
        with self._lock:
            self._files[snapshot.location] = snapshot.identity, snapshot.version
            self._files.move_to_end(snapshot.location)
            if len(self._files) > _MOST:
                self._files.popitem(last=False)

    def ours(self, touched: Iterable[Location]) -> None:
        """What was touched by a change made here, with all below it, is no news to the caller."""
        places = tuple(touched)
        for location, _, _ in self._all():
            if any(place.holds(location) for place in places):
                self._look_again(location)

    def changed(self) -> str | None:
        """One line that names the files others have changed since they were shown, until it was `said`."""
        found, gone = [], []
        for location, identity, version in self._all():
            try:
                with self._boundary.open_file(location) as file:
                    status = file.status()
            except FilewrightError as error:
                # What is denied by now, or was reached by a link that leads to it, is not spoken of.
                if error.code is Code.NOT_FOUND:
                    gone.append(location.shown)
                self._forget(location)
                continue
            now = Identity(*status.identity, status.size, status.mtime_ns, status.ctime_ns)
            if now != identity and self._look_again(location) not in (None, version):
                found.append(location.shown)
        with self._lock:
            self._unsaid += [f"changed since you read it: {', '.join(found)}"] if found else []
            self._unsaid += [f"gone since you read it: {', '.join(gone)}"] if gone else []
            return "; ".join(dict.fromkeys(self._unsaid)) or None

    def said(self) -> None:
        """An answer has said what `changed` gave; one that failed has not."""
        with self._lock:
            self._unsaid.clear()

    def _all(self) -> list[tuple[Location, Identity, str]]:
        with self._lock:
            return [(location, *seen) for location, seen in self._files.items()]

    def _look_again(self, location: Location) -> str | None:
        """Its version now, which the next look compares with; None if it cannot be read: then it is forgotten."""
        try:
            with self._open(location) as snapshot:
                self._note(snapshot)
                return snapshot.version
        except FilewrightError:
            self._forget(location)
            return None

    def _forget(self, location: Location) -> None:
        with self._lock:
            self._files.pop(location, None)
