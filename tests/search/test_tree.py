"""The search of a tree: its files and their order, page by page, with and without `rg`."""

import gzip
import itertools
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.boundary.names import quote
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import candidates as candidates_module
from filewright.search.pattern import compile_pattern
from filewright.search.searcher import Searcher
from filewright.search.tree import ResumePoint, TreeSearch
from filewright.search.tree_options import TreeOptions
from filewright.settings import Settings

ODD = "z\nnew\udcff.txt" if sys.platform != "win32" else "z\u00a0new.txt"
FILES = {
    "b.txt": b"foo\nbar foo\n",
    "a/deep/one.py": b"x = 1\r\nfoo = 2\r\n",
    "a/two.PY": b"nothing\n",
    "a.txt": "Das Füllhorn foo\n".encode("utf-16"),
    "c/latin.txt": "Stra\xdfe f\xfcr alle, foo\n".encode("latin-1") * 5,
    ".hidden/h.txt": b"foo\n",
    "-": b"foo\n",
    "--help": b"foo\n",
    "ignored.log": b"foo\n",
    ".git/config": b"foo\n",
    ".gitignore": b"*.log\nbuild/\n",
    "build/out.txt": b"foo\n",
    "picture.png": b"\x89PNG\r\n\x1a\n\0\0foo\0",
    "middle.txt": b"x" * 9000 + b"\0" + b"y" * 9000 + b" foo\n",
    ODD: b"foo\n",
}
WITH_FOO = [
    "-",
    "--help",
    ".hidden/h.txt",
    "a/deep/one.py",
    "a.txt",
    "b.txt",
    "c/latin.txt",
    "middle.txt",
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name, data in FILES.items():
        path = os.path.join(os.fsencode(root), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("foo outside\n")
    if sys.platform != "win32":
        (root / "link").symlink_to(tmp_path / "outside")
        (root / "link.txt").symlink_to(tmp_path / "outside" / "secret.txt")
        os.mkfifo(root / "pipe")
    return root


@pytest.fixture(params=["engine", "by hand"])
def searcher(request: pytest.FixtureRequest, tree: Path) -> Iterator[Searcher]:
    options = Settings(landlock=request.param == "engine")
    boundary = Boundary([tree], options)
    made = Searcher(boundary, options)
    yield made
    boundary.close()


def search(
    searcher: Searcher,
    pattern: str,
    *,
    where: str = ".",
    limit: int = 100,
    **options: object,
):
    wanted = {
        name: options.pop(name)
        for name in ("mode", "case", "multiline")
        if name in options
    }
    compiled = compile_pattern(pattern, **wanted)  # type: ignore[arg-type]
    found = TreeSearch(
        searcher,
        searcher.boundary.locate(where),
        compiled,
        TreeOptions(limit=limit, **options),  # type: ignore[arg-type]
    )
    rows = [
        (
            snapshot.location.display_path,
            found.count,
            [h.line for h in found.hits],
        )
        for snapshot, found in found
    ]
    return rows, found


def names(rows) -> list[str]:
    return [name for name, _, _ in rows]


def test_files_of_the_walk_in_path_order(searcher):
    rows, found = search(searcher, "foo")
    assert names(rows) == [*WITH_FOO, quote(os.fsencode(ODD))]
    assert {name: lines for name, _, lines in rows}["b.txt"] == [1, 2]
    assert found.complete
    assert found.resume is None
    walk = searcher.boundary.walk(
        searcher.boundary.locate("."), WalkOptions(kinds=["file"]), task=Task()
    )
    assert found.searched_count == sum(1 for _ in walk)
    assert (found.matched_count, found.hit_count) == (9, 14)


def test_counts_binary_files(searcher):
    rows, found = search(searcher, "foo")
    assert "picture.png" not in names(rows)
    assert found.binary == 1


def test_ignored_files(searcher):
    rows, _ = search(searcher, "foo", include_ignored=True)
    assert set(names(rows)) >= {"ignored.log", "build/out.txt"}
    assert ".git/config" not in names(rows)
    rows, _ = search(searcher, "foo", include_hidden=False)
    assert ".hidden/h.txt" not in names(rows)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"glob": "**/*.py"}, ["a/deep/one.py"]),
        ({"glob": "*.txt", "where": "c"}, ["c/latin.txt"]),
        ({"file_type": "python"}, ["a/deep/one.py"]),
        ({"file_type": "py"}, ["a/deep/one.py"]),
        ({"file_type": "no-such"}, None),
        ({"where": "a"}, ["a/deep/one.py"]),
        ({"where": "a/deep"}, ["a/deep/one.py"]),
    ],
)
def test_glob_type_and_folder(searcher, options, expected):
    if expected is None:
        with pytest.raises(FilewrightError) as caught:
            search(searcher, "foo", **options)
        assert caught.value.code is Code.INVALID_INPUT
        return
    rows, found = search(searcher, "foo", **options)
    assert names(rows) == expected
    assert found.complete


