"""Tables of cases: files, a call of a dialect's tool, and what is wanted of its answer and of the files.

A case is a dict. ``files`` maps names to text, bytes, ``None`` (a folder), ``("link", target)`` or
``("fifo",)``. ``call`` is a tool and its arguments, ``first`` calls made before it. In arguments and in
what is wanted, ``<>`` is the case's own folder as the dialect writes paths. Wanted are any of

``text`` (the whole answer), ``says`` (parts of it), ``lacks`` (no part of it), ``json`` (its value; a
dict may have more keys, ``...`` is anything, a function is asked), ``error`` (the answer is an error;
for agent-tools its code), ``after`` (bytes of files after the call, None: gone). Every file that
``after`` does not name must be as it was.

Each table runs in this process, again with no file held in memory (but for cases that are ``held``, since
they count the lines of a file from its end, or need all of it), and through real server processes: every other
case in each era of the protocol.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests import processes

from filewright import Workspace
from filewright.settings import Settings

Case = dict[str, Any]


def furnish(folder: Path, files: dict[str, Any]) -> None:
    """Make a case's files."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir(exist_ok=True)
        elif isinstance(content, tuple):
            if content[0] == "link":
                path.symlink_to(content[1])
            else:
                os.mkfifo(path)
        else:
            path.write_bytes(
                content.encode() if isinstance(content, str) else content
            )


