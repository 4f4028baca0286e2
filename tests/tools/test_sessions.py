"""What happens between calls: drift, history across restarts, undo when files moved on, two editors."""

import pytest

from filewright import FilewrightError, Workspace
from filewright.changes.blobs import content_after, content_before
from filewright.changes.database import Database


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

    assert rows_read(8) == rows_read(24)


def test_the_list_of_sessions_counts_what_is_left_of_small_ones_only(
    root, tmp_path, monkeypatch
):
    monkeypatch.setattr("filewright.tools.sessions.MAX_COUNTED_CHANGES", 5)
    with (
        Workspace(root, state_dir=tmp_path / "state") as long,
        Workspace(root, state_dir=tmp_path / "state") as short,
    ):
        for number in range(6):
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
        6,
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
