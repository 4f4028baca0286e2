"""Results of tools as the protocol carries them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.server.conftest import text_of

Start = Callable[..., Any]


def test_escapes_unencodable_text(shared: Any) -> None:
    text = text_of(shared.call("dirty"))
    assert (
        text
        == "lone \\ud800 surrogate, \\u001b[31mred\\u001b[0m, nul \\u0000, c1 \\u009b, umlaut ü"
    )


def test_refusal_is_text(shared: Any) -> None:
    answer = shared.call("refuse")
    assert answer["result"]["isError"] is True
    assert text_of(answer) == "not_found: no \\udc80 such\nhint: look"


def test_image(shared: Any) -> None:
    [part] = shared.call("picture")["result"]["content"]
    assert part == {
        "type": "image",
        "data": "iVBORw==",
        "mimeType": "image/png",
    }


def test_cuts_a_large_result(shared: Any) -> None:
    text, link = shared.call("huge")["result"]["content"]
    assert len(text["text"]) <= 49_500
    assert text["text"].endswith("the whole result is the linked resource]")
    [whole] = shared.ask("resources/read", {"uri": link["uri"]})["result"][
        "contents"
    ]
    assert whole["text"].count("\n") == 100_000
    assert link["size"] == len(whole["text"].encode())


def test_cuts_without_a_link_for_old_clients(start: Start) -> None:
    old = start()
    old.shake_hands("2025-03-26")
    [text] = old.call("huge")["result"]["content"]
    assert text["text"].endswith("ask for less]")
