"""Calls of `replace_content` with several items."""

from typing import Any

import pytest

from filewright import FilewrightError, Workspace


def item(pattern: str, replacement: str, **more: Any) -> dict[str, Any]:
    """Return one replacement of a call."""
    return {"pattern": pattern, "replacement": replacement, **more}


def replaced(workspace: Workspace, *items: dict[str, Any], **more: Any) -> Any:
    """Return the result of a call with the items, which writes."""
    return workspace.run(
        "replace_content", {"items": [*items], "preview": False, **more}
    )


def refused(
    workspace: Workspace, *items: dict[str, Any], **more: Any
) -> FilewrightError:
    """Return the refusal of a call with the items."""
    with pytest.raises(FilewrightError) as refusal:
        replaced(workspace, *items, **more)
    return refusal.value
