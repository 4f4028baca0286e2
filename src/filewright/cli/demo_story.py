"""The project of `filewright demo`, and the work of two scripted agents in it.

The agents stand for Claude Code and Gemini CLI. What they do is written down here; how
it is recorded is real: each agent has a server of its own, and the hooks that `setup`
configures run around its prompts, its shell commands and the edits by its own tool.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client as Session
from mcp import StdioServerParameters, stdio_client
from mcp_types import Implementation

from filewright.cli.setup.clients import CLIENTS
from filewright.cli.setup.launch import find_own_program
from filewright.recording.hooks import PROJECT_VARIABLES

HOOK_SECONDS = 60
"""The time that a hook may take, as the slowest machines need it."""

CART = "shop/cart.py"
PRICES = "shop/prices.csv"

PROJECT: Mapping[str, bytes] = {
    CART: b'''"""A shopping cart."""

from dataclasses import dataclass, field


@dataclass
class Line:
    price: float
    count: int = 1


@dataclass
class Cart:
    """The things that a customer is about to buy."""

    lines: list[Line] = field(default_factory=list)

    def add(self, price, count=1):
        """Put `count` things of `price` into the cart."""
        self.lines.append(Line(price, count))

    def total(self):
        """Return the sum of all lines."""
        total = 0
        for line in self.lines:
            total += line.price * line.count
        return total

    def remove(self, price):
        """Take out all things of this price."""
        self.lines = [line for line in self.lines if line.price != price]

    def count(self):
        """Return the number of things."""
        return sum(line.count for line in self.lines)

    def clear(self):
        """Take everything out."""
        self.lines = []

    def is_empty(self):
        """Return True if there is nothing in the cart."""
        return not self.lines

    def cheapest(self):
        """Return the lowest price."""
        return min(line.price for line in self.lines)

    def receipt(self):
        """Return the text that is printed for the customer."""
        rows = [f"{line.count} x {line.price}" for line in self.lines]
        return "\\n".join([*rows, f"total {self.total()}"])
''',
    PRICES: "article;price\r\ncafé;3,20\r\nthé;2,80\r\n".encode("latin-1"),
    "README.md": b"# Shop\n\nA small shop.\n",
    "old_cart.py": b"TOTAL = 0\n",
}
"""The files of the project before the agents come, by path."""

PRICES_AFTER = PROJECT[PRICES].replace(b"2,80", b"2,95")
"""The prices with the edit that was asked for, and every other byte as it was."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool of filewright's server."""

    tool: str
    arguments: Mapping[str, Any]
    title: str


@dataclass(frozen=True, slots=True)
class OwnEdit:
    """An edit by the client's own tool, which reads and writes every file as UTF-8."""

    path: str
    old: str
    new: str
    title: str


@dataclass(frozen=True, slots=True)
class ShellDeletion:
    """A command in the client's shell that deletes a file."""

    path: str

    @property
    def title(self) -> str:
        """The command line."""
        return f"rm {self.path}"


@dataclass(frozen=True, slots=True)
class Agent:
    """A client, with its session and the names that its hooks have."""

    client: str
    """Its name in the table of clients."""
    version: str
    session: str
    prompt_event: str
    before_event: str
    after_event: str
    edit_tool: str
    shell_tool: str

    @property
    def title(self) -> str:
        """The client's name for people."""
        return CLIENTS[self.client].title


@dataclass(frozen=True, slots=True)
class DemoPrompt:
    """The words of a person, and what an agent does then."""

    agent: Agent
    words: str
    steps: Sequence[ToolCall | OwnEdit | ShellDeletion]


_CLAUDE_CODE = Agent(
    client="claude-code",
    version="2.4.1",
    session="7f3a91c0-d2b4-4e1f-9c55-0a6b1d2e3f40",
    prompt_event="UserPromptSubmit",
    before_event="PreToolUse",
    after_event="PostToolUse",
    edit_tool="Edit",
    shell_tool="Bash",
)
_GEMINI = Agent(
    client="gemini",
    version="0.19.4",
    session="b81d55e0-7a9c-4b60-8a1e-5c2d3e4f5061",
    prompt_event="BeforeAgent",
    before_event="BeforeTool",
    after_event="AfterTool",
    edit_tool="replace",
    shell_tool="run_shell_command",
)

_ROUNDED_TOTALS = ToolCall(
    "edit_content",
    {
        "path": CART,
        "edits": [
            {
                "search": "        total = 0\n"
                "        for line in self.lines:\n"
                "            total += line.price * line.count\n"
                "        return total\n",
                "replace": "        total = sum(line.price * line.count for line in self.lines)\n"
                "        return round(total, 2)\n",
            },
            {
                "search": '        """Take everything out."""\n        self.lines = []\n',
                "replace": '        """Take everything out."""\n        self.lines.clear()\n',
            },
            {
                "search": 'f"{line.count} x {line.price}"',
                "replace": 'f"{line.count} x {line.price:.2f}"',
            },
        ],
    },
    f"edit_content {CART}",
)
_TEST_OF_TOTALS = ToolCall(
    "write_content",
    {
        "path": "tests/test_cart.py",
        "content": "from shop.cart import Cart\n\n\n"
        "def test_total_is_rounded():\n"
        "    cart = Cart()\n"
        "    cart.add(0.1, 3)\n"
        "    assert cart.total() == 0.30\n",
    },
    "write_content tests/test_cart.py",
)
_DESCRIBED_CART = ToolCall(
    "edit_content",
    {
        "path": "README.md",
        "edits": [
            {
                "search": "A small shop.",
                "replace": "A small shop, with a cart that prints receipts.",
            }
        ],
    },
    "edit_content README.md",
)

