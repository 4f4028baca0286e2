"""The five tasks of `test_tasks` done by typed commands alone, byte for byte.

`python -m tests.promises.test_shell_tasks --write` counts calls and characters of both
ways, and puts the table into `docs/shell.md`. A command counts as the characters that a
model sends for it, here-document included; the skill is read first, once.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shlex
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from tests import processes
from tests.promises import test_tasks
from tests.promises.test_tasks import (
    BUGS,
    CONFIG,
    MAIL,
    PATCH,
    TOOLS,
    agent_in,
    contents,
    found,
    many,
    write_log,
    written,
)

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "docs" / "shell.md"
SKILL = PROJECT / "src" / "filewright" / "cli" / "setup" / "SKILL.md"
BEGIN = "<!-- table: python -m tests.promises.test_shell_tasks --write -->"
END = "<!-- end of table -->"
LOG_BYTES = 10_000_000


class ShellAgent:
    """Runs commands in a folder; counts them, and the characters of both directions."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._environment = {
            **os.environ,
            "FILEWRIGHT_STATE_DIR": str(root.parent / "state"),
        }
        self.calls = 0
        self.characters = 0
        self.sent = 0

    def __call__(
        self, command: str, text: str | None = None, *, status: int = 0
    ) -> str:
        """Run a command with a here-document and return its output."""
        typed = command
        if text is not None:
            typed = f"{command} <<'EOF'\n{text}EOF"
        words = shlex.split(command)
        assert words[0] == "filewright"
        process = processes.run(
            [*processes.FILEWRIGHT, *words[1:]],
            env=self._environment,
            cwd=self._root,
            given=text or "",
        )
        output = process.stdout + process.stderr
        assert process.returncode == status, output
        self.calls += 1
        self.sent += len(typed)
        self.characters += len(output)
        return output


def blocks(*pairs: tuple[str, str]) -> str:
    """Return search/replace blocks."""
    return "".join(
        f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"
        for old, new in pairs
    )


def three_bugs(root: Path) -> ShellAgent:
    """Fix three bugs that are reported, in files of several kinds, as one change."""
    shell = ShellAgent(written(root, BUGS))
    lines = shell(
        "filewright search -E 'def (discounted|pages)\\(|Strasse' -C 1"
    )
    assert "return count // size" in lines
    shell(
        "filewright apply_patch",
        "*** Begin Patch\n"
        "*** Update File: shop/prices.py\n@@\n"
        "-    return cents * percent // 100\n"
        "+    return cents * (100 - percent) // 100\n"
        "*** Update File: shop/pages.py\n@@\n"
        "-    return count // size\n+    return -(-count // size)\n"
        "*** Update File: shop/labels.py\n@@\n"
        "-    'street': 'Strasse für Käufer',\n"
        "+    'street': 'Straße für Käufer',\n"
        "*** End Patch\n",
    )
    assert contents(root) == {
        **BUGS,
        "shop/prices.py": BUGS["shop/prices.py"].replace(
            b"cents * percent", b"cents * (100 - percent)"
        ),
        "shop/pages.py": BUGS["shop/pages.py"].replace(
            b"count // size", b"-(-count // size)"
        ),
        "shop/labels.py": BUGS["shop/labels.py"].replace(
            b"Strasse", b"Stra\xdfe"
        ),
    }
    return shell


def a_rename(root: Path, packages: int = 60) -> ShellAgent:
    """Rename a function in 3,600 files, other names with the same letters left alone."""
    before = many(packages)
    shell = ShellAgent(written(root, before))
    arguments = (
        '{"pattern": "load_rate", "replacement": "rate_of", "whole_word": true'
    )
    preview = shell(f"filewright call replace_content '{arguments}}}'")
    count = found(r"^([\d,]+) matches in", preview).replace(",", "")
    done = shell(
        f"filewright call replace_content '{arguments}, "
        f'"preview": false, "expected_count": {count}}}\''
    )
    assert f"{60 * packages:,} files searched" in done
    assert contents(root) == {
        name: re.sub(rb"\bload_rate\b", b"rate_of", content)
        for name, content in before.items()
    }
    return shell


def a_chain_of_causes(root: Path, size: int = LOG_BYTES) -> ShellAgent:
    """Follow an error in a log of 10 MB to its cause in the code."""
    written(root, {"app/pool.py": test_tasks.POOL, "app/web.py": b"x = 1\n"})
    write_log(root / "app.log", size)
    shell = ShellAgent(root)
    errors = shell("filewright search -m 5 ERROR app.log")
    request = found(r"request (r-\d+) gave up", errors)
    lines = shell(f"filewright search -m 5 '{request} waits' app.log")
    job = found(r"job (j-\d+)", lines)
    lines = shell(f"filewright search -m 5 'job {job} waits' app.log")
    revision = found(r"settings (c-\d+)", lines)
    pushed = shell(f"filewright search -E \"revision {revision} |'pool'\"")
    assert "pushed by deploy-bot: pool=0" in pushed
    assert "return settings.get('pool') or None" in pushed
    return shell


def a_patch(root: Path) -> ShellAgent:
    """Apply a patch to a tree that has moved on; one hunk has a name of before."""
    licence = "".join(f"# licence, line {n}\n" for n in range(60))
    before = {
        "app/config.py": (licence + CONFIG).encode(),
        "app/mail.py": (licence + MAIL).replace("\n", "\r\n").encode(),
    }
    shell = ShellAgent(written(root, before))
    refusal = shell("filewright apply_patch", PATCH, status=1)
    assert contents(root) == before
    name = found(r"with (\w+) for server it fits", refusal)
    shell("filewright apply_patch", PATCH.replace("server", name))
    assert contents(root) == {
        "app/config.py": before["app/config.py"].replace(
            b"open(path)", b'open(path, encoding="utf-8")'
        ),
        "app/mail.py": before["app/mail.py"].replace(
            b"write(message)\r\n",
            b"write(message.encode())\r\n    connection.flush()\r\n",
        ),
        "app/notes.md": b"Configuration is UTF-8.\n",
    }
    return shell


