"""The app inside a conversation: the same diffs, in one page that needs nothing from anywhere."""

from __future__ import annotations

from functools import cache

from filewright.edit import Diff
from filewright.page.render import render, static
from filewright.page.view import views_of

_ROWS = 600
"""Lines of diff that an app shows; the rest is for the review page."""


@cache
def app_page() -> str:
    """The page of the app, self-contained."""
    diff, app, script = (static(name)[0].decode() for name in ("diff.css", "app.css", "app.js"))
    return render("app.html", style=diff + app, script=script)


def app_view(diff: Diff) -> str:
    """A diff as the app shows it."""
    shown, left = [], _ROWS
    views = views_of(diff)
    for view in views:
        if left > 0:
            shown.append(view)
        left -= view.file.rows
    more = len(views) - len(shown)
    remark = f"{more:,} more files: see them with filewright review" if more else diff.remark
    return render("app_view.html", views=shown, remark=remark)
