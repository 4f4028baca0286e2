"""Pieces of work as a model does them, through the real server, each within a budget.

Every script knows only what the instructions and the list of tools say, and takes names, lines,
versions and changes from the answer before. At the end the tree is compared byte for byte. A budget
that is passed means that a tool has become awkward or talkative.

Five tasks together have the budget that a plain shell needs for them, the list of tools included:
three bugs in files of several kinds, a rename over 3,600 files, a chain of causes in a log, a patch for
a tree that has moved on, three refactorings of which the first is undone. In two more, wrong turns that
models take are taken: a search text that means two places, a misspelt path, a hunk whose context was renamed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import ResourceLink, TextContent
from tests import processes

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Agent:
    """Calls tools; counts the calls, the characters that came back, and those that were sent."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.calls = 0
        self.characters = 0
        self.sent = 0

    async def _call(
        self, tool: str, arguments: dict[str, Any]
    ) -> tuple[str, bool]:
        result = await self._client.call_tool(tool, arguments)
        text = "".join(
            part.text
            for part in result.content
            if isinstance(part, TextContent)
        )
        links = [
            part for part in result.content if isinstance(part, ResourceLink)
        ]
        self.calls += 1
        self.sent += len(json.dumps(arguments, ensure_ascii=False))
        self.characters += len(text) + sum(
            len(f"{link.uri} {link.name}") for link in links
        )
        return text, result.is_error

    async def __call__(self, tool: str, **arguments: Any) -> str:
        text, is_error = await self._call(tool, arguments)
        assert not is_error, text
        return text

    async def refused(self, code: str, tool: str, **arguments: Any) -> str:
        """Return the text of a refusal, which has a hint if there is a next step."""
        text, is_error = await self._call(tool, arguments)
        assert is_error, text
        assert text.startswith(f"{code}: "), text
        assert ("\nhint: " in text) == (code != "already_applied"), text
        return text

    async def listed(self, root: Path) -> int:
        """The characters of the list of tools and of the instructions, which a model reads first.

        The instructions name the root; it counts as a path of usual length, wherever the test runs.
        """
        tools = await self._client.list_tools()
        shown = json.dumps(
            [
                t.model_dump(mode="json", by_alias=True, exclude_none=True)
                for t in tools.tools
            ],
            separators=(",", ":"),
        )
        told = (self._client.instructions or "").replace(
            str(root), "/home/someone/project"
        )
        assert str(root) not in shown
        return len(shown) + len(told)

    def within(self, *, calls: int, characters: int) -> None:
        assert self.calls <= calls, f"{self.calls} calls"
        assert self.characters <= characters, f"{self.characters} characters"


@asynccontextmanager
async def agent_in(root: Path) -> AsyncIterator[Agent]:
    server = processes.for_client(
        [*processes.FILEWRIGHT, "serve", str(root), "--log-level", "error"],
        {**os.environ, "FILEWRIGHT_STATE_DIR": str(root.parent / "state")},
    )
    async with Client(server, mode="auto") as client:
        yield Agent(client)


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, f"{pattern!r} not in:\n{text}"
    return match.group(1)


