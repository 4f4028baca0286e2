"""Damaged requests against every tier, beside text that is nearly the same.

The true place and the true result are known. An applied edit must give that result; a refusal is always
right. A damaged request that says exactly what another place says is another request, and is left out.
"""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from tests.edit.damages import (
    DAMAGES,
    INDENTS,
    STYLES,
    block,
    changed,
    loosely,
    stands_in_one,
    twin,
)
from tests.examples import examples
from tests.files import named

from filewright.edit.model import Tier
from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import Code, FilewrightError
from filewright.text.splice import apply_splices

REFUSALS = {
    Code.NO_MATCH,
    Code.AMBIGUOUS_MATCH,
    Code.ALREADY_APPLIED,
    Code.NO_CHANGE,
    Code.INVALID_INPUT,
    Code.STALE_VERSION,
}


@examples(59, derandomize=True)
@given(
    seed=st.integers(0, 1 << 40),
    style=st.sampled_from(STYLES),
    damage=st.sampled_from(sorted(DAMAGES)),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_applies_the_true_change_or_refuses(
    seed: int, style: str, damage: str, ending: str
) -> None:
    rng = random.Random(seed)
    blocks = [block(rng, style) for _ in range(rng.randint(1, 3))]
    blocks += [twin(rng, rng.choice(blocks)) for _ in range(rng.randint(0, 3))]
    rng.shuffle(blocks)
    lines = [line for one in blocks for line in (*one, "")]
    start = rng.randrange(len(lines) - 1)
    count = rng.randint(1, min(9, len(lines) - start))
    region = lines[start : start + count]
    if not any(line.strip() for line in region):
        return
    wanted = changed(rng, region, style)
    search, new = DAMAGES[damage](rng, list(region), list(wanted), start + 1)
    asked = [loosely(line) for line in search if line.strip()]
    there = [
        (index, loosely(line))
        for index, line in enumerate(lines)
        if line.strip()
    ]
    keys = [key for _, key in there]
    if not asked:
        return  # blank text is taken literally, as `str.replace` would
    places = [
        at for at in range(len(keys)) if keys[at : at + len(asked)] == asked
    ]
    if damage.startswith("elision and") and stands_in_one(search, blocks):
        return  # all of it is said of one block, whichever was meant
    if places and damage.startswith("lines"):
        return  # as lines are alike, this one is of another stretch of them
    if any(
        there[at][0] < start or there[at + len(asked) - 1][0] >= start + count
        for at in places
    ):
        return  # what is asked for stands elsewhere as well as anything does
    own = [loosely(line) for line in region if line.strip()]
    if len(asked) < len(own) and (
        own[: len(asked)] == asked or own[-len(asked) :] == asked
    ):
        return  # all but a line at the edge: the request of fewer lines
    if damage == "characters twice" and any(
        Levenshtein.distance(
            "\n".join(asked),
            "\n".join(keys[at : at + len(asked)]),
            score_cutoff=1,
        )
        < 2
        for at in range(len(keys))
        if there[at][0] < start
        or there[min(at + len(asked), len(there)) - 1][0] >= start + count
    ):
        return  # the first of the two made it the text of another place
    file = ending.join([*lines, ""])
    text = "\n".join(search)
    if file.replace("\r\n", "\n").count(text) > 0 and text not in "\n".join(
        region
    ):
        return
    expected = ending.join(
        [*lines[:start], *wanted, *lines[start + count :], ""]
    )
    data = file.encode()
    name = f"a.{style}"
    asked_for = TextEdit(text + "\n", "\n".join(new) + ("\n" if new else ""))
    whole = ("\n".join(region), "\n".join(region) + "\n")
    try:
        planned = plan_edits(named(name, data), [asked_for])
    except FilewrightError as error:
        if error.code not in REFUSALS:
            raise
        return
    result = apply_splices(data, planned.splices).decode()
    accepted = [expected]
    if planned.outcomes[0].tier is Tier.EXACT and (
        text not in whole or damage in INDENTS
    ):
        # A part of the lines, or lines without an indent: what is taken literally is never repaired. Only where it
        # begins inside an indent may it be the lines that were meant.
        plain = "\n".join([*lines, ""])
        begins_line = (
            plain.find(text) == 0 or plain[plain.find(text) - 1] == "\n"
        )
        literal = ending.join(
            plain.replace(asked_for.search, asked_for.replace).split("\n")
        )
        accepted = [literal] if begins_line else [literal, expected]
    if planned.outcomes[0].notes:
        # Damage that the search text lacks may be meant, also where it makes another
        # search text of one that occurs: it is written as sent, and noted.
        accepted.append(
            ending.join([*lines[:start], *new, *lines[start + count :], ""])
        )
    first, *others = [
        [line.rstrip() for line in one.splitlines() if line.strip()]
        for one in (result, *accepted)
    ]
    assert first in others, (
        damage,
        planned.outcomes[0].tier,
        text,
        "\n".join(new),
    )
