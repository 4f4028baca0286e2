"""Five tasks as an agent does them: only what the tools say, within a budget of calls and characters.

The scripts choose their next call from the answer to the one before (a version, a line number, a change),
as a model would. A budget that is passed means that a tool has become awkward or talkative.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import TextContent

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Agent:
    """Calls tools and keeps count of calls and of the characters that came back."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.calls = 0
        self.characters = 0

    async def __call__(self, tool: str, **arguments: Any) -> str:
        result = await self._client.call_tool(tool, arguments)
        text = "".join(part.text for part in result.content if isinstance(part, TextContent))
        self.calls += 1
        self.characters += len(text)
        assert not result.is_error, text
        return text

    def within(self, *, calls: int, characters: int) -> None:
        assert self.calls <= calls, f"{self.calls} calls"
        assert self.characters <= characters, f"{self.characters} characters"


@asynccontextmanager
async def agent_in(root: Path) -> AsyncIterator[Agent]:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "filewright", "serve", str(root), "--log-level", "error"],
        env={"FILEWRIGHT_STATE_DIR": str(root.parent / "state")},
    )
    async with Client(server, mode="auto") as client:
        yield Agent(client)


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, f"{pattern!r} not in:\n{text}"
    return match.group(1)


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


SHOP = {
    "shop/pricing.py": (
        "def discounted(price, percent):\n"
        '    """The price after a discount of `percent`."""\n'
        "    return price * percent / 100\n"
        "\n\n"
        "def taxed(price, rate):\n"
        "    return price * (1 + rate)\n"
    ),
    "shop/cart.py": (
        "from shop.pricing import discounted\n"
        "\n\n"
        "class Cart:\n"
        "    def __init__(self):\n"
        "        self.prices = []\n"
        "\n"
        "    def total(self, percent=0):\n"
        "        # discounted() gives the discount, so take it off\n"
        "        return sum(price - discounted(price, percent) for price in self.prices)\n"
    ),
    "shop/invoice.py": (
        "from shop.pricing import discounted\n\n\ndef line(price, percent):\n"
        '    return f"{discounted(price, percent):.2f}"\n'
    ),
    "shop/__init__.py": "",
}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


async def test_a_bug_is_fixed_across_files(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, SHOP)
    async with agent_in(root) as agent:
        uses = await agent("search_content", pattern="discounted", glob="**/*.py")
        assert "pricing.py" in uses
        assert "cart.py" in uses
        definition = await agent("read_content", path="shop/pricing.py", mode="semantic", symbol="discounted")
        done = await agent(
            "edit_content",
            path="shop/pricing.py",
            edits=[
                {"search": "return price * percent / 100", "replace": "return price * (1 - percent / 100)"}
            ],
            expected_version=found(r"version (\w+)", definition),
        )
        assert "+    return price * (1 - percent / 100)" in done
        user = await agent("read_content", path="shop/cart.py", mode="semantic", symbol="Cart.total")
        await agent(
            "edit_content",
            path="shop/cart.py",
            edits=[
                {"search": "        # discounted() gives the discount, so take it off\n", "replace": ""},
                {
                    "search": "sum(price - discounted(price, percent) for",
                    "replace": "sum(discounted(price, percent) for",
                },
            ],
            expected_version=found(r"version (\w+)", user),
        )
        agent.within(calls=5, characters=3_000)
    check = (
        "from shop.cart import Cart; from shop.invoice import line\n"
        "cart = Cart(); cart.prices = [100, 50]\n"
        "assert cart.total(10) == 135 and line(100, 10) == '90.00'\n"
    )
    subprocess.run([sys.executable, "-c", check], cwd=root, check=True, timeout=60)


async def test_a_symbol_is_renamed_in_a_large_project(tmp_path: Path) -> None:
    import mcp

    root = tmp_path / "root"
    assert mcp.__file__ is not None
    shutil.copytree(Path(mcp.__file__).parent, root / "mcp", ignore=shutil.ignore_patterns("__pycache__"))
    old, new = "handler_exception_to_error_data", "wire_error_for"
    before = contents(root)
    async with agent_in(root) as agent:
        counted = await agent(
            "search_content", pattern=old, output="counts", whole_word=True, case="sensitive"
        )
        assert "jsonrpc_dispatcher.py" in counted
        preview = await agent("replace_content", pattern=rf"\b{old}\b", replacement=new, mode="regex")
        total = int(found(r"([\d,]+) match", preview).replace(",", ""))
        applied = await agent(
            "replace_content",
            pattern=rf"\b{old}\b",
            replacement=new,
            mode="regex",
            preview=False,
            expected_count=total,
        )
        assert "change" in applied
        left = await agent("search_content", pattern=old, output="counts")
        assert old not in left or "no match" in left.lower()
        agent.within(calls=4, characters=9_000)
    after = contents(root)
    assert after == {name: data.replace(old.encode(), new.encode()) for name, data in before.items()}
    assert sum(data.count(new.encode()) for data in after.values()) == total


