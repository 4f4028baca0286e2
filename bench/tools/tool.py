"""The interface between a part and a tool."""

from __future__ import annotations

import sys
from collections.abc import (
    Callable,
    Generator,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.case import Case, Patch, Replace, Request, Write
from bench.environments import Cache
from bench.stdio import Answer, Command, Server

DRIVERS = Path(__file__).parent / "drivers"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one of the tool's own tools."""

    tool: str
    arguments: Mapping[str, Any]


Calls = Generator[Call, Answer, None]
"""The calls of one request; each is told the answer to the one before."""


Look = Generator[Call, Answer, str]
"""The calls of one look; their value is the whole answer."""


@dataclass(frozen=True, slots=True)
class Place:
    """The folders that a running tool is given."""

    root: Path
    home: Path
    """Its home folder, for settings, history and backups."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that is compared."""

    name: str
    version: str
    registry: str
    start: Callable[[Cache, Place], Command]
    """Install it if it is not, and return the command. Raises `NotInstalledError`."""
    replace: Callable[[str, Replace], Calls] | None = None
    write: Callable[[str, Write], Calls] | None = None
    patch: Callable[[str, Patch], Calls] | None = None
    search: Callable[[str, str], Look] | None = None
    tail: Callable[[str, str], Look] | None = None
    overview: Callable[[str, str], Look] | None = None
    names: Callable[[str, str], Look] | None = None
    """Find the files of a name in a tree."""
    text: Callable[[str, str], Look] | None = None
    """Find a text in a tree."""
    has_files: bool = True
    """Whether it reads and writes files itself; a function of texts has none."""

    def can(self, request: Request) -> bool:
        """Return whether the tool has words for a request."""
        return self._words(request) is not None

    def has_words_for(self, kind: type) -> bool:
        """Return whether the tool has words for a kind of request."""
        words = {Replace: self.replace, Write: self.write, Patch: self.patch}
        return words[kind] is not None

    def calls(self, path: str, request: Request) -> Calls:
        """Return the calls of a request of a file."""
        words = self._words(request)
        assert words is not None
        return words(path, request)

    def _words(self, request: Request) -> Callable[[str, Any], Calls] | None:
        match request:
            case Replace():
                return self.replace
            case Write():
                return self.write
            case Patch():
                return self.patch


@dataclass(frozen=True, slots=True)
class Played:
    """A case that has been played, to be judged."""

    case: Case
    path: Path
    answer: Answer


@dataclass(frozen=True, slots=True)
class SessionTool:
    """A tool that makes all requests in one session of its own."""

    name: str
    version_of: Callable[[Cache], str]
    """Return the installed version. Raises `NotInstalledError`."""
    request_type: type
    """The one kind of request that it is given."""
    play: Callable[[Cache, Path, Sequence[Case]], Iterator[Played]]
    """Play cases in a folder that it makes. Raises `NotInstalledError`."""

    def can(self, request: Request) -> bool:
        """Return whether the tool has words for a request."""
        return isinstance(request, self.request_type)

    def has_words_for(self, kind: type) -> bool:
        """Return whether the tool has words for a kind of request."""
        return kind is self.request_type


AnyTool = Tool | SessionTool


def play(server: Server, calls: Calls) -> Answer:
    """Make the calls of a request, up to the first that fails.

    Return the last answer, with the seconds of all. Raises `ServerGoneError`.
    """
    call = next(calls)
    seconds = 0.0
    while True:
        answer = server.call(call.tool, call.arguments)
        seconds += answer.seconds
        if answer.is_error:
            break
        try:
            call = calls.send(answer)
        except StopIteration:
            break
    calls.close()
    return Answer(answer.text, answer.is_error, seconds)


def driver(python: Path | str, name: str, place: Place) -> Command:
    """Return the command of a library's driver in the library's environment."""
    words = [str(python), str(DRIVERS / f"{name}.py"), str(place.root)]
    return Command(words, {"HOME": str(place.home)}, place.root)


def own_python() -> str:
    """Return the Python that runs this program."""
    return sys.executable
