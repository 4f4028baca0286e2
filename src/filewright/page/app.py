"""The app inside a conversation: the same diffs, in one page that needs nothing from anywhere."""

from __future__ import annotations

from functools import cache

from filewright.page.render import render, static
from filewright.page.view import files_of

_ROWS = 600
"""Lines of diff that an app shows; the rest is for the review page."""


@cache
def app_page() -> str:
    """The page of the app, self-contained."""
    style = (static("diff.css") + static("app.css")).decode()
    return render("app.html", style=style, script=static("app.js").decode())


def app_view(diff: str) -> str:
    """A diff, git style, as the app shows it."""
    views, remarks = files_of(diff)
    shown, left = [], _ROWS
    for view in views:
        if left > 0:
            shown.append(view)
        left -= sum(len(hunk.rows) for hunk in view.hunks)
    more = len(views) - len(shown)
    if more:
        remarks += (f"{more:,} more files: see them with filewright review",)
    return render("app_view.html", views=shown, remarks=remarks)
