"""Tables of edits for each tier: the request, the file, the result and the tier that found it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from tests.edit.cases import refused
from tests.edit.work import assert_linear

from filewright.edit.model import Tier
from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import Code, FilewrightError
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices


class Case(NamedTuple):
    file: str
    search: str
    replace: str
    expected: str
    tier: Tier


def located(
    file: str, search: str, replace: str, **options: bool
) -> tuple[str, Tier]:
    data = file.encode()
    planned = plan_edits(Snapshot(data), [TextEdit(search, replace)], **options)
    return apply_splices(data, planned.splices).decode(), planned.outcomes[
        0
    ].tier


CODE = """\
import math


class Circle:
    # the radius is in metres
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return math.pi * self.radius ** 2

    def scaled(self, by):
        return Circle(self.radius * by)
"""


TABBED = CODE.replace("    ", "\t")


EXACT = {
    "part of a line": Case(
        CODE,
        "math.pi *",
        "math.tau / 2 *",
        CODE.replace("math.pi *", "math.tau / 2 *"),
        Tier.EXACT,
    ),
    "lines": Case(
        CODE,
        "    def area(self):\n        return math.pi * self.radius ** 2\n",
        "    def area(self):\n        return 0\n",
        CODE.replace("math.pi * self.radius ** 2", "0"),
        Tier.EXACT,
    ),
    "first line without its indent": Case(
        CODE,
        "def area(self):\n        return math.pi * self.radius ** 2",
        "def area(self) -> float:\n        return math.pi * self.radius ** 2",
        CODE.replace("area(self):", "area(self) -> float:"),
        Tier.EXACT,
    ),
    "terminators aside": Case(
        "a\r\nb\r\nc\r\n",
        "a\nb\n",
        "a\nB\nnew\n",
        "a\r\nB\r\nnew\r\nc\r\n",
        Tier.EXACT,
    ),
    "a request with CRLF": Case(
        "a\nb\nc\n", "a\r\nb\r\n", "a\r\nB\r\n", "a\nB\nc\n", Tier.EXACT
    ),
    "kept lines keep their terminators": Case(
        "a\r\nb\nc\rd\r\n",
        "a\nb\nc\nd",
        "a\nB\nc\nd",
        "a\r\nB\nc\rd\r\n",
        Tier.EXACT,
    ),
    "deletion": Case("a\nb\nc\n", "b\n", "", "a\nc\n", Tier.EXACT),
    "an ampersand and a backslash are text": Case(
        "x = 1\n", "x = 1", r"\1 $& $1 \g<0>", "\\1 $& $1 \\g<0>\n", Tier.EXACT
    ),
    "blanks round the text count": Case(
        "foobar foo bar\n", " foo ", " fu ", "foobar fu bar\n", Tier.EXACT
    ),
}


TOLERANT = {
    "trailing blanks in the file": Case(
        "a = 1  \nb = 2\t\nc = 3\n",
        "a = 1\nb = 2\n",
        "a = 1\nb = 3\n",
        "a = 1  \nb = 3\nc = 3\n",
        Tier.TRAILING,
    ),
    "trailing blanks in the request": Case(
        "a = 1\nb = 2\nc = 3\n",
        "a = 1  \nb = 2 \n",
        "a = 1  \nb = 3\n",
        "a = 1\nb = 3\nc = 3\n",
        Tier.TRAILING,
    ),
    "blank lines at the edges": Case(
        "a = 1\nb = 2\nc = 3\n",
        "\nb = 2\n\n\n",
        "\nb = 4\n\n\n",
        "a = 1\nb = 4\nc = 3\n",
        Tier.TRAILING,
    ),
    "a newline that the file's end lacks": Case(
        "a\nb", "a\nb\n", "a\nc\n", "a\nc", Tier.TRAILING
    ),
    "dedented": Case(
        CODE,
        "def area(self):\n    return math.pi * self.radius ** 2\n",
        "def area(self):\n    squared = self.radius ** 2\n    return math.pi * squared\n",
        CODE.replace(
            "        return math.pi * self.radius ** 2\n",
            "        squared = self.radius ** 2\n        return math.pi * squared\n",
        ),
        Tier.INDENT,
    ),
    "indented too far": Case(
        "a:\n  b: 1\n  c: 2\n",
        "      b: 1\n      c: 2\n",
        "      b: 1\n      d: 2\n",
        "a:\n  b: 1\n  d: 2\n",
        Tier.INDENT,
    ),
    "spaces for tabs": Case(
        TABBED,
        "    def scaled(self, by):\n        return Circle(self.radius * by)\n",
        "    def scaled(self, by):\n        if by:\n            return Circle(self.radius * by)\n",
        TABBED.replace(
            "\t\treturn Circle(self.radius * by)\n",
            "\t\tif by:\n\t\t\treturn Circle(self.radius * by)\n",
        ),
        Tier.INDENT,
    ),
    "tabs for spaces": Case(
        CODE,
        "\tdef scaled(self, by):\n\t\treturn Circle(self.radius * by)\n",
        "\tdef scaled(self, by):\n\t\tif by:\n\t\t\treturn self\n\t\treturn Circle(self.radius * by)\n",
        CODE.replace(
            "        return Circle(self.radius * by)\n",
            "        if by:\n            return self\n        return Circle(self.radius * by)\n",
        ),
        Tier.INDENT,
    ),
    "another width of indent": Case(
        "f {\n  a {\n    b\n  }\n}\n",
        "    a {\n        b\n    }\n",
        "    a {\n        b\n            c\n    }\n",
        "f {\n  a {\n    b\n      c\n  }\n}\n",
        Tier.INDENT,
    ),
    "the replacement has the file's indent already": Case(
        "f:\n    a = 1\n    b = 2\n",
        "a = 1\nb = 2\n",
        "    a = 1\n    b = 3\n",
        "f:\n    a = 1\n    b = 3\n",
        Tier.INDENT,
    ),
    "quotes in the file": Case(
        "say “hi”\nand ‘go’\nend\n",
        "say \"hi\"\nand 'go'\nend\n",
        "say \"hi\"\nand 'go'\nstop\n",
        "say “hi”\nand ‘go’\nstop\n",
        Tier.TYPOGRAPHY,
    ),
    "quotes in the request are folded back": Case(
        'print("a")\nx = 1\n',
        "print(“a”)\nx = 1\n",
        "print(“a”, “b”)\nx = 1\n",
        'print("a", "b")\nx = 1\n',
        Tier.TYPOGRAPHY,
    ),
    "dashes and no-break spaces": Case(
        "1\u00a0kg – 2 kg\nnext\n",
        "1 kg - 2 kg\nnext\n",
        "1 kg - 2 kg\nlast\n",
        "1\u00a0kg – 2 kg\nlast\n",
        Tier.TYPOGRAPHY,
    ),
    "composed or decomposed letters": Case(
        "cafe\u0301 = 1\nb = 2\n",
        "caf\u00e9 = 1\nb = 2\n",
        "caf\u00e9 = 1\nb = 3\n",
        "cafe\u0301 = 1\nb = 3\n",
        Tier.TYPOGRAPHY,
    ),
    "runs of blanks": Case(
        "int   a  = 1;\nint bb = 2;\n",
        "int a = 1;\nint bb = 2;\n",
        "int a = 1;\nint bb = 3;\n",
        "int   a  = 1;\nint bb = 3;\n",
        Tier.BLANKS,
    ),
    "a blank line less in the file": Case(
        "a = 1\nb = 2\nc = 3\n",
        "a = 1\n\nb = 2\nc = 3\n",
        "a = 1\n\nb = 2\nc = 4\n",
        "a = 1\nb = 2\nc = 4\n",
        Tier.BLANK_LINES,
    ),
    "a blank line more in the file": Case(
        "a = 1\n\nb = 2\nc = 3\n",
        "a = 1\nb = 2\nc = 3\n",
        "a = 1\nb = 2\nc = 4\n",
        "a = 1\n\nb = 2\nc = 4\n",
        Tier.BLANK_LINES,
    ),
    "a blank line the replacement has and the file too": Case(
        "a = 1\n\nb = 2\n",
        "a = 1\nb = 2\n",
        "a = 0\n\nb = 2\n",
        "a = 0\n\nb = 2\n",
        Tier.BLANK_LINES,
    ),
    "lines that are put before a blank line that was left out": Case(
        "a = 1\nb = 2\n\nc = 3\n",
        "a = 1\nb = 2\nc = 3\n",
        "a = 1\nb = 2\nx = 5\ny = 6\n\nc = 3\n",
        "a = 1\nb = 2\nx = 5\ny = 6\n\nc = 3\n",
        Tier.BLANK_LINES,
    ),
    "deletion of loosely matched lines": Case(
        "a\n  b\n  c\nd\n", "b\nc\n", "", "a\nd\n", Tier.INDENT
    ),
}


ELIDED = {
    "dots": Case(
        CODE,
        "class Circle:\n    ...\n    def scaled(self, by):\n",
        "class Disc:\n    ...\n    def scaled(self, by=1):\n",
        CODE.replace("class Circle", "class Disc").replace(
            "self, by)", "self, by=1)"
        ),
        Tier.ELISION,
    ),
    "a comment that says so": Case(
        CODE,
        "    def __init__(self, radius):\n    # ... existing code ...\n    def scaled(self, by):\n",
        "    def __init__(self, radius=1):\n    # ... existing code ...\n    def scaled(self, by):\n",
        CODE.replace("radius):", "radius=1):"),
        Tier.ELISION,
    ),
}


REPAIRED = {
    "line numbers": Case(
        CODE,
        "8\t\n9\t    def area(self):\n10\t        return math.pi * self.radius ** 2\n11\t\n12\t    def scaled(self, by):\n",
        "8\t\n9\t    def area(self):\n10\t        return 3 * self.radius ** 2\n11\t\n12\t    def scaled(self, by):\n",
        CODE.replace("math.pi", "3"),
        Tier.REPAIRED,
    ),
    "line numbers in the search alone": Case(
        CODE,
        "   9 |     def area(self):\n  10 |         return math.pi * self.radius ** 2\n  11 | \n  12 |     def scaled(self, by):\n",
        "    def area(self):\n        return 3 * self.radius ** 2\n\n    def scaled(self, by):\n",
        CODE.replace("math.pi", "3"),
        Tier.REPAIRED,
    ),
    "a fence": Case(
        CODE,
        "```python\n    def area(self):\n```\n",
        "```python\n    def size(self):\n```\n",
        CODE.replace("area", "size"),
        Tier.REPAIRED,
    ),
    "a fence round the search alone": Case(
        CODE,
        "```\n    def area(self):\n```",
        "    def size(self):",
        CODE.replace("area", "size"),
        Tier.REPAIRED,
    ),
    "escaped newlines": Case(
        CODE,
        "    def area(self):\\n        return math.pi",
        "    def size(self):\\n        return math.pi",
        CODE.replace("area", "size"),
        Tier.REPAIRED,
    ),
    "escaped newlines and quotes": Case(
        'a = "x"\nb = "y"\n',
        'a = \\"x\\"\\nb = \\"y\\"',
        'a = \\"x\\"\\nb = \\"z\\"',
        'a = "x"\nb = "z"\n',
        Tier.REPAIRED,
    ),
}


ALL = {
    f"{kind}: {name}": case
    for kind, table in (
        ("exact", EXACT),
        ("tolerant", TOLERANT),
        ("elided", ELIDED),
        ("repaired", REPAIRED),
    )
    for name, case in table.items()
}


@pytest.mark.parametrize("name", ALL)
def test_finds_place(name: str) -> None:
    case = ALL[name]
    assert located(case.file, case.search, case.replace) == (
        case.expected,
        case.tier,
    )


@pytest.mark.parametrize(
    "name", [name for name, case in ALL.items() if "\r" not in case.file]
)
def test_keeps_crlf(name: str) -> None:
    case = ALL[name]
    result, tier = located(
        case.file.replace("\n", "\r\n"), case.search, case.replace
    )
    assert result == case.expected.replace("\n", "\r\n")
    assert tier == case.tier


ENDED = [name for name, case in ALL.items() if case.file.endswith("\n")]


@pytest.mark.parametrize(
    "name", [name for name in ENDED if "\r" not in ALL[name].file]
)
def test_finds_place_between_other_lines(name: str) -> None:
    case = ALL[name]
    before, after = "zzz = [\n    0,\n]\n\n", "\nzzz[9] = {\n\tq\n}\n"
    result, tier = located(
        before + case.file + after, case.search, case.replace
    )
    assert result == before + case.expected + after
    assert tier == case.tier


@pytest.mark.parametrize(
    "name", [name for name, case in ALL.items() if case.tier is not Tier.EXACT]
)
def test_finds_only_exact_text_without_fuzzy(name: str) -> None:
    case = ALL[name]
    with pytest.raises(FilewrightError) as caught:
        located(case.file, case.search, case.replace, fuzzy=False)
    assert caught.value.code in (Code.NO_MATCH, Code.ALREADY_APPLIED)


@pytest.mark.parametrize(
    "name", [name for name in ENDED if ALL[name].tier is not Tier.ELISION]
)
def test_second_copy_is_ambiguous(name: str) -> None:
    case = ALL[name]
    with pytest.raises(FilewrightError) as caught:
        located(case.file + case.file, case.search, case.replace)
    assert caught.value.code == Code.AMBIGUOUS_MATCH


Hurtful = tuple[str, str, Code]


def longer_than_file(size: int) -> Hurtful:
    return "a\n", "abc\n" * size, Code.NO_MATCH


def all_equal(size: int) -> Hurtful:
    return "x\n" * 5 * size, "x\n" * size, Code.AMBIGUOUS_MATCH


def all_equal_indented(size: int) -> Hurtful:
    return "x\n" * 3 * size, " x\n" * size, Code.AMBIGUOUS_MATCH


def equal_but_for_absent_line(size: int) -> Hurtful:
    return "x\n" * 5 * size, "x\n" * size + "z\n", Code.NO_MATCH


def equal_but_for_blanks(size: int) -> Hurtful:
    half = "x\n" * (size // 5)
    return "x\n" * 3 * size, f"{half}x x\n{half}", Code.NO_MATCH


def only_blank_lines(size: int) -> Hurtful:
    return "\n" * 5 * size, "\n" * (size // 8) + " \n", Code.NO_MATCH


def one_long_line(size: int) -> Hurtful:
    return "abc " * 60 * size, "abc  abd", Code.NO_MATCH


def few_distinct_lines(size: int) -> Hurtful:
    search = "b\na\n" * (size // 4) + "b\nb\n"
    return "a\nb\n" * (5 * size // 2), search, Code.NO_MATCH


@pytest.mark.parametrize(
    "make", [longer_than_file, all_equal, only_blank_lines, one_long_line]
)
def test_refuses_hurtful_input_in_linear_work(
    make: Callable[[int], Hurtful],
) -> None:
    assert_linear(lambda size: refuse(*make(size)), 4_000)


@pytest.mark.parametrize(
    "size", [2_000, pytest.param(8_000, marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize(
    "make",
    [
        all_equal_indented,
        equal_but_for_absent_line,
        equal_but_for_blanks,
        few_distinct_lines,
    ],
)
def test_refuses_hurtful_input_in_bounded_work(
    make: Callable[[int], Hurtful], size: int
) -> None:
    refuse(*make(size))


def refuse(text: str, search: str, code: Code) -> None:
    assert refused(text, TextEdit(search, "new\n")).code == code


@pytest.mark.parametrize(
    "count", [400, pytest.param(20_000, marks=pytest.mark.sweep)]
)
def test_finds_very_many_lines(count: int) -> None:
    text = "".join(f"    line {i}\n" for i in range(count))
    search = "".join(f"line {i}\n" for i in range(10, count - 10))
    replace = search.replace(f"line {count // 2}\n", "changed\n")
    data = ("head\n" + text).encode()
    made = plan_edits(Snapshot(data), [TextEdit(search, replace)])
    assert apply_splices(data, made.splices) == data.replace(
        b"line %d\n" % (count // 2), b"changed\n"
    )
    assert len(made.splices) == 1
