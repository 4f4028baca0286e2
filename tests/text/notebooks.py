"""Notebooks for tests, and their files."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

IMAGE = base64.b64encode(b"\x89PNG" * 300).decode()


def notebook(*cells: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "cells": list(cells),
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
        **more,
    }


def code(
    source: Any, identifier: str = "one", outputs: tuple[Any, ...] = ()
) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": identifier,
        "metadata": {},
        "outputs": list(outputs),
        "source": source,
    }


def markdown(source: Any, identifier: str = "text") -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": identifier,
        "metadata": {},
        "source": source,
    }


IMAGE_OUTPUT = {
    "data": {"image/png": IMAGE, "text/plain": ["<1>"]},
    "metadata": {},
    "output_type": "display_data",
}
EXAMPLE = notebook(
    markdown(["# Title\n", 'with "quotes" and \\ and é'], "title"),
    code(
        ["import os\n", "x = 1\n", 'print("x =", x)'], "first", (IMAGE_OUTPUT,)
    ),
    code("y = 2\nz = 3", "second"),
    code([], "empty"),
)


def write(root: Path, content: Any, indent: int | None = 1) -> Path:
    path = root / "n.ipynb"
    text = (
        content
        if isinstance(content, str)
        else json.dumps(content, indent=indent, ensure_ascii=False)
    )
    path.write_text(text)
    return path


def sources(path: Path) -> list[str]:
    return [
        "".join(cell["source"])
        for cell in json.loads(path.read_text())["cells"]
    ]
