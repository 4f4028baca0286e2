"""A table of what frameworks' own file tools damage, and what our adapters do.

`python -m tests.adapters.comparison` edits one line of a file of each kind, once by the
framework's own tool and once by our adapter; `--write` puts the table into
`docs/agent-loops.md`. It needs langchain-community, which no adapter does.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from agents import apply_diff
from agents.editor import ApplyPatchOperation
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from bench.kinds import EDITS, KINDS, Kind, count_damage
from deepagents.backends import FilesystemBackend
from langchain_community.tools import ReadFileTool, WriteFileTool

from filewright import Settings, Workspace
from filewright.adapters.anthropic import MemoryTool
from filewright.adapters.deepagents import FilewrightBackend
from filewright.adapters.langchain import tools_of
from filewright.adapters.openai_agents import FilewrightEditor

PAGE = Path(__file__).parents[2] / "docs" / "agent-loops.md"
BEGIN = "<!-- table: python -m tests.adapters.comparison --write -->"
END = "<!-- end of table -->"
OLD, NEW = EDITS[0]

Undo = Callable[[], object] | None
"""The undo of an edit, if the tool has one."""


def memory_input(name: str) -> dict[str, str]:
    """Return the edit as a command of the memory tool."""
    return {
        "command": "str_replace",
        "path": f"/memories/{name}",
        "old_str": OLD,
        "new_str": NEW,
    }


def edit_by_anthropic(folder: Path, path: Path, indent: str) -> Undo:
    """Edit by the memory tool of the SDK, whose files are below `memories`."""
    tool = BetaLocalFilesystemMemoryTool(str(folder.parent))
    tool.call(memory_input(path.name))
    return None


def edit_by_anthropic_adapter(folder: Path, path: Path, indent: str) -> Undo:
    """Edit by our memory tool."""
    workspace = Workspace(folder)
    MemoryTool(workspace).call(memory_input(path.name))
    return workspace.undo


def edit_by_agents(folder: Path, path: Path, indent: str) -> Undo:
    """Edit by the SDK's `apply_diff`, with the file read and written as text."""
    diff = f"-{indent}{OLD}\n+{indent}{NEW}"
    path.write_text(apply_diff(path.read_text("utf-8"), diff), "utf-8")
    return None


def edit_by_agents_adapter(folder: Path, path: Path, indent: str) -> Undo:
    """Edit by our editor."""
    workspace = Workspace(folder)
    diff = f"-{indent}{OLD}\n+{indent}{NEW}"
    operation = ApplyPatchOperation("update_file", path.name, diff)
    asyncio.run(FilewrightEditor(workspace).update_file(operation))
    return workspace.undo


def edit_by_deepagents(folder: Path, path: Path, indent: str) -> Undo:
    """Edit by the backend of files that deepagents has."""
    backend = FilesystemBackend(folder, virtual_mode=True)
    backend.edit(f"/{path.name}", OLD, NEW)
    return None


def edit_by_deepagents_adapter(folder: Path, path: Path, indent: str) -> Undo:
    """Edit by our backend."""
    backend = FilewrightBackend(folder, settings=Settings())
    backend.edit(f"/{path.name}", OLD, NEW)
    return backend.workspace.undo


def edit_by_langchain(folder: Path, path: Path, indent: str) -> Undo:
    """Edit by the file tools of langchain-community: read a file, write it whole."""
    text = ReadFileTool(root_dir=str(folder)).run({"file_path": path.name})
    # Its tools return an error as their text.
    if OLD not in text:
        raise ValueError(text)
    WriteFileTool(root_dir=str(folder)).run(
        {"file_path": path.name, "text": text.replace(OLD, NEW)}
    )
    return None


def edit_by_langchain_adapter(folder: Path, path: Path, indent: str) -> Undo:
    """Edit by the tool `edit_content` of our tools."""
    workspace = Workspace(folder)
    tools = {tool.name: tool for tool in tools_of(workspace)}
    edits = [{"search": OLD, "replace": NEW}]
    tools["edit_content"].invoke({"path": path.name, "edits": edits})
    return workspace.undo


