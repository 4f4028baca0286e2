"""An editor for the OpenAI Agents SDK: `pip install filewright[openai-agents]`.

    Agent(tools=[ApplyPatchTool(editor=FilewrightEditor(workspace))], …)

`FilewrightEditor` is an `ApplyPatchEditor`. It applies the operations of the tool
`apply_patch` in worker threads.
"""

from __future__ import annotations

import asyncio
from typing import Any

from agents.editor import ApplyPatchOperation, ApplyPatchResult

from filewright.dialects.apply_patch import PatchOperation, to_envelope
from filewright.errors import FilewrightError, invalid
from filewright.workspace import Workspace


class FilewrightEditor:
    """An editor that applies the operations of `apply_patch` to a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def create_file(
        self, operation: ApplyPatchOperation
    ) -> ApplyPatchResult:
        """Create a file that does not exist from the added lines of a diff."""
        return await asyncio.to_thread(self.apply, operation)

    async def update_file(
        self, operation: ApplyPatchOperation
    ) -> ApplyPatchResult:
        """Apply a diff to a file, which can be renamed in the same operation."""
        return await asyncio.to_thread(self.apply, operation)

    async def delete_file(
        self, operation: ApplyPatchOperation
    ) -> ApplyPatchResult:
        """Delete a file."""
        return await asyncio.to_thread(self.apply, operation)

    def apply(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Apply an operation; one that is refused has the status `failed`."""
        tools = self._workspace.offer("apply-patch")
        # A refusal is an answer that the model reads, and no exception.
        try:
            result = tools.run("apply_patch", to_arguments(operation))
        except FilewrightError as error:
            result = tools.refuse(error)
        if result.is_error:
            return ApplyPatchResult(status="failed", output=result.text)
        return ApplyPatchResult(status="completed", output=result.text)


def to_arguments(operation: ApplyPatchOperation) -> dict[str, Any]:
    """Return an operation as the arguments of the dialect's tool."""
    patch_operation = {
        "type": operation.type,
        "path": operation.path,
        "diff": operation.diff,
    }
    if not operation.move_to:
        return {"operation": patch_operation}
    # The documented operation has no destination, but an envelope has.
    if len(operation.move_to.splitlines()) != 1:
        raise invalid("a path has one line", argument="move_to")
    envelope = to_envelope(PatchOperation.model_validate(patch_operation))
    begin, heading, rest = envelope.split("\n", 2)
    lines = [begin, heading, f"*** Move to: {operation.move_to}", rest]
    return {"input": "\n".join(lines)}
