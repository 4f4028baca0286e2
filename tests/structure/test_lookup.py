from __future__ import annotations

from pathlib import Path

import pytest

from filewright.errors import Code, FilewrightError
from filewright.languages import Language
from filewright.structure.lookup import (
    find_symbol,
    format_path,
    symbol_path_at,
    symbols_around_line,
)
from filewright.structure.outline import Outline
from filewright.structure.outlines import Outlines

FIXTURES = Path(__file__).with_name("fixtures")

FOUND = [
    ("python.py", "Base.fetch", 51),
    ("python.py", "fetch", 51),
    ("python.py", "fetch()", 51),
    ("python.py", "class Base › method fetch", 51),
    ("python.py", "base", 31),
    ("python.py", "Nested.Deep.method", 57),
    ("python.py", "Größe", 79),
    ("javascript.js", "Cart#create", 42),
    ("javascript.js", "Cart.extra", 64),
    ("javascript.js", "helper", 63),
    ("javascript.js", "api.nested.deep", 58),
    ("typescript.ts", "Geometry.Flat.area", 43),
    ("go.go", "Cart.Total", 44),
    ("go.go", "(*Cart[T]).Total", 44),
    ("go.go", "Cart", 24),
    ("rust.rs", "Point::new", 50),
    ("rust.rs", "Point::fmt", 59),
    ("rust.rs", "tests::deep::inner", 76),
    ("cpp.cpp", "shop::Cart::value", 45),
    ("cpp.cpp", "Widget::name", 53),
    ("cpp.cpp", "shop::detail::helper", 10),
    ("c.c", "add", 31),
    ("ruby.rb", "Shop::Cart#empty?", 23),
    ("ruby.rb", "Cart.create", 30),
    ("php.php", "Cart::total", 30),
    ("php.php", "items", 24),
    ("kotlin.kt", "String.shout", 58),
    ("lua.lua", "M.method", 18),
    ("lua.lua", "M:method", 18),
    ("sql.sql", "order items", 9),
    ("toml.toml", "database.primary.ports", 11),
    ("yaml.yaml", "services.web.image", 10),
    ("json.json", "scripts.test.deep", 8),
    ("markdown.md", "On Linux", 17),
    ("html.html", "cart", 20),
]


def outline_of(name: str, outlines: Outlines) -> Outline:
    return outlines.outline(
        (FIXTURES / name).read_bytes(), Language(name.partition(".")[0])
    )


@pytest.mark.parametrize(("name", "asked", "line"), FOUND)
def test_finds_by_name(
    name: str, asked: str, line: int, outlines: Outlines
) -> None:
    assert (
        find_symbol(outline_of(name, outlines), asked, name).symbol.start_line
        == line
    )


def test_full_names_lead_back(
    outlines: Outlines,
) -> None:
    outline = outline_of("python.py", outlines)
    found = find_symbol(outline, "inner")
    assert found.path == "class Base › method total › function inner"
    assert found.name == "Base.total.inner"
    assert (
        find_symbol(outline, found.path)
        == find_symbol(outline, found.name)
        == found
    )


def test_ambiguous_name(outlines: Outlines) -> None:
    with pytest.raises(FilewrightError) as caught:
        find_symbol(outline_of("python.py", outlines), "total", "shop.py")
    assert caught.value.code is Code.AMBIGUOUS_MATCH
    assert "class Base › method total (lines 40–46)" in caught.value.message
    assert [
        each["start_line"] for each in caught.value.details["candidates"]
    ] == [
        40,
        49,
    ]


def test_unknown_name(outlines: Outlines) -> None:
    with pytest.raises(FilewrightError) as caught:
        find_symbol(outline_of("python.py", outlines), "Base.fech", "shop.py")
    assert caught.value.code is Code.NO_MATCH
    assert "Base.fetch" in str(caught.value)


def test_unparsed_file() -> None:
    with pytest.raises(FilewrightError) as caught:
        find_symbol(Outline("c", parsed=False, note="too big"), "main", "a.c")
    assert caught.value.code is Code.UNSUPPORTED


def test_definition_wins_over_prototype(outlines: Outlines) -> None:
    outline = outlines.outline(
        b"int add(int);\nint add(int a) { return a; }\n", Language.C
    )
    assert find_symbol(outline, "add").symbol.start_line == 2


def test_displayed_path(
    outlines: Outlines,
) -> None:
    outline = outlines.outline(
        b"int add(int);\nint add(int a) { return a; }\nstruct add {\n  int add;\n};\n",
        Language.C,
    )
    for shown, line in (
        ("prototype add", 1),
        ("function add", 2),
        ("struct add", 3),
    ):
        assert find_symbol(outline, shown).symbol.start_line == line


PATHS = [
    ("python.py", 2, ""),
    ("python.py", 27, "Base"),
    ("python.py", 35, "Base"),
    ("python.py", 44, "Base.total.inner"),
    ("python.py", 82, ""),
    ("go.go", 45, "Cart.Total"),
    ("rust.rs", 59, "Point.fmt"),
    ("markdown.md", 19, "Shop manual v1.Install.On Linux"),
    ("cpp.cpp", 28, "shop.Cart.add"),
]


@pytest.mark.parametrize(("name", "line", "path"), PATHS)
def test_path_of_a_line(
    name: str, line: int, path: str, outlines: Outlines
) -> None:
    assert symbol_path_at(outline_of(name, outlines), line) == path


@pytest.mark.parametrize(
    "name",
    sorted(path.name for path in FIXTURES.iterdir() if path.suffix != ".txt"),
)
def test_symbols_around_their_first_lines(
    name: str, outlines: Outlines
) -> None:
    outline = outline_of(name, outlines)
    for around, symbol in outline.walk():
        path = symbols_around_line(outline, symbol.start_line)
        same_line = [
            other for other in path if other.start_line == symbol.start_line
        ]
        assert symbol in path or same_line or around


SHOWN = [
    (
        Language.RUST,
        b"impl fmt::Display for Point {\n    fn fmt(&self) {}\n}\nimpl Debug for Point {\n    fn fmt(&self) {}\n}\n"
        b"impl<'a, T: Into<u8>> From<&'a T> for Point {\n    fn from(x: &'a T) -> Self {}\n}\n"
        b"impl Point {\n    fn fmt(&self) {}\n}\n",
    ),
    (
        Language.CSS,
        b"@media (min-width: 768px) {\n  .a {\n    x: y;\n  }\n  .b > p {\n    x: y;\n  }\n}\n"
        b".a {\n  x: y;\n}\n.b > p {\n  x: y;\n}\n.c, #d {\n  x: y;\n}\n",
    ),
]


@pytest.mark.parametrize(("language", "data"), SHOWN)
def test_displayed_paths_lead_back(
    outlines: Outlines, language: Language, data: bytes
) -> None:
    outline = outlines.outline(data, language)
    for around, symbol in outline.walk():
        path = format_path((*around, symbol))
        assert find_symbol(outline, path).symbol is symbol, path
