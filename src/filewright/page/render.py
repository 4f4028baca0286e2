"""From a `FileView` to HTML: everything is escaped here, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from filewright.page.colours import Coloured, coloured
from filewright.page.view import FileView, HunkView, RowView, views_of
from filewright.wording import format_size, pluralize, to_one_line

_EDGE = re.compile(r"[ \t]+$")


@cache
def environment() -> Environment:
    """Where the templates of this room are."""
    made = Environment(
        loader=PackageLoader("filewright.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["paint"] = paint
    made.globals["views_of"] = views_of
    made.filters["bytes"] = format_size
    made.filters["count"] = _count
    made.filters["line"] = to_one_line
    made.filters["moment"] = _moment
    made.filters["clock"] = lambda seconds: _moment(
        datetime.fromtimestamp(seconds).astimezone()
    )
    made.filters["kind"] = {" ": "", "-": "old", "+": "new"}.__getitem__
    return made


def render(template: str, **values: Any) -> str:
    """A template of this room with its values."""
    return environment().get_template(template).render(**values)


def static(name: str) -> tuple[bytes, str]:
    """A style sheet or a script of this room, and its media type. Raises `KeyError` for any other name."""
    media = _STATIC[name]
    return files("filewright.page").joinpath("static", name).read_bytes(), media


_STATIC: Mapping[str, str] = {
    "review.css": "text/css",
    "diff.css": "text/css",
    "review.js": "text/javascript",
    "parts.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "app.css": "text/css",
    "app.js": "text/javascript",
}


def paint(view: FileView, hunk: HunkView) -> Callable[[RowView], Markup]:
    """What gives the rows of `hunk` as HTML, escaped: tokens, what changed, and the spaces at an end that changed."""
    colours: dict[tuple[str, int | None], Coloured] = {}
    for other in "+-":
        rows = [row for row in hunk.rows if row.sign != other]
        for row, found in zip(
            rows, coloured(view.path, [row.text for row in rows]), strict=True
        ):
            colours[row.sign, row.old or row.new] = found
    return lambda row: code(
        row, colours.get((row.sign, row.old or row.new), ())
    )


def code(row: RowView, colours: Coloured) -> Markup:
    """The text of a row as HTML."""
    text = row.text
    marked: list[tuple[int, int, str]] = [
        (start, end, "word") for start, end in row.changed
    ]
    if row.sign == "+" and (edge := _EDGE.search(text)):
        marked.append((edge.start(), edge.end(), "edge"))
    if not marked and not colours:
        return escape(text)
    cuts = sorted(
        {
            0,
            len(text),
            *(
                at
                for start, end, _ in (*marked, *colours)
                for at in (start, end)
            ),
        }
    )
    parts: list[str] = []
    ahead = list(colours)
    for start, end in pairwise(cuts):
        while ahead and ahead[0][1] <= start:
            ahead.pop(0)
        names = [ahead[0][2]] if ahead and ahead[0][0] <= start else []
        names += [name for begin, stop, name in marked if begin <= start < stop]
        part = text[start:end]
        shown = (
            _spaces(part)
            if "word" in names or "edge" in names
            else escape(part)
        )
        parts.append(
            f'<span class="{" ".join(names)}">{shown}</span>'
            if names
            else str(shown)
        )
    return Markup("".join(parts))  # every part was escaped above


def _spaces(part: str) -> Markup:
    """Spaces and tabs that can be seen, and are copied as what they are; words as they are."""
    if part.strip(" \t"):
        return escape(part)
    shown = {
        " ": '<span class="sp"> </span>',
        "\t": '<span class="tab">\t</span>',
    }
    return Markup("".join(shown[char] for char in part))


def _moment(time: datetime) -> str:
    """The time of day today, else the day too."""
    return time.strftime(
        "%H:%M"
        if time.date() == datetime.now().astimezone().date()
        else "%b %d %H:%M"
    )


def _count(number: int | Sequence[Any], noun: str) -> str:
    return pluralize(number if isinstance(number, int) else len(number), noun)
