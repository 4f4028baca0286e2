"""Search/replace blocks: the text between the markers, and refusals of anything unclear."""

from __future__ import annotations

import pytest

from filewright.cli.edit_blocks import EditBlock, parse_blocks
from filewright.errors import FilewrightError

BLOCK = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
CONFLICT = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n"


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        pytest.param(BLOCK, [("old\n", "new\n")], id="one"),
        pytest.param(BLOCK * 2, [("old\n", "new\n")] * 2, id="two"),
        pytest.param(
            f"a.py\n```python\n{BLOCK}```\n\n{BLOCK}",
            [("old\n", "new\n")] * 2,
            id="path-and-fence",
        ),
        pytest.param(
            BLOCK.removesuffix("\n"), [("old\n", "new\n")], id="no-newline"
        ),
        pytest.param(
            BLOCK.replace("\n", "\r\n"), [("old\n", "new\n")], id="crlf"
        ),
        pytest.param(
            "<<<<< SEARCH\n=====\nnew\n>>>>> REPLACE\n",
            [("", "new\n")],
            id="empty-search",
        ),
        pytest.param(
            "<<<<<<< SEARCH\nold\n=======\n>>>>>>> REPLACE\n",
            [("old\n", "")],
            id="empty-replacement",
        ),
        pytest.param(
            "<<<<<<< SEARCH\n\n\told  \n=======\n\n\n>>>>>>> REPLACE\n",
            [("\n\told  \n", "\n\n")],
            id="whitespace",
        ),
        pytest.param(
            f"<<<<<<<<< SEARCH\n{BLOCK}=========\n{CONFLICT}>>>>>>>>> REPLACE\n",
            [(BLOCK, CONFLICT)],
            id="longer-markers",
        ),
    ],
)
def test_blocks(text: str, blocks: list[tuple[str, str]]) -> None:
    assert parse_blocks(text, "a.py") == [EditBlock(*block) for block in blocks]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("\n\n", "there is no block", id="blank"),
        pytest.param(f"b.py\n{BLOCK}", "line 1 is outside", id="other-path"),
        pytest.param(f"{BLOCK}lost\n", "line 6 is outside", id="text-below"),
        pytest.param(
            f"<<<<<<< SEARCH\n{CONFLICT}=======\nb\n>>>>>>> REPLACE\n",
            "has 2 dividers, at lines 4, 7",
            id="conflict-in-search",
        ),
        pytest.param(
            f"<<<<<<< SEARCH\n{BLOCK}=======\nb\n>>>>>>> REPLACE\n",
            "has no end",
            id="block-in-search",
        ),
        pytest.param(
            "<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n>>>>>>> REPLACE\n",
            "line 5 is outside",
            id="end-in-replacement",
        ),
        pytest.param(
            "<<<<<<< SEARCH\nold\n>>>>>>> REPLACE\n",
            "has no divider",
            id="no-divider",
        ),
        pytest.param(
            "<<<<<<< SEARCH\nold\n======\nnew\n>>>>>>> REPLACE\n",
            "has no divider",
            id="short-divider",
        ),
        pytest.param("<<<<<<< SEARCH\na\n=======\nb\n", "has no end", id="cut"),
    ],
)
def test_unclear_blocks(text: str, problem: str) -> None:
    with pytest.raises(FilewrightError, match=problem):
        parse_blocks(text, "a.py")
