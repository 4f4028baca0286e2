"""The editor of Strands' tools."""

from __future__ import annotations

import os

os.environ["BYPASS_TOOL_CONSENT"] = "true"

from serving import RefusedError, serve
from strands_tools.editor import editor


def replace(path: str, old: str, new: str) -> str:
    """Replace a text of a file."""
    return _done(
        editor(command="str_replace", path=path, old_str=old, new_str=new)
    )


def write(path: str, content: str) -> str:
    """Write the whole text of a file."""
    return _done(editor(command="create", path=path, file_text=content))


def _done(result: dict[str, object]) -> str:
    if result["status"] != "success":
        raise RefusedError(str(result["content"]))
    return str(result["content"])


serve({"replace": replace, "write": write})
