"""What a person says of lines of a change, and hands to the agent that made it.

A comment waits until the agent's session has its next answer, or until a hook of the
agent asks: it is told once. It is the person's words among text of files, so it stands between two lines
with a word that nothing else there has.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from filewright.wording import to_one_line

WORDS_CHARS = 3_000
"""Characters of one comment; all that is told with one answer has at most `TOLD_CHARS`."""
TOLD_CHARS = 4_000
_QUOTED_LINES, _QUOTED_CHARS = 8, 75
_PATH_CHARS = 200
MARK = "The user commented on the review page"


class Comment(NamedTuple):
    """Words on the lines `first` to `last` (1-based) of a file, `before` or after what `viewed` names.

    `viewed` is the address of what the person looked at, `quoted` the text of these lines. `delivered` is when the
    agent was told, `resolved` when the person was done with it.
    """

    viewed: str
    path: str
    before: bool
    first: int
    last: int
    quoted: str
    words: str
    id: str = ""
    delivered: str | None = None
    resolved: float | None = None

    @property
    def where(self) -> str:
        """The lines, in words."""
        lines = (
            f"line {self.first}"
            if self.first == self.last
            else f"lines {self.first}–{self.last}"
        )
        return f"{lines}{' before the change' if self.before else ''}"

    @property
    def text(self) -> str:
        """What an agent is told."""
        from filewright.tools.bounded_text import clip

        quoted = self.quoted.splitlines()[:_QUOTED_LINES]
        return "\n".join(
            [
                f"on {clip(to_one_line(self.path), _PATH_CHARS)}, {self.where}:",
                *(
                    f"> {clip(to_one_line(line), _QUOTED_CHARS)}"
                    for line in quoted
                ),
                *map(to_one_line, self.words.splitlines()),
            ]
        )


def told(comments: Sequence[Comment]) -> str:
    """The comments as an agent is told them: between two lines that nothing in them can end."""
    text = "\n\n".join(comment.text for comment in comments)
    while (fence := os.urandom(4).hex()) in text:
        pass
    count = "a comment" if len(comments) == 1 else f"{len(comments)} comments"
    return (
        f"[{MARK}: {count}, down to the line with {fence} again. "
        f"Lines with > are quoted from the file.]\n{text}\n[{fence}: the user's comments end]"
    )
