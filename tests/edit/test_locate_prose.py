"""Which words are prose: in a comment or running text, and never code or a string."""

from __future__ import annotations

from tests.rows import each_row

from filewright.edit.locate.prose import different_word, is_prose, one_step

# The word between the marks.
PROSE = [
    "# a «comment» line",
    "    // then «strip» it",
    "/// Returns the «path» of it",
    "x = 1;  // the «first» one",
    "x = 1  # the «first» one",
    " * @param the «server» to ask",
    "/* one «word» */ x = 1",
    "-- the «word»",
    "<!-- the «word» -->",
    "; the «word»",
    "It was «written» by the first of them.",
    "- **Scope.** Each question is «asked» at most once per call, and",
    "> the «quoted» text is here as it was",
    "## The «heading»",
    '"""The «docstring» of it, which says so."""',
    "    The second «line» of a docstring that goes on.",
    "foo({}); // ! «Defaulted» arg",
    "«Start» the server using either stdio (default) or the other transport:",
]
CODE = [
    "total = «price» * count",
    "return «result»",
    "raise Error('the «file» is missing from here')",
    'log("it is the «first» of them")',
    "half = total // «count»",
    "#define «LIMIT» 3",
    "#include «stdio»",
    "# define «LIMIT» 3",
    "for «item» in items",
    "import «math»",
    "from «rich» import print",
    "SELECT «name» FROM users",
    "let «server» = connect();",
    "the `«name»` of it is to be used",
    "see [the text](http://«example».org) of it",
    "x = 'a # «b» c'",
    'url = "http://the «host» of it"',
    "*«pointer» = 0;",
    "if a and «b» or not c",
    "    % (self.fp, «type»(data).__name__)",
    "        * «count»",
    "        // «count»",
    "    * «price» if cheap else full",
    "    -- «count»",
    "If «name» is the one:",
]


def split(marked: str) -> tuple[str, int, int]:
    start, end = marked.index("«"), marked.index("»") - 1
    return marked.replace("«", "").replace("»", ""), start, end


@each_row("marked", PROSE)
def test_prose(marked: str) -> None:
    assert is_prose(*split(marked))


@each_row("marked", CODE)
def test_code(marked: str) -> None:
    assert not is_prose(*split(marked))


def test_a_short_line_is_told_by_those_beside_it() -> None:
    line = "registry is exported too:"
    assert not is_prose(line, 0, 8)
    assert is_prose(
        line, 0, 8, ("The rest of it can be found in the list of these names.",)
    )


def test_a_mark_that_may_be_an_operator_is_told_by_the_lines_beside() -> None:
    for line, beside in (
        ("// strip", "x = 1;"),
        ("* Thing", "/**"),
        ("// strip", "// and so on"),
    ):
        start, end = line.index(line.split()[1]), len(line)
        assert not is_prose(line, start, end)
        assert is_prose(line, start, end, (beside,))


STEPS = {
    ("frist", "first"): True,
    ("fist", "first"): True,
    ("firrst", "first"): True,
    ("fiast", "first"): True,
    ("first", "first"): False,
    ("frits", "first"): False,
    ("fi", "first"): False,
    ("abcd", "badc"): False,
    ("ab", "ba"): True,
    ("a", ""): True,
}


@each_row(("one", "other"), STEPS)
def test_one_step(one: str, other: str) -> None:
    assert one_step(one, other) is STEPS[one, other]
    assert one_step(other, one) is STEPS[one, other]


def test_a_word_glued_to_an_identifier_is_no_word() -> None:
    assert not different_word("# see sz_frist here", "# see sz_first here")
    assert not different_word("# see frist2 here", "# see first2 here")
    assert different_word("# see  frist here", "  # see first here")
