"""Exact matches: encodings, byte-order marks, terminators, invalid bytes, and invariants."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.edit.cases import plan_tier, refused
from tests.examples import examples

from filewright.edit.matchers.exact import find_occurrences
from filewright.edit.outcome import EditPlan
from filewright.edit.planning import plan_edits
from filewright.edit.replacements import compile_replacement, replace_matches
from filewright.edit.request import Insertion, TextEdit
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices


def done(
    data: bytes,
    *edits: TextEdit,
    encoding: str | None = None,
    fuzzy: bool = True,
) -> bytes:
    planned = plan_edits(Snapshot(data, encoding=encoding), edits, fuzzy=fuzzy)
    return apply_splices(data, planned.splices)


ENCODED = {
    "utf-8 with a mark": ("\ufeffa = 1\nb = 2\n".encode(), None, "a = 1\n", "a = 2\n", "\ufeffa = 2\nb = 2\n".encode()),
    "the mark is not matched": ("\ufeffa\n".encode(), None, "a", "b", "\ufeffb\n".encode()),
    "latin-1": ("é = 1\nb = ü\n".encode("latin-1"), "latin-1", "b = ü", "b = ö", "é = 1\nb = ö\n".encode("latin-1")),
    "cp1252, loosely": (
        "  x = “é”\n  y\n".encode("cp1252"), "cp1252", 'x = "é"\ny\n', 'x = "é"\nz\n', "  x = “é”\n  z\n".encode("cp1252"),
    ),
    "shift-jis": ("ソ能\n表示\n".encode("shift_jis"), "shift_jis", "表示", "表現", "ソ能\n表現\n".encode("shift_jis")),
    "gb18030, loosely": ("  中文\n  b\n".encode("gb18030"), "gb18030", "中文\nb", "中文\nc", "  中文\n  c\n".encode("gb18030")),
    "invalid bytes elsewhere survive": (b"a\xff\xfe\nb = 1\n\x80", "utf-8", "b = 1", "b = 2", b"a\xff\xfe\nb = 2\n\x80"),
    "a NUL survives": (b"a\x00b\nc\n", "utf-8", "c", "d", b"a\x00b\nd\n"),
    "separators that end no line": ("a\x0c\u2028b\x85\nc\n".encode(), "utf-8", "c", "d", "a\x0c\u2028b\x85\nd\n".encode()),
}  # fmt: skip


@pytest.mark.parametrize("name", ENCODED)
def test_keeps_encoding(name: str) -> None:
    data, encoding, search, replace, expected = ENCODED[name]
    assert done(data, TextEdit(search, replace), encoding=encoding) == expected


def test_no_match_inside_character() -> None:
    # The second byte of 表 in Shift-JIS is a backslash; that of ソ too.
    data = "表ソ = 1\n".encode("shift_jis")
    assert data.count(b"\\") == 2
    with pytest.raises(FilewrightError) as caught:
        done(data, TextEdit("\\", "/"), encoding="shift_jis")
    assert caught.value.code == Code.NO_MATCH
    assert (
        done(data + b"\\n\n", TextEdit("\\", "/"), encoding="shift_jis")
        == data + b"/n\n"
    )


def test_names_character_that_encoding_lacks() -> None:
    with pytest.raises(FilewrightError) as caught:
        done("é\n".encode("latin-1"), TextEdit("é", "€"), encoding="latin-1")
    assert caught.value.code == Code.UNENCODABLE
    assert "€" in caught.value.message


def test_no_match_of_half_utf16_character() -> None:
    with pytest.raises(FilewrightError) as caught:
        done("a\n".encode("utf-16") + b"a", TextEdit("a", "b"))
    assert caught.value.code == Code.IS_BINARY


def test_names_other_normalisation_form() -> None:
    data = "x = cafe\u0301 + 1\n".encode()
    edit = TextEdit("caf\u00e9 + 1", "tea + 1")
    with pytest.raises(FilewrightError) as caught:
        done(data, edit)
    assert caught.value.code == Code.NO_MATCH
    assert "normalisation" in caught.value.message
    suggested = caught.value.details["suggestions"][0]
    assert (
        done(data, TextEdit(suggested["search"], suggested["replace"]))
        == b"x = tea + 1\n"
    )
    assert (
        done(data, TextEdit("x = caf\u00e9 + 1\n", "x = caf\u00e9 + 2\n"))
        == "x = cafe\u0301 + 2\n".encode()
    )


MIXED = {
    "a repeated line": (b"a\r\na\nb\r\na\r", "b\n", "c\n", b"a\r\na\nc\r\na\r"),
    "carriage return, pair": (b"a\r\r\nb\n", "b", "c", b"a\r\r\nc\n"),
    "lone returns": (b"a\rb\rc", "b\nc", "b\nd", b"a\rb\rd"),
    "a kept line between": (
        b"a\nb\r\nc\nd\n",
        "a\nb\nc",
        "A\nb\nC",
        b"A\nb\r\nC\nd\n",
    ),
    "a new line ends as the one it is put behind": (
        b"a\r\nb\r\nc\n",
        "c",
        "c\nd",
        b"a\r\nb\r\nc\nd\n",
    ),
    "loosely too": (
        b"  a\r\n  b\n  c\r\n",
        "a\nb\nc",
        "a\nb\nx\nc",
        b"  a\r\n  b\n  x\n  c\r\n",
    ),
    "the end stays unended": (b"a\r\n  b", "b\n", "c\n", b"a\r\n  c"),
    "the end may be deleted": (b"a\nb", "a\nb", "a", b"a"),
}


@pytest.mark.parametrize("name", MIXED)
def test_keeps_terminators_outside_change(name: str) -> None:
    data, search, replace, expected = MIXED[name]
    assert done(data, TextEdit(search, replace)) == expected


lines = st.lists(
    st.sampled_from(
        [
            "a",
            "b",
            "  a",
            "\tb",
            "a b",
            "a  b",
            "",
            "  ",
            "é",
            "“x”",
            "x = 1",
            "# the word",
            "}",
        ]
    ),
    min_size=1,
    max_size=12,
)


ends = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    return "".join(line + draw(ends) for line in draw(lines)) + draw(
        st.sampled_from(["", "end"])
    )


def planned_or_code(snapshot: Snapshot, edit: TextEdit) -> EditPlan | Code:
    try:
        return plan_edits(snapshot, [edit])
    except FilewrightError as error:
        return error.code


@examples(34, derandomize=True)
@given(texts(), st.data())
def test_keeps_bytes_outside_region(text: str, data: st.DataObject) -> None:
    content = text.encode()
    plain = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first = data.draw(st.integers(0, len(plain) - 1))
    last = data.draw(st.integers(first, len(plain) - 1))
    damage = data.draw(
        st.sampled_from(
            [str, str.strip, lambda line: line + " ", lambda line: "  " + line]
        )
    )
    search = "\n".join(damage(line) for line in plain[first : last + 1])
    replace = "\n".join(data.draw(lines))
    assume(search)
    snapshot = Snapshot(content)
    planned = planned_or_code(snapshot, TextEdit(search, replace))
    if isinstance(planned, Code):
        assert planned in (
            Code.NO_MATCH,
            Code.AMBIGUOUS_MATCH,
            Code.NO_CHANGE,
            Code.ALREADY_APPLIED,
        )
        return
    result = apply_splices(content, planned.splices)
    assert result != content
    outcome = planned.outcomes[0]
    start = snapshot.lines.offset_of(outcome.first)
    end = snapshot.lines.offset_of(outcome.last + 1)
    if (
        not replace
        and end == len(content)
        and not content.endswith((b"\n", b"\r"))
    ):
        # The terminator before the last line goes with it, as the file ended without one.
        start -= 2 if content[:start].endswith(b"\r\n") else min(start, 1)
    assert result.startswith(content[:start])
    assert result.endswith(content[end:])
    for splice in planned.splices:
        assert start <= splice.offset
        assert splice.end <= end


@examples(25, derandomize=True)
@given(
    st.text("ab\n", max_size=6),
    st.text("abx\n", min_size=1, max_size=4),
    st.text("ab\n", max_size=6),
    st.text("abc\n", max_size=4),
)
def test_equals_str_replace(
    before: str, search: str, after: str, replace: str
) -> None:
    text = before + search + after
    count = sum(text.startswith(search, at) for at in range(len(text)))
    planned = planned_or_code(
        Snapshot(text.encode()), TextEdit(search, replace)
    )
    if count > 1:
        assert planned == Code.AMBIGUOUS_MATCH
    elif search == replace:
        assert planned == Code.NO_CHANGE
    else:
        if (
            search.strip()
            and search.endswith("\n")
            and not replace.endswith("\n")
        ):
            # The lines stay apart; whole lines may go.
            start = text.index(search)
            is_deletion = not replace and (not start or text[start - 1] == "\n")
            replace += "" if is_deletion else "\n"
        expected = text.replace(search, replace).encode()
        assert (
            isinstance(planned, EditPlan)
            if expected != text.encode()
            else planned == Code.NO_CHANGE
        )
        if isinstance(planned, EditPlan):
            assert apply_splices(text.encode(), planned.splices) == expected


@examples(17, derandomize=True)
@given(
    st.lists(st.sampled_from([b"\n", b"\r\n", b"\r", b"a", b"b"]), max_size=14),
    st.text("ab\n", min_size=1, max_size=4),
)
def test_newline_matches_any_terminator(
    parts: list[bytes], search: str
) -> None:
    data = b"".join(parts)
    spans = find_occurrences(Source(Snapshot(data)), search, 100)
    for span in spans:
        inside = (
            data[span.start : span.end]
            .replace(b"\r\n", b"\n")
            .replace(b"\r", b"\n")
        )
        assert inside == search.encode()
        assert (
            data[span.start - 1 : span.start + 1] != b"\r\n" or span.start == 0
        )
        assert data[span.end - 1 : span.end + 1] != b"\r\n" or span.end == 0
    plain = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").decode()
    assert len(spans) == sum(
        plain.startswith(search, at) for at in range(len(plain))
    )


@pytest.mark.parametrize(
    ("file", "gone", "after"),
    [
        (b"a\rX\nb\n", ["X"], b"a\r\nb\n"),
        (b"a\rX\n\nb", ["X\n"], b"a\r\nb"),
        (b"a\rX\nY\n\nb", ["X\n", "Y\n"], b"a\r\nb"),
        (b"a\rX\nY\nb", ["X\n", "Y"], b"a\r\nb"),
        (b"a\r\nX\nb\n", ["X\n"], b"a\r\nb\n"),
        (b"a\rX\r\nb", ["X"], b"a\r\r\nb"),
        (b"a\rX\nb", ["X\n"], b"a\rb"),
    ],
)
def test_deletion_keeps_bytes_behind(
    file: bytes, gone: list[str], after: bytes
) -> None:
    edits = [TextEdit(search, "") for search in gone]
    assert (
        apply_splices(file, plan_edits(Snapshot(file), edits).splices) == after
    )
    pattern = compile_pattern("|".join(gone), mode="regex", multiline=True)
    made = replace_matches(
        Snapshot(file), pattern, compile_replacement("", pattern)
    )
    assert apply_splices(file, made.splices) == after


@pytest.mark.parametrize(
    "edit",
    [
        TextEdit("a", "\ufeffA"),
        TextEdit("a\nb", "\ufeffA\nb"),
        Insertion(line=1, replace="\ufeffA"),
    ],
)
def test_writes_no_second_byte_order_mark(edit: TextEdit) -> None:
    file = "\ufeffa\nb\n".encode()
    result = apply_splices(file, plan_edits(Snapshot(file), [edit]).splices)
    assert result.startswith("\ufeffA".encode())


@pytest.mark.parametrize("text", ["null", "[1,2]", "123", "true"])
def test_value_is_text(text: str) -> None:
    assert plan_tier(f"a {text}\n", TextEdit(text, "None"))[0] == "a None\n"


def test_replaces_all_exact_occurrences() -> None:
    assert (
        plan_tier("aXbXc x\n", TextEdit("X", "--", replace_all=True))[0]
        == "a--b--c x\n"
    )
    assert (
        plan_tier("aaa\n", TextEdit("aa", "b", replace_all=True))[0] == "ba\n"
    )
    assert (
        plan_tier(
            "x\r\ny\r\nx\r\ny\r\n", TextEdit("x\ny\n", "z\n", replace_all=True)
        )[0]
        == "z\r\nz\r\n"
    )
    assert (
        refused("  a\n", TextEdit("a\n\n", "b", replace_all=True)).code
        == Code.NO_MATCH
    )
