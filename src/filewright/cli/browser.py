"""The review page opened in the user's browser, without its one-time token on any command line.

Every user of the machine can read the command lines of all programs. So the browser is handed the path of a file that
only its owner can read and that leads on to the page, as the address itself would be in the command line.
"""

from __future__ import annotations

import html
import shutil
import tempfile
import webbrowser
from pathlib import Path

import click

_NAME = "review.html"
_PAGE = """<!DOCTYPE html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>filewright review</title>
<p><a href="{link}">Open the review page</a></p>
"""


class RedirectFile:
    """A file of the user's own that leads to an address. It goes when the address was used, or with `remove`."""

    def __init__(self, link: str) -> None:
        self._folder = Path(
            tempfile.mkdtemp(prefix="filewright-review-")
        )  # It is made with mode 0700.
        file = self._folder / _NAME
        file.touch(mode=0o600, exist_ok=False)
        file.write_text(_PAGE.format(link=html.escape(link)), "utf-8")

    def open(self) -> None:
        """Open it in the user's browser, if there is one."""
        path = self._folder / _NAME
        if click.launch(str(path)) != 0:
            webbrowser.open(path.as_uri())

    def remove(self) -> None:
        """Delete it."""
        shutil.rmtree(self._folder, ignore_errors=True)
