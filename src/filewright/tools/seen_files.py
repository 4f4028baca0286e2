"""The files that sessions were shown, and whether other programs changed them since."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from filewright.boundary.location import Location
from filewright.errors import Code, FilewrightError
from filewright.system.status import Status
from filewright.text.cache import BoundedCache
from filewright.text.file_identity import FileIdentity
from filewright.text.snapshot import Snapshot

MAX_WATCHED_FILES = 16
"""The newest files that are compared before an answer, each by its status."""

MAX_KNOWN_FILES = 256
"""The files of which it is remembered what a session was shown."""

MAX_KNOWN_VERSIONS = 8
"""The versions remembered of a file: an undo brings an earlier one back."""


@dataclass(frozen=True, slots=True)
class _SeenState:
    """The identity and the version of a file when it was shown, or compared, last."""

    identity: FileIdentity
    version: str


class SeenFiles:
    """The newest files that were shown, and the versions that sessions know. Thread-safe."""

    def __init__(
        self,
        open_file: Callable[[Location], Snapshot],
        read_status: Callable[[Location], Status],
    ) -> None:
        self._open_file = open_file
        self._read_status = read_status
        self._watched: OrderedDict[Location, _SeenState] = OrderedDict()
        self._shown_versions: BoundedCache[str] = BoundedCache(MAX_KNOWN_FILES)
        self._known_versions: OrderedDict[
            tuple[str | None, Location], tuple[str, ...]
        ] = OrderedDict()
        self._unreported: list[str] = []
        self._lock = threading.Lock()

    def record_shown(self, snapshot: Snapshot, session: str | None) -> None:
        """Record that a session was shown a file."""
        location, identity = snapshot.location, snapshot.identity
        if location is None or identity is None:
            return
        self._shown_versions.put((session, location), snapshot.version, 1)
        self.record_known(session, location, snapshot.version)
        with self._lock:
            self._watched[location] = _SeenState(identity, snapshot.version)
            self._watched.move_to_end(location)
            while len(self._watched) > MAX_WATCHED_FILES:
                self._watched.popitem(last=False)

    def record_known(
        self, session: str | None, location: Location, version: str
    ) -> None:
        """Record a version of a file that a session has read, or has written whole."""
        key = session, location
        with self._lock:
            versions = [
                earlier_version
                for earlier_version in self._known_versions.pop(key, ())
                if earlier_version != version
            ]
            # The newest is last, and the oldest makes room for it.
            versions = [*versions[1 - MAX_KNOWN_VERSIONS :], version]
            self._known_versions[key] = tuple(versions)
            while len(self._known_versions) > MAX_KNOWN_FILES:
                self._known_versions.popitem(last=False)

    def shown_version(
        self, session: str | None, location: Location
    ) -> str | None:
        """Return the version of a file that a session was shown last."""
        return self._shown_versions.get((session, location))

    def known_versions(
        self, session: str | None, location: Location
    ) -> tuple[str, ...]:
        """Return the versions of a file that a session knows, the newest last."""
        with self._lock:
            return self._known_versions.get((session, location), ())

    def known_files_below(
        self, session: str | None, location: Location
    ) -> list[Location]:
        """Return the files at or below a path that a session knows, the newest first."""
        with self._lock:
            keys = [*reversed(self._known_versions)]
        return [
            file
            for reader, file in keys
            if reader == session and file.is_within(location)
        ]

    # News: changes by other programs

    def accept_own_change(self, locations: Iterable[Location]) -> None:
        """Record the files of a change made here as seen, so that they are no news."""
        with self._lock:
            watched = dict(self._watched)
        watched_below: dict[Location, list[Location]] = {}
        for location in watched:
            folder = location
            watched_below.setdefault(folder, []).append(location)
            while folder.parts:
                folder = folder.parent
                watched_below.setdefault(folder, []).append(location)
        # A change may have a hundred thousand locations, so none is held.
        changed: set[Location] = set()
        for location in locations:
            changed.update(watched_below.get(location, ()))
        for location in changed:
            self._compare(location, watched[location])

    def find_news(self) -> str | None:
        """Return a line that names the files changed by others since they were shown.

        It is returned again until `mark_reported`, as an answer may fail.
        """
        # Files are compared without the lock, since to open them takes long.
        names_by_news: dict[str, list[str]] = {}
        with self._lock:
            watched = [*self._watched.items()]
        for location, state in watched:
            news = self._compare(location, state)
            if news:
                names_by_news.setdefault(news, []).append(location.display_path)
        with self._lock:
            for news, names in sorted(names_by_news.items()):
                self._unreported.append(
                    f"{news} since you read it: {', '.join(names)}"
                )
            return "; ".join(dict.fromkeys(self._unreported)) or None

    def mark_reported(self) -> None:
        """Forget the news: an answer had them."""
        with self._lock:
            self._unreported.clear()

    def _compare(self, location: Location, state: _SeenState) -> str:
        """Return "changed" or "gone" if a file is no longer as it was seen, else ""."""
        try:
            # To open the file takes twice as long, in every call. Through a link it is
            # opened, since the status is that of the link.
            status = self._read_status(location)
            if FileIdentity.of(status.raw) == state.identity:
                return ""
            with self._open_file(location) as snapshot:
                identity = snapshot.identity
                if identity is None or identity == state.identity:
                    return ""
                with self._lock:
                    self._watched[location] = _SeenState(
                        identity, snapshot.version
                    )
                    self._watched.move_to_end(location)
                return "changed" if snapshot.version != state.version else ""
        except FilewrightError as error:
            with self._lock:
                self._watched.pop(location, None)
            # A file that is denied by now is not mentioned.
            return "gone" if error.code is Code.NOT_FOUND else ""
