"""The counts of damage by client, tool and kind, and healings below their edits."""

from __future__ import annotations

import json

from tests.recording.edit_client import BEFORE, DAMAGED, Client

from filewright.changes.model import ChangeRecord, format_change_id
from filewright.changes.selection import find_healed_edit, place_healings
from filewright.recording.damage import Damage, GuardSentence
from filewright.recording.guard_report import count_damage


def edit(
    number: int, *notes: str, client: str = "c", tool: str = "Edit"
) -> ChangeRecord:
    summary = f"{tool} a.txt"
    return ChangeRecord(
        number, "shell", summary, (), client=client, notes=notes
    )


def healing(number: int, of: int, *kinds: Damage) -> ChangeRecord:
    return ChangeRecord(
        number,
        "guard",
        str(GuardSentence("a: b.txt", kinds)),
        (),
        client="c",
        reverts=(format_change_id(of),),
        partial=True,
    )


def counts(*heads: ChangeRecord) -> list[tuple[str, str, str, int, int]]:
    newest_first = sorted(heads, key=lambda head: head.number, reverse=True)
    rows = []
    for count in count_damage(newest_first).counts:
        source = count.source
        rows.append(
            (
                source.client,
                source.tool,
                str(source.kind),
                count.healed,
                count.warned,
            )
        )
    return rows


def test_counts_by_client_tool_and_kind() -> None:
    warning = str(GuardSentence("b.txt", (Damage.SYMLINK,), "undo it"))
    assert counts(
        edit(1),
        healing(2, 1, Damage.LINE_ENDINGS, Damage.MODE),
        edit(3),
        healing(4, 3, Damage.LINE_ENDINGS),
        edit(5, warning, client="d", tool="Write"),
        edit(6, "any other note"),
    ) == [
        ("c", "Edit", "line-endings", 2, 0),
        ("c", "Edit", "mode", 1, 0),
        ("d", "Write", "symlink", 0, 1),
    ]


def test_counts_edits() -> None:
    report = count_damage(
        [healing(2, 1, Damage.LINE_ENDINGS, Damage.MODE), edit(1)]
    )
    assert (report.healed, report.warned) == (1, 0)


def test_edit_that_is_not_on_record() -> None:
    assert counts(healing(2, 1, Damage.MODE)) == [
        ("c", "unknown", "mode", 1, 0)
    ]


def test_places_healings_below_their_edits() -> None:
    heads = [healing(4, 2, Damage.MODE), edit(3), edit(2), healing(1, 0)]
    assert [record.number for record in place_healings(heads)] == [3, 2, 4, 1]
    assert [find_healed_edit(record) for record in heads] == [
        format_change_id(2),
        None,
        None,
        format_change_id(0),
    ]


def test_report_of_real_hooks(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    path = client.write("b.ini", BEFORE)
    client.options = ["--guard", "warn"]
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    rows = client.run("guard", "report", "--session", "last").splitlines()
    assert [row.split() for row in rows[:-1]] == [
        [
            "claude-code",
            "Edit",
            kind,
            "1",
            "healed,",
            "1",
            "only",
            "warned",
            "about",
        ]
        for kind in ("final-newline", "line-endings", "replaced-bytes")
    ]
    assert rows[-1] == "1 edit healed, 1 only warned about"
    report = json.loads(client.run("guard", "report", "--json"))
    assert (report["healed"], report["warned"]) == (1, 1)
    assert report["counts"][0]["client"] == "claude-code"


def test_report_of_nothing(client: Client) -> None:
    assert client.run("guard", "report") == "no damage is recorded\n"
