"""Lists of entries: sorted, bounded, continued by cursor, the same files that a search finds."""

import os

import pytest


@pytest.fixture
def tree(root):
    for n in range(700):
        place = root / f"d{n % 7}"
        place.mkdir(exist_ok=True)
        path = place / f"file{n:04}.txt"
        path.write_bytes(b"x" * (n * 37 % 501))
        os.utime(path, ns=(10**18, 10**18 + n * 7919 % 10_007 * 10**9))
    return root


@pytest.mark.parametrize("sort", ["name", "modified", "size"])
@pytest.mark.parametrize("limit", [50, 10_000])
def test_pages_hold_every_file_once_in_order(tree, workspace, sort, limit):
    found, cursor = [], None
    for _ in range(100):
        result = workspace.list_files(
            glob="**/*.txt",
            sort=sort,
            limit=limit,
            details=True,
            **({"cursor": cursor} if cursor else {}),
        )
        assert len(result.text) <= workspace.settings.page_chars
        found += result.data["entries"]
        cursor = result.data["next_cursor"]
        if cursor is None:
            break
    names = [entry["path"] for entry in found]
    assert len(names) == len(set(names)) == 700
    if sort == "name":
        assert names == sorted(names)
    elif sort == "size":
        assert [e["size"] for e in found] == sorted(
            (e["size"] for e in found), reverse=True
        )
    else:
        times = [os.stat(tree / name).st_mtime_ns for name in names]
        assert times == sorted(times, reverse=True)


def test_one_level_and_all_levels(tree, workspace):
    assert [e["path"] for e in workspace.list_files().data["entries"]] == [
        f"d{n}/" for n in range(7)
    ]
    assert (
        len(
            workspace.list_files(
                depth=0, limit=10_000, sort="name"
            ).text.splitlines()
        )
        > 300
    )


def test_kinds_and_odd_names(root, workspace):
    (root / "folder").mkdir()
    (root / "link").symlink_to("folder")
    os.mkfifo(root / "pipe")
    (root / b"bad\xff\nname".decode("utf-8", "surrogateescape")).write_bytes(
        b"inside"
    )
    text = workspace.list_files().text
    assert text.splitlines() == [
        '"bad\\377\\nname"',
        "folder/",
        "link -> folder",
        "pipe (fifo)",
    ]
    assert "inside" in workspace.read('"bad\\377\\nname"').text


def test_the_folder_is_told_empty(root, workspace):
    assert "(empty folder)" in workspace.list_files().text
    assert "(nothing matches)" in workspace.list_files(glob="*.none").text


@pytest.mark.parametrize("glob", ["../*", "a/../../*", "..", "{a,..}/*"])
def test_globs_cannot_climb_out(root, workspace, glob):
    assert workspace.call("list_files", {"glob": glob}).code in (
        "path_escape",
        "invalid_input",
    )
