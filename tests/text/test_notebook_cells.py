"""Cells of a notebook: their headings, and their bytes in the view."""

from __future__ import annotations

import pytest

from filewright.text.notebook_cells import (
    HEADING_LINE,
    Cell,
    format_heading,
)


def cell(
    identifier: str = "", outputs: int = 0, *, closed: bool = True
) -> Cell:
    return Cell(
        number=2,
        kind="code",
        id=identifier,
        literals=(),
        array=None,
        outputs=outputs,
        output_bytes=1234,
        span=(0, 0),
        start=100,
        end=110,
        closed=closed,
    )


@pytest.mark.parametrize(
    ("identifier", "outputs", "label", "heading"),
    [
        ("", 0, "cell 2", "# %% cell 2: code\n"),
        ("x", 0, "cell 2 (x)", "# %% cell 2: code, id x\n"),
        (
            "",
            1,
            "cell 2",
            "# %% cell 2: code, 1 output of 1,234 bytes not shown\n",
        ),
        (
            "x",
            2,
            "cell 2 (x)",
            "# %% cell 2: code, id x, 2 outputs of 1,234 bytes not shown\n",
        ),
    ],
)
def test_headings(
    identifier: str, outputs: int, label: str, heading: str
) -> None:
    shown = cell(identifier, outputs)
    assert (shown.label, shown.heading) == (label, heading)
    assert HEADING_LINE.fullmatch(heading.rstrip().encode())


def test_region_has_heading_and_added_newline() -> None:
    length = len(format_heading(2, "code", ""))
    assert cell().region == (100 - length, 110)
    assert cell(closed=False).region == (100 - length, 111)
    # Half a surrogate pair is shown as one byte.
    assert cell("\ud83d").region == (
        100 - len(format_heading(2, "code", "?")),
        110,
    )


def test_other_comments_are_no_heading() -> None:
    assert not HEADING_LINE.search(b"# %% cell\n# %% cell x: code\n")
