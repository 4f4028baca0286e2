"""A local file that redirects the user's browser to the review page.

The address of the page has a one-time token, and all users of a machine can read the
command lines of all programs. So the command line of the browser names a file that only
its owner can read, and that redirects to the address.
"""

from __future__ import annotations

import html
import shutil
import tempfile
import webbrowser
from pathlib import Path

import click

_FILE_NAME = "review.html"
_REDIRECT_PAGE = """<!DOCTYPE html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>filewright review</title>
<p><a href="{link}">Open the review page</a></p>
"""


class RedirectFile:
    """A file, readable by its owner alone, that redirects a browser to an address.

    `remove` deletes it.
    """

    def __init__(self, link: str) -> None:
        # `mkdtemp` makes the folder with mode 0700.
        self._folder = Path(tempfile.mkdtemp(prefix="filewright-review-"))
        self._file = self._folder / _FILE_NAME
        self._file.touch(mode=0o600, exist_ok=False)
        page = _REDIRECT_PAGE.format(link=html.escape(link))
        self._file.write_text(page, "utf-8")

    def open(self) -> None:
        """Open the file in the user's browser, if there is one."""
        if click.launch(str(self._file)) != 0:
            webbrowser.open(self._file.as_uri())

    def remove(self) -> None:
        """Delete the file and its folder."""
        shutil.rmtree(self._folder, ignore_errors=True)