@pytest.mark.parametrize(
    "pattern", ["Straße", "STRASSE|straße", "stra.e f.r", "Füllhorn", "F.llh"]
)
def test_utf_16_and_legacy_encodings(searcher, pattern):
    rows, _ = search(searcher, pattern, mode="regex", case="insensitive")
    assert names(rows) == (["a.txt"] if "llh" in pattern else ["c/latin.txt"])


def test_multiline(searcher):
    rows, _ = search(searcher, r"1\nfoo", mode="regex", multiline=True)
    assert rows == [("a/deep/one.py", 1, [1])]


def test_files_counts_and_inverse(searcher):
    rows, found = search(searcher, "foo", output="counts")
    assert ("b.txt", 2, []) in rows
    assert found.complete
    rows, found = search(searcher, "foo", output="files", limit=3)
    assert (names(rows), found.complete) == (WITH_FOO[:3], False)
    assert found.resume == ResumePoint(searcher.boundary.locate(WITH_FOO[3]), 0)
    rows, _ = search(searcher, "foo", invert=True, glob="**/*.py")
    assert rows == [("a/deep/one.py", 1, [1])]
    assert names(search(searcher, "foo", invert=True)[0]) == [
        ".gitignore",
        "a/deep/one.py",
        "a/two.PY",
    ]


@pytest.mark.parametrize(
    "limit",
    [1, 2, *(pytest.param(limit, marks=pytest.mark.sweep) for limit in (3, 5))],
)
@pytest.mark.parametrize("output", ["matches", "files", "counts"])
def test_joined_pages_are_the_whole(searcher, limit, output, monkeypatch):
    monkeypatch.setattr(candidates_module, "BATCH_FILES", (2, 3))
    compiled = compile_pattern("foo")
    where = searcher.boundary.locate(".")

    def page(limit: int, resume: ResumePoint | None):
        found = TreeSearch(
            searcher,
            where,
            compiled,
            TreeOptions(limit=limit, output=output),
            resume,
        )
        rows = (
            [
                (snapshot.location.display_path, hit.offset)
                for snapshot, one in found
                for hit in (one.hits if output != "counts" else [one.count])
                if output != "counts"
            ]
            if output != "counts"
            else [
                (snapshot.location.display_path, one.count)
                for snapshot, one in found
            ]
        )
        return rows, found

    whole, _ = page(1000, None)
    rows: list[tuple[str, int]] = []
    resume: ResumePoint | None = None
    for _ in range(100):
        some, found = page(limit, resume)
        assert len(some) <= limit
        rows += some
        if found.complete:
            break
        resume = found.resume
        assert resume is not None
    assert rows == whole


def test_counts_unreadable_files(searcher, monkeypatch):
    opened = searcher.boundary.open_file

    def refuse(where):
        if where.name == b"b.txt":
            raise FilewrightError(Code.PERMISSION_DENIED, "cannot open b.txt")
        return opened(where)

    monkeypatch.setattr(searcher.boundary, "open_file", refuse)
    rows, found = search(searcher, "foo")
    assert found.unreadable == 1
    assert "b.txt" not in names(rows)


def test_repeated_search_has_facts_of_its_own(searcher):
    _, first = search(searcher, "foo")
    again = replace(first, task=Task())
    assert (again.complete, again.hit_count, again.binary) == (False, 0, 0)
    for _ in again:
        pass
    assert again.hit_count == first.hit_count
    assert again.binary == first.binary
    assert again.matched_files is not first.matched_files


def test_rg_that_cannot_start(searcher, monkeypatch):
    def refuse(*_arguments, **_options):
        raise FilewrightError(
            Code.INTERNAL, "the process that confines programs keeps dying"
        )

    monkeypatch.setattr(searcher.boundary.launcher, "start", refuse)
    rows, found = search(searcher, "foo")
    assert names(rows) == [*WITH_FOO, quote(os.fsencode(ODD))]
    assert found.complete


@pytest.mark.parametrize(
    "encoding", ["mac_greek", "kz1048", "koi8_t", "euc_jis_2004"]
)
def test_every_declared_encoding(searcher, tree, encoding):
    """`rg` goes ahead by the bytes that the text has in each of them."""
    text = {"mac_greek": "Ωμέγα", "kz1048": "Қазақ", "koi8_t": "Ҷавоб"}.get(
        encoding, "日本語"
    )
    (tree / "c" / "declared").write_bytes(
        f"# coding: {encoding}\n{text}\n".encode(encoding)
    )
    rows, found = search(searcher, text, case="sensitive")
    assert rows == [("c/declared", 1, [2])]
    assert found.complete


