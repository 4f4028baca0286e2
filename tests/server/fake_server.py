"""A server over a workspace of strange tools, run as a program by the tests of the server room.

The real tools are well behaved; these are not: they never look at their task, print to standard output,
answer with what cannot be encoded, or crash. Arguments: the transport's, as `filewright serve` takes them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

from filewright.errors import Code, FilewrightError
from filewright.progress import Task

NONE: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Tool:
    name: str
    title: str
    description: str = "A tool of the tests."
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    writes: bool = False
    destructive: bool = False
    idempotent: bool = True
    toolset: str = "read"


@dataclass(frozen=True)
class Result:
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False
    code: str | None = None
    images: tuple[Any, ...] = ()


class FakeWorkspace:
    def __init__(self, *roots: str, settings: Any) -> None:
        print("printed while starting")
        self.settings = settings
        self.roots = [
            SimpleNamespace(path=os.fsencode(os.path.abspath(root)), name=root) for root in roots or (".",)
        ]
        self._gate = threading.Event()

    def tools(self, toolsets: Any = None) -> list[Tool]:
        return [
            Tool("echo", "Echo"),
            Tool("wait", "Wait for a cancellation, reporting"),
            Tool("silent", "Wait without reporting"),
            Tool("deaf", "Sleep and never look"),
            Tool("noisy", "Print everywhere"),
            Tool("dirty", "Answer what cannot be encoded"),
            Tool("huge", "Answer too much"),
            Tool("crash", "Raise anything"),
            Tool("refuse", "Raise a refusal"),
            Tool("picture", "Answer an image"),
            Tool("commit", "Write slowly", writes=True, destructive=False),
            Tool("destroy", "Destroy", writes=True, destructive=True),
        ]

    def call(self, name: str, arguments: Mapping[str, Any], *, task: Task | None = None) -> Result:
        return getattr(self, f"_{name}")(arguments, task)

    def history(self, limit: int = 20) -> list[Any]:
        return [SimpleNamespace(id="c1", tool="edit_content", summary="a \udc80 change")]

    def resource(self, uri: str) -> tuple[str, str | bytes]:
        if uri.endswith("binary"):
            return "application/octet-stream", b"\x00\xff"
        if uri.endswith("text"):
            return "text/plain", "text \udcff"
        if uri.endswith("crash"):
            raise ZeroDivisionError("secret")
        raise FilewrightError(Code.NOT_FOUND, f"nothing at {uri}")

    def close(self) -> None:
        sys.stderr.write("closed\n")

    def _echo(self, arguments: Mapping[str, Any], task: Task) -> Result:
        return Result(json.dumps(arguments))

    def _wait(self, arguments: Mapping[str, Any], task: Task) -> Result:
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

    def _silent(self, arguments: Mapping[str, Any], task: Task) -> Result:
        stop = time.monotonic() + arguments.get("seconds", 1.2)
        while time.monotonic() < stop:
            task.check()
            time.sleep(0.01)
        return Result("done")

    def _deaf(self, arguments: Mapping[str, Any], task: Task) -> Result:
        time.sleep(arguments.get("seconds", 60))
        return Result("awake")

    def _noisy(self, arguments: Mapping[str, Any], task: Task) -> Result:
        print("printed")
        os.write(1, b"written to descriptor 1\n")
        subprocess.run(["/bin/echo", "from a child"], check=True)
        read = sys.stdin.read()
        return Result(f"quiet {read!r}")

    def _dirty(self, arguments: Mapping[str, Any], task: Task) -> Result:
        return Result("lone \ud800 surrogate, \x1b[31mred\x1b[0m, nul \x00, c1 \x9b, umlaut ü")

    def _huge(self, arguments: Mapping[str, Any], task: Task) -> Result:
        return Result("".join(f"line {number}\n" for number in range(100_000)))

    def _crash(self, arguments: Mapping[str, Any], task: Task) -> Result:
        raise ZeroDivisionError("secret")

    def _refuse(self, arguments: Mapping[str, Any], task: Task) -> Result:
        raise FilewrightError(Code.NOT_FOUND, "no \udc80 such", hint="look")

    def _picture(self, arguments: Mapping[str, Any], task: Task) -> Result:
        return Result("", images=(SimpleNamespace(data=b"\x89PNG", mime="image/png"),))

    def _commit(self, arguments: Mapping[str, Any], task: Task) -> Result:
        sys.stderr.write("commit begun\n")
        time.sleep(0.5)
        with open(arguments["path"], "w") as file:
            file.write("committed")
        return Result("committed")

    def _destroy(self, arguments: Mapping[str, Any], task: Task) -> Result:
        return Result("destroyed")


def main() -> None:
    module = ModuleType("filewright.workspace")
    module.Workspace = FakeWorkspace  # type: ignore[attr-defined]
    sys.modules["filewright.workspace"] = module
    os.environ["FILEWRIGHT_LANDLOCK"] = "false"
    from filewright.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
