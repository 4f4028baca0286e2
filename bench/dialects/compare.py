"""The dialects beside the published originals: the same calls on both, every difference with its reason.

    python -m bench dialects [--only DIALECT] [--cache FOLDER] [--markdown FILE]

installs the originals from their registries (npm and Node are needed for two of them), plays every case of
`filesystem`, `published_filesystem`, `largefile` and `official` on each original and on this server, runs the published tests of the large-file server with this server's
tools in place of its own, and lists where they differ. It leaves with 1 if a difference has no reason
there, or a reason no difference.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from bench.dialects import (
    filesystem,
    largefile,
    official,
    published_filesystem,
)
from bench.dialects.case import Case, PlayedTests
from bench.environments import Cache, NotInstalledError, node

LARGEFILE = "largefile"
BATCH = "filesystem"
OFFICIAL = "official"
PACKAGES = {
    LARGEFILE: largefile.PACKAGE,
    BATCH: filesystem.PACKAGE,
    OFFICIAL: official.PACKAGE,
}
CASES = {
    LARGEFILE: largefile.CASES,
    BATCH: (*filesystem.CASES, *published_filesystem.CASES),
    OFFICIAL: official.CASES,
}


@dataclass(frozen=True)
class Difference:
    """A case whose outcomes differ, or whose reason speaks of a difference that is none."""

    case: Case
    theirs: str
    ours: str


Start = Callable[[Path], StdioServerParameters]
"""The start of an original over a root."""


def start_largefile(cache: Cache) -> Start:
    """Return the start of the large-file server."""
    python = cache.python(PACKAGES[LARGEFILE], "pytest", "pytest-asyncio")
    program = str(python.with_name("largefile-mcp"))
    return lambda root: StdioServerParameters(
        command=program,
        args=[],
        cwd=root,
        env={
            **os.environ,
            "LARGEFILE_BACKUP_DIR": str(root.parent / "backups"),
        },
    )


def start_batch(cache: Cache) -> Start:
    """Return the start of the batch server."""
    package = PACKAGES[BATCH]
    modules = cache.npm(package) / package.rpartition("@")[0]
    program = str(modules / "build/index.js")
    return lambda root: StdioServerParameters(
        command=node(), args=[program], cwd=root
    )


def start_official(cache: Cache) -> Start:
    """Return the start of the reference server."""
    package = PACKAGES[OFFICIAL]
    modules = cache.npm(package) / package.rpartition("@")[0]
    program = str(modules / "dist/index.js")
    return lambda root: StdioServerParameters(
        command=node(), args=[program, str(root)], cwd=root
    )


STARTS = {
    LARGEFILE: start_largefile,
    BATCH: start_batch,
    OFFICIAL: start_official,
}


def ours(dialect: str, root: Path) -> StdioServerParameters:
    """This server over `root`."""
    return StdioServerParameters(
        command=sys.executable,
        args=[
            "-m",
            "filewright",
            "serve",
            "--dialect",
            dialect,
            "--log-level",
            "error",
            str(root),
        ],
        env={**os.environ, "FILEWRIGHT_STATE_DIR": str(root.parent / "state")},
    )


def furnish(folder: Path, files: Mapping[str, Any]) -> None:
    """Make a case's files; names that begin with ``../`` lie beside the root."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        path = Path(os.path.normpath(folder / name))
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir(exist_ok=True)
        elif isinstance(content, tuple):
            path.symlink_to(
                os.path.normpath(folder.parent / content[1])
                if content[1][:3] == "../"
                else content[1]
            )
        else:
            path.write_bytes(
                content.encode() if isinstance(content, str) else content
            )


def contents(folder: Path) -> dict[str, bytes]:
    """The regular files below a folder."""
    found = (
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    )
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in found
    }


def placed(value: Any, place: str, said: Sequence[Any]) -> Any:
    """Arguments with ``<>`` as the case's folder; functions are asked with the answers so far."""
    if callable(value):
        return placed(value(said), place, said)
    if isinstance(value, str):
        return value.replace("<>", place)
    if isinstance(value, list):
        return [placed(item, place, said) for item in value]
    if isinstance(value, dict):
        return {key: placed(item, place, said) for key, item in value.items()}
    return value


class Side:
    """One server, and the folder each case has below its root."""

    def __init__(self, client: Client, root: Path, *, absolute: bool) -> None:
        self._client = client
        self._root = root
        self._absolute = absolute

    async def outcome(self, number: int, case: Case) -> str:
        """What the last call of a case answers, reduced to what matters, and the files after it."""
        folder = self._root / f"case{number:03}"
        furnish(folder, case.files)
        place = str(folder) if self._absolute else folder.name
        said: list[Any] = []
        answer: Any = None
        for tool, arguments in case.calls:
            answer = await self._call(tool, placed(arguments, place, said))
            said.append(answer)
        seen = "error" if isinstance(answer, Exception) else case.look(answer)
        text = json.dumps(
            {"answer": seen, "files": _readable(contents(folder))},
            ensure_ascii=False,
            default=str,
        )
        return text.replace(place, "<>").replace(folder.name, "<>")

    async def _call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """The parsed answer, or an exception for an answer that is an error."""
        try:
            result = await self._client.call_tool(tool, arguments)
        except MCPError as error:
            return error
        text = result.content[0].text  # type: ignore[union-attr]
        if result.is_error and not text.startswith(
            "[{"
        ):  # an array tells of its items, flagged or not
            return ValueError(text)
        try:
            value = json.loads(text)
        except ValueError:
            return text
        return (
            value["results"]
            if isinstance(value, dict)
            and value.keys() <= {"message", "results"}
            else value
        )


