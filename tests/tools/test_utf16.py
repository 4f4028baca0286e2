"""UTF-16 text is edited in place as any other: the same lines land, and no other byte changes."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filewright import FilewrightError, Workspace
from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

MARKS = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
TEXT = "Größe = 1\r\nname = 日本 😀\r\n\u0a0a\u0d0d end\r\n"


@pytest.fixture(params=MARKS)
def codec(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Any:
    with Workspace(root, state_dir=tmp_path / "state") as opened:
        yield opened


def wide(text: str, codec: str) -> bytes:
    return MARKS[codec] + text.encode(codec, "surrogatepass")


PATCH = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n Größe = 1\n-name = 日本 😀\n+name = 東京 😀\n \u0a0a\u0d0d end\n"
CALLS = {
    "text": (
        "edit_content",
        {"path": "f", "edits": [{"search": "日本", "replace": "東京"}]},
    ),
    "loose": (
        "edit_content",
        {
            "path": "f",
            "edits": [
                {"search": "name = 日本 😀  \n", "replace": "name = 東京 😀\n"}
            ],
        },
    ),
    "two": (
        "edit_content",
        {
            "path": "f",
            "edits": [
                {"search": "日本", "replace": "x"},
                {"search": "x 😀", "replace": "東京 😀"},
            ],
        },
    ),
    "literal": (
        "replace_content",
        {
            "pattern": "日本",
            "replacement": "東京",
            "path": "f",
            "preview": False,
        },
    ),
    "regex": (
        "replace_content",
        {
            "pattern": "= 日本( .)",
            "replacement": "= 東京$1",
            "path": ".",
            "mode": "regex",
            "preview": False,
        },
    ),
    "patch": ("apply_patch", {"patch": PATCH}),
}


@pytest.mark.parametrize("name", CALLS)
def test_only_the_characters_that_are_meant_change(
    name: str, codec: str, root: Path, workspace: Workspace
) -> None:
    before, after = wide(TEXT, codec), wide(TEXT.replace("日本", "東京"), codec)
    (root / "f").write_bytes(before)
    answer = workspace.call(*CALLS[name])
    assert not answer.is_error, answer.text
    assert (root / "f").read_bytes() == after
    workspace.undo()
    assert (root / "f").read_bytes() == before


def test_a_patch_does_not_take_away_the_mark_that_makes_it_text(
    codec: str, root: Path, workspace: Workspace
) -> None:
    (root / "f").write_bytes(wide("a\nb\n", codec))
    workspace.apply_patch(
        "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-\ufeffa\n-b\n+a\n+B\n"
    )
    assert (root / "f").read_bytes() == wide("a\nB\n", codec)


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_what_is_written_takes_the_files_encoding(
    mode: Any, codec: str, root: Path, workspace: Workspace
) -> None:
    (root / "f").write_bytes(wide(TEXT, codec))
    workspace.write("f", "neu\nmehr\n", mode=mode)
    assert (root / "f").read_bytes() == wide(
        (TEXT if mode == "append" else "") + "neu\r\nmehr\r\n", codec
    )


def test_the_diff_and_the_lines_are_the_texts(
    codec: str, root: Path, workspace: Workspace
) -> None:
    (root / "f").write_bytes(wide(TEXT, codec))
    answer = workspace.edit("f", [{"search": "日本", "replace": "東京"}])
    assert "-name = 日本 😀" in answer.diff
    assert "+name = 東京 😀" in answer.diff
    assert answer.line_number == 2


def test_an_undo_merges_with_what_others_changed_since(
    codec: str, root: Path, workspace: Workspace
) -> None:
    text = "".join(f"line {number} \u0a0a\u000a" for number in range(12))
    (root / "f").write_bytes(wide(text, codec))
    workspace.edit("f", [{"search": "line 2 ", "replace": "line two "}])
    others = text.replace("line 2 ", "line two ").replace("line 9", "line nine")
    (root / "f").write_bytes(wide(others, codec))
    workspace.undo()
    assert (root / "f").read_bytes() == wide(
        text.replace("line 9", "line nine"), codec
    )


def test_an_undo_in_conflict_shows_both_sides(
    codec: str, root: Path, workspace: Workspace
) -> None:
    (root / "f").write_bytes(wide(TEXT, codec))
    made = workspace.edit("f", [{"search": "日本", "replace": "東京"}])
    (root / "f").write_bytes(wide(TEXT.replace("日本", "大阪"), codec))
    answer = workspace.call("revert_edit", {"change_id": made.change_id})
    assert answer.is_error
    assert "大阪" in answer.text
    assert "日本" in answer.text


REFUSED = {
    "half a character": (
        lambda data: data + b"x",
        "is_binary",
        "odd number of bytes",
    ),
    "twice": (lambda data: data + data[2:], "ambiguous_match", "2 places"),
    "larger than is held": (
        lambda data: data + b"\0" * (20 << 20),
        "too_large",
        "too large",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, root: Path, workspace: Workspace) -> None:
    damage, code, said = REFUSED[name]
    data = damage(wide(TEXT, "utf-16-le"))
    (root / "f").write_bytes(data)
    with pytest.raises(FilewrightError) as caught:
        workspace.edit("f", [{"search": "日本", "replace": "東京"}])
    assert caught.value.code == code
    assert said in str(caught.value) or name == "twice"
    assert (root / "f").read_bytes() == data


def test_half_a_pair_elsewhere_stays(
    codec: str, root: Path, workspace: Workspace
) -> None:
    text = "a = 1\n\ud800 half\n\udc00\ud800\nb = 2\n"
    (root / "f").write_bytes(wide(text, codec))
    workspace.edit("f", [{"search": "b = 2", "replace": "b = 3"}])
    assert (root / "f").read_bytes() == wide(
        text.replace("b = 2", "b = 3"), codec
    )


def test_without_a_mark_where_the_encoding_is_given(
    codec: str, root: Path, workspace: Workspace
) -> None:
    (root / "f").write_bytes(TEXT.encode(codec))
    edit = [{"search": "日本", "replace": "東京"}]
    assert not workspace.call(
        "edit_content", {"path": "f", "edits": edit, "encoding": codec}
    ).is_error
    assert (root / "f").read_bytes() == TEXT.replace("日本", "東京").encode(
        codec
    )


LINES = st.lists(
    st.text(st.sampled_from("ab 😀é日\u0a0a\u0d0d\t"), max_size=8),
    min_size=1,
    max_size=12,
)


@given(
    lines=LINES,
    at=st.integers(0, 11),
    new=st.text(st.sampled_from("xyz 😀é\u0a0a\n"), max_size=10),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    codec=st.sampled_from(sorted(MARKS)),
    fuzzy=st.booleans(),
)
def test_as_an_edit_of_the_same_text_in_utf_8(
    lines: list[str], at: int, new: str, end: str, codec: str, fuzzy: bool
) -> None:
    text, edit = end.join(lines), TextEdit(lines[at % len(lines)] or "a", new)

    def result(data: bytes) -> bytes | str:
        try:
            return apply_splices(
                data, plan_edits(Snapshot(data), [edit], fuzzy=fuzzy).splices
            )
        except FilewrightError as error:
            return str(error.code)

    narrow = result(text.encode())
    made = result(wide(text, codec))
    assert made == (
        wide(narrow.decode(), codec) if isinstance(narrow, bytes) else narrow
    )


def test_a_hunk_is_taken_back(
    codec: str, root: Path, workspace: Workspace
) -> None:
    text = "".join(f"line {number} \u0a0a\r\n" for number in range(30))
    (root / "f").write_bytes(wide(text, codec))
    edits = [
        {"search": f"line {n} ", "replace": f"line {n} new "} for n in (2, 25)
    ]
    made = workspace.edit("f", edits)
    assert made.diff.count("@@ -") == 2
    answer = workspace.call(
        "revert_edit", {"change_id": made.change_id, "path": "f", "hunk": 1}
    )
    assert not answer.is_error, answer.text
    assert (root / "f").read_bytes() == wide(
        text.replace("line 25 ", "line 25 new "), codec
    )
    shown = workspace.call("get_history", {"change_id": made.change_id}).text
    assert "+line 25 new" in shown
