"""Memory is bounded whatever the file, the line or the number of replacements: 64 MB beyond idle.

The peak of a real process is measured, and of every process it started.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.promises import outside
from tests.promises.outside import MB

try:
    from compression import zstd
except ImportError:
    from backports import zstd

ALLOWED = 64 * MB

MEASURED = r"""
import re, threading
def kilobytes(pid, row):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(row + r":\s+(\d+)", file.read())[1])
def words(pid):
    with open(f"/proc/{pid}/cmdline") as file:
        return file.read()
def family(pid):
    yield pid
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children") as file:
                for child in file.read().split():
                    yield from family(int(child))
        except (FileNotFoundError, ProcessLookupError):
            pass
def total(row):
    found = 0
    for pid in family(os.getpid()):
        try:
            found += kilobytes(pid, row)
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found
workspace = Workspace(given["work"], settings=Settings(state_dir=given["state"], call_seconds=600))
with open(os.path.join(given["work"], "warm.txt"), "w") as file:
    file.write("warm\n" * 100)
# What is loaded on first use is not the work's.
workspace.search("war.", ".", mode="regex")
workspace.search("warm", "warm.txt")
workspace.edit("warm.txt", [{"search": "warm", "replace": "hot", "start_line": 7}])
workspace.undo()
workspace.apply_patch("--- a/warm.txt\n+++ b/warm.txt\n@@ -1,2 +1,2 @@\n-warm\n+cold\n warm\n")
answers = []
peaks = []
for tool, arguments in given["calls"]:
    idle = total("VmRSS")
    for pid in family(os.getpid()):
        with open(f"/proc/{pid}/clear_refs", "w") as file:
            file.write("5")
    known, done, ended = set(family(os.getpid())), threading.Event(), [0]
    def look():
        # Of programs that end meanwhile what they allocate counts; what they map of files is the system's.
        while not done.wait(0.002):
            total_of = 0
            for pid in set(family(os.getpid())) - known:
                try:
                    # Until it is a program it has our memory, and our name.
                    if words(pid) != words(os.getpid()):
                        total_of += kilobytes(pid, "RssAnon")
                except (FileNotFoundError, ProcessLookupError, TypeError):
                    pass
            ended[0] = max(ended[0], total_of)
    looking = threading.Thread(target=look)
    looking.start()
    if tool == "undo":
        tool, arguments = "revert_edit", {"change_id": workspace.history(limit=1)[0].id, **arguments}
    answer = workspace.call(tool, arguments)
    done.set()
    looking.join()
    answers.append([answer.code, answer.text[:300]])
    peaks.append((total("VmHWM") - idle + ended[0]) * 1024)