def _readable(files: Mapping[str, bytes]) -> dict[str, str]:
    return {
        name: data.decode("utf-8", "backslashreplace")
        for name, data in files.items()
    }


async def compare(
    dialect: str, theirs: Callable[[Path], StdioServerParameters]
) -> list[Difference]:
    """Every case of a dialect on both sides; those that differ, or should and do not."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(os.path.realpath(folder))
        roots = [base / side / "root" for side in ("theirs", "ours")]
        for root in roots:
            root.mkdir(parents=True)
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(Client(server, mode="legacy"))
                for server in (theirs(roots[0]), ours(dialect, roots[1]))
            ]
            sides = [
                Side(client, root, absolute=dialect in (LARGEFILE, OFFICIAL))
                for client, root in zip(clients, roots, strict=True)
            ]
            found = []
            for number, case in enumerate(CASES[dialect]):
                outcomes = [await side.outcome(number, case) for side in sides]
                if (outcomes[0] != outcomes[1]) or case.why:
                    found.append(Difference(case, *outcomes))
            return found


def played(cache: Cache) -> tuple[int, frozenset[str]]:
    """Return how many published tests of the large-file server ran on this server, and which did not pass."""
    name, version = PACKAGES[LARGEFILE].split("==")
    start_largefile(cache)
    python = cache.python(PACKAGES[LARGEFILE])
    source = cache.folder / "sources" / f"{name}-{version}"
    if not source.exists():
        words = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary"]
        destination = ["--dest", str(source.parent)]
        subprocess.run(
            [str(python), *words, name, *destination, PACKAGES[LARGEFILE]],
            check=True,
        )
        with tarfile.open(f"{source}.tar.gz") as archive:
            archive.extractall(source.parent, filter="data")
    plugin = "bench.dialects.published_largefile"
    with tempfile.TemporaryDirectory() as folder:
        place = {"TMPDIR": folder, "FILEWRIGHT_PEER_STATE": f"{folder}-state"}
        found = subprocess.run(
            [
                str(python),
                "-m",
                "pytest",
                "-q",
                "-o",
                "addopts=",
                "-p",
                "no:cacheprovider",
                "-p",
                plugin,
            ]
            + [f"tests/{name}" for name in largefile.TESTS],
            cwd=source,
            env={
                **os.environ,
                **place,
                "PYTHONPATH": os.pathsep.join(
                    (str(Path(__file__).parents[2]), str(source))
                ),
                "FILEWRIGHT_PEER_PYTHON": sys.executable,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ).stdout
        shutil.rmtree(place["FILEWRIGHT_PEER_STATE"], ignore_errors=True)
    counts = [
        int(number)
        for number in re.findall(r"(\d+) (?:passed|failed|error)", found)
    ]
    return sum(counts), frozenset(
        re.findall(r"^(?:FAILED|ERROR) \S+::(\w+)", found, re.MULTILINE)
    )


def rows(differences: Sequence[Case | PlayedTests]) -> list[str]:
    """The differences as rows of a table for people."""
    return [
        f"| {each.name} | {each.theirs} | {each.ours} | {each.why} |"
        for each in differences
    ]


def table(title: str, explained: Sequence[Case | PlayedTests]) -> list[str]:
    """A table for people with its title."""
    return [
        f"### {title}",
        "",
        "| call | theirs | ours | because |",
        "|---|---|---|---|",
        *rows(explained),
        "",
    ]


def main(words: Sequence[str] | None = None) -> int:
    """Install, compare, print; return 1 if a difference and its reason do not meet."""
    parser = argparse.ArgumentParser(
        prog="python -m bench dialects", description=__doc__.split("\n")[0]
    )
    parser.add_argument(
        "--cache", type=Path, help="the folder of installations"
    )
    parser.add_argument("--only", choices=sorted(PACKAGES), help="one dialect")
    parser.add_argument(
        "--markdown", type=Path, help="also write the tables there"
    )
    options = parser.parse_args(words)
    cache = (
        Cache(options.cache.absolute()) if options.cache else Cache.default()
    )
    lines: list[str] = []
    faults: list[str] = []
    for dialect, start in STARTS.items():
        if options.only not in (None, dialect):
            continue
        try:
            differences = asyncio.run(compare(dialect, start(cache)))
        except NotInstalledError as error:
            print(f"{dialect}: not installed: {error}", file=sys.stderr)
            continue
        title = f"{PACKAGES[dialect]}: {len(CASES[dialect])} cases; the {len(differences)} below differ"
        lines += table(title, [difference.case for difference in differences])
        for difference in differences:
            if difference.theirs == difference.ours:
                fault = "a reason, but no difference"
            elif not difference.case.why:
                fault = "a difference without a reason"
            else:
                continue
            faults.append(
                f"{dialect}: {difference.case.name}: {fault}\n"
                f"  theirs {difference.theirs}\n  ours   {difference.ours}"
            )
    if options.only in (None, LARGEFILE):
        count, failed = played(cache)
        known = frozenset(
            test for each in largefile.PLAYED for test in each.tests
        )
        for test in sorted(failed ^ known):
            fault = "a reason, but it passes"
            if test in failed:
                fault = "fails without a reason"
            faults.append(f"{LARGEFILE}: {test}: {fault}")
        title = f"{PACKAGES[LARGEFILE]}: {count} of its tests; the {len(failed)} of these rows do not pass"
        lines += table(title, largefile.PLAYED)
    print("\n".join([*faults, *lines]))
    if options.markdown:
        options.markdown.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if faults else 0
