"""The names that a text binds at its top."""

from __future__ import annotations

import pytest

from filewright.languages import Language
from filewright.structure.defined_names import find_defined_names
from filewright.structure.parser import parse_text

PYTHON = {
    "chain": ("A = B = 3\n", "A B"),
    "patterns": ("(A, [B, *C]), D.x = E[0], F = y\n", "A B C F"),
    "one line": ("A: int = 1; B = 2; A = 3; C += 1\n", "A B"),
    "scopes": (
        "@d(a := 1)\ndef f(x):\n    y = 1\nclass C:\n    z = 1\n",
        "a f C",
    ),
    "walrus": ("A = [(b := c) for c in d] + [lambda: (e := 1)]\n", "A b"),
    "blocks": ("if x:\n    def f(): pass\nelse:\n    f = g = None\n", "f g"),
    "type": ("type A[T] = list[T]\n", "A"),
    "with": ("with x as (A, B):\n    pass\n", "A B"),
}

SCRIPT = {
    "list": ("export const a = 1, b = 2", "a:a b:b"),
    "patterns": (
        "export let { a, b: [c, , ...d], e: f = g, h = i, ...j } = k",
        "a:a c:c d:d f:f h:h j:j",
    ),
    "without export": ("function a() { let b }; var c", "a: c:"),
    "default": ("export default class A {}", "A:default"),
    "default without a name": ("export default () => a", "default:default"),
    "types": (
        "export interface A {}\nexport type B<T> = T\nexport declare enum C {}\n"
        "export namespace D.e {}\nexport import F = D.e\n"
        "export abstract class G {}\nexport function h(): void\n"
        "export async function h() {}\ndeclare module 'i' {}",
        "A:A B:B C:C D:D F:F G:G h:h",
    ),
}


def define(text: str, language: Language) -> list[tuple[str, str]]:
    parsed = parse_text(text.encode(), "utf-8", language, 10)
    assert not isinstance(parsed, str)
    names = find_defined_names(parsed.tree.root_node, parsed.content, language)
    return [(name.name, name.exported_name) for name in names]


@pytest.mark.parametrize(("text", "names"), PYTHON.values(), ids=PYTHON)
def test_python(text: str, names: str) -> None:
    assert define(text, Language.PYTHON) == [(n, n) for n in names.split()]


@pytest.mark.parametrize(("text", "names"), SCRIPT.values(), ids=SCRIPT)
def test_scripts(text: str, names: str) -> None:
    defined = define(text, Language.TYPESCRIPT)
    assert [":".join(name) for name in defined] == names.split()
