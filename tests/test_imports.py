"""Packages use one another's public names only."""

from __future__ import annotations

import ast
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


def private_imports(module: Path) -> list[str]:
    """Return the private names that a module imports from another package of ours."""
    own_package = module.relative_to(PACKAGE).parts[0]
    problems = []
    for node in ast.walk(ast.parse(module.read_text())):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        parts = node.module.split(".")
        if parts[0] != "filewright" or parts[1:2] == [own_package]:
            continue
        imported = [*parts[1:], *(alias.name for alias in node.names)]
        if any(
            name.startswith("_") and name != "__version__" for name in imported
        ):
            problems.append(f"line {node.lineno}: {'.'.join(imported)}")
    return problems


@pytest.mark.parametrize("module", sorted(PACKAGE.rglob("*.py")), ids=str)
def test_imports_public_names(module: Path) -> None:
    assert private_imports(module) == []


@pytest.mark.parametrize("name", filewright.__all__)
def test_exports_public_names(name: str) -> None:
    assert getattr(filewright, name) is not None


@pytest.mark.parametrize(
    "module",
    [
        module
        for module in sorted(PACKAGE.rglob("*.py"))
        if "adapters" not in module.parts
    ],
    ids=str,
)
def test_imports_no_adapter(module: Path) -> None:
    assert "filewright.adapters" not in module.read_text()


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