def test_file_that_is_deleted_meanwhile(searcher, tree):
    compiled = compile_pattern("foo")
    found = TreeSearch(
        searcher,
        searcher.boundary.locate("."),
        compiled,
        TreeOptions(limit=100),
    )
    seen = []
    for snapshot, _ in found:
        seen.append(snapshot.location.display_path)
        (tree / "b.txt").unlink(missing_ok=True)
    assert "b.txt" not in seen
    assert found.complete
    assert found.unreadable == 0


def test_names_long_compressed_files(searcher, tree):
    (tree / "a.gz").write_bytes(gzip.compress(b"foo\n"))
    found = TreeSearch(
        searcher,
        searcher.boundary.locate("."),
        compile_pattern("foo"),
        TreeOptions(limit=100, glob="a*"),
        max_compressed_bytes=4,
    )
    assert "a.gz" not in [
        snapshot.location.display_path for snapshot, _ in found
    ]
    assert found.complete
    assert [file.display_path for file in found.long_compressed_files] == [
        "a.gz"
    ]


def test_folder_replaced_by_a_link_outwards(searcher, tree):
    compiled = compile_pattern("foo")
    found = TreeSearch(
        searcher,
        searcher.boundary.locate("."),
        compiled,
        TreeOptions(limit=100),
    )
    seen = []
    for snapshot, _ in found:
        seen.append(snapshot.read(0, 100))
        if not (tree / "c").is_symlink():
            (tree / "c").rename(tree / "was")
            (tree / "c").symlink_to(tree.parent / "outside")
            (tree.parent / "outside" / "latin.txt").write_text("foo outside\n")
    assert not any(b"outside" in data for data in seen)


def test_cancels(searcher):
    task = Task()
    found = TreeSearch(
        searcher,
        searcher.boundary.locate("."),
        compile_pattern("foo"),
        TreeOptions(limit=100),
        task=task,
    )
    rows = iter(found)
    next(rows)
    task.cancel()
    with pytest.raises(FilewrightError) as caught:
        list(rows)
    assert caught.value.code is Code.CANCELLED


def test_ranks_similar_text_over_the_tree(searcher, tree):
    (tree / "m1.txt").write_text("def total_of_cart(items):\n")
    (tree / "m2.txt").write_text("\n\ndef total_of_carts(item):\n")
    similar = searcher.search_similar(
        searcher.boundary.locate("."),
        "def total_of_cart(items):",
        TreeOptions(limit=5),
        min_similarity=0.7,
    )
    assert [
        (located.location.display_path, located.hit.line)
        for located in similar.hits
    ] == [
        ("m1.txt", 1),
        ("m2.txt", 3),
    ]
    assert similar.hits[0].hit.score == 1.0
    assert similar.complete
    nothing = searcher.search_similar(
        searcher.boundary.locate("."),
        "entirely different words",
        TreeOptions(limit=5),
    )
    assert nothing.hits == ()


FOLDS = [
    "sSſ",
    "kK\u212a",
    "åÅ\u212b",
    "ßẞ",
    "σςΣ",
    "µμΜ",
    "ωΩ\u2126",
    "вВᲀ",
    "ǆǅǄ",
    "ᾳᾼ",
    "ꭰᎠ",
    "𐐨𐐀",
]


@pytest.mark.parametrize(
    ("encoding", "mode", "folds"),
    [
        # In the suite each encoding and mode has a part of the letters.
        pytest.param(encoding, mode, FOLDS[part::6], id=f"{encoding}-{mode}")
        for part, (encoding, mode) in enumerate(
            itertools.product(
                ["utf-8", "gb18030", "utf-16"], ["literal", "regex"]
            )
        )
    ]
    + [
        pytest.param(
            encoding,
            mode,
            FOLDS,
            id=f"{encoding}-{mode}-all",
            marks=pytest.mark.sweep,
        )
        for encoding in ("utf-8", "gb18030", "utf-16")
        for mode in ("literal", "regex")
    ],
)
def test_ignored_case_in_a_folder(tmp_path, encoding, mode, folds):
    boundary = Boundary([tmp_path], Settings())
    made = Searcher(boundary, Settings())
    for orbit in folds:
        text = "".join(f"中文 x{letter}y\n" for letter in orbit)
        (tmp_path / "a.py").write_bytes(
            f"# coding: {encoding}\n{text}".encode(encoding)
        )
        for letter in orbit:
            pattern = (
                f"x{letter}y"
                if mode == "literal"
                else f"x(?:{letter}|[{letter}])y"
            )
            rows, _ = search(made, pattern, mode=mode, case="insensitive")
            assert [count for _, count, _ in rows] == [len(orbit)], letter
    boundary.close()
