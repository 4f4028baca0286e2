"""Which undos, and which changes, are in effect; the changes of one prompt."""

from __future__ import annotations

import pytest

from filewright.changes.model import ChangeRecord, format_change_id
from filewright.changes.selection import (
    PROMPT_PAUSE_SECONDS,
    find_effective,
    find_effective_undos,
    find_undone,
    group_by_prompt,
)

_SECOND = 10**9


def _id(number: int) -> str:
    return format_change_id(number)


def _change(
    number: int,
    *reverts: int,
    partial: bool = False,
    session: str | None = None,
    turn: str | None = None,
    client: str | None = None,
) -> ChangeRecord:
    return ChangeRecord(
        number,
        "tool",
        "",
        (),
        session=session,
        turn=turn,
        client=client,
        reverts=tuple(map(_id, reverts)),
        partial=partial,
    )


_HEADS = {
    "a change": ([_change(1)], {}),
    "undone": ([_change(2, 1), _change(1)], {1: 2}),
    "undone and redone": ([_change(3, 2), _change(2, 1), _change(1)], {2: 3}),
    "undone again": (
        [_change(4, 3), _change(3, 2), _change(2, 1), _change(1)],
        {3: 4, 1: 2},
    ),
    "several at once": (
        [_change(3, 2, 1), _change(2), _change(1)],
        {2: 3, 1: 3},
    ),
    "undone in part": ([_change(2, 1, partial=True), _change(1)], {}),
}


@pytest.mark.parametrize("case", _HEADS)
def test_finds_undone(case: str) -> None:
    heads, undone = _HEADS[case]
    assert find_undone(heads) == {
        _id(old): _id(undo) for old, undo in undone.items()
    }
    effective = [undo.number for undo in find_effective_undos(heads)]
    assert effective == sorted(set(undone.values()), reverse=True)


@pytest.mark.parametrize(
    ("undos", "chosen", "effective"),
    [
        pytest.param([], [1, 2], [1, 2], id="no undo"),
        pytest.param([_change(3, 1)], [1, 2], [2], id="undone by others"),
        pytest.param([_change(3, 1)], [1, 2, 3], [2], id="undo cancels out"),
        pytest.param(
            [_change(3, 1)], [2, 3], [2, 3], id="undo of an earlier change"
        ),
        pytest.param(
            [_change(4, 1, 2)], [2, 4], [2, 4], id="undo of more than chosen"
        ),
        pytest.param(
            [_change(5, 2), _change(4, 1)],
            [1, 2, 3, 4, 5],
            [3],
            id="two undos cancel out",
        ),
    ],
)
def test_finds_effective(
    undos: list[ChangeRecord], chosen: list[int], effective: list[int]
) -> None:
    found = find_effective(undos, [_id(number) for number in chosen])
    assert found == {_id(number) for number in effective}


@pytest.mark.parametrize(
    ("records", "groups"),
    [
        pytest.param(
            [_change(3, turn="b"), _change(2, turn="a"), _change(1, turn="a")],
            [[3], [2, 1]],
            id="by turn",
        ),
        pytest.param(
            [
                _change(4, session="x", turn="a"),
                _change(3, session="y", turn="a"),
                _change(2, session="x", turn="a"),
            ],
            [[4, 2], [3]],
            id="each session apart",
        ),
        pytest.param(
            [_change(2), _change(1, turn="a")],
            [[2], [1]],
            id="turn known of one",
        ),
    ],
)
def test_groups_by_prompt(
    records: list[ChangeRecord], groups: list[list[int]]
) -> None:
    found = [
        [record.number for record in group]
        for group in group_by_prompt(records)
    ]
    assert found == groups


@pytest.mark.parametrize(
    ("seconds", "count"),
    [(PROMPT_PAUSE_SECONDS, 1), (PROMPT_PAUSE_SECONDS + 1, 2)],
    ids=["a pause", "a long pause"],
)
def test_long_pause_begins_prompt(seconds: int, count: int) -> None:
    records = [_change(1 + seconds * _SECOND), _change(1)]
    assert len(group_by_prompt(records)) == count
    in_turn = [
        _change(1 + seconds * _SECOND, turn="a"),
        _change(1, turn="a"),
    ]
    assert len(group_by_prompt(in_turn)) == 1


def test_clients_with_one_session_name_have_a_session_each() -> None:
    claude, cursor = "claude-code 2.1", "cursor-vscode 3"
    records = [
        _change(6, session="s", turn="t", client=cursor),
        _change(5, session="s", turn="t", client="claude-code"),
        _change(4, session="s", turn="t", client=cursor),
        _change(3, session="s", turn="t"),
        _change(2, session="s", turn="t", client=claude),
        _change(1, session="other", turn="t"),
        _change(0, session="other", turn="t", client="codex"),
    ]
    groups = group_by_prompt(records)
    assert [[record.number for record in group] for group in groups] == [
        [6, 4, 3],
        [5, 2],
        [1, 0],
    ]
