"""Searches of files and trees: modes, pages, outputs, and files that are left out."""

from pathlib import Path

import pytest
from tests.tools.conftest import with_time

from filewright import Workspace
from filewright.tools.search import notes


@pytest.fixture
def tree(root):
    for folder in ("a", "b", "b/c"):
        (root / folder).mkdir()
    for n in range(30):
        place = root / ("a", "b", "b/c")[n % 3]
        (place / f"f{n:02}.py").write_text(
            f"class C{n}:\n    def m(self):\n        needle = {n}\n        return needle\n"
        )
    (root / "skipped.log").write_text("needle\n")
    (root / ".gitignore").write_text("*.log\n")
    (root / "data.bin").write_bytes(b"\0needle\0")
    return root


def pages(workspace, **arguments):
    """All pages of a search, each bounded."""
    cursor = None
    for _ in range(200):
        result = workspace.search(
            **arguments, **({"cursor": cursor} if cursor else {})
        )
        assert len(result.text) <= workspace.settings.page_chars
        yield result
        cursor = result.data["next_cursor"]
        assert result.data["complete"] == (cursor is None)
        if cursor is None:
            return
        assert cursor in result.text


@pytest.mark.parametrize("limit", [1, 7, 59, 60, 1000])
def test_pages_hold_every_hit_once(tree, workspace, limit):
    hits = [
        (hit["path"], hit["line"])
        for page in pages(workspace, pattern="needle", max_results=limit)
        for hit in page.data["results"]
    ]
    assert hits == sorted(hits)
    assert len(hits) == len(set(hits)) == 60


def test_counts_skipped_files(tree, workspace):
    result = workspace.search("needle", max_results=100)
    assert "1 binary file skipped" in result.text
    assert "skipped.log" not in result.text


@pytest.mark.parametrize(
    ("output", "row"), [("files", "a/f00.py"), ("counts", "a/f00.py: 2")]
)  # fmt: skip
def test_files_and_counts(tree, workspace, output, row):
    found = list(
        pages(workspace, pattern="needle", output=output, max_results=11)
    )
    listed = [entry["path"] for page in found for entry in page.data["files"]]
    assert len(listed) == len(set(listed)) == 30
    assert row in found[0].text.splitlines()


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"mode": "regex", "pattern": r"^b.r$"}, [2]),
        ({"mode": "regex", "pattern": r"FOO"}, [1]),
        ({"mode": "regex", "pattern": r"foo", "case": "insensitive"}, [1, 4]),
        ({"pattern": "foo"}, [1, 4]),
        ({"pattern": "Foo"}, []),
        ({"pattern": "oo", "whole_word": True, "case": "insensitive"}, []),
        ({"pattern": "foo", "invert": True}, [2, 3]),
        (
            {
                "mode": "regex",
                "pattern": r"o$",
                "invert": True,
                "case": "insensitive",
            },
            [2, 3],
        ),
        ({"mode": "regex", "pattern": r"bar\nbaz", "multiline": True}, [2]),
        ({"pattern": "bar\nbaz"}, [2]),
    ],
)
def test_modes(root, workspace, arguments, lines):
    (root / "f").write_bytes(b"FOO\r\nbar\r\nbaz\r\nfoo")
    result = workspace.run("search_content", {"path": "f", **arguments})
    assert [hit["line"] for hit in result.data["results"]] == lines


def test_replaces_at_beginning_of_file(root, workspace):
    for n in range(4):
        (root / f"p{n}.json").write_text(
            '{"version": 1,\n{"version": 1}\n' if n else '\n{"version": 1}\n'
        )
    found = workspace.search(
        pattern=r'\A\{"version": 1', mode="regex", output="counts"
    )
    assert "3 matching lines in 3 files" in found.text
    change = {
        "pattern": r'\A(\{\s*"version": )1',
        "replacement": "${1}2",
        "mode": "regex",
        "multiline": True,
    }
    workspace.call(
        "replace_content", {**change, "expected_count": 3, "preview": False}
    )
    assert (root / "p0.json").read_text() == '\n{"version": 1}\n'
    assert (root / "p3.json").read_text() == '{"version": 2,\n{"version": 1}\n'


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-8-sig"])
def test_encodings(root, workspace, encoding):
    (root / "f").write_bytes("Le café est prêt\nvoilà\n".encode(encoding))
    for arguments in (
        {"pattern": "prêt"},
        {"pattern": "pr.t", "mode": "regex"},
    ):
        assert [
            h["line"]
            for h in workspace.run("search_content", arguments).data["results"]
        ] == [1]


def test_catastrophic_pattern(root, workspace):
    (root / "f").write_text("a" * 50_000 + "\n")
    assert (
        workspace.search("(a+)+b", path="f", mode="regex").data["results"] == []
    )


@pytest.fixture
def parts_left_out(root):
    (root / "a.txt").write_text("alpha\n")
    (root / "b.py").write_text("beta\n")
    for folder, text in {"src": "alpha\n", "dist": "gamma\n"}.items():
        (root / folder).mkdir()
        (root / folder / "c.txt").write_text(text)
    (root / ".gitignore").write_text("dist\n")
    return root


@pytest.mark.parametrize(
    "named", [{"path": "src/c.txt"}, {"path": "src/c.txt", "mode": "fuzzy"}]
)
@pytest.mark.parametrize(
    ("chosen", "fits"),
    [
        ({"glob": "*.txt"}, True),
        ({"glob": "src/*.txt"}, True),
        ({"glob": "!*.py"}, True),
        ({"glob": "*.py"}, False),
        ({"glob": "!c*"}, False),
        ({"type": "txt"}, True),
        ({"type": "py"}, False),
    ],
)
def test_glob_and_type_of_named_file(
    parts_left_out, workspace, named, chosen, fits
):
    found = workspace.call(
        "search_content", {"pattern": "alpha", **named, **chosen}
    )
    assert [hit.path for hit in found.results] == (
        ["src/c.txt"] if fits else []
    )
    assert fits or found.text == ("no match\n[glob or type excludes src/c.txt]")


