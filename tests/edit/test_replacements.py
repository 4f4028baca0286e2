"""Regular replacements: references to groups, and patterns that match nothing at a line's edge."""

import pytest

from filewright.edit.replacements import compile_replacement, replace_matches
from filewright.errors import Code, FilewrightError
from filewright.search.pattern import compile as compile_pattern
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices


def _replaced(
    data: bytes, pattern: str, new: str, mode: str = "regex"
) -> tuple[bytes, int]:
    compiled = compile_pattern(pattern, mode=mode, case="sensitive")
    made = replace_matches(Snapshot(data), compiled, compile_replacement(new, compiled))
    return apply_splices(data, made.splices), made.count


@pytest.mark.parametrize(
    ("pattern", "new", "hint"),
    [
        (r"a(b)c", r"[\1]", "write $1"),
        (r"first", r"[\0]", "write $0"),
        (r"a(b)c", r"\g<1>", "write $1"),
        (r"(?P<n>\w+) last", r"last \g<n>", "write ${n}"),
        (r"(?P<n>\w+) last", r"last \k<n>", "write ${n}"),
        (r"(?P<n>\w+) last", "last $n", "write ${n}"),
        (r"(?P<n>\w+) last", "last $<n>", "write ${n}"),
        (r"(\w)x", r"\U$1", "item"),
        (r"(\w)x", r"\u\1", "item"),
        (r"(\w)x", r"\L\g<1>\E", "item"),
        (r"a", "<$&>", "write $0"),
        (r"a(b)c", r"\\\1", "write $1"),
        (r"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", r"\10", "write ${10}"),
    ],
)
def test_refuses_references_as_others_write_them(
    pattern: str, new: str, hint: str
) -> None:
    with pytest.raises(FilewrightError) as caught:
        _replaced(b"abc first x", pattern, new)
    assert caught.value.code == Code.INVALID_INPUT
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("pattern", "new", "mode", "expected"),
    [
        ("abc", r"\1", "literal", rb"\1"),
        ("abc", r"\\1", "literal", rb"\\1"),
        ("abc", r"\g<1> $1 $n", "literal", rb"\g<1> $1 $n"),
        ("abc", r"\\1", "regex", rb"\\1"),
        ("abc", "$HOME/$this", "regex", b"$HOME/$this"),
        ("abc", r"C:\Users", "regex", rb"C:\Users"),
        ("abc", r"\n\t\u0041", "regex", rb"\n\t\u0041"),
        ("abc", "$$1 $$& $$n", "regex", b"$1 $& $n"),
        ("a(?P<n>b)c", "${n}$0${1}0", "regex", b"babcb0"),
    ],
)
def test_writes_what_is_no_reference(
    pattern: str, new: str, mode: str, expected: bytes
) -> None:
    assert _replaced(b"abc", pattern, new, mode) == (expected, 1)


TEXT = b"one\n\n  two \t\r\n \t\r\nthree"


@pytest.mark.parametrize(
    ("pattern", "new", "expected", "count"),
    [
        ("^", "// ", b"// one\n// \n//   two \t\r\n//  \t\r\n// three", 5),
        ("$", ";", b"one;\n;\n  two \t;\r\n \t;\r\nthree;", 5),
        ("^$", "BLANK", b"one\nBLANK\n  two \t\r\n \t\r\nthree", 1),
        (r"^\s*$", "-", b"one\n-\n  two \t\r\n-\r\nthree", 2),
        (r"[ \t]*$", "", b"one\n\n  two\r\n\r\nthree", 2),
        (r"\s*$", "", b"one\n\n  two\r\n\r\nthree", 2),
        (r"^[ \t]*", "", b"one\n\ntwo \t\r\n\r\nthree", 2),
        (r"^( *)", "$1# ", b"# one\n# \n  # two \t\r\n # \t\r\n# three", 5),
        (r"\A", "#!/bin/sh\n", b"#!/bin/sh\none\n\n  two \t\r\n \t\r\nthree", 1),
        ("^(?:)", "> ", b"> one\n> \n>   two \t\r\n>  \t\r\n> three", 5),
        ("^|$", "|", b"|one|\n|\n|  two \t|\r\n| \t|\r\n|three|", 9),
    ],
)
def test_replaces_at_the_edges_of_lines(
    pattern: str, new: str, expected: bytes, count: int
) -> None:
    assert _replaced(TEXT, pattern, new) == (expected, count)


@pytest.mark.parametrize(
    "text", ["one\n\ntwo\n", "one\r\n\r\ntwo", "é\n\nï\n", "one\rtwo\r"]
)
def test_replaces_at_edges_in_every_encoding(text: str) -> None:
    for encoding in ("utf-8", "utf-16", "cp1252"):
        data = text.encode(encoding)
        compiled = compile_pattern("^", mode="regex")
        snapshot = Snapshot(data, encoding=encoding if encoding != "utf-16" else None)
        made = replace_matches(snapshot, compiled, compile_replacement("> ", compiled))
        lines = text.splitlines(keepends=True)
        expected = "".join(f"> {line}" for line in lines)
        assert apply_splices(data, made.splices).decode(encoding) == expected


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("x*", "'+' in place of '*'"),
        ("$|x*", "'+' in place of '*'"),
        ("a?", "tie it to a line's edge"),
        (r"\b", "put them back"),
        (r"\B", "put them back"),
        (r"^|\b", "put them back"),
        ("x|", "put them back"),
    ],
)
def test_refuses_what_matches_nothing_anywhere(pattern: str, hint: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        _replaced(b"a b", pattern, "-")
    assert hint in (caught.value.hint or "")
