"""The edit blocks of aider, with its own reading and writing of files."""

from __future__ import annotations

from aider.coders.editblock_coder import do_replace, find_original_update_blocks
from aider.io import InputOutput
from serving import RefusedError, serve

FENCE = ("```", "```")
IO = InputOutput(pretty=False, yes=True, fancy_input=False)


def apply(path: str, blocks: str) -> str:
    """Apply the blocks of a model's answer to a file."""
    content = IO.read_text(path)
    if content is None:
        raise RefusedError("the file cannot be read")
    for block in find_original_update_blocks(blocks, valid_fnames=[path]):
        _, old, new = block
        changed = do_replace(path, content, old, new, FENCE)
        if not changed:
            raise RefusedError("the text is not in the file")
        content = changed
    IO.write_text(path, content)
    return "applied"


serve({"apply": apply})
