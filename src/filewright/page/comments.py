"""Comments of the person on lines of a change, for the agent that made it.

A comment waits until the agent's session gets its next answer, or until a hook of the
agent asks for it. It is delivered once. These are the person's words among text of
files, so they stand between two lines with a random word that nothing else there has.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from filewright.wording import pluralize, to_one_line

MAX_COMMENT_CHARS = 3_000
MAX_DELIVERED_CHARS = 4_000
"""Characters of all comments that are delivered with one answer."""
MARK = "The user commented on the review page"
_MAX_QUOTED_LINES = 8
_MAX_QUOTED_CHARS = 75
_MAX_PATH_CHARS = 200


class Comment(NamedTuple):
    """A comment on the lines `first` to `last` (from 1) of a file.

    The lines are those before the change if `before`, else those after it. `viewed` is
    the address of the page that the person looked at, and `quoted` the text of the
    lines. `delivered` is the time at which the agent got the comment, and `resolved`
    that at which the person was done with it.
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
        if self.first == self.last:
            lines = f"line {self.first}"
        else:
            lines = f"lines {self.first}–{self.last}"
        return f"{lines} before the change" if self.before else lines

    @property
    def text(self) -> str:
        """The comment as the agent reads it."""
        from filewright.tools.bounded_text import clip

        path = clip(to_one_line(self.path), _MAX_PATH_CHARS)
        parts = [f"on {path}, {self.where}:"]
        for line in self.quoted.splitlines()[:_MAX_QUOTED_LINES]:
            parts.append(f"> {clip(to_one_line(line), _MAX_QUOTED_CHARS)}")
        parts += [to_one_line(line) for line in self.words.splitlines()]
        return "\n".join(parts)


def format_comments(comments: Sequence[Comment]) -> str:
    """Return comments as an agent reads them, between two lines that mark them."""
    text = "\n\n".join(comment.text for comment in comments)
    fence = os.urandom(4).hex()
    while fence in text:
        fence = os.urandom(4).hex()
    count = "a comment"
    if len(comments) > 1:
        count = pluralize(len(comments), "comment")
    return (
        f"[{MARK}: {count}, down to the line with {fence} again. "
        "Lines with > are quoted from the file.]\n"
        f"{text}\n"
        f"[{fence}: the user's comments end]"
    )
