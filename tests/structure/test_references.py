"""References between the files of a project, by the imports in their first lines."""

from __future__ import annotations

import pytest

from filewright.structure.references import References


def add_all(files: dict[str, str]) -> References:
    references = References()
    for path, text in files.items():
        references.add(path, text.encode())
    return references


@pytest.mark.parametrize(
    ("target", "importer", "text"),
    [
        ("shop/cart.py", "shop/page.py", "from .cart import total"),
        ("shop/cart.py", "shop/sub/page.py", "from ..cart import total"),
        ("shop/cart.py", "main.py", "import shop.cart"),
        ("shop/__init__.py", "main.py", "from shop import total"),
        ("src/cart.ts", "src/page.ts", "import {total} from './cart.js'"),
        ("src/cart/index.ts", "src/page.ts", "import c from './cart'"),
        ("src/cart/index.ts", "src/page.ts", "import c from './cart/index.js'"),
        ("lib/cart.rb", "lib/page.rb", "require_relative 'cart'"),
        ("inc/cart.h", "inc/page.c", '#include "cart.h"'),
        ("src/cart.rs", "src/main.rs", "mod cart;"),
        ("shop/cart.go", "main.go", 'import (\n\t"example.com/shop/cart"\n)'),
    ],
)
def test_finds_the_imported_file(target: str, importer: str, text: str) -> None:
    references = add_all({target: "", importer: text})
    (central,) = references.find_central(9)
    assert (central.path, central.used_by) == (target, 1)


@pytest.mark.parametrize(
    "text",
    ["import os", "# from cart import total", "from .other import total"],
    ids=["library", "comment", "missing"],
)
def test_imports_of_other_files_do_not_count(text: str) -> None:
    references = add_all({"cart.py": "", "page.py": text})
    assert references.find_central(9) == ()


def test_ranks_by_use_and_names() -> None:
    references = add_all(
        {
            "a.py": "",
            "b.py": "",
            "c.py": "from b import (one, two as 2)\nfrom a import x",
            "d.py": "from b import one",
        }
    )
    ranked = references.find_central(9, max_names=1)
    assert [(file.path, file.used_by, file.names) for file in ranked] == [
        ("b.py", 2, ("one",)),
        ("a.py", 1, ("x",)),
    ]
    assert [file.path for file in references.find_central(1)] == ["b.py"]


def test_imports_of_tests_do_not_count() -> None:
    references = References()
    references.add("cart.py", b"")
    references.add("test_cart.py", b"import cart", counts=False)
    assert references.find_central(9) == ()


def test_takes_the_nearest_of_several_files() -> None:
    references = add_all(
        {"a/util.py": "", "b/util.py": "", "b/page.py": "import util"}
    )
    assert [file.path for file in references.find_central(9)] == ["b/util.py"]


def test_importers_of_a_name() -> None:
    references = add_all(
        {
            "shop/cart.py": "",
            "one.py": "from shop.cart import total",
            "two.py": "import shop.cart",
            "three.py": "from shop import cart",
            "four.py": "from shop.cart import other",
        }
    )
    importers = references.find_importers("shop/cart.py", "total")
    assert {importer.path: importer.takes_name for importer in importers} == {
        "one.py": True,
        "two.py": False,
        "three.py": False,
    }


@pytest.mark.parametrize(
    ("text", "is_named", "is_default"),
    [
        ("import { $sum } from './a'", True, False),
        ("import { sum as $sum } from './a'", False, False),
        ("const { x: y = 1, $sum: z } = require('./a')", True, False),
        ("const { x: $sum } = require('./a')", False, False),
        ("import other, { x } from './a'", False, True),
        ("export { default as other } from './a'", False, True),
        ("export { x as default } from './a'", False, False),
    ],
)
def test_importers_of_script(
    text: str, is_named: bool, is_default: bool
) -> None:
    references = add_all({"a.js": "", "b.js": text})
    named = references.find_importers("a.js", "$sum")
    assert any(importer.takes_name for importer in named) is is_named
    any_name = references.find_importers("a.js", "foo", is_default=True)
    assert any(importer.takes_name for importer in any_name) is is_default
