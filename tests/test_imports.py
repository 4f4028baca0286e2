"""Packages use one another's public names only."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import filewright

PACKAGE = Path(filewright.__file__).parent
FRAMEWORKS = {
    "agents",
    "anthropic",
    "claude_agent_sdk",
    "deepagents",
    "langchain",
    "langchain_core",
    "pydantic_ai",
}
"""The frameworks that only `filewright.adapters` imports."""


MODULES = {
    str(path.relative_to(PACKAGE)): path.read_text()
    for path in sorted(PACKAGE.rglob("*.py"))
}
"""The source of each module by its path."""

IMPORT = re.compile(r"^ *from filewright\b[^(\n]+(?:\([^)]*\))?", re.MULTILINE)


def private_imports(module: str, source: str) -> list[str]:
    """Return the private names that a module imports from another package of ours."""
    own_package = module.partition("/")[0]
    problems = []
    for statement in IMPORT.findall(source):
        node = ast.parse(statement.strip()).body[0]
        assert isinstance(node, ast.ImportFrom)
        parts = (node.module or "").split(".")
        if parts[1:2] == [own_package]:
            continue
        imported = [*parts[1:], *(alias.name for alias in node.names)]
        if any(
            name.startswith("_") and name != "__version__" for name in imported
        ):
            problems.append(f"{module}: {'.'.join(imported)}")
    return problems


def test_imports_public_names() -> None:
    problems = []
    for module, source in MODULES.items():
        problems += private_imports(module, source)
    assert problems == []


@pytest.mark.parametrize(
    ("source", "problems"),
    [
        ("from filewright.text.lines import Lines\n", []),
        ("from filewright.edit._plan import plan as p\n", ["edit._plan.plan"]),
        ("if True:\n    from filewright.text import (\n        a,\n        _b,\n    )\n", ["text.a._b"]),
        ("from filewright.page._names import a\n", []),
    ],
    ids=["public", "module", "several lines", "own package"],
)  # fmt: skip
def test_finds_private_names(source: str, problems: list[str]) -> None:
    assert private_imports("page/a.py", source) == [
        f"page/a.py: {problem}" for problem in problems
    ]


def test_exports_public_names() -> None:
    missing = [
        name for name in filewright.__all__ if not hasattr(filewright, name)
    ]
    assert missing == []


def test_imports_no_adapter() -> None:
    importing = [
        module
        for module, source in MODULES.items()
        if "filewright.adapters" in source and not module.startswith("adapters")
    ]
    assert importing == []


def test_imports_no_framework() -> None:
    program = (
        "import sys, filewright; filewright.Workspace; "
        "print(*sorted(name.split('.')[0] for name in sys.modules))"
    )
    modules = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert not FRAMEWORKS.intersection(modules)
