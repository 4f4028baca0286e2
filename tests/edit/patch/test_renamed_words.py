"""Hunks that fit with other names: suggested if only one place and one meaning is left."""

from __future__ import annotations

from collections.abc import Callable

import pytest

H = "--- a/x\n+++ b/x\n"
CODE_OF_TODAY = (
    b"def f(ctx):\n    if ctx.on:\n        values['a'] = ctx.a\n"
    b"    return values\n\ndef g(ctx):\n    pass\n"
)


RENAMED = (
    H + "@@ -2,3 +2,4 @@\n     if ctx.on:\n         rv['a'] = ctx.a\n"
    "+        rv['b'] = rv\n     return rv\n"
)


@pytest.mark.parametrize(
    ("content", "patch", "names"),
    [
        pytest.param(
            CODE_OF_TODAY,
            RENAMED.replace("     return rv\n", ""),
            {"rv": "values"},
            id="one name",
        ),
        pytest.param(
            CODE_OF_TODAY.replace(b"def g", b"values = 0\n\ndef g"),
            H + "@@ -1,3 +1,4 @@\n def f(ctx):\n     if ctx.on:\n"
            "         rv['a'] = ctx.a\n+        rv['b'] = 1\n",
            {"rv": "values"},
            id="in its place",
        ),
        pytest.param(
            CODE_OF_TODAY * 2,
            RENAMED.replace("     return rv\n", ""),
            None,
            id="two places",
        ),
        pytest.param(
            CODE_OF_TODAY.replace(b"ctx.a\n", b"ctx.a + rv\n"),
            RENAMED.replace("ctx.a\n", "ctx.a + rv\n"),
            None,
            id="two meanings",
        ),
        pytest.param(
            b"one line\nthe cat sat\n",
            H + "@@ -1,2 +1,3 @@\n one line\n the dog sat\n+more\n",
            None,
            id="prose",
        ),
        pytest.param(
            b"a = 1\nb = 2\n",
            H + "@@ -1,2 +1,2 @@\n a = 1\n-b = 3\n+b = 4\n",
            None,
            id="a number",
        ),
        pytest.param(
            b"a = 1\nif b:\n",
            H + "@@ -1,2 +1,3 @@\n a = 1\n while b:\n+  c()\n",
            None,
            id="a keyword",
        ),
        pytest.param(
            b"same()\nx = f(x)\n",
            H + "@@ -1,2 +1,3 @@\n same()\n y = f(z)\n+more\n",
            None,
            id="two names for one",
        ),
    ],
)
def test_suggests_other_names(
    content: bytes,
    patch: str,
    names: dict[str, str] | None,
    tree: Callable[..., object],
) -> None:
    error = tree({"x": content}).refusal(patch)  # type: ignore[attr-defined]
    assert error.details.get("names") == names
    if names is not None:
        assert "with values for rv it fits at line" in error.message
        assert "+        values['b'] = " in error.message
        assert 'names={"rv": "values"}' in error.hint
