"""The app in a conversation: the page's cards and parts, in a self-contained page."""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote

from filewright.edit.diff import Diff
from filewright.page.parts import Picture, Subject, ViewPart, scope_of
from filewright.page.render import read_static_file, render
from filewright.workspace import REVIEW_CLIENT, Workspace


@cache
def app_page() -> str:
    """Return the page of the app. It loads nothing from anywhere."""
    style = _read_text("diff.css") + _read_text("app.css")
    script = _read_text("parts.js") + _read_text("app.js")
    return render("app.html", style=style, script=script)


def _read_text(name: str) -> str:
    content, _ = read_static_file(name)
    return content.decode()


def app_view(diff: Diff) -> str:
    """Return the diff of a change that is not made yet, as the app shows it."""
    return render("app_view.html", shown=diff)


def app_part(workspace: Workspace, base: str, address: str) -> str | Picture:
    """Return the part of a page at an address.

    `base` stands before the addresses in it. Raise the errors of `ViewPart.answer` and
    `Workspace.select`.
    """
    path, _, query = address.partition("?")
    kind, _, quoted_name = path.removeprefix("/").partition("/")
    name = unquote(quoted_name)
    subject = Subject(kind, name, workspace.select(scope_of(kind, name)))
    shared: dict[str, Any] = {
        "base": "",
        "split": False,
        "acting": False,
        "app": True,
        "person": REVIEW_CLIENT,
        "subject": subject,
        "source": base + subject.address,
    }
    return ViewPart(workspace, subject, dict(parse_qsl(query)), shared).answer()
