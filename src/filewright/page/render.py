"""Rendering of the page's templates. Every text in them is escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from filewright.page.highlighting import (
    HighlightedSpans,
    highlight_cells,
    highlight_lines,
)
from filewright.page.names import readable_path, show_name
from filewright.page.notebooks import CellHeading, parse_heading
from filewright.page.view import FileView, HunkView, RowView, views_of
from filewright.page.words import (
    format_day,
    format_moment,
    format_seconds,
    name_client,
    show_client,
)
from filewright.wording import format_size, pluralize, to_one_line

_TRAILING_BLANKS = re.compile(r"[ \t]+$")
SCRIPTS = (
    "parts.js",
    "page.js",
    "view.js",
    "list.js",
    "news.js",
    "acting.js",
    "approvals.js",
    "files.js",
    "deciding.js",
    "comments.js",
    "keys.js",
    "inspecting.js",
    "exporting.js",
    "images.js",
    "opening.js",
)
"""The scripts of the page, in the order in which they run: each uses the earlier."""
_STATIC_FILES: Mapping[str, str] = {
    **dict.fromkeys(SCRIPTS, "text/javascript"),
    "review.css": "text/css",
    "diff.css": "text/css",
    "approvals.css": "text/css",
    "comments.css": "text/css",
    "inspecting.css": "text/css",
    "icon.svg": "image/svg+xml",
    "icon-waiting.svg": "image/svg+xml",
    "app.css": "text/css",
    "app.js": "text/javascript",
}
"""The media types of the style sheets, scripts and images."""
_VISIBLE_BLANKS = {
    " ": '<span class="sp"> </span>',
    "\t": '<span class="tab">\t</span>',
}


@cache
def environment() -> Environment:
    """Return the environment of the templates."""
    templates = Environment(
        loader=PackageLoader("filewright.page"),
        autoescape=True,
        # A misspelled name fails a test instead of leaving a gap in the page.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["paint"] = row_renderer
    templates.globals["views_of"] = views_of
    templates.filters["bytes"] = format_size
    templates.filters["count"] = _count
    templates.filters["line"] = to_one_line
    templates.filters["lines"] = _escape_lines
    templates.filters["path"] = readable_path
    templates.filters["show_name"] = show_name
    templates.filters["moment"] = format_moment
    templates.filters["day"] = format_day
    templates.filters["clock"] = format_seconds
    templates.filters["client"] = show_client
    templates.filters["client_name"] = name_client
    templates.filters["kind"] = {" ": "", "-": "old", "+": "new"}.__getitem__
    return templates


def render(template: str, **values: Any) -> str:
    """Return a template with its values filled in."""
    return environment().get_template(template).render(**values)


def read_static_file(name: str) -> tuple[bytes, str]:
    """Return the content and the media type of a style sheet, script or image.

    Raise `KeyError` for any other name.
    """
    media_type = _STATIC_FILES[name]
    folder = files("filewright.page").joinpath("static")
    return folder.joinpath(name).read_bytes(), media_type


def row_renderer(view: FileView, hunk: HunkView) -> Callable[[RowView], Markup]:
    """Return a function that renders the text of the hunk's rows as HTML.

    Tokens, changed words, and blanks at an end that changed are marked.
    """
    spans_of_row: dict[tuple[str, int | None], HighlightedSpans] = {}
    # Each side is highlighted as a whole: the lines of the other are no part of it.
    for other_sign in "+-":
        side_rows = [row for row in hunk.rows if row.sign != other_sign]
        side_lines = [row.text for row in side_rows]
        if view.language:
            highlighted = highlight_cells(view.language, side_lines)
        else:
            highlighted = highlight_lines(view.path, side_lines)
        for row, spans in zip(side_rows, highlighted, strict=True):
            # An unchanged row is on both sides, and is highlighted as part of the new.
            spans_of_row[row.sign, row.old or row.new] = spans

    def render_text(row: RowView) -> Markup:
        heading = parse_heading(row.text) if view.language else None
        if heading is not None:
            return render_heading(heading)
        spans = spans_of_row.get((row.sign, row.old or row.new), ())
        return render_row(row, spans)

    return render_text


def render_heading(heading: CellHeading) -> Markup:
    """Return the heading of a notebook's cell as HTML."""
    parts = [f"Cell {heading.number}", heading.kind]
    if heading.outputs:
        parts.append(heading.outputs)
    return Markup('<span class="cell-head" title="{}">{}</span>').format(
        f"id {heading.identifier}" if heading.identifier else "",
        " · ".join(parts),
    )


def render_row(row: RowView, spans: HighlightedSpans) -> Markup:
    """Return the text of a row as HTML."""
    text = row.text
    changed_spans = [(start, end, "word") for start, end in row.changed]
    trailing_blanks = _TRAILING_BLANKS.search(text)
    if row.sign == "+" and trailing_blanks:
        changed_spans.append(
            (trailing_blanks.start(), trailing_blanks.end(), "edge")
        )
    if not changed_spans and not spans:
        return escape(text)
    boundaries = {0, len(text)}
    for start, end, _ in (*changed_spans, *spans):
        boundaries |= {start, end}
    pieces: list[Markup] = []
    pending_spans = list(spans)
    for start, end in pairwise(sorted(boundaries)):
        # Spans are in order: those that end here are finished.
        while pending_spans and pending_spans[0][1] <= start:
            pending_spans.pop(0)
        token_classes: list[str] = []
        if pending_spans and pending_spans[0][0] <= start:
            token_classes.append(pending_spans[0][2])
        change_classes = [
            css_class
            for mark_start, mark_end, css_class in changed_spans
            if mark_start <= start < mark_end
        ]
        piece = text[start:end]
        markup = _show_blanks(piece) if change_classes else escape(piece)
        pieces.append(_wrap(markup, [*token_classes, *change_classes]))
    # All pieces were escaped above.
    return Markup("".join(pieces))


def _wrap(markup: Markup, classes: Sequence[str]) -> Markup:
    """Return markup in an element with some classes, or as it is without any."""
    if not classes:
        return markup
    return Markup('<span class="{}">{}</span>').format(
        " ".join(classes), markup
    )


def _show_blanks(piece: str) -> Markup:
    """Return blanks as visible marks, which are copied as blanks; words as they are."""
    if piece.strip(" \t"):
        return escape(piece)
    return Markup("".join(_VISIBLE_BLANKS[character] for character in piece))


def _escape_lines(text: str) -> str:
    """Return a text of several lines that is safe to show."""
    return "\n".join(to_one_line(line) for line in text.splitlines())


def _count(value: int | Sequence[Any], noun: str) -> str:
    number = value if isinstance(value, int) else len(value)
    return pluralize(number, noun)