def contents(folder: Path) -> dict[str, Any]:
    """Everything below a folder: bytes of files, targets of links, None for the rest."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_file():
            found[name] = path.read_bytes()
        else:
            found[name] = None
    return found


def placed(value: Any, place: str) -> Any:
    """`value` with ``<>`` replaced in every string of it."""
    if isinstance(value, str):
        return value.replace("<>", place)
    if isinstance(value, list):
        return [placed(item, place) for item in value]
    if isinstance(value, dict):
        return {key: placed(item, place) for key, item in value.items()}
    return value


def matches(actual: Any, wanted: Any, where: str = "") -> str:
    """What of `actual` is not as wanted; empty if all is."""
    if wanted is ...:
        return ""
    if callable(wanted):
        return "" if wanted(actual) else f"{where}: {actual!r}"
    if isinstance(wanted, dict):
        if not isinstance(actual, dict):
            return f"{where}: {actual!r} is no object"
        missing = [key for key in wanted if key not in actual]
        if missing:
            return f"{where}: {missing} missing in {actual!r}"
        return next(
            (
                m
                for k, v in wanted.items()
                if (m := matches(actual[k], v, f"{where}.{k}"))
            ),
            "",
        )
    if isinstance(wanted, list):
        if not isinstance(actual, list) or len(actual) != len(wanted):
            return f"{where}: {actual!r}, wanted {wanted!r}"
        pairs = enumerate(zip(actual, wanted, strict=True))
        return next(
            (m for i, (a, w) in pairs if (m := matches(a, w, f"{where}[{i}]"))),
            "",
        )
    return (
        ""
        if type(actual) is type(wanted) and actual == wanted
        else f"{where}: {actual!r}, wanted {wanted!r}"
    )


class Runner:
    """Plays cases below `root`; `call` makes one call and gives (text, is an error)."""

    def __init__(self, root: Path, dialect: str) -> None:
        self.root = root
        self._dialect = dialect
        self._count = 0

    def begin(self, case: Case) -> tuple[Path, str]:
        """A folder for the case, and how the dialect writes it."""
        self._count += 1
        folder = self.root / f"case{self._count:03}"
        furnish(folder, case.get("files", {}))
        if self._dialect in ("largefile", "official"):
            return folder, str(folder)
        if self._dialect == "memory":
            return folder, f"/memories/{folder.name}"
        return folder, folder.name

    def arguments(
        self, case: Case, step: tuple[str, Any], place: str, said: list[str]
    ) -> dict[str, Any]:
        """The arguments of a call; a function makes them of the answers so far."""
        wanted = step[1](said) if callable(step[1]) else step[1]
        made: dict[str, Any] = placed(wanted, place)
        return made

    def judge(
        self,
        case: Case,
        folder: Path,
        place: str,
        before: dict[str, Any],
        text: str,
        failed: bool,
    ) -> None:
        """Hold the answer and the files to what is wanted."""
        plain = (
            text.replace(place, "<>")
            .replace(str(folder), "<>")
            .replace(folder.name, "<>")
        )
        assert failed == bool(case.get("error")), plain
        if isinstance(case.get("error"), str):
            assert json.loads(text)["error"] == case["error"], plain
        if "text" in case:
            assert plain == case["text"]
        for part in case.get("says", ()):
            assert part in plain, plain
        for part in case.get("lacks", ()):
            assert part not in plain, plain
        if "json" in case:
            problem = matches(json.loads(plain), case["json"])
            assert not problem, problem
        if "after" in case or "first" not in case:
            wanted = {
                **before,
                **{
                    k: v
                    for k, v in case.get("after", {}).items()
                    if v is not None
                },
            }
            for name, content in case.get("after", {}).items():
                if content is None:
                    wanted.pop(name, None)
            now = contents(folder)
            extra = {
                name: now[name]
                for name in now
                if name not in wanted and now[name] is not None
            }
            assert not extra
            assert {name: now.get(name, "gone") for name in wanted} == wanted


@pytest.fixture(scope="module")
def dialect_name(request: pytest.FixtureRequest) -> str:
    """The dialect of the test module."""
    name: str = request.module.DIALECT
    return name


def _playing(
    dialect_name: str, base: Path, settings: Settings
) -> Iterator[Callable[[Case], None]]:
    root = base / "root"
    root.mkdir()
    with Workspace(
        root, state_dir=base / "state", settings=settings
    ) as workspace:
        dialect = workspace.offer(dialect_name)
        runner = Runner(root, dialect_name)

        def play(case: Case) -> None:
            folder, place = runner.begin(case)
            said: list[str] = []
            for step in case.get("first", ()):
                said.append(
                    dialect.call(
                        step[0], runner.arguments(case, step, place, said)
                    ).text
                )
            before = contents(folder)
            result = dialect.call(
                case["call"][0],
                runner.arguments(case, case["call"], place, said),
            )
            assert len(result.text) <= workspace.settings.hard_chars
            runner.judge(
                case, folder, place, before, result.text, result.is_error
            )

        yield play


@pytest.fixture(scope="module")
def in_process(
    dialect_name: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Case], None]]:
    """Play a case on a workspace of this process."""
    yield from _playing(
        dialect_name, tmp_path_factory.mktemp("inside"), Settings()
    )


@pytest.fixture(scope="module")
def in_windows(
    dialect_name: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Case], None]]:
    """The same with no file held in memory, as large ones are read."""
    settings = Settings(hold_bytes=0, identity_bytes=0)
    yield from _playing(
        dialect_name, tmp_path_factory.mktemp("windows"), settings
    )


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def over_the_protocol(dialect_name: str, tmp_path: Path) -> Callable[..., Any]:
    """Play one in `share` cases of a table through a server process of an era; the names of those that failed."""

    async def play(mode: str, table: list[Case], share: int) -> dict[str, str]:
        root = tmp_path / "root"
        root.mkdir()
        server = processes.for_client(
            [
                *processes.FILEWRIGHT,
                "serve",
                "--dialect",
                dialect_name,
                "--log-level",
                "warning",
                str(root),
            ],
            {**os.environ, "FILEWRIGHT_STATE_DIR": str(tmp_path / "state")},
        )
        runner = Runner(root, dialect_name)
        failures: dict[str, str] = {}
        async with Client(server, mode=mode) as client:
            listed = (await client.list_tools()).tools
            assert {case["call"][0] for case in table} <= {
                tool.name for tool in listed
            }
            for case in table[("legacy", "auto").index(mode) :: share]:
                folder, place = runner.begin(case)
                said: list[str] = []
                for step in case.get("first", ()):
                    answer = await client.call_tool(
                        step[0], runner.arguments(case, step, place, said)
                    )
                    said.append(answer.content[0].text)
                before = contents(folder)
                answer = await client.call_tool(
                    case["call"][0],
                    runner.arguments(case, case["call"], place, said),
                )
                (part,) = answer.content
                try:
                    runner.judge(
                        case,
                        folder,
                        place,
                        before,
                        part.text,
                        bool(answer.is_error),
                    )
                except AssertionError as problem:
                    failures[case["name"]] = str(problem)
        return failures

    return play
