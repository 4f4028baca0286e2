"""The interface of a part, and the play that most parts share."""

from __future__ import annotations

import functools
import math
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.case import Case, File, Outcome, is_right, judge, kind_of
from bench.environments import Cache
from bench.stdio import Answer, Server, ServerGoneError
from bench.tools.tool import AnyTool, Place, SessionTool, Tool, play

SESSION_CASES = 60
"""The most cases of one session: a client sends all of it with each step."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a run."""

    cache: Cache
    seed: int = 0
    is_quick: bool = False
    cases: int = 400
    """The most cases of a part that makes them out of a repository or data."""
    repository: Path | None = None
    """A git repository with a history."""
    calls: Path | None = None
    """The data of models' calls."""
    only: frozenset[int] = frozenset()
    """The numbers of the cases that run; all if it is empty."""
    megabytes: tuple[int, ...] = (1, 100, 1024)
    """The sizes of the part `size`."""
    kept: Path | None = None
    """A folder in which the files of each case stay."""

    def select(self, cases: Sequence[Case]) -> list[Case]:
        """Return the cases that run."""
        if not self.only:
            return list(cases)
        return [case for case in cases if case.number in self.only]


@dataclass(frozen=True, slots=True)
class Run:
    """A part by one tool."""

    outcomes: Sequence[Outcome] = field(default_factory=tuple)
    peak_bytes: int = 0
    measures: Mapping[str, str] = field(default_factory=dict)
    """What a part measures instead, by its name."""
    version: str = ""
    """The version of a tool that tells it only once it is installed."""


class PartError(Exception):
    """A part that cannot run with these options."""


def no_cases(_options: Options) -> Sequence[Case]:
    """Return no cases."""
    return ()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the bench."""

    name: str
    title: str
    play: Callable[[AnyTool, Options], Run]
    can: Callable[[AnyTool], bool]
    """Return whether a tool has words for the part."""
    make: Callable[[Options], Sequence[Case]] = no_cases
    """Return its cases, if it has any that can be shown."""

    def cases(self, options: Options) -> list[Case]:
        """Return the cases that run with some options."""
        return options.select(self.make(options))


def is_served(tool: AnyTool) -> bool:
    """Return whether a tool runs as a server that is called, and has files."""
    return isinstance(tool, Tool) and tool.has_files


def has_files(tool: AnyTool) -> bool:
    """Return whether a tool reads and writes files itself."""
    return not isinstance(tool, Tool) or tool.has_files


@contextmanager
def new_place(options: Options, tool: AnyTool) -> Iterator[Place]:
    """Make the folders of a tool, and remove them unless they are to stay."""
    if options.kept:
        parent = options.kept / tool.name.replace(" ", "-")
        shutil.rmtree(parent, ignore_errors=True)
        parent.mkdir(parents=True)
    else:
        parent = Path(tempfile.mkdtemp(prefix="filewright-bench-")).resolve()
    place = Place(parent / "root", parent / "home")
    place.root.mkdir()
    place.home.mkdir()
    try:
        yield place
    finally:
        if not options.kept:
            shutil.rmtree(parent, ignore_errors=True)


def from_cases(
    name: str,
    title: str,
    make: Callable[[Options], Sequence[Case]],
    requests: Sequence[type],
    *,
    needs_files: bool = False,
) -> Part:
    """Return a part whose cases are played one after the other.

    With `needs_files`, a tool that is a function of texts has no part in it.
    """
    # A history of thousands of commits is read once, not for each tool.
    make = functools.cache(make)

    def play_part(tool: AnyTool, options: Options) -> Run:
        cases = options.select(make(options))
        return play_cases(name, tool, cases, options)

    def can(tool: AnyTool) -> bool:
        if needs_files and not has_files(tool):
            return False
        return any(tool.has_words_for(request) for request in requests)

    return Part(name, title, play_part, can, make)


def play_cases(
    part: str, tool: AnyTool, cases: Sequence[Case], options: Options
) -> Run:
    """Give a tool each case that it has words for, and judge the files.

    Raises `NotInstalledError`, `ServerGoneError` if it does not start.
    """
    if isinstance(tool, SessionTool):
        return play_session(part, tool, cases, options)
    outcomes = []
    peak = 0
    with new_place(options, tool) as place:
        command = tool.start(options.cache, place)
        server: Server | None = None
        try:
            for case in cases:
                if not tool.can(case.request):
                    continue
                folder = place.root / case.folder_name
                folder.mkdir()
                path = case.file.write(folder)
                if server is None:
                    server = Server(command)
                try:
                    calls = tool.calls(str(path), case.request)
                    answer = play(server, calls)
                except ServerGoneError as error:
                    answer = Answer(str(error), True)
                    server.close()
                    server = None
                except Exception as error:  # noqa: BLE001 - an adapter failed on an answer that it did not expect
                    answer = Answer(f"{type(error).__name__}: {error}", True)
                outcomes.append(outcome_of(part, tool, case, path, answer))
            if server is not None:
                peak = server.peak_bytes()
        finally:
            if server is not None:
                server.close()
    return Run(outcomes, peak)


def play_session(
    part: str, tool: SessionTool, cases: Sequence[Case], options: Options
) -> Run:
    """Have a tool do all cases in one session. Raises `NotInstalledError`."""
    playable = [case for case in cases if tool.can(case.request)]
    playable = playable[:: math.ceil(len(playable) / SESSION_CASES) or 1]
    with new_place(options, tool) as place:
        folder = place.root / "session"
        outcomes = [
            outcome_of(part, tool, played.case, played.path, played.answer)
            for played in tool.play(options.cache, folder, playable)
        ]
    return Run(outcomes, version=tool.version_of(options.cache))


def outcome_of(
    part: str, tool: AnyTool, case: Case, path: Path, answer: Answer
) -> Outcome:
    """Judge the file of a case after a tool's answer."""
    judgement = judge(case, path)
    return Outcome(
        tool=tool.name,
        part=part,
        number=case.number,
        case=case.name,
        kind=kind_of(case.request),
        verdict=judgement.verdict,
        is_right=is_right(case, judgement.verdict),
        detail=judgement.detail,
        answer=answer.text[:500],
        seconds=answer.seconds,
        has_failed=answer.is_error,
        result=path.read_bytes() if path.exists() else None,
    )


def plain_file(name: str, text: str) -> File:
    """Return a file of UTF-8."""
    return File(name, text.encode())