say([answers, peaks])
"""


@pytest.fixture
def place() -> Iterator[Path]:
    with outside.folder() as folder:
        yield folder


def _within(
    place: Path, *calls: tuple[str, dict[str, Any]], allowed: int = ALLOWED
) -> list[str]:
    """Make the calls, none of which may fail or take more memory than allowed; their texts."""
    given = {"work": place / "work", "state": place / "state", "calls": calls}
    answers, peaks = outside.run(MEASURED, **given)
    for (tool, _), (code, text), peak in zip(
        calls, answers, peaks, strict=True
    ):
        assert code is None, f"{tool}: {text}"
        assert peak <= allowed, f"{tool} took {peak // MB} MB beyond idle"
    return [text for _, text in answers]


def _numbered(path: Path, thousands: int) -> None:
    """A file of so many thousand numbered lines of nine bytes."""
    thousand = b"".join(b"....." + b"%03d\n" % number for number in range(1000))
    with path.open("wb") as file:
        for number in range(thousands):
            file.write(thousand.replace(b".....", b"%05d" % number))


PATCH = "--- a/f.txt\n+++ b/f.txt\n@@ -10,3 +10,3 @@\n 00000009\n-00000010\n+NEW\n 00000011\n"
EDIT = (
    "edit_content",
    {"path": "f.txt", "edits": [{"search": "00000777\n", "replace": "x\n"}]},
)
UNDO = ("undo", {})


@pytest.mark.extra
def test_patching_reading_and_editing_a_file_of_47_mb_takes_little_memory(
    place: Path,
) -> None:
    _numbered(place / "work" / "f.txt", 5_300)
    patch = ("apply_patch", {"patch": PATCH})
    read = ("read_content", {"path": "f.txt", "start": 5_000_000, "limit": 3})
    _within(
        place,
        patch,
        UNDO,
        read,
        EDIT,
        UNDO,
        ("get_overview", {"path": "f.txt"}),
    )


REPLACE = (
    "replace_content",
    {
        "pattern": "7\n",
        "replacement": "seven\n",
        "path": "f.txt",
        "preview": False,
    },
)


def _replaced_and_undone(place: Path, thousands: int, allowed: int) -> None:
    _numbered(place / "work" / "f.txt", 10 * thousands)
    before = (place / "work" / "f.txt").read_bytes()
    _within(place, REPLACE, UNDO, allowed=allowed)
    assert (place / "work" / "f.txt").read_bytes() == before


@pytest.mark.extra
@pytest.mark.parametrize(
    ("thousands", "allowed"),
    [
        # A third of the memory, beside which ten thousand replacements may need little.
        (10, ALLOWED // 3),
        pytest.param(30, ALLOWED // 2, marks=pytest.mark.sweep),
        pytest.param(700, ALLOWED, marks=pytest.mark.sweep),
    ],
)
def test_undoing_thousands_of_replacements_takes_little_memory(
    place: Path, thousands: int, allowed: int
) -> None:
    _replaced_and_undone(place, thousands, allowed)


@pytest.mark.sweep
def test_replacing_in_every_line_takes_little_memory(place: Path) -> None:
    (place / "work" / "f.txt").write_bytes(b"7\n" * 400_000)
    _within(place, REPLACE)


REWRITTEN = """
with Workspace(given["work"], settings=Settings(state_dir=given["state"], flush=False)) as workspace:
    for word in given["words"]:
        for name in sorted(os.listdir(given["work"])):
            workspace.write(name, word * 1000, mode="overwrite")
