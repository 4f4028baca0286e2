"""The bodies of the requests that the page's script posts."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from filewright.mailbox.calls import MAX_REASON_CHARS
from filewright.mailbox.comments import MAX_COMMENT_CHARS
from filewright.page.parts import MAX_NUMBER, Kind


class PageRequest(BaseModel):
    """The JSON body of a request."""

    model_config = ConfigDict(frozen=True, strict=True)


class UndoRequest(PageRequest):
    """A request to undo a change, a prompt, a session, or all since a change.

    It may be limited to a file, to a hunk of a file, or to the `rest`: all that the
    person has neither accepted nor undone. `newest` is the newest change when the
    person saw the preview.
    """

    kind: Kind
    name: str
    path: str | None = None
    hunk: int | None = Field(default=None, gt=0, lt=MAX_NUMBER)
    rest: bool = False
    preview: bool = True
    newest: str | None = Field(default=None, max_length=100)
    force: bool = False


class CommentRequest(PageRequest):
    """A comment on lines of one of the files of a view."""

    kind: Kind
    name: str
    index: int
    before: bool
    first: int = Field(gt=0, lt=MAX_NUMBER)
    last: int = Field(gt=0, lt=MAX_NUMBER)
    words: str = Field(
        min_length=1, max_length=MAX_COMMENT_CHARS, pattern=r"\S"
    )


class EditCommentRequest(PageRequest):
    """Other words of a comment; empty to delete it."""

    comment: str
    words: str = Field(max_length=MAX_COMMENT_CHARS)


class ResolveRequest(PageRequest):
    """A mark on a comment: the person is done with it, or not."""

    comment: str
    done: bool


class AnswerRequest(PageRequest):
    """The person's answer to a call that waits.

    It may hold for all calls of the tool in the session, and a refusal have a reason.
    """

    call: str
    allow: bool
    for_session: bool = False
    reason: str = Field(default="", max_length=MAX_REASON_CHARS)


class AllowanceRequest(PageRequest):
    """An end of a session's use of a tool without asking."""

    allowance: str


class ViewedRequest(PageRequest):
    """The newest change of the list that the person has looked at."""

    newest: str = Field(pattern=r"^[0-9a-z]{13}$")


_Key = Annotated[str, Field(pattern=r"^[0-9a-f]{32}(\.[0-9]{1,6})?$")]
"""The key of a content, see `decisions`."""


class DecisionRequest(PageRequest):
    """A decision about content of a view: accepted, or open again.

    It is about `hunks` of the file `path`, about `files`, both by their keys, or about
    all of the view; then `newest` is the newest change when the person saw it.
    """

    kind: Kind
    name: str
    accept: bool
    path: str | None = None
    hunks: list[_Key] = Field(default_factory=list, max_length=1_000)
    files: list[_Key] = Field(default_factory=list, max_length=5_000)
    newest: str | None = Field(default=None, max_length=100)
