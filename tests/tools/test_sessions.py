"""What happens between calls: drift, history across restarts, undo when files moved on, two editors."""

import threading

import pytest

from filewright import FilewrightError, Workspace
from filewright.changes.blobs import content_after, content_before
from filewright.changes.database import Database
from filewright.tools.sessions import MAX_COUNTED_CHANGES

OLD = "def alpha():\n    return 1\n\n\ndef beta():\n    value = compute(1)\n    return value\n\n\ndef gamma():\n    return 3\n"


def test_drift_applies_what_is_clean_and_says_so(root, workspace):
    (root / "f.py").write_text(OLD)
    workspace.read("f.py")
    (root / "f.py").write_text(
        OLD.replace(
            "    value = compute(1)\n",
            "    value = compute(1)\n    log(value)\n",
        )
    )
    result = workspace.edit(
        "f.py",
        [{"search": "def beta():\n    value = compute(1)\n    return value\n", "replace": "def beta(x):\n    value = compute(1)\n    return value\n"}],
    )  # fmt: skip
    assert result.data["tier"] == "drift"
    assert (root / "f.py").read_text() == OLD.replace(
        "def beta():", "def beta(x):"
    ).replace(
        "    value = compute(1)\n", "    value = compute(1)\n    log(value)\n"
    )


def test_drift_refuses_what_conflicts(root, workspace):
    (root / "f.py").write_text(OLD)
    workspace.read("f.py")
    theirs = OLD.replace("compute(1)", "compute(99)")
    (root / "f.py").write_text(theirs)
    with pytest.raises(FilewrightError) as caught:
        workspace.edit(
            "f.py",
            [
                {
                    "search": "    value = compute(1)\n",
                    "replace": "    value = compute(2)\n",
                }
            ],
        )
    assert caught.value.code in ("stale_version", "no_match")
    assert "compute(99)" in str(caught.value)
    assert (root / "f.py").read_text() == theirs


def test_without_having_shown_it_there_is_no_drift(root, workspace):
    (root / "f.py").write_text(OLD.replace("compute(1)", "compute(99)"))
    result = workspace.call(
        "edit_content",
        {
            "path": "f.py",
            "edits": [{"search": "    value = compute(1)\n", "replace": "x\n"}],
        },
    )
    assert result.code == "no_match"


def test_history_survives_a_restart(root, tmp_path):
    (root / "f").write_text("one\n")
    with Workspace(root, state_dir=tmp_path / "s") as first:
        first.edit("f", [{"search": "one", "replace": "two"}])
        first.write("new", "x")
    with Workspace(root, state_dir=tmp_path / "s") as second:
        assert [r.tool for r in second.history()] == [
            "write_content",
            "edit_content",
        ]
        second.undo()
        second.undo()
        assert (root / "f").read_text() == "one\n"
        assert not (root / "new").exists()
        with pytest.raises(FilewrightError):
            second.undo()


def test_undo_merges_with_what_came_later_or_refuses(root, workspace):
    lines = [f"line {n}\n" for n in range(20)]
    (root / "f").write_text("".join(lines))
    edit = workspace.edit("f", [{"search": "line 3\n", "replace": "LINE 3\n"}])
    (root / "f").write_text(
        (root / "f").read_text().replace("line 15\n", "someone else\n")
    )
    result = workspace.undo(edit.data["change_id"])
    assert (root / "f").read_text() == "".join(lines).replace(
        "line 15\n", "someone else\n"
    )
    assert "merge" in result.text

    edit = workspace.edit("f", [{"search": "line 3\n", "replace": "LINE 3\n"}])
    theirs = (root / "f").read_text().replace("LINE 3\n", "not yours\n")
    (root / "f").write_text(theirs)
    with pytest.raises(FilewrightError) as caught:
        workspace.undo(edit.data["change_id"])
    assert caught.value.code == "stale_version"
    assert (root / "f").read_text() == theirs
    workspace.run(
        "revert_edit", {"change_id": edit.data["change_id"], "force": True}
    )
    assert "line 3\n" in (root / "f").read_text()


def test_two_edits_and_an_undo_within_a_moment_have_ids_of_their_own(
    root, workspace
):
    (root / "f").write_text("0\n")
    ids = [
        workspace.edit(
            "f", [{"search": f"{n}\n", "replace": f"{n + 1}\n"}]
        ).data["change_id"]
        for n in range(30)
    ]
    assert ids == sorted(set(ids))
    for change in reversed(ids):
        workspace.undo(change)
    assert (root / "f").read_text() == "0\n"


