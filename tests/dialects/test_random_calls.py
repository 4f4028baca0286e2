"""Calls made at random from the schemas: every one is answered, bounded, in the dialect's form, never `internal`."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import pytest

from filewright import Workspace
from filewright.dialects.providers import DIALECT_NAMES
from filewright.errors import Code

CALLS = 300
TEXTS = [
    "", ".", "a", "d", "d/b.py", "e", "bin", "l", "o", "o/passwd", "p", "no", "../x", "/etc", "~", '"a\\n"', "one", "two",
    "x = 1", "(", "[a-z]+", "(?=x)", r"\d", "$1", "\n", "\r\n", "\ud800", "\0", "é", "x" * 300, "*.py", "{a", "644",
    "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n", "*** Begin Patch\n*** Update File: a\n@@\n-two\n+2\n*** End Patch",
    "/x/gi",
]  # fmt: skip
NUMBERS = [0, 1, 2, 3, -1, -3, 100, 10**6, 10**30]
WRONG: list[Any] = [None, 1, "x", [], {}, True, 1.5]


class Caller:
    """Makes arguments: mostly of the kind a schema asks for, now and then of another."""

    def __init__(self, seed: int, root: str) -> None:
        self._random = random.Random(seed)
        self._texts = [
            *TEXTS,
            root,
            f"{root}/a",
            f"{root}/d/b.py",
            f"{root}/no",
        ]

    def choose(self, items: Any) -> Any:
        return self._random.choice(items)

    def object(self, schema: dict[str, Any]) -> dict[str, Any]:
        needed = set(schema.get("required", ()))
        chance = self._random.random
        fields = schema.get("properties", {}).items()
        return {
            k: self.value(v)
            for k, v in fields
            if chance() < (0.98 if k in needed else 0.4)
        }

    def value(self, schema: dict[str, Any]) -> Any:
        if self._random.random() < 0.05:
            return self.choose(WRONG)
        if "enum" in schema:
            return self.choose(schema["enum"])
        if "anyOf" in schema:
            return self.value(self.choose(schema["anyOf"]))
        match schema.get("type"):
            case "integer":
                return self.choose(NUMBERS)
            case "boolean":
                return self.choose([True, False])
            case "array":
                return [
                    self.value(schema.get("items", {}))
                    for _ in range(self.choose([0, 1, 1, 2, 3]))
                ]
            case "object":
                return self.object(schema)
            case _:
                return self.choose(self._texts)


def furnish(folder) -> None:
    folder.mkdir()
    (folder / "a").write_bytes(b"one\r\ntwo\nthree \xff\nx = 1\n")
    (folder / "d").mkdir()
    (folder / "d/b.py").write_text("def f():\n    return 1\n")
    (folder / "e").touch()
    (folder / "bin").write_bytes(b"\0\1")
    (folder / "l").symlink_to("a")
    (folder / "o").symlink_to("/etc")
    os.mkfifo(folder / "p")


@pytest.mark.extra
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("name", DIALECT_NAMES)
def test_every_call_is_answered(name, seed, tmp_path):
    furnish(tmp_path / "root")
    caller = Caller(seed, str(tmp_path / "root"))
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state"
    ) as workspace:
        dialect = workspace.offer(name)
        for _ in range(CALLS):
            tool = caller.choose(dialect.tools())
            arguments = caller.object(tool.schema)
            result = dialect.call(tool.name, arguments)
            assert result.code != Code.INTERNAL, (tool.name, arguments)
            assert len(result.text) <= workspace.settings.hard_chars
            result.text.encode()
            is_json = (
                result.is_error
                if name == "agent-tools"
                else name in ("largefile", "filesystem") and not result.is_error
            )
            if is_json and tool.name != "read_files":
                json.loads(result.text)