async def find_the_failure(root: Path, size: int) -> None:
    log = root / "app.log"
    line = b"2026-03-01T12:00:%02d INFO  request handled in 12 ms by worker %d for /api/orders\n"
    block = b"".join(line % (n % 60, n % 8) for n in range(20_000))
    with open(log, "wb") as file:
        written = 0
        while written < size:
            written += file.write(block)
            if written >= size // 2 > written - len(block):
                file.write(
                    b"2026-03-01T12:30:00 ERROR checkout refused: coupon SPRING expired at 2026-02-28\n"
                )
    write(
        root,
        {
            **SHOP,
            "shop/checkout.py": (
                "import logging\n\nlog = logging.getLogger(__name__)\n\n\n"
                "def check(coupon, today):\n"
                "    if coupon.expires < today:\n"
                '        log.error("checkout refused: coupon %s expired at %s", coupon.code, coupon.expires)\n'
                "        return False\n"
                "    return True\n"
            ),
        },
    )
    async with agent_in(root) as agent:
        hits = await agent(
            "search_content", pattern=" ERROR ", path="app.log", case="sensitive", max_results=3
        )
        number = int(found(r"(?m)^([\d,]+):.* ERROR ", hits).replace(",", ""))
        around = await agent("read_content", path="app.log", line=number, limit=10)
        assert "coupon SPRING expired" in around
        source = await agent("search_content", pattern="checkout refused: coupon", glob="**/*.py")
        place = found(r"(?m)^(shop/checkout\.py)", source)
        code = await agent("read_content", path=place, mode="semantic", pattern="checkout refused")
        assert "def check(coupon, today)" in code
        agent.within(calls=4, characters=3_000)


async def test_a_failure_in_a_log_is_traced_to_the_code_that_logs_it(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    await find_the_failure(root, 20_000_000)


@pytest.mark.big
async def test_a_failure_in_a_log_of_a_gigabyte_is_traced_within_the_same_budget(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    await find_the_failure(root, 1_000_000_000)


async def test_a_patch_that_has_drifted_is_applied(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, SHOP)
    patch = (
        "--- a/shop/pricing.py\n+++ b/shop/pricing.py\n"
        "@@ -6,2 +6,4 @@\n def taxed(price, rate):\n-    return price * (1 + rate)\n"
        "+    if rate < 0:\n+        raise ValueError(rate)\n+    return price * (1 + rate)\n"
    )
    moved = "# pricing\n" * 40 + SHOP["shop/pricing.py"]
    (root / "shop/pricing.py").write_text(moved)
    async with agent_in(root) as agent:
        preview = await agent("apply_patch", patch=patch, preview=True)
        assert "+        raise ValueError(rate)" in preview
        await agent("apply_patch", patch=patch)
        agent.within(calls=2, characters=1_200)
    expected = moved.replace(
        "    return price * (1 + rate)\n",
        "    if rate < 0:\n        raise ValueError(rate)\n    return price * (1 + rate)\n",
    )
    assert (root / "shop/pricing.py").read_text() == expected


async def test_a_bad_refactoring_is_undone(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, SHOP)
    (root / "shop/legacy.py").write_bytes(b"caf\xe9 = 1\r\n")
    before = contents(root)
    async with agent_in(root) as agent:
        await agent("move_items", items=[{"source": "shop/pricing.py", "destination": "shop/prices/core.py"}])
        await agent(
            "replace_content",
            pattern="shop.pricing",
            replacement="shop.prices.core",
            path="shop",
            preview=False,
        )
        await agent("delete_items", paths=["shop/legacy.py", "shop/invoice.py"])
        await agent(
            "edit_content", path="shop/cart.py", edits=[{"search": "class Cart:", "replace": "class Basket:"}]
        )
        made = (agent.calls, agent.characters)
        history = await agent("get_history")
        changes = re.findall(r"(?m)^(\w+)  \d{4}-", history)
        assert len(changes) == 4
        for change in changes:
            await agent("revert_edit", change_id=change)
        agent.calls -= made[0]
        agent.characters -= made[1]
        agent.within(calls=5, characters=3_500)
    assert contents(root) == before
