"""A server over a workspace of strange tools, run as a program by the tests of the server room.

The real tools are well behaved; these are not: they never look at their task, print to standard output,
answer with what cannot be encoded, or crash. Arguments: the transport's, as `filewright serve` takes them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from pydantic import ConfigDict

import filewright.workspace
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.tools.arguments import Arguments
from filewright.tools.bound_tools import (
    BoundTools,
    ToolProvider,
    native_instructions,
)
from filewright.tools.context import Context
from filewright.tools.result import Image, ToolResult
from filewright.tools.tool import ListedTool, Tool
from filewright.workspace import Workspace


class Anything(Arguments):
    """Arguments of any kind."""

    model_config = ConfigDict(extra="allow", frozen=True)


def strange(
    name: str, title: str, *, writes: bool = False, destructive: bool = False
) -> ListedTool:
    def run(context: Context, arguments: Anything) -> ToolResult:
        return getattr(StrangeTools, name)(arguments.model_dump(), context.task)

    tool = Tool(
        name=name,
        title=title,
        description="A tool of the tests.",
        toolset="read",
        arguments=Anything,
        run=run,
        writes=writes,
        destructive=destructive,
    )
    return tool.to_listed()


TOOLS = (
    strange("echo", "Echo"),
    strange("wait", "Wait for a cancellation, reporting"),
    strange("silent", "Wait without reporting"),
    strange("deaf", "Sleep and never look"),
    strange("noisy", "Print everywhere"),
    strange("dirty", "Answer what cannot be encoded"),
    strange("huge", "Answer too much"),
    strange("crash", "Raise anything"),
    strange("refuse", "Raise a refusal"),
    strange("picture", "Answer an image"),
    strange("commit", "Write slowly", writes=True),
    strange("destroy", "Destroy", writes=True, destructive=True),
)
STRANGE = ToolProvider(lambda: TOOLS, native_instructions)


class StrangeWorkspace(Workspace):
    """A workspace that offers the strange tools, and strange resources."""

    def __init__(self, *roots: str, settings: Any) -> None:
        print("printed while starting")
        super().__init__(*roots, settings=settings)

    def offer(
        self, dialect: str | None = None, toolsets: Any = None
    ) -> BoundTools:
        return BoundTools(STRANGE, self.context, toolsets)

    def history(self, *arguments: Any, **options: Any) -> list[Any]:  # type: ignore[override]
        return [
            SimpleNamespace(
                id="c1", tool="edit_content", summary="a \udc80 change"
            )
        ]

    def resource(self, uri: str) -> tuple[str, str | bytes]:
        if uri.endswith("binary"):
            return "application/octet-stream", b"\x00\xff"
        if uri.endswith("text"):
            return "text/plain", "text \udcff"
        if uri.endswith("crash"):
            raise ZeroDivisionError("secret")
        raise FilewrightError(Code.NOT_FOUND, f"nothing at {uri}")

    def close(self) -> None:
        super().close()
        sys.stderr.write("closed\n")


class StrangeTools:
    @staticmethod
    def echo(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        return ToolResult(json.dumps(arguments))

    @staticmethod
    def wait(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        sys.stderr.write("waiting\n")
        step = 0
        try:
            while True:
                step += 1
                task.report(step, 1000, f"step {step}")
                task.check()
                time.sleep(0.01)
        finally:
            sys.stderr.write("left\n")

    @staticmethod
    def silent(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        stop = time.monotonic() + arguments.get("seconds", 1.2)
        while time.monotonic() < stop:
            task.check()
            time.sleep(0.01)
        return ToolResult("done")

    @staticmethod
    def deaf(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        time.sleep(arguments.get("seconds", 60))
        return ToolResult("awake")

    @staticmethod
    def noisy(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        print("printed")
        os.write(1, b"written to descriptor 1\n")
        subprocess.run(
            [sys.executable, "-c", "print('from a child')"], check=True
        )
        read = sys.stdin.read()
        return ToolResult(f"quiet {read!r}")

    @staticmethod
    def dirty(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        return ToolResult(
            "lone \ud800 surrogate, \x1b[31mred\x1b[0m, nul \x00, c1 \x9b, umlaut ü"
        )

    @staticmethod
    def huge(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        return ToolResult(
            "".join(f"line {number}\n" for number in range(100_000))
        )

    @staticmethod
    def crash(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        raise ZeroDivisionError("secret")

    @staticmethod
    def refuse(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        raise FilewrightError(Code.NOT_FOUND, "no \udc80 such", hint="look")

    @staticmethod
    def picture(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        return ToolResult("", images=(Image(b"\x89PNG", "image/png"),))

    @staticmethod
    def commit(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        sys.stderr.write("commit begun\n")
        time.sleep(0.5)
        with open(arguments["path"], "w") as file:
            file.write("committed")
        return ToolResult("committed")

    @staticmethod
    def destroy(arguments: Mapping[str, Any], task: Task) -> ToolResult:
        if (
            task.preview_diffs is not None
        ):  # As a change that is to be committed: it is only looked at.
            raise FilewrightError(Code.CANCELLED, "this was a rehearsal")
        return ToolResult("destroyed")


def main() -> None:
    filewright.workspace.Workspace = StrangeWorkspace  # type: ignore[misc]
    os.environ["FILEWRIGHT_LANDLOCK"] = "false"
    from filewright.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
