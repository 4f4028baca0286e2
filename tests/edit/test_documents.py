"""Each example of `examples.md` does what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.files import named

from filewright.edit.model import Tier
from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import FilewrightError
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

PAGE = (Path(__file__).parent / "examples.md").read_text(encoding="utf-8")


EXAMPLES = re.findall(r"^```edit\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def sections(example: str) -> dict[str, str]:
    result: dict[str, str] = {}
    name = ""
    for line in example.splitlines():
        if line.startswith("|"):
            result[name] += line[2:] + "\n"
        else:
            name, _, value = line.partition(":")
            result[name] = value.strip()
    return result


def unmarked(text: str) -> str:
    return text.replace("·", " ").replace("→", "\t")


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example(number: int) -> None:
    parts = sections(EXAMPLES[number])
    data = unmarked(parts["file"]).encode()
    start = int(parts["start_line"]) if "start_line" in parts else None
    edit = TextEdit(
        unmarked(parts["search"]), unmarked(parts["replace"]), start_line=start
    )
    bases = [unmarked(parts["shown"]).encode()] if "shown" in parts else []
    ending = next(
        name for name in parts if name.startswith(("result", "refused"))
    )
    kind, word = ending.split()
    if kind == "result":
        planned = plan_edits(
            named(parts.get("name"), data), [edit], bases=bases
        )
        assert str(planned.outcomes[0].tier) == word
        assert apply_splices(data, planned.splices).decode() == unmarked(
            parts[ending]
        )
        notes = "".join(f"{note}\n" for note in planned.outcomes[0].notes)
        assert notes == parts.get("noted", "")
        return
    with pytest.raises(FilewrightError) as caught:
        plan_edits(named(parts.get("name"), data), [edit], bases=bases)
    assert str(caught.value.code) == word
    assert parts[ending].rstrip("\n") in caught.value.message
    if "suggested result" in parts:
        followed = plan_edits(
            Snapshot(data), [TextEdit(**caught.value.details["suggestions"][0])]
        )
        assert apply_splices(data, followed.splices).decode() == unmarked(
            parts["suggested result"]
        )


def test_each_tier_has_an_example() -> None:
    shown = {
        word
        for example in EXAMPLES
        for word in re.findall(r"^result (\w+):", example, re.MULTILINE)
    }
    assert shown == {str(tier) for tier in Tier}