def written(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def contents(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


SHOP = {
    "shop/__init__.py": b"",
    "shop/pricing.py": (
        b"def discounted(cents, percent):\n"
        b'    """The price in cents less `percent`."""\n'
        b"    return cents * percent // 100\n"
        b"\n\n"
        b"def taxed(cents, rate):\n"
        b"    return cents + cents * rate // 100\n"
    ),
    # saved by a Windows editor
    "shop/cart.py": (
        b"from shop.pricing import discounted, taxed\r\n\r\n\r\n"
        b"class Cart:\r\n"
        b"    def __init__(self, lines):\r\n"
        b"        self.lines = lines\r\n"
        b"\r\n"
        b"    def net(self, percent):\r\n"
        b"        # discounted() gives what is taken off\r\n"
        b"        return sum(c - discounted(c, percent) for c in self.lines)\r\n"
        b"\r\n"
        b"    def gross(self, percent, rate):\r\n"
        b"        return taxed(sum(c - discounted(c, percent) for c in self.lines), rate)\r\n"
    ),
    # Latin-1, and no newline at the end
    "shop/invoice.py": (
        "# -*- coding: latin-1 -*-\n"
        "from shop.pricing import discounted\n\n\n"
        "def row(name, cents, percent):\n"
        '    return f"{name} (Ermäßigung {percent} %): {discounted(cents, percent) / 100:.2f} €"\n'
        "\n\n"
        "def café(percent):\n"
        '    return row("Café crème", 420, percent)'
    )
    .replace("€", "EUR")
    .encode("latin-1"),
}


async def test_a_bug_is_fixed_across_files(tmp_path: Path) -> None:
    root = written(tmp_path / "root", SHOP)
    async with agent_in(root) as agent:
        uses = await agent("search_content", pattern="discounted")
        assert all(
            name in uses
            for name in ("shop/pricing.py", "shop/cart.py", "shop/invoice.py")
        )
        lost = await agent.refused(
            "not_found",
            "read_content",
            path="shop/prices.py",
            symbol="discounted",
        )
        path = found(r"did you mean (\S+?)[ ?]", lost)
        body = await agent("read_content", path=path, symbol="discounted")
        await agent(
            "edit_content",
            path=path,
            edits=[
                {
                    "search": "    return cents * percent // 100",
                    "replace": "    return cents * (100 - percent) // 100",
                }
            ],
            expected_version=found(r"version (\w+)", body),
        )
        cart = await agent("read_content", path="shop/cart.py", symbol="Cart")
        version = found(r"version (\w+)", cart)
        both = "sum(c - discounted(c, percent) for c in self.lines)"
        twice = await agent.refused(
            "ambiguous_match",
            "edit_content",
            path="shop/cart.py",
            edits=[{"search": both, "replace": both.replace("c - ", "")}],
            expected_version=version,
        )
        assert "10" in twice
        assert "13" in twice
        done = await agent(
            "edit_content",
            path="shop/cart.py",
            edits=[
                {
                    "search": both,
                    "replace": both.replace("c - ", ""),
                    "replace_all": True,
                },
                {
                    "search": "# discounted() gives what is taken off",
                    "replace": "# discounted() gives what is left",
                },
            ],
            expected_version=version,
        )
        assert done.count("\n+") >= 3
        agent.within(calls=7, characters=2_600)
    expected = dict(SHOP)
    expected["shop/pricing.py"] = SHOP["shop/pricing.py"].replace(
        b"cents * percent //", b"cents * (100 - percent) //"
    )
    expected["shop/cart.py"] = (
        SHOP["shop/cart.py"]
        .replace(b"c - ", b"")
        .replace(b"gives what is taken off", b"gives what is left")
    )
    assert contents(root) == expected


CONFIG = (
    "import os\n\n\n"
    "def load(path):\n"
    "    data = {}\n"
    "    with open(path) as file:\n"
    "        for line in file:\n"
    '            key, _, value = line.partition("=")\n'
    "            data[key.strip()] = value.strip()\n"
    "    return data\n"
)
MAIL = (
    "def send(message, host):\n"
    "    connection = connect(host)\n"
    "    connection.write(message)\n"
    "    connection.close()\n"
)
PATCH = """\
diff --git a/app/config.py b/app/config.py
--- a/app/config.py
+++ b/app/config.py
@@ -3,7 +3,7 @@ import os

 def load(path):
     data = {}
-    with open(path) as file:
+    with open(path, encoding="utf-8") as file:
         for line in file:
             key, _, value = line.partition("=")
             data[key.strip()] = value.strip()
diff --git a/app/mail.py b/app/mail.py
--- a/app/mail.py
+++ b/app/mail.py
@@ -1,4 +1,5 @@
 def send(message, server):
     connection = connect(server)
-    connection.write(message)
+    connection.write(message.encode())
+    connection.flush()
     connection.close()
diff --git a/app/notes.md b/app/notes.md
new file mode 100644
--- /dev/null
+++ b/app/notes.md
@@ -0,0 +1 @@
+Configuration is UTF-8.
"""


async def test_a_patch_that_has_drifted_is_applied(tmp_path: Path) -> None:
    licence = "".join(f"# licence, line {n}\n" for n in range(60))
    before = {
        "app/config.py": (licence + CONFIG).encode(),
        "app/mail.py": (licence + MAIL).replace("\n", "\r\n").encode(),
    }
    root = written(tmp_path / "root", before)
    async with agent_in(root) as agent:
        refusal = await agent.refused(
            "patch_failed", "apply_patch", patch=PATCH
        )
        assert "app/mail.py" in refusal
        assert contents(root) == before
        assert "with host for server it fits at line 61" in refusal
        assert 'names={"server": "host"} applies it with these names' in refusal
        names = {"server": "host"}
        done = await agent("apply_patch", patch=PATCH, names=names)
        assert "60 lines below its number" in done
        changed = PATCH.partition("diff --git a/app/notes.md")[0]
        again = await agent.refused(
            "already_applied", "apply_patch", patch=changed, names=names
        )
        assert "app/mail.py at line 61" in again
        agent.within(calls=3, characters=1_250)
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


BUGS = {
    "shop/prices.py": (
        b"def discounted(cents, percent):\r\n    return cents * percent // 100\r\n\r\n\r\n"
        b"def rounded(cents):\r\n    return cents\r\n"
    ),
    "shop/pages.py": b"def pages(count, size):\n    return count // size\n",
    "shop/labels.py": (
        "# -*- coding: latin-1 -*-\r\nLABELS = {\r\n    'street': 'Strasse für Käufer',\r\n"
        "    'size': 'Größe',\r\n}\r\n"
    ).encode("latin-1"),
    "shop/other.py": b"def discounted_all(prices):\r\treturn [p for p in prices]\r",
}


async def three_bugs(root: Path) -> Agent:
    """Reported: discounts are what is taken off, the last page is missing, and Straße is misspelt."""
    written(root, BUGS)
    async with agent_in(root) as agent:
        found_all = await agent(
            "search_content",
            patterns=["def discounted(", "def pages(", "Strasse"],
        )
        files = re.findall(r"(?m)^(shop/\S+)$", found_all)
        assert files == ["shop/prices.py", "shop/pages.py", "shop/labels.py"]
        done = await agent(
            "edit_content",
            edits=[
                {
                    "path": files[0],
                    "search": "cents * percent // 100",
                    "replace": "cents * (100 - percent) // 100",
                },
                {
                    "path": files[1],
                    "search": "count // size",
                    "replace": "-(-count // size)",
                },
                {"path": files[2], "search": "Strasse", "replace": "Straße"},
            ],
        )
        assert "+    return -(-count // size)" in done
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
    return agent


def many(packages: int) -> dict[str, bytes]:
    """Sixty modules in each package; every ninth uses a function whose name is also a part of others."""
    files = {}
    for package in range(packages):
        for module in range(60):
            lines = [
                f"# module {module} of package {package}",
                f"def work_{module}(x):",
            ]
            if module % 9 == 0:
                lines += [
                    "    rates = load_rates()",
                    f"    return load_rate({module}, rates) + reload_rate",
                ]
            else:
                lines += [f"    return x + {module}"]
            newline = "\r\n" if module % 4 == 0 else "\n"
            text = newline.join(lines) + (newline if module % 5 else "")
            files[f"p{package:02}/m{module:02}.py"] = text.encode()
    return files


async def a_rename(root: Path, packages: int = 60) -> Agent:
    before = many(packages)
    written(root, before)
    async with agent_in(root) as agent:
        rename = {
            "pattern": "load_rate",
            "replacement": "rate_of",
            "whole_word": True,
        }
        preview = await agent("replace_content", **rename)
        count = int(found(r"^([\d,]+) matches in", preview).replace(",", ""))
        assert contents(root) == before
        done = await agent(
            "replace_content", **rename, preview=False, expected_count=count
        )
        assert "as in the preview" in done
        assert f"{60 * packages:,} files searched" in done
    after = {
        name: re.sub(rb"\bload_rate\b", b"rate_of", data)
        for name, data in before.items()
    }
    assert contents(root) == after
    assert (
        sum(data.count(b"rate_of") for data in after.values())
        == count
        == 7 * packages
    )
    return agent


POOL = b"import settings\n\n\ndef pool_size():\n    # 0: as many as there are\n    return settings.get('pool') or None\n"
CHAIN = {
    0.2: "INFO [config] revision c-31 pushed by deploy-bot: pool=0",
    0.4: "WARNING [worker-2] job j-9047 waits: no connection, settings c-31",
    0.6: "WARNING [web] request r-77123 waits for job j-9047",
    0.8: "ERROR [web] request r-77123 gave up after 30 s",
}


def write_log(path: Path, size: int) -> None:
    """A log with a chain of causes, and many lines that only speak of errors."""
    lines = []
    for n in range(12_000):
        said = f"INFO [worker-{n % 8}] GET /api/orders/{n} 200 in {n % 90} ms"
        if n % 97 == 0:
            said = f"WARNING [worker-{n % 8}] retried, error_count={n % 3}"
        lines.append(
            f"2026-03-01T12:{n // 60 % 60:02}:{n % 60:02}.{n % 1000:03} {said}\n"
        )
    block = "".join(lines).encode()
    blocks = max(10, size // len(block) + 1)
    after = {
        int(blocks * part): f"2026-03-01T12:59:59.000 {said}\n"
        for part, said in CHAIN.items()
    }
    with path.open("wb") as file:
        for n in range(blocks):
            file.write(block)
            file.write(after.get(n, "").encode())


async def a_chain_of_causes(root: Path, size: int) -> Agent:
    written(root, {"app/pool.py": POOL, "app/web.py": b"def get(): ...\n"})
    write_log(root / "app.log", size)
    before = (root / "app.log").stat()
    async with agent_in(root) as agent:
        complaints = {
            "pattern": "ERROR|WARNING",
            "mode": "regex",
            "output": "kinds",
        }
        rare = await agent("search_content", path="app.log", **complaints)
        request = found(r"request (r-\d+) gave up", rare)
        job = found(rf"request {request} waits for job (j-\d+)", rare)
        revision = found(
            rf"job {job} waits: no connection, settings (c-\d+)", rare
        )
        pushed = await agent(
            "search_content", patterns=[f"revision {revision} ", "'pool'"]
        )
        assert "pushed by deploy-bot: pool=0" in pushed
        assert "return settings.get('pool') or None" in pushed
    after = (root / "app.log").stat()
    assert (after.st_mtime_ns, after.st_size) == (
        before.st_mtime_ns,
        before.st_size,
    )
    return agent


async def a_patch(root: Path) -> Agent:
    """A name in the context of one hunk is another since, so that the rest of the patch has it; the others have moved
    down, into files with other line ends.
    """
    licence = "".join(f"# licence, line {n}\n" for n in range(60))
    before = {
        "app/config.py": (licence + CONFIG).encode(),
        "app/mail.py": (licence + MAIL).replace("\n", "\r\n").encode(),
    }
    written(root, before)
    async with agent_in(root) as agent:
        some = await agent("apply_patch", patch=PATCH, partial=True)
        assert "60 lines below its number" in some
        assert "hint: send it as the rest shows it" in some
        rest = some[
            some.index("diff --git a/app/mail.py", some.index("[the rest")) :
        ].partition("\n[")[0]
        await agent("apply_patch", patch=rest + "\n")
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
    return agent


TOOLS = {
    "lib/tools.py": b"import os\n\n\ndef slug(text):\n    return text.lower()\n\n\ndef unused():\n    return os\n",
    "lib/text.py": b"def title(text):\n    return text.title()\n",
    "lib/page.py": b"from lib.tools import slug\n\n\ndef page(text):\n    return slug(text)\n",
    "lib/feed.py": b"from lib.tools import slug\r\n\r\nFEED = slug('Feed')\r\n",
}


async def three_refactorings(root: Path) -> Agent:
    """A rename, a function moved with its imports, a dead one deleted; then the rename is taken back."""
    written(root, TOOLS)
    async with agent_in(root) as agent:
        renamed = await agent(
            "replace_content",
            pattern="page",
            replacement="render",
            whole_word=True,
            glob="lib/*.py",
            preview=False,
        )
        rename = found(r"change (\w+)", renamed)
        await agent(
            "edit_content",
            edits=[
                {
                    "path": "lib/text.py",
                    "from": {"path": "lib/tools.py", "symbol": "slug"},
                    "at": {"after": "title"},
                },
                *(
                    {
                        "path": path,
                        "search": "from lib.tools import slug",
                        "replace": "from lib.text import slug",
                    }
                    for path in ("lib/page.py", "lib/feed.py")
                ),
            ],
        )
        await agent(
            "edit_content",
            path="lib/tools.py",
            edits=[{"symbol": "unused", "delete": True}],
        )
        undone = await agent("revert_edit", change_id=rename)
        assert "merged" in undone
    assert contents(root) == {
        "lib/tools.py": b"import os\n",
        "lib/text.py": (
            b"def title(text):\n    return text.title()\n\n\ndef slug(text):\n    return text.lower()\n"
        ),
        "lib/page.py": TOOLS["lib/page.py"].replace(b"lib.tools", b"lib.text"),
        "lib/feed.py": TOOLS["lib/feed.py"].replace(b"lib.tools", b"lib.text"),
    }
    return agent


SIZES = pytest.mark.parametrize(
    ("packages", "log_bytes"),
    [
        pytest.param(6, 1_000_000, id="small"),
        pytest.param(60, 10_000_000, id="whole", marks=pytest.mark.sweep),
    ],
)
"""Of the rename and of the log, on which the answers' length does not depend."""


@SIZES
async def test_five_tasks_together_take_no_more_than_a_shell(
    tmp_path: Path, packages: int, log_bytes: int
) -> None:
    empty = written(tmp_path / "none" / "root", {"empty": b""})
    async with agent_in(empty) as first:
        listed = await first.listed(empty)
    agents = [
        await three_bugs(tmp_path / "1" / "root"),
        await a_rename(tmp_path / "2" / "root", packages),
        await a_chain_of_causes(tmp_path / "3" / "root", log_bytes),
        await a_patch(tmp_path / "4" / "root"),
        await three_refactorings(tmp_path / "5" / "root"),
    ]
    calls, characters = (
        sum(agent.calls for agent in agents),
        sum(agent.characters for agent in agents),
    )
    assert calls <= 12, [agent.calls for agent in agents]
    assert listed <= 9_950, (
        f"the tools and the instructions have {listed:,} characters: shorten "
        "other descriptions, or mark a rare argument `RARE`"
    )
    assert listed + characters <= 14_500, (
        listed,
        [agent.characters for agent in agents],
    )
    assert sum(agent.sent for agent in agents) <= 2_350


@pytest.mark.big
async def test_a_chain_of_causes_in_a_log_of_a_gigabyte(tmp_path: Path) -> None:
    agent = await a_chain_of_causes(tmp_path / "root", 1_000_000_000)
    agent.within(calls=2, characters=2_000)
