"""A table of what clients' edit tools damage, alone and with the guard.

`python -m tests.clients.guard_table` installs each client from npm, has it edit
a file of each kind, and prints the table; `--client NAME` does so for one. It
takes some minutes for each. `--write` puts the table into `docs/guard.md`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.clients.real_clients import (
    CLIENTS,
    Client,
    Installation,
    NotInstalledError,
    Scene,
    install,
    version,
)
from bench.clients.scripted_model import Step, scripted_model
from bench.kinds import EDITS, KINDS, Kind, count_damage

PAGE = Path(__file__).parents[2] / "docs" / "guard.md"
BEGIN = "<!-- table: python -m tests.clients.guard_table --write -->"
END = "<!-- end of table -->"


@dataclass(frozen=True, slots=True)
class Cell:
    """The state of one file after the edits of a client."""

    damage: int
    """The number of bytes that are not as the edits alone would have left them."""
    edits: int
    """The number of edits that are in the file."""
    lost: str = ""
    """The property beside its bytes that the file has lost."""

    @property
    def text(self) -> str:
        """The cell as the table has it."""
        if not self.edits and not self.damage:
            return "refused"
        return f"{self.damage}, {self.lost}" if self.lost else str(self.damage)


@dataclass(frozen=True, slots=True)
class Run:
    """One session of a client, which has edited a file of each kind."""

    cells: Mapping[str, Cell]
    log: str = ""
    """The history afterwards."""
    request: str = ""
    """The newest request to the model."""
    answers: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Column:
    """The measured cells of a client, alone and with its hooks."""

    version: str
    date: str
    alone: Mapping[str, Cell]
    with_hooks: Mapping[str, Cell] | None

    def with_cells(self, other: Column) -> Column:
        """Return the column with the cells of another run in place of its own."""
        with_hooks = other.with_hooks
        if with_hooks is not None and self.with_hooks is not None:
            with_hooks = {**self.with_hooks, **with_hooks}
        alone = {**self.alone, **other.alone}
        return Column(other.version, other.date, alone, with_hooks)

    def cell(self, kind: str) -> str:
        """Return the cell of a kind of file: before and after the guard."""
        if kind not in self.alone:
            return ""
        before = self.alone[kind].text
        if self.with_hooks is None:
            return before
        after = self.with_hooks[kind].text
        return before if before == after else f"{before} \u2192 {after}"


def edit_steps(
    client: Client, kind: Kind, path: Path, count: int
) -> list[Step]:
    """Return the steps of a model that edits a file `count` times."""
    steps = []
    for number, (old, new) in enumerate(EDITS[:count]):
        if client.read and (number == 0 or client.must_read_again):
            steps.append(client.read(str(path)))
        edit = client.edit(str(path), kind.indent + old, kind.indent + new)
        steps.append(edit)
    return steps


def run_session(
    client: Client,
    modules: Path,
    folder: Path,
    *,
    has_hooks: bool,
    kinds: Sequence[Kind] = KINDS,
) -> Run:
    """Have a client edit a file of each kind: once alone, three times with hooks."""
    scene = Scene(folder)
    paths = {kind.name: kind.write(scene.project) for kind in kinds}
    count = len(EDITS) if has_hooks else 1
    steps = []
    for kind in kinds:
        steps += edit_steps(client, kind, paths[kind.name], count)
    with scripted_model(steps) as model:
        client.start(
            Installation(
                scene, model.url, modules, has_hooks, client.setup_name
            )
        )
    if len(model.answers) != len(steps):
        raise AssertionError(
            f"{len(model.answers)} of {len(steps)} steps: {model.answers[-1:]}"
        )
    cells = {kind.name: _judge(kind, paths[kind.name]) for kind in kinds}
    log = scene.filewright("log", "--limit", "200") if has_hooks else ""
    return Run(cells, log, "".join(model.requests), tuple(model.answers))


def _judge(kind: Kind, path: Path) -> Cell:
    content = path.read_bytes()
    edits = kind.edits_in(content)
    damage = count_damage(kind.edited(edits), content)
    return Cell(damage, len(edits), kind.lost(path))


def measure(name: str, modules: Path, kinds: Sequence[Kind] = KINDS) -> Column:
    """Measure a client: alone, and where it has hooks, with these."""
    client = CLIENTS[name]
    folder = Path(tempfile.mkdtemp())
    try:
        alone = run_session(
            client, modules, folder / "alone", has_hooks=False, kinds=kinds
        )
        with_hooks = None
        if client.setup_name is not None:
            run = run_session(
                client, modules, folder / "hooks", has_hooks=True, kinds=kinds
            )
            with_hooks = run.cells
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    return Column(version(client, modules), date, alone.cells, with_hooks)


def format_table(columns: Mapping[str, Column]) -> str:
    """Return the table of measured columns in Markdown."""
    heads = [f"{name} {column.version}" for name, column in columns.items()]
    lines = [
        f"| file | {' | '.join(heads)} |",
        f"|---|{'---|' * len(columns)}",
    ]
    undamaged = []
    for kind in KINDS:
        cells = [column.cell(kind.name) for column in columns.values()]
        if set(cells) <= {"0", ""}:
            undamaged.append(kind.name)
        else:
            lines.append(f"| {kind.name} | {' | '.join(cells)} |")
    dates = sorted({column.date for column in columns.values()})
    first = f"Measured {' and '.join(dates)}."
    if undamaged:
        first += f" No client damages: {', '.join(undamaged)}."
    return f"{first}\n\n" + "\n".join(lines) + "\n"


def write_table(table: str) -> None:
    """Put a table into the page in place of the one that is there."""
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n{END}{after}", "utf-8")


def read_columns(results: Path | None) -> dict[str, Column]:
    """Return the columns of earlier runs."""
    if results is None or not results.exists():
        return {}
    columns = {}
    for name, column in json.loads(results.read_text()).items():
        for run in ("alone", "with_hooks"):
            cells = column[run]
            if cells is not None:
                column[run] = {
                    kind: Cell(**cell) for kind, cell in cells.items()
                }
        columns[name] = Column(**column)
    return columns


def main() -> None:
    """Measure the clients, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--client", choices=CLIENTS, action="append")
    parser.add_argument("--kind", action="append", help="a kind of file only")
    parser.add_argument("--write", action="store_true")
    parser.add_argument(
        "--results", type=Path, help="a file that collects several runs"
    )
    parser.add_argument(
        "--installed", type=Path, help="a folder in which the clients stay"
    )
    arguments = parser.parse_args()
    kinds = [
        kind for kind in KINDS if kind.name in (arguments.kind or [kind.name])
    ]
    columns = read_columns(arguments.results)
    for name in arguments.client or CLIENTS:
        folder = arguments.installed or Path(tempfile.mkdtemp())
        try:
            modules = install(CLIENTS[name], folder)
            column = measure(name, modules, kinds)
        except NotInstalledError as error:
            print(f"{name}: {error}")
            continue
        finally:
            if not arguments.installed:
                shutil.rmtree(folder)
        columns = read_columns(arguments.results)
        if name in columns:
            column = columns[name].with_cells(column)
        columns[name] = column
        if arguments.results:
            texts = {each: asdict(column) for each, column in columns.items()}
            arguments.results.write_text(json.dumps(texts, indent=1))
    ordered = {name: columns[name] for name in CLIENTS if name in columns}
    table = format_table(ordered)
    print(table)
    if arguments.write:
        write_table(table)


if __name__ == "__main__":
    main()