def test_glob_of_replaced_file(parts_left_out, workspace, contents):
    asked = {
        "pattern": "alpha",
        "replacement": "new",
        "path": "a.txt",
        "preview": False,
    }
    before = contents()
    refused = workspace.call("replace_content", {**asked, "glob": "*.py"})
    assert (refused.code, contents()) == ("no_match", before)
    assert "glob leaves out a.txt" in refused.text
    assert not workspace.call(
        "replace_content", {**asked, "glob": "*.txt"}
    ).is_error
    assert (parts_left_out / "a.txt").read_text() == "new\n"


@pytest.mark.parametrize(
    ("asked", "left_out"),
    [
        ({"pattern": "alpha", "glob": "*.py"}, (
            "files with matches left out by glob, type or ignore rules: "
            "a.txt, src/c.txt"
        )),
        ({"pattern": "alpha", "glob": "!{src,a*}"}, "left out by glob, type or ignore rules: a.txt, src/c.txt"),
        ({"pattern": "gamma"}, "left out by glob, type or ignore rules: dist/c.txt"),
        ({"pattern": "gamma", "include_ignored": True, "glob": "*.py"}, "left out by glob, type or ignore rules: "),
        ({"pattern": "zeta", "glob": "*.py"}, ""),
        ({"pattern": "zeta"}, ""),
    ],
)  # fmt: skip
def test_names_left_out_files(parts_left_out, workspace, asked, left_out):
    replacement = {**asked, "replacement": "new"}
    found = with_time(lambda: workspace.call("search_content", asked))
    refused = with_time(lambda: workspace.call("replace_content", replacement))
    assert found.text.startswith("no match\n")
    assert refused.code == "no_match"
    for text in (found.text, refused.text):
        assert left_out in text
        assert bool(left_out) == ("left out" in text)


def test_says_that_files_were_left_unsearched(
    parts_left_out: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notes, "LEFT_OUT_SECONDS", -1)
    asked = {"pattern": "gamma"}
    found = workspace.call("search_content", asked)
    refused = workspace.call("replace_content", {**asked, "replacement": "new"})
    for text in (found.text, refused.text):
        assert (
            "time ran out before all files left out by glob, type or ignore "
            "rules were searched" in text
        )


def test_without(root: Path, workspace: Workspace) -> None:
    """In literal and regex searches, of a file and a tree, however it is asked for."""
    log = "ERROR mailbox full\nERROR pool is empty\nINFO x\nERROR ERROR Mailbox Full\nERROR disk\n"
    (root / "a.log").write_bytes(log.replace("\n", "\r\n").encode())
    (root / "b.log").write_text("ERROR mailbox full")
    (root / "long.log").write_text(
        "ERROR "
        + "x" * 2_000_000
        + "\nERROR y mailbox full"
        + " z" * 500_000
        + "\n"
    )
    for path, mode, without, lines in [
        ("a.log", "literal", "mailbox full", [2, 5]),
        ("a.log", "regex", "mailbox f.*|disk$", [2]),
        ("a.log", "literal", "ERROR", []),
        ("b.log", "literal", "mailbox", []),
        (".", "literal", "mailbox full", [2, 5, 1]),
    ]:
        asked = {
            "pattern": "ERROR",
            "mode": mode,
            "without": without,
            "path": path,
        }
        found = workspace.call("search_content", asked).data
        assert [hit["line"] for hit in found["results"]] == lines, asked
        counted = workspace.call(
            "search_content", {**asked, "output": "counts"}
        ).data
        assert sum(file["count"] for file in counted["files"]) == len(lines)
        named = workspace.call(
            "search_content", {**asked, "output": "files"}
        ).data
        assert len(named["files"]) == len(
            {hit["path"] for hit in found["results"]}
        )
    for wrong in [
        {"mode": "fuzzy"},
        {"multiline": True},
        {"without": "(", "mode": "regex"},
    ]:
        made = workspace.call(
            "search_content", {"pattern": "ERROR", "without": "x", **wrong}
        )
        assert made.data["code"] == "invalid_input", wrong


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        pytest.param({}, "without: 2 lines left out", id="matches"),
        pytest.param({"max_results": 1}, "without: 2 lines left", id="page"),
        pytest.param({"output": "kinds"}, "without: 2 lines left", id="kinds"),
        pytest.param({"output": "files"}, "without: 2 lines left", id="files"),
        pytest.param(
            {"without": ["full", "o", "k"]},
            "1 file searched; without: 4 lines left out",
            id="no-match",
        ),
        pytest.param({"without": "x"}, "all shown; 1 file", id="none"),
    ],
)
def test_counts_without(
    root: Path, workspace: Workspace, arguments: dict[str, object], note: str
) -> None:
    (root / "a.log").write_text(
        "ERROR full\nERROR pool\nERROR disk\nERROR full, full\nINFO full\n"
    )
    call = {"pattern": "ERROR", "without": "full", **arguments}
    assert note in workspace.call("search_content", call).text


def test_each_pattern_names_left_out_files(parts_left_out, workspace):
    found = workspace.call(
        "search_content",
        {"patterns": ["alpha", "gamma", "delta"], "glob": "*.py"},
    )
    assert "rules: a.txt, src/c.txt]" in found.text
    assert "rules: dist/c.txt]" in found.text
    assert found.text.endswith("\nno match: 'delta'")