def three_refactorings(root: Path) -> ShellAgent:
    """Rename, move a function with its imports, delete a dead one; undo the rename."""
    shell = ShellAgent(written(root, TOOLS))
    renamed = shell(
        "filewright call replace_content '"
        '{"pattern": "page", "replacement": "render", "whole_word": true, '
        '"glob": "lib/*.py", "preview": false}\''
    )
    rename = found(r"change (\w+)", renamed)
    imports = "-from lib.tools import slug\n+from lib.text import slug\n"
    shell(
        "filewright apply_patch",
        "*** Begin Patch\n"
        "*** Update File: lib/tools.py\n@@\n import os\n-\n-\n"
        "-def slug(text):\n-    return text.lower()\n-\n-\n"
        "-def unused():\n-    return os\n"
        "*** Update File: lib/text.py\n@@\n     return text.title()\n"
        "+\n+\n+def slug(text):\n+    return text.lower()\n"
        f"*** Update File: lib/page.py\n@@\n{imports}"
        f"*** Update File: lib/feed.py\n@@\n{imports}"
        "*** End Patch\n",
    )
    shell(f"filewright undo {rename} -y")
    assert contents(root) == {
        "lib/tools.py": b"import os\n",
        "lib/text.py": (
            b"def title(text):\n    return text.title()\n\n\n"
            b"def slug(text):\n    return text.lower()\n"
        ),
        "lib/page.py": TOOLS["lib/page.py"].replace(b"lib.tools", b"lib.text"),
        "lib/feed.py": TOOLS["lib/feed.py"].replace(b"lib.tools", b"lib.text"),
    }
    return shell


TASKS: dict[str, Callable[[Path], ShellAgent]] = {
    "three bugs in files of several kinds": three_bugs,
    "a rename over 3,600 files": a_rename,
    "a chain of causes in a log": a_chain_of_causes,
    "a patch that has drifted": a_patch,
    "three refactorings, one undone": three_refactorings,
}


@test_tasks.SIZES
def test_five_tasks_by_commands_alone(
    tmp_path: Path, packages: int, log_bytes: int
) -> None:
    agents = [
        three_bugs(tmp_path / "1" / "root"),
        a_rename(tmp_path / "2" / "root", packages),
        a_chain_of_causes(tmp_path / "3" / "root", log_bytes),
        a_patch(tmp_path / "4" / "root"),
        three_refactorings(tmp_path / "5" / "root"),
    ]
    assert sum(agent.calls for agent in agents) <= 13
    read = len(SKILL.read_text("utf-8"))
    characters = sum(agent.characters for agent in agents)
    assert read + characters <= 6_900, (
        read,
        [agent.characters for agent in agents],
    )
    assert sum(agent.sent for agent in agents) <= 3_200


# The table of the documentation


@dataclass(frozen=True, slots=True)
class Count:
    """The calls of a task, and the characters received and sent."""

    calls: int
    received: int
    sent: int


def count_shell(folder: Path) -> list[Count]:
    """Do the tasks by commands."""
    counts = []
    for number, task in enumerate(TASKS.values()):
        agent = task(folder / f"shell{number}" / "root")
        counts.append(Count(agent.calls, agent.characters, agent.sent))
    return counts


async def count_mcp(folder: Path) -> tuple[int, list[Count]]:
    """Do the tasks by MCP; also return the characters of the list of tools."""
    empty = written(folder / "empty" / "root", {"empty": b""})
    async with agent_in(empty) as agent:
        listed = await agent.listed(empty)
    tasks: tuple[Callable[[Path], Awaitable[test_tasks.Agent]], ...] = (
        test_tasks.three_bugs,
        test_tasks.a_rename,
        lambda root: test_tasks.a_chain_of_causes(root, LOG_BYTES),
        test_tasks.a_patch,
        test_tasks.three_refactorings,
    )
    counts = []
    for number, task in enumerate(tasks):
        agent = await task(folder / f"mcp{number}" / "root")
        counts.append(Count(agent.calls, agent.characters, agent.sent))
    return listed, counts


def format_table() -> str:
    """Return the table in Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        shell = count_shell(Path(folder))
        listed, mcp = asyncio.run(count_mcp(Path(folder)))
    skill = len(SKILL.read_text("utf-8"))
    lines = [
        "| task | shell: calls | received | sent | MCP: calls | received | sent |",
        "|---|---|---|---|---|---|---|",
        f"| read first: the skill, or the list of tools | | {skill:,} | | | {listed:,} | |",
    ]
    for name, one, other in zip(TASKS, shell, mcp, strict=True):
        lines.append(
            f"| {name} | {one.calls} | {one.received:,} | {one.sent:,} "
            f"| {other.calls} | {other.received:,} | {other.sent:,} |"
        )
    lines.append(
        f"| *together* | {sum(one.calls for one in shell)} "
        f"| {skill + sum(one.received for one in shell):,} "
        f"| {sum(one.sent for one in shell):,} "
        f"| {sum(one.calls for one in mcp)} "
        f"| {listed + sum(one.received for one in mcp):,} "
        f"| {sum(one.sent for one in mcp):,} |"
    )
    return "\n".join(lines)


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
        PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
