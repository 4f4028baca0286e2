"""REVIEW: what an agent did, shown to the person whose files these are, and taken back at their word.

Owns the review page in a browser: its addresses, its safety, its look, and the one drawing of a diff that
the page and the app inside a conversation share. It reads history and acts through a `Workspace` and never
touches a file. Nothing that a file, a name or a summary says is ever more than text here.

Its size has grown by what a person looks for first: the list by session and prompt, with a sentence for each.

In: a `Workspace`. Out: a server on loopback (`review`), or HTML.
"""

# ruff: noqa: F401
# mypy: implicit-reexport

from __future__ import annotations

from filewright.annotations import TYPE_CHECKING
from filewright.faces import face_of

if TYPE_CHECKING:
    from filewright.page.app import app_page, app_part, app_view
    from filewright.page.imitation import imitates_user
    from filewright.page.review import Review, ReviewApp
    from filewright.page.words import IMITATED, WaitingCall, Words, for_hook, news

__getattr__, __all__ = face_of(
    __name__,
    {
        "app": "app_page app_part app_view",
        "review": "Review ReviewApp",
        "imitation": "imitates_user",
        "words": "IMITATED WaitingCall Words for_hook news",
    },
)