STORY: Sequence[DemoPrompt] = (
    DemoPrompt(
        _CLAUDE_CODE,
        "Round the total to cents, and print prices with two digits",
        (_ROUNDED_TOTALS, _TEST_OF_TOTALS),
    ),
    DemoPrompt(
        _CLAUDE_CODE,
        "Tea costs 2,95 now. Delete the old cart, we have a new one",
        (
            OwnEdit(PRICES, "2,80", "2,95", f"Edit {PRICES}, by its own tool"),
            ShellDeletion("old_cart.py"),
        ),
    ),
    DemoPrompt(
        _GEMINI, "Say in the README what the cart can do", (_DESCRIBED_CART,)
    ),
)


@dataclass(slots=True)
class Stage:
    """The folders of a demo, and the servers that are started when an agent needs one."""

    project: Path
    state: Path
    _servers: dict[str, Session] = field(default_factory=dict)
    _exits: AsyncExitStack = field(default_factory=AsyncExitStack)

    def make_project(self) -> None:
        """Write the files of the project."""
        for name, content in PROJECT.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    async def play(self, report: Callable[[str], None]) -> None:
        """Let the agents do their work; report a line for each prompt and each step.

        Raise `OSError` if a server or a hook fails.
        """
        async with self._exits:
            for number, prompt in enumerate(STORY):
                agent = prompt.agent
                event = {"hook_event_name": agent.prompt_event}
                message = {**event, "prompt": prompt.words}
                self._run_hook(agent, "begin", message)
                report(f"{agent.title}: “{prompt.words}”")
                for step_number, step in enumerate(prompt.steps):
                    identifier = f"{number}.{step_number}"
                    if isinstance(step, ToolCall):
                        await self._call(agent, step)
                    else:
                        self._act_between_hooks(agent, step, identifier)
                    report(f"    {step.title}")

    async def _call(self, agent: Agent, step: ToolCall) -> None:
        server = self._servers.get(agent.client)
        if server is None:
            server = await self._start_server(agent)
            self._servers[agent.client] = server
        result = await server.call_tool(step.tool, dict(step.arguments))
        if result.is_error:
            raise OSError(f"{step.title}: {result.content}")

    async def _start_server(self, agent: Agent) -> Session:
        program, *arguments = find_own_program()
        options = ["--state-dir", str(self.state), "--log-level", "error"]
        server = StdioServerParameters(
            command=program,
            args=[*arguments, "serve", str(self.project), *options],
            env=self._environment(),
        )
        info = Implementation(
            name=CLIENTS[agent.client].actor, version=agent.version
        )
        return await self._exits.enter_async_context(
            Session(stdio_client(server), client_info=info)
        )

    def _act_between_hooks(
        self, agent: Agent, step: OwnEdit | ShellDeletion, identifier: str
    ) -> None:
        """Do what the client does by itself, with its hooks before and after it."""
        path = self.project / step.path
        if isinstance(step, OwnEdit):
            tool = agent.edit_tool
            tool_input = {
                "file_path": str(path),
                "old_string": step.old,
                "new_string": step.new,
            }
        else:
            tool, tool_input = agent.shell_tool, {"command": step.title}
        message = {
            "tool_name": tool,
            "tool_input": tool_input,
            "tool_use_id": identifier,
        }
        before, after = agent.before_event, agent.after_event
        self._run_hook(agent, "begin", {**message, "hook_event_name": before})
        if isinstance(step, OwnEdit):
            # Seven of eleven clients do this to a file that is not UTF-8.
            text = path.read_bytes().decode("utf-8", "replace")
            path.write_bytes(text.replace(step.old, step.new, 1).encode())
        else:
            path.unlink()
        self._run_hook(agent, "end", {**message, "hook_event_name": after})

    def _run_hook(
        self, agent: Agent, moment: str, message: Mapping[str, Any]
    ) -> None:
        """Run the hook before or after something, as the client would."""
        words = [*find_own_program(), "snapshot", moment, "--hook"]
        words += ["--actor", CLIENTS[agent.client].actor]
        if moment == "end":
            words += ["--guard", "heal"]
        hook_input = {
            **message,
            "session_id": agent.session,
            "cwd": str(self.project),
        }
        process = subprocess.run(
            [*words, "--state-dir", str(self.state)],
            input=json.dumps(hook_input),
            text=True,
            encoding="utf-8",
            cwd=self.project,
            env=self._environment(),
            capture_output=True,
            timeout=HOOK_SECONDS,
            check=False,
        )
        if process.stderr:
            raise OSError(
                f"the hook of {agent.title}: {process.stderr.strip()}"
            )

    def _environment(self) -> dict[str, str]:
        """Return the environment of a client that works in the project."""
        project = dict.fromkeys(PROJECT_VARIABLES, str(self.project))
        environment = {**os.environ, **project, "PYTHONUTF8": "1"}
        # The demo may itself run in an agent's shell.
        for name in (
            "FILEWRIGHT_SESSION",
            "FILEWRIGHT_ACTOR",
            "FILEWRIGHT_ROOTS",
        ):
            environment.pop(name, None)
        return environment
