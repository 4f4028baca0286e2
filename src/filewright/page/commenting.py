"""The person's comments on lines of a view, for the agent that changed them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from filewright.changes.model import ChangeRecord
from filewright.errors import FilewrightError, invalid
from filewright.mailbox.comments import Comment, Comments, format_as_prompt
from filewright.page.cards import read_rows
from filewright.page.context import PageContext
from filewright.page.parts import Subject, not_found
from filewright.page.requests import (
    CommentRequest,
    EditCommentRequest,
    ResolveRequest,
)
from filewright.workspace import REVIEW_CLIENT

_MAX_QUOTED_CHARS = 4_096
"""Characters of the lines of a comment that are stored with it."""


class Commenting:
    """The comments on the views of the page."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._comments = Comments(context.workspace)

    def routes(self) -> Sequence[Route]:
        """Return the addresses of a new comment, and of the end of one."""
        return [
            self._context.post("/comment", CommentRequest, self._add),
            self._context.post("/resolve", ResolveRequest, self._resolve),
            self._context.post("/edit-comment", EditCommentRequest, self._edit),
            Route("/comments-as-prompt", self._as_prompt),
        ]

    def state(self) -> str:
        """Return a text that changes with each new, delivered or resolved comment."""
        return self._comments.state()

    def show(self, request: Request, subject: Subject) -> Response:
        """Return the comments on the files of a view."""
        comments = self._comments.on_page(subject.address)
        open_count = len(self._comments.open_comments())
        return self._context.html(
            "comments.html", request, comments=comments, open_count=open_count
        )

    def _as_prompt(self, _request: Request) -> Response:
        """Return all open comments as one prompt, to be pasted into another session."""
        text = format_as_prompt(self._comments.open_comments())
        return PlainTextResponse(text)

    def _add(self, _request: Request, body: CommentRequest) -> str:
        """Store a comment on lines, for the agent."""
        subject = self._context.select(body.kind, body.name)
        record = subject.record
        file_index = subject.require_index(body.index)
        rows = read_rows(
            self._context.workspace,
            record,
            file_index,
            "-" if body.before else "+",
            body.first,
            max(body.last - body.first + 1, 0),
        )
        # None means that the content was not stored: then there is no quotation.
        if rows == []:
            raise invalid("There are no such lines in this file.")
        quotation = "\n".join(row.text for row in rows or ())
        comment = Comment(
            viewed=subject.address,
            path=record.file_changes[file_index].path.display_path,
            before=body.before,
            first=body.first,
            last=body.last,
            quoted=quotation[:_MAX_QUOTED_CHARS],
            words=body.words,
        )
        session, client = record.session, record.client
        if body.kind in ("new", "since"):
            # These changes are of several sessions.
            session, client = self._find_agent(comment.path, record)
        self._comments.add(comment, session or "", client or "")
        return "The agent gets it with its next answer."

    def _find_agent(
        self, path: str, record: ChangeRecord
    ) -> tuple[str | None, str | None]:
        """Return the session and the client that changed a file last."""
        with suppress(FilewrightError):
            for change in self._context.workspace.history(path, limit=20):
                if change.client != REVIEW_CLIENT:
                    return change.session, change.client
        return record.session, record.client

    def _edit(self, _request: Request, body: EditCommentRequest) -> str:
        """Change the words of a comment that the agent does not have yet, or delete it."""
        if not body.words.strip():
            if not self._comments.delete(body.comment):
                raise not_found("There is no such comment.")
            return "Deleted."
        if not self._comments.edit(body.comment, body.words):
            raise not_found("The agent has this comment already.")
        return "Changed."

    def _resolve(self, _request: Request, body: ResolveRequest) -> str:
        """Mark a comment as done, or open again."""
        if not self._comments.resolve(body.comment, is_done=body.done):
            raise not_found("There is no such comment.")
        return "Resolved." if body.done else "Open again."
