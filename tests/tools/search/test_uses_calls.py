"""The form of calls: receivers and numbers of arguments."""

from __future__ import annotations

import pytest

from filewright.languages import Language
from filewright.search.code_tokens import scan_tokens
from filewright.tools.search.uses_calls import read_call


@pytest.mark.parametrize(
    ("text", "spelling", "arguments"),
    [
        ("§f()", "f(…)", "0 arguments"),
        ("§f (a , b, )", "f(…)", "2 arguments"),
        ("§f(g(1, 2), [3, 4], {5: 6})", "f(…)", "3 arguments"),
        ("§f(\n  a, // one, two\n  b /* , */\n)", "f(…)", "2 arguments"),
        ("§f<Map<A, B>>(x as C<D, E>, y)", "f(…)", "2 arguments"),
        ("§f(a < b, c > d)", "f(…)", "2 arguments"),
        ("§f(...xs, 1)", "f(…)", "spread arguments"),
        ("§f(`a, ${b(1, 2)}`, /,/)", "f(…)", "2 arguments"),
        ("a.b.§f(1)", "a.b.f(…)", "1 argument"),
        ("a?.§f?.(1)", "a?.f(…)", "1 argument"),
        ("a!.§f!(1)", "a!.f(…)", "1 argument"),
        ("g(x)\n  .§f(1)", "….f(…)", "1 argument"),
        ("g(x).y.§f(1)", "….y.f(…)", "1 argument"),
        ("new  N.§f(1)", "new N.f(…)", "1 argument"),
        ("@§f\nclass A {}", "@f", ""),
        ("<§f a={(b, c)} />", "<f …>", ""),
        ("a<§f(b)", "f(…)", "1 argument"),
        ("§f(1, (2", "f(…)", ""),
        ("§f`x`", "f", ""),
        (f"{'x' * 70}.§f()", "….…f(…)", "0 arguments"),
    ],
)
def test_scripts(text: str, spelling: str, arguments: str) -> None:
    assert_form(text, Language.TSX, spelling, arguments)


@pytest.mark.parametrize(
    ("text", "language", "spelling", "arguments"),
    [
        ("§f(lambda a, b: a, k=1)", Language.PYTHON, "f(…)", "2 arguments"),
        ("§f(*a)", Language.PYTHON, "f(…)", "spread arguments"),
        ("§f(..., 1)", Language.PYTHON, "f(…)", "2 arguments"),
        ("§f(a, **k)", Language.PYTHON, "f(…)", "spread arguments"),
        ("§f(a * b, c ** d)", Language.PYTHON, "f(…)", "2 arguments"),
        ("§f(a for a, b in c)", Language.PYTHON, "f(…)", "1 argument"),
        ("f'{§f(1, 2)}'", Language.PYTHON, "f(…)", "2 arguments"),
        ("a::§f::<u8>(1)", Language.RUST, "a::f(…)", "1 argument"),
        ("§f!(1, 2)", Language.RUST, "f(…)", "2 arguments"),
        ("p->§f(1)", Language.CPP, "p->f(…)", "1 argument"),
        ("§f(*p, 1)", Language.CPP, "f(…)", "2 arguments"),
        ("§f(xs...)", Language.GO, "f(…)", "spread arguments"),
        ("t.§f[int](1)", Language.GO, "t.f(…)", "1 argument"),
    ],
)
def test_other_languages(
    text: str, language: Language, spelling: str, arguments: str
) -> None:
    assert_form(text, language, spelling, arguments)


def assert_form(
    text: str, language: Language, spelling: str, arguments: str
) -> None:
    """Require the form of the call of the name behind the sign."""
    start = text.index("§")
    data = text.replace("§", "").encode()
    tokens = scan_tokens(data, language)
    form = read_call(data, start, start + 1, tokens, language)
    assert (form.spelling, form.arguments) == (spelling, arguments)
