"""The app inside a conversation: the page's own cards and parts, in one page that needs nothing from anywhere."""

from __future__ import annotations

from functools import cache
from urllib.parse import parse_qsl, unquote

from filewright.edit.diff import Diff
from filewright.page.parts import Picture, Viewed, ViewPart, scope_of
from filewright.page.render import render, static
from filewright.workspace import REVIEW, Workspace


@cache
def app_page() -> str:
    """The page of the app, self-contained."""
    diff, app, parts, script = (
        static(name)[0].decode()
        for name in ("diff.css", "app.css", "parts.js", "app.js")
    )
    return render("app.html", style=diff + app, script=parts + script)


def app_view(diff: Diff) -> str:
    """The diff of what is yet to be done, as the app shows it."""
    return render("app_view.html", shown=diff)


def app_part(workspace: Workspace, base: str, asked: str) -> str | Picture:
    """What the page shows at the address `asked`, its own such addresses below `base`: see `ViewPart`.

    Raises what that and `Workspace.select` raise.
    """
    address, _, query = asked.partition("?")
    kind, _, name = address.removeprefix("/").partition("/")
    viewed = Viewed(
        kind, unquote(name), workspace.select(scope_of(kind, unquote(name)))
    )
    source = base + viewed.address
    shared = {
        "base": "",
        "split": False,
        "acting": False,
        "app": True,
        "person": REVIEW,
        "seen": {},
    }
    shared |= {"viewed": viewed, "source": source}
    return ViewPart(workspace, viewed, dict(parse_qsl(query)), shared).made()