EDITORS = {
    f"anthropic {version('anthropic')}: memory": edit_by_anthropic,
    "ours": edit_by_anthropic_adapter,
    f"openai-agents {version('openai-agents')}: apply_diff": edit_by_agents,
    "ours ": edit_by_agents_adapter,
    f"deepagents {version('deepagents')}: FilesystemBackend": edit_by_deepagents,
    "ours  ": edit_by_deepagents_adapter,
    f"langchain-community {version('langchain-community')}: read_file, write_file": edit_by_langchain,
    "ours   ": edit_by_langchain_adapter,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """The state of a file after an edit."""

    text: str
    """The number of damaged bytes, or that the edit was refused."""
    is_atomic: bool | None
    can_undo: bool


def measure(kind: Kind, edit: Callable[[Path, Path, str], Undo]) -> Cell:
    """Edit a file of a kind and compare its bytes with those expected."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "memories"
        folder.mkdir()
        path = kind.write(folder)
        inode = path.stat().st_ino
        undo: Undo = None
        try:
            undo = edit(folder, path, kind.indent)
        except Exception:
            # The kinds of errors are the frameworks' own.
            if path.read_bytes() == kind.content:
                return Cell("refused", None, False)
            raise
        content = path.read_bytes()
        if content == kind.content:
            return Cell("refused", None, False)
        text = str(count_damage(kind.edited([EDITS[0]]), content))
        if lost := kind.lost(path):
            text = f"{text}, {lost}"
        is_atomic = path.stat().st_ino != inode
        can_undo = False
        if undo is not None:
            undo()
            can_undo = path.read_bytes() == kind.content
        return Cell(text, is_atomic, can_undo)


def format_table() -> str:
    """Return the table in Markdown; kinds with the same cells share a row."""
    kinds: dict[str, list[str]] = {}
    columns: dict[str, list[Cell]] = {name: [] for name in EDITORS}
    for kind in KINDS:
        for name, edit in EDITORS.items():
            columns[name].append(measure(kind, edit))
        texts = _join_ours(cells[-1].text for cells in columns.values())
        kinds.setdefault(texts, []).append(kind.name)
    rows = [
        f"| {'; '.join(names)} | {texts} |" for texts, names in kinds.items()
    ]
    # Through a link to a file with one name, a replaced file shows as another inode.
    atomic = []
    undo = []
    for cells in columns.values():
        done = [cell for cell in cells if cell.is_atomic is not None]
        atomic.append("yes" if done[0].is_atomic else "no")
        undo.append("yes" if all(cell.can_undo for cell in done) else "no")
    rows.append(f"| *atomic* | {_join_ours(atomic)} |")
    rows.append(f"| *undo* | {_join_ours(undo)} |")
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    heads = _join_ours(name.strip() for name in EDITORS)
    lines = [
        "## Damaged bytes",
        "",
        "One line changed in a file of each kind, by the framework's own file tool and by each adapter (ours). A number is the",
        "damaged bytes; *atomic*: the file is replaced as a whole. The text for `apply_diff` is read and written as the SDK's example",
        "does. pydantic-ai has no file tool; for the Claude Agent SDK see Claude Code in the table of the [guard](guard.md).",
        f"Measured {date}.",
        "",
        f"| file | {heads} |",
        f"|---|{'---|' * (heads.count(' | ') + 1)}",
        *rows,
    ]
    return "\n".join(lines) + "\n"


def _join_ours(cells: Iterable[str]) -> str:
    """Return the cells of a row; every second one is ours, these are the last."""
    texts = list(cells)
    ours = dict.fromkeys(texts[1::2])
    return " | ".join([*texts[::2], ", ".join(ours)])


def main() -> None:
    """Print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    table = format_table()
    print(table)
    if arguments.write:
        page = PAGE.read_text("utf-8")
        before, _, rest = page.partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
