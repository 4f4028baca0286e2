"""Five pieces of work as a model does them, through the real server, each within a budget.

Every script knows only what the instructions and the list of tools say, and takes names, lines,
versions and changes from the answer before. Wrong turns that models take are taken: a search text
that means two places, a misspelt path, a hunk whose context was renamed. At the end the tree is
compared byte for byte. A budget that is passed means that a tool has become awkward or talkative.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mypy
import mypyc
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import TextContent

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Agent:
    """Calls tools; counts the calls and the characters that came back."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.calls = 0
        self.characters = 0

    async def _call(self, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        result = await self._client.call_tool(tool, arguments)
        text = "".join(part.text for part in result.content if isinstance(part, TextContent))
        self.calls += 1
        self.characters += len(text)
        return text, result.is_error

    async def __call__(self, tool: str, **arguments: Any) -> str:
        text, is_error = await self._call(tool, arguments)
        assert not is_error, text
        return text

    async def refused(self, code: str, tool: str, **arguments: Any) -> str:
        """The text of a refusal, which has a hint."""
        text, is_error = await self._call(tool, arguments)
        assert is_error, text
        assert text.startswith(f"{code}: "), text
        assert "\nhint: " in text
        return text

    def within(self, *, calls: int, characters: int) -> None:
        assert self.calls <= calls, f"{self.calls} calls"
        assert self.characters <= characters, f"{self.characters} characters"


@asynccontextmanager
async def agent_in(root: Path) -> AsyncIterator[Agent]:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "filewright", "serve", str(root), "--log-level", "error"],
        env={**os.environ, "FILEWRIGHT_STATE_DIR": str(root.parent / "state")},
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
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A copy of two installed packages, more than a thousand files."""
    root = tmp_path / "root"
    for package in (mypy, mypyc):
        source = Path(str(package.__file__)).parent
        shutil.copytree(
            source, root / source.name, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyc")
        )
    assert sum(path.is_file() for path in root.rglob("*")) > 1_000
    return root


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
        assert all(name in uses for name in ("shop/pricing.py", "shop/cart.py", "shop/invoice.py"))
        lost = await agent.refused("not_found", "read_content", path="shop/prices.py", symbol="discounted")
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
                {"search": both, "replace": both.replace("c - ", ""), "replace_all": True},
                {
                    "search": "# discounted() gives what is taken off",
                    "replace": "# discounted() gives what is left",
                },
            ],
            expected_version=version,
        )
        assert done.count("\n+") >= 3
        agent.within(calls=7, characters=5_500)
    expected = dict(SHOP)
    expected["shop/pricing.py"] = SHOP["shop/pricing.py"].replace(
        b"cents * percent //", b"cents * (100 - percent) //"
    )
    expected["shop/cart.py"] = (
        SHOP["shop/cart.py"].replace(b"c - ", b"").replace(b"gives what is taken off", b"gives what is left")
    )
    assert contents(root) == expected


async def test_a_symbol_is_renamed_in_a_large_project(large: Path) -> None:
    before = contents(large)
    async with agent_in(large) as agent:
        definitions = await agent("search_content", pattern="def is_subtype(", context=0)
        # another function of that name lives in the other package and stays
        assert re.findall(r"(?m)^(\S+\.py)$", definitions) == ["mypy/subtypes.py", "mypyc/subtype.py"]
        preview = await agent(
            "replace_content", pattern="is_subtype", replacement="fits_type", whole_word=True, path="mypy"
        )
        count = int(found(r"^([\d,]+) matches in", preview).replace(",", ""))
        assert contents(large) == before
        await agent(
            "replace_content",
            pattern="is_subtype",
            replacement="fits_type",
            whole_word=True,
            path="mypy",
            preview=False,
            expected_count=count,
        )
        left = await agent(
            "search_content", pattern="is_subtype", whole_word=True, path="mypy", output="counts"
        )
        assert left.startswith("no match\n")
        agent.within(calls=4, characters=15_000)
    after = {
        name: re.sub(rb"\bis_subtype\b", b"fits_type", data) if name.startswith("mypy/") else data
        for name, data in before.items()
    }
    assert contents(large) == after
    assert sum(data.count(b"fits_type") for data in after.values()) == count > 200


CHECKOUT = (
    b"import logging\n\nlog = logging.getLogger(__name__)\n\n\n"
    b"def refund(ledger, order):\n"
    b"    try:\n"
    b"        ledger.post(order.id, -order.paid)\n"
    b"    except Exception as error:\n"
    b'        log.exception("refund of order %s refused: ledger out by %s cent", order.id, error)\n'
    b"        raise\n"
)
FAILURE = (
    b"2026-03-01T12:34:56.789 ERROR [worker-3] shop.checkout: refund of order 48151 refused: ledger out by 1 cent\n"
    b"Traceback (most recent call last):\n"
    b'  File "/srv/shop/checkout.py", line 8, in refund\n'
    b"    ledger.post(order.id, -order.paid)\n"
    b"shop.ledger.Imbalance: 1\n"
)


def write_log(path: Path, size: int) -> None:
    """A log with one failure at two thirds, and many lines that only speak of errors."""
    lines = []
    for n in range(12_000):
        said = f"INFO [worker-{n % 8}] shop.web: GET /api/orders/{n} 200 in {n % 90} ms"
        if n % 97 == 0:
            said = f"WARNING [worker-{n % 8}] shop.cache: retried, error_count={n % 3}"
        lines.append(f"2026-03-01T12:{n // 60 % 60:02}:{n % 60:02}.{n % 1000:03} {said}\n")
    block = "".join(lines).encode()
    with path.open("wb") as file:
        for n in range(size // len(block) + 1):
            file.write(block)
            if n == size // len(block) * 2 // 3:
                file.write(FAILURE)


async def trace_the_failure(root: Path, size: int) -> None:
    written(root, {**SHOP, "shop/checkout.py": CHECKOUT})
    log = root / "app.log"
    write_log(log, size)
    before = log.stat()
    async with agent_in(root) as agent:
        overview = await agent("get_overview", path="app.log")
        assert "levels: INFO" in overview
        hits = await agent(
            "search_content", path="app.log", pattern=" ERROR ", case="sensitive", context_after=6
        )
        line = int(found(r"(?m)^(\d+): .* ERROR ", hits))
        assert line > 0
        message = found(r"ERROR .*?refund of order \d+ (refused: ledger)", hits)
        around = await agent("read_content", path="app.log", line=line, limit=7)
        assert "shop.ledger.Imbalance: 1" not in around.split(f"{line}\t")[0]
        source = await agent("search_content", pattern=message, type="py")
        path, place = found(r"(?m)^(\S+\.py)$", source), int(found(r"(?m)^(\d+): ", source))
        code = await agent("read_content", path=path, mode="semantic", line=place)
        assert code.split("\n", 1)[1].startswith("     6\tdef refund(ledger, order):\n")
        assert "    11\t        raise" in code
        agent.within(calls=5, characters=4_000)
    assert log.stat() == before or log.stat().st_mtime_ns == before.st_mtime_ns
    assert (root / "shop/checkout.py").read_bytes() == CHECKOUT


async def test_an_error_in_a_large_log_is_traced_to_the_code(tmp_path: Path) -> None:
    await trace_the_failure(tmp_path / "root", 200_000_000)


@pytest.mark.big
async def test_an_error_in_a_log_of_a_gigabyte_is_traced_to_the_code(tmp_path: Path) -> None:
    await trace_the_failure(tmp_path / "root", 1_000_000_000)


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
        refusal = await agent.refused("patch_failed", "apply_patch", patch=PATCH)
        assert "app/mail.py" in refusal
        there = found(r"(def send\(.*\):)", refusal.split("nearest text", 1)[1])
        assert contents(root) == before
        name = found(r"message, (\w+)", there)
        mended = PATCH.replace("server", name)
        done = await agent("apply_patch", patch=mended)
        assert "60 lines below its number" in done
        changed = mended.partition("diff --git a/app/notes.md")[0]
        again = await agent.refused("already_applied", "apply_patch", patch=changed)
        assert "app/mail.py at line 61" in again
        agent.within(calls=3, characters=3_500)
    assert contents(root) == {
        "app/config.py": before["app/config.py"].replace(b"open(path)", b'open(path, encoding="utf-8")'),
        "app/mail.py": before["app/mail.py"].replace(
            b"write(message)\r\n", b"write(message.encode())\r\n    connection.flush()\r\n"
        ),
        "app/notes.md": b"Configuration is UTF-8.\n",
    }


async def test_a_bad_refactoring_is_undone(large: Path) -> None:
    before = contents(large)
    mode = (large / "mypy/join.py").stat().st_mode
    async with agent_in(large) as agent:
        await agent("move_items", items=[{"source": "mypy/plugins", "destination": "mypy/extensions/core"}])
        await agent(
            "replace_content",
            pattern="mypy.plugins",
            replacement="mypy.extensions.core",
            path="mypy",
            preview=False,
        )
        await agent("delete_items", paths=["mypy/server"], recursive=True)
        bad = (agent.calls, agent.characters)
        # good work, done since in a file the refactoring touched, which must survive
        kept = await agent(
            "edit_content",
            path="mypy/build.py",
            edits=[{"search": "", "replace": "# Reviewed in March.\n", "start_line": 1}],
        )
        keep = found(r"change (\w+)", kept)
        agent.calls, agent.characters = agent.calls - bad[0], agent.characters - bad[1]
        history = await agent("get_history", limit=10)
        changes = [change for change in re.findall(r"(?m)^(\w+)  \d{4}-", history) if change != keep]
        assert len(changes) == 3
        for change in changes:
            undone = await agent("revert_edit", change_id=change)
            assert f"undid {change}" in undone
        agent.within(calls=5, characters=24_000)
    expected = {**before, "mypy/build.py": b"# Reviewed in March.\n" + before["mypy/build.py"]}
    assert contents(large) == expected
    assert (large / "mypy/join.py").stat().st_mode == mode
    assert not (large / "mypy/extensions").exists()
