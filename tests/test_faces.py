"""Rooms use each other through their faces only."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

from tests.rows import each_row

import filewright

PACKAGE = Path(filewright.__file__).parent
ROOMS = {face.parent.name for face in PACKAGE.glob("*/__init__.py")}


def past_the_face(module: Path) -> list[str]:
    """The imports of a module that reach for what is not in another room's face."""
    inside = module.relative_to(PACKAGE).parts
    own = inside[0] if len(inside) > 1 else ""
    found = []
    for node in ast.walk(ast.parse(module.read_text())):
        named = []
        if isinstance(node, ast.Import):
            named = [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            named = [(node.module, alias.name) for alias in node.names]
        for place, name in named:
            package, _, rest = place.partition(".")
            room, _, deeper = rest.partition(".")
            if package != "filewright" or room not in ROOMS or room == own:
                continue
            if deeper or (
                name
                and name not in importlib.import_module(f"filewright.{room}").__all__
            ):
                found.append(f"line {node.lineno}: {place} {name or ''}")
    return found


@each_row("module", sorted(PACKAGE.rglob("*.py")))
def test_a_room_imports_other_rooms_through_their_faces(module: Path) -> None:
    assert past_the_face(module) == []


@each_row("room", sorted(ROOMS))
def test_everything_in_a_face_is_there(room: str) -> None:
    face = importlib.import_module(f"filewright.{room}")
    assert [name for name in face.__all__ if not hasattr(face, name)] == []