def test_twenty_parallel_edits_of_one_file_all_land(root, workspace):
    (root / "f").write_text(
        "".join(f"slot {n:02} = empty\n" for n in range(20))
    )
    failures = []

    def edit(n: int) -> None:
        result = workspace.call(
            "edit_content",
            {
                "path": "f",
                "edits": [
                    {
                        "search": f"slot {n:02} = empty",
                        "replace": f"slot {n:02} = taken",
                    }
                ],
            },
        )
        if result.is_error:
            failures.append(result.text)

    threads = [threading.Thread(target=edit, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert (root / "f").read_text() == "".join(
        f"slot {n:02} = taken\n" for n in range(20)
    )


def test_a_session_is_seen_rewound_and_redone_from_the_library(root, tmp_path):
    (root / "f").write_bytes("".join(f"line {n}\n" for n in range(20)).encode())
    with (
        Workspace(root, state_dir=tmp_path / "s") as mine,
        Workspace(root, state_dir=tmp_path / "s") as other,
    ):
        mine.edit("f", [{"search": "line 3\n", "replace": "three\n"}])
        other.edit("f", [{"search": "line 15\n", "replace": "theirs\n"}])
        mine.edit("f", [{"search": "three\n", "replace": "drei\nvier\n"}])
        mine.write("new", "x\n")
        newest, older = mine.sessions().sessions
        assert (newest.changes, newest.undone, newest.files) == (3, 0, 2)
        assert (older.changes, older.added, older.removed) == (1, 1, 1)
        whole = mine.scope(session="current")
        net = mine.changed_files(whole)
        assert [
            (file.path, file.action, file.added, file.removed)
            for file in net.files
        ] == [
            ("f", "modified", 3, 2),
            ("new", "created", 1, 0),
        ]
        assert (
            "three" in net.files[0].diff
        )  # another has written in between: two diffs of one file
        assert mine.changed_files(whole, limit=1).next_offset == 1
        record = mine.record(whole)
        assert [entry.path.display_path for entry in record.file_changes] == [
            "f",
            "new",
        ]
        assert (
            content_before(record.file_changes[0])
            == "".join(f"line {n}\n" for n in range(20)).encode()
        )
        assert (
            content_after(record.file_changes[0]) == (root / "f").read_bytes()
        )
        preview = mine.revert_edit(session=newest.session, preview=True)
        assert preview.preview
        assert "-drei" in preview.diff
        assert "would be undone" in preview.text
        made = mine.revert_edit(session=newest.session)
        assert len(made.reverted) == 3
        assert (root / "f").read_text() == "".join(
            f"line {n}\n" for n in range(20)
        ).replace("line 15", "theirs")
        assert not (root / "new").exists()
        assert mine.sessions().sessions[0].undone == 3
        mine.redo()
        assert "drei\n" in (root / "f").read_text()
        with pytest.raises(FilewrightError) as caught:
            mine.redo()
        assert caught.value.code == "not_found"
        mine.restore("f", f"{older.last}")
        assert (root / "f").read_text() == "".join(
            f"line {n}\n" for n in range(20)
        ).replace("line 15", "theirs").replace("line 3\n", "three\n")
        assert (root / "new").exists()


def test_sessions_are_listed_without_reading_every_change(
    root, tmp_path, monkeypatch
):
    def rows_read(count):
        read = []
        real = Database.read

        def counted(database, *given, **named):
            rows = real(database, *given, **named)
            read.append(len(rows))
            return rows

        (root / "f").write_text("")
        with (
            Workspace(root, state_dir=tmp_path / str(count)) as mine,
            Workspace(root, state_dir=tmp_path / str(count)) as other,
            monkeypatch.context() as patch,
        ):
            for number in range(count):
                mine.write("f", f"{number}\n", mode="overwrite")
            other.write("g", f"{count}\n", mode="overwrite")
            other.undo()
            patch.setattr(Database, "read", counted)
            newest, older = other._changes.sessions()
            assert (older.changes, newest.changes) == (count, 2)
            assert (
                len(
                    other._changes.undone_numbers()
                    & other._changes.numbers_of_session(newest.name)
                )
                == 1
            )
            assert other._changes.list_undos()[0].reverts
        return sum(read)

    assert rows_read(20) == rows_read(60)


def test_the_list_of_sessions_counts_what_is_left_of_small_ones_only(
    root, tmp_path
):
    with (
        Workspace(root, state_dir=tmp_path / "state") as long,
        Workspace(root, state_dir=tmp_path / "state") as short,
    ):
        for number in range(MAX_COUNTED_CHANGES + 1):
            long.write(
                "f", f"{number}\n", mode="overwrite" if number else "create"
            )
        short.write("g", "1\n2\n")
        newest, older = short.sessions().sessions
    assert (newest.changes, newest.files, newest.added, newest.removed) == (
        1,
        1,
        2,
        0,
    )
    assert (older.changes, older.files, older.added, older.removed) == (
        MAX_COUNTED_CHANGES + 1,
        None,
        None,
        None,
    )


def test_a_session_for_which_there_is_no_time_is_listed_without_counts(
    root, tmp_path, monkeypatch
):
    monkeypatch.setattr("filewright.tools.sessions.COUNTING_SECONDS", 0)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        workspace.write("f", "1\n")
        (listed,) = workspace.sessions().sessions
    assert (listed.changes, listed.files, listed.added, listed.removed) == (
        1,
        None,
        None,
        None,
    )


def test_a_session_whose_name_is_no_text_is_not_there(workspace):
    for tool in ("get_history", "revert_edit"):
        assert workspace.call(tool, {"session": "\ud800"}).code == "not_found"