say(None)
"""


@pytest.mark.sweep
def test_rewinding_a_hundred_thousand_changes_takes_little_memory(
    place: Path,
) -> None:
    for number in range(1_000):
        (place / "work" / f"{number}.txt").write_text("one\n" * 1000)
    given = {"work": place / "work", "state": place / "state"}
    outside.run(REWRITTEN, words=["two\n", "one\n"], **given)
    oldest = outside.lengthen_history(place / "state", 49)
    outside.run(REWRITTEN, words=["three\n"], **given)
    _within(place, ("revert_edit", {"since": f"{oldest}^"}))
    assert (place / "work" / "7.txt").read_text() == "one\n" * 1000


@pytest.mark.extra
@pytest.mark.parametrize(
    ("count", "allowed"),
    [
        (5, ALLOWED // 2),
        pytest.param(20, ALLOWED, marks=pytest.mark.sweep),
    ],
)
def test_searching_for_large_patterns_takes_little_memory(
    place: Path, count: int, allowed: int
) -> None:
    (place / "work" / "f.txt").write_bytes(b"ab " * 20_000)
    patterns = [rf"\pL{{{120 + number}}}\pN{{120}}" for number in range(count)]
    _within(
        place,
        (
            "search_content",
            {"patterns": patterns, "mode": "regex", "path": "f.txt"},
        ),
        allowed=allowed,
    )


def _one_line(path: Path, size: int) -> None:
    """A file of one line, with a word near its end."""
    block = b"0123456789abcdef " * (MB // 17)
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(block)
        file.write(b"needle" + b" tail" * 100 + b"\n")


def _long_line(place: Path, size: int, allowed: int = ALLOWED) -> None:
    _one_line(place / "work" / "f.txt", size)
    texts = _within(
        place,
        ("search_content", {"pattern": "needle", "path": "f.txt"}),
        (
            "search_content",
            {"pattern": "nee[d]le", "path": ".", "mode": "regex"},
        ),
        (
            "search_content",
            {"pattern": "needle", "path": ".", "output": "counts"},
        ),
        ("read_content", {"path": "f.txt", "limit": 1}),
        ("read_content", {"path": "f.txt", "line": 1, "column": size - 50}),
        (
            "edit_content",
            {
                "path": "f.txt",
                "edits": [{"search": "needle", "replace": "thread"}],
            },
        ),
        UNDO,
        (
            "replace_content",
            {
                "pattern": "needle",
                "replacement": "pin",
                "path": "f.txt",
                "preview": False,
            },
        ),
        allowed=allowed,
    )
    assert "needle" in texts[0]
    with (place / "work" / "f.txt").open("rb") as file:
        file.seek(-600, 2)
        assert b"pin tail" in file.read()


@pytest.mark.parametrize(
    ("size", "allowed"),
    [
        (40 * MB, ALLOWED // 2),
        pytest.param(140 * MB, ALLOWED, marks=pytest.mark.sweep),
    ],
)
def test_a_long_line_is_searched_read_and_edited_in_little_memory(
    place: Path, size: int, allowed: int
) -> None:
    _long_line(place, size, allowed)


@pytest.mark.sweep
@pytest.mark.big
def test_a_line_of_2_gb_is_searched_read_and_edited_in_little_memory(
    tmp_path: Path,
) -> None:
    (tmp_path / "work").mkdir()
    _long_line(tmp_path, 2048 * MB)


def _tree(work: Path, folders: int, files: int) -> None:
    for number in range(folders):
        folder = work / "tree" / f"{number // 70:03d}" / f"d{number}"
        folder.mkdir(parents=True)
        for file in range(files):
            (folder / f"f{file}").write_bytes(
                b"file %d of %d\n" % (file, number)
            )


def _moved_about(
    place: Path, folders: int, files: int, allowed: int = ALLOWED
) -> None:
    _tree(place / "work", folders, files)
    before = outside.contents(place / "work" / "tree")
    _within(
        place,
        ("delete_items", {"paths": ["tree"], "recursive": True}),
        UNDO,
        (
            "move_items",
            {
                "items": [{"source": "tree", "destination": "copy"}],
                "copy": True,
            },
        ),
        UNDO,
        ("move_items", {"items": [{"source": "tree", "destination": "moved"}]}),
        UNDO,
        allowed=allowed,
    )
    assert outside.contents(place / "work" / "tree") == before


@pytest.mark.extra
def test_a_tree_of_six_hundred_files_is_moved_about_in_little_memory(
    place: Path,
) -> None:
    _moved_about(place, 100, 6, ALLOWED // 5)


@pytest.mark.sweep
def test_a_tree_of_thirty_thousand_files_is_moved_about_in_little_memory(
    place: Path,
) -> None:
    _moved_about(place, 5000, 6)


def _undo_of(text: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """The undo of an answer, for a new process: memory that a call has let go serves the next one."""
    change = re.search(r"change (\w{13})\b", text)
    assert change is not None
    return "revert_edit", {"change_id": change[1], **arguments}


@pytest.mark.sweep
def test_replacing_in_thirty_thousand_files_takes_bounded_memory(
    place: Path,
) -> None:
    _tree(place / "work", 5000, 6)
    before = outside.contents(place / "work" / "tree")
    replacement = {
        "pattern": "file",
        "replacement": "FILE",
        "path": "tree",
        "preview": False,
        "max_files": 30_000,
    }
    (text,) = _within(place, ("replace_content", replacement))
    _within(place, _undo_of(text))
    assert outside.contents(place / "work" / "tree") == before


@pytest.mark.sweep
def test_deleting_a_hundred_thousand_files_takes_little_memory(
    place: Path,
) -> None:
    _tree(place / "work", 16_667, 6)
    delete = {"paths": ["tree"], "recursive": True}
    (text,) = _within(place, ("delete_items", delete))
    assert not (place / "work" / "tree").exists()
    # One MB more than the goal: the nodes of all files are held together.
    _within(place, _undo_of(text, preview=True), allowed=70 * MB)


@pytest.mark.extra
def test_an_ignore_file_of_four_hundred_thousand_lines_takes_little_memory(
    place: Path,
) -> None:
    (place / "work" / ".gitignore").write_text("a\n" * 400_000)
    for number in range(3):
        (place / "work" / f"f{number}.txt").touch()
    listing = ("list_files", {"path": ".", "depth": 0})
    _within(place, listing, listing)


@pytest.mark.extra
def test_a_fuzzy_search_of_a_large_file_takes_little_memory(
    place: Path,
) -> None:
    _numbered(place / "work" / "f.txt", 2_000)
    _within(
        place,
        (
            "search_content",
            {"pattern": "0012x456", "path": "f.txt", "mode": "fuzzy"},
        ),
    )


_OF_15_MB = 125_000
"""Lines of 120 bytes."""


def _many_files(place: Path, count: int) -> None:
    """One line at the end of each of `count` files of 15 MB: patched, edited, replaced, appended to, read, undone."""
    line = "x" * 119
    for number in range(count):
        with open(place / "work" / f"f{number}.txt", "w") as file:
            file.write(f"{line}\n" * _OF_15_MB)
            file.write("one\n")
    names = [f"f{number}.txt" for number in range(count)]
    hunk = f"@@ -{_OF_15_MB},2 +{_OF_15_MB},2 @@\n {line}\n-one\n+two\n"
    patch = "".join(f"--- a/{name}\n+++ b/{name}\n{hunk}" for name in names)
    edits = [
        {"path": name, "search": "two", "replace": "three"} for name in names
    ]
    added = [
        {"path": name, "content": "end\n", "mode": "append"} for name in names
    ]
    _within(
        place,
        ("apply_patch", {"patch": patch, "preview": True}),
        ("apply_patch", {"patch": patch}),
        ("edit_content", {"edits": edits}),
        (
            "replace_content",
            {"pattern": "three", "replacement": "four", "preview": False},
        ),
        ("write_content", {"items": added}),
        ("undo", {"preview": True}),
        UNDO,
        ("read_content", {"paths": names, "start": _OF_15_MB // 2, "limit": 2}),
    )


@pytest.mark.extra
@pytest.mark.parametrize(
    "count", [5, *(pytest.param(n, marks=pytest.mark.sweep) for n in (8, 40))]
)
def test_files_of_15_mb_are_changed_in_one_call_in_little_memory(
    place: Path, count: int
) -> None:
    _many_files(place, count)


ZSTD_LONG = {
    zstd.CompressionParameter.compression_level: 3,
    zstd.CompressionParameter.window_log: 25,
}
PACKED: dict[str, Callable[..., Any]] = {
    "gz": partial(gzip.open, compresslevel=1),
    "zst": partial(zstd.open, options=ZSTD_LONG),
    "xz": partial(lzma.open, preset=1),
    "bz2": partial(bz2.open, compresslevel=1),
}


def _packed(place: Path, suffix: str, size: int, members: int) -> None:
    """A log of some members, each of numbered JSON lines, with a word in its middle."""
    path = place / "work" / f"f.{suffix}"
    block = b"".join(
        b'{"n":%07d,"k":"%07x"}\n' % (number, number * 7919 % 268435399)
        for number in range(9_000)
    )
    blocks = size // members // len(block)
    with path.open("wb") as file:
        for member in range(members):
            part = place / "part"
            with PACKED[suffix](part, mode="wb") as packed:
                packed.write(block * (blocks // 2))
                packed.write(b"needle %d\n" % member)
                packed.write(block * (blocks - blocks // 2))
            file.write(part.read_bytes())


@pytest.mark.extra
@pytest.mark.parametrize(
    ("suffix", "size", "members"),
    [
        ("zst", 20 * MB, 10),
        *(
            pytest.param(name, 300 * MB, count, marks=pytest.mark.sweep)
            for name in PACKED
            for count in (1, 60)
        ),
    ],
)
def test_reading_compressed_logs_takes_little_memory(
    place: Path, suffix: str, size: int, members: int
) -> None:
    _packed(place, suffix, size, members)
    name = f"f.{suffix}"
    texts = _within(
        place,
        ("search_content", {"path": name, "pattern": "needle"}),
        ("search_content", {"path": name, "where": {"n": ">8998"}}),
        ("read_content", {"path": name, "mode": "tail", "limit": 5}),
        ("read_content", {"path": name, "start": 9_000, "limit": 5}),
        ("get_overview", {"path": name}),
        (
            "search_content",
            {"path": name, "pattern": "(?i)NEED.E", "mode": "regex"},
        ),
    )
    assert "needle 0" in texts[0]
