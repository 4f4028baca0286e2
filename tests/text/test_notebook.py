"""Notebooks: read by their cells, and edited inside the strings of their sources."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.samples import one_in

from filewright import Workspace
from filewright.boundary.boundary import Boundary
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text import splice
from filewright.text.notebook import NotebookView, view_cells, view_if_notebook
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

nbformat = pytest.importorskip("nbformat")

IMAGE = base64.b64encode(b"\x89PNG" * 300).decode()


def notebook(*cells: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "cells": list(cells),
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
        **more,
    }


def code(
    source: Any, identifier: str = "one", outputs: tuple[Any, ...] = ()
) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": identifier,
        "metadata": {},
        "outputs": list(outputs),
        "source": source,
    }


def markdown(source: Any, identifier: str = "text") -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": identifier,
        "metadata": {},
        "source": source,
    }


IMAGE_OUTPUT = {
    "data": {"image/png": IMAGE, "text/plain": ["<1>"]},
    "metadata": {},
    "output_type": "display_data",
}
EXAMPLE = notebook(
    markdown(["# Title\n", 'with "quotes" and \\ and é'], "title"),
    code(
        ["import os\n", "x = 1\n", 'print("x =", x)'], "first", (IMAGE_OUTPUT,)
    ),
    code("y = 2\nz = 3", "second"),
    code([], "empty"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Any:
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        yield workspace


def write(root: Path, content: Any, indent: int | None = 1) -> Path:
    path = root / "n.ipynb"
    text = (
        content
        if isinstance(content, str)
        else json.dumps(content, indent=indent, ensure_ascii=False)
    )
    path.write_text(text)
    return path


def sources(path: Path) -> list[str]:
    return [
        "".join(cell["source"])
        for cell in json.loads(path.read_text())["cells"]
    ]


def test_reads_cells(root: Path, workspace: Workspace) -> None:
    write(root, EXAMPLE)
    text = workspace.call("read_content", {"path": "n.ipynb"}).text
    assert "\n1\t# %% cell 1: markdown, id title\n2\t# Title\n" in text
    assert '\n3\twith "quotes" and \\ and é\n' in text
    assert "# %% cell 2: code, id first, 1 output of" in text
    assert IMAGE[:50] not in text
    assert "nbformat" not in text
    assert (
        "cells"
        in workspace.call(
            "read_content", {"path": "n.ipynb", "encoding": "utf-8"}
        ).text
    )


def test_search_shows_cell_and_line(root: Path, workspace: Workspace) -> None:
    write(root, EXAMPLE)
    for arguments in ({"path": "n.ipynb"}, {"path": "."}):
        found = workspace.call(
            "search_content", {"pattern": 'print("x', **arguments}
        )
        assert "[cell 2 (first), line 3]" in found.text
        assert found.data["results"][0]["line"] == 7
        assert not workspace.call(
            "search_content", {"pattern": "markdown", **arguments}
        ).data["results"]
        assert not workspace.call(
            "search_content", {"pattern": IMAGE[:20], **arguments}
        ).data["results"]


EDITS = [
    ("x = 1", "x = 10", None),
    ("x = 1\n", "x = 1\nw = 2\n", None),
    ("import os\nx = 1", "import sys", None),
    ('print("x =", x)', 'print("é", "\\n", x)\nmore()', None),
    ("y = 2\n", "", None),
    ("z = 3", "z = 3\nq = 4", None),
    ("with", "with\n\n", None),
    ("= ", "=\t", "first"),
    ("z = 3", "", "second"),
    ("# Title", "# Tïtle 𝄞", "1"),
]


EDIT_IDS = [
    "part-of-line",
    "new-line",
    "joined-lines",
    "escapes",
    "deleted-line",
    "appended-line",
    "empty-lines",
    "replace-all",
    "emptied-line",
    "surrogate-pair",
]


@pytest.mark.parametrize("indent", [1, None, 4])
@pytest.mark.parametrize(("search", "replace", "cell"), EDITS, ids=EDIT_IDS)
def test_edit_changes_one_source(
    root: Path,
    workspace: Workspace,
    search: str,
    replace: str,
    cell: str | None,
    indent: int | None,
) -> None:
    path = write(root, EXAMPLE, indent)
    before, was = path.read_bytes(), sources(path)
    edit = {
        "search": search,
        "replace": replace,
        "replace_all": cell == "first",
    }
    arguments = {
        "path": "n.ipynb",
        "edits": [edit],
        **({"cell": cell} if cell else {}),
    }
    answer = workspace.call("edit_content", arguments)
    assert not answer.is_error, answer.text
    chosen = {"first": 1, "second": 2, "1": 0}.get(cell or "")
    for index, (old, new) in enumerate(zip(was, sources(path), strict=True)):
        assert new == (
            old.replace(search, replace) if chosen in (None, index) else old
        )
    nbformat.validate(nbformat.reads(path.read_text(), as_version=4))
    after = path.read_bytes()
    index = next(
        i
        for i, (old, new) in enumerate(zip(was, sources(path), strict=True))
        if old != new
    )
    assert before.split(b'"source"')[0] == after.split(b'"source"')[0]
    assert (
        before[before.rindex(b'"metadata"') :]
        == after[after.rindex(b'"metadata"') :]
    )
    assert (
        json.loads(before)["cells"][index - 1]
        == json.loads(after)["cells"][index - 1]
        or index == 0
    )
    workspace.undo()
    assert path.read_bytes() == before


def test_inserts_lines(root: Path, workspace: Workspace) -> None:
    path = write(root, EXAMPLE)
    for line, text in ((8, "last = 1"), (13, "filled = 1\nfilled += 1")):
        edit = {"search": "", "replace": text, "start_line": line}
        answer = workspace.call(
            "edit_content", {"path": "n.ipynb", "edits": [edit]}
        )
        assert not answer.is_error, answer.text
    made = sources(path)
    assert made[1].endswith('print("x =", x)\nlast = 1')
    assert made[3] == "filled = 1\nfilled += 1\n"
    nbformat.validate(nbformat.reads(path.read_text(), as_version=4))


REFUSED = [
    ({"search": "# %% cell 2: code", "replace": "x"}, {}, "invalid_input"),
    ({"search": "x = 1", "replace": "x"}, {"cell": "nothing"}, "not_found"),
    ({"search": "x = 1", "replace": "x"}, {"cell": "9"}, "not_found"),
    ({"search": "x = 1", "replace": "x"}, {"cell": "second"}, "no_match"),
]


@pytest.mark.parametrize(
    ("edit", "arguments", "error"),
    REFUSED,
    ids=["heading", "unknown-id", "unknown-number", "other-cell"],
)
def test_refuses_edit_outside_source(
    root: Path,
    workspace: Workspace,
    edit: dict[str, Any],
    arguments: dict[str, Any],
    error: str,
) -> None:
    path = write(root, EXAMPLE)
    before = path.read_bytes()
    assert (
        workspace.call(
            "edit_content", {"path": "n.ipynb", "edits": [edit], **arguments}
        ).code
        == error
    )
    assert path.read_bytes() == before


def test_refuses_repeated_id(root: Path, workspace: Workspace) -> None:
    write(root, notebook(code(["a = 1"], "same"), code(["a = 2"], "same")))
    edit = {"path": "n.ipynb", "edits": [{"search": "a", "replace": "b"}]}
    refused = workspace.call("edit_content", {**edit, "cell": "same"})
    assert refused.code == "ambiguous_match"
    assert "1, 2" in refused.text
    assert not workspace.call("edit_content", {**edit, "cell": "2"}).is_error


def test_edits_json_outside_cells(root: Path, workspace: Workspace) -> None:
    path = write(root, EXAMPLE)
    edit = {"search": '"nbformat_minor": 5', "replace": '"nbformat_minor": 4'}
    assert not workspace.call(
        "edit_content", {"path": "n.ipynb", "edits": [edit]}
    ).is_error
    assert json.loads(path.read_text())["nbformat_minor"] == 4


OTHER_FILES = {
    "no-json": "x = 1\n",
    "cut-off": json.dumps(EXAMPLE)[:-3],
    "something-behind": json.dumps(EXAMPLE) + "}",
    "an-array": "[1, 2]",
    "no-cells": '{"nbformat": 4}',
    "an-old-format": json.dumps(
        {"nbformat": 3, "worksheets": [{"cells": []}], "cells": []}
    ),
    "cells-twice": '{"cells": [], "cells": [], "nbformat": 4}',
    "a-source-twice": '{"cells": [{"cell_type": "code", "source": "x", "source": "y"}], "nbformat": 4}',
    "no-source-in-strings": '{"cells": [{"cell_type": "code", "source": [1]}], "nbformat": 4}',
    "a-bad-escape": '{"cells": [{"cell_type": "code", "source": "\\x"}], "nbformat": 4}',
    "nested-deeply": '{"metadata": '
    + "[" * 5000
    + "]" * 5000
    + ', "cells": [], "nbformat": 4}',
    "brackets-crossed": '{"metadata": [{]}, "cells": [], "nbformat": 4}',
    "empty": "",
}


@pytest.mark.parametrize("content", OTHER_FILES.values(), ids=OTHER_FILES)
def test_shows_other_files_as_text(
    root: Path, workspace: Workspace, content: str
) -> None:
    path = write(root, content)
    answer = workspace.call("read_content", {"path": "n.ipynb"})
    assert not answer.is_error
    assert "# %%" not in answer.text
    assert not workspace.call(
        "search_content", {"pattern": "zzz", "path": "n.ipynb"}
    ).is_error
    assert path.read_text() == content


TEXTS = st.text(st.sampled_from('ab"\\\n\té€𝄞\u2028/ \r\x7f'), max_size=12)


@st.composite
def notebooks(draw: st.DrawFn) -> tuple[bytes, list[str]]:
    """Draw a notebook in the style of any program, and the texts of its cells."""
    cells, texts = [], []
    for number in range(draw(st.integers(1, 4))):
        lines = draw(st.lists(TEXTS, max_size=4))
        source: Any = "".join(lines) if draw(st.booleans()) else lines
        cells.append(
            code(source, f"c{number}", (IMAGE_OUTPUT,))
            if draw(st.booleans())
            else markdown(source, f"c{number}")
        )
        texts.append("".join(lines))
    text = json.dumps(
        notebook(*cells),
        indent=draw(st.sampled_from([None, 1, 4])),
        ensure_ascii=draw(st.booleans()),
    )
    return text.encode(), texts


def open_view(tmp: Path, content: bytes) -> tuple[NotebookView, Boundary]:
    (tmp / "n.ipynb").write_bytes(content)
    boundary = Boundary([tmp], Settings())
    where = boundary.locate("n.ipynb")
    view = view_if_notebook(
        Snapshot.of_file(boundary.open_file(where), where, Settings())
    )
    assert isinstance(view, NotebookView)
    return view, boundary


@examples(25)
@given(data=st.data())
def test_edit_changes_no_other_byte(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content, texts = data.draw(notebooks())
    view, boundary = open_view(tmp_path_factory.mktemp("n"), content)
    with boundary.roots[0].folder, view:
        assert [view.cell_text(cell).decode() for cell in view.cells] == texts
        number = data.draw(st.integers(0, len(texts) - 1))
        cell, text = view.cells[number], texts[number]
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        new = data.draw(TEXTS)
        view_start = cell.start + len(text[:start].encode())
        view_length = len(text[start:end].encode())
        edit = Splice(view_start, view_length, new.encode())
        (file_splice,) = view.to_file_splices([edit])
        after = splice.apply_splices(content, [file_splice])
    expected = [*texts]
    expected[number] = text[:start] + new + text[end:]
    parsed = json.loads(after)
    assert ["".join(cell["source"]) for cell in parsed["cells"]] == expected
    nbformat.validate(nbformat.reads(after.decode(), as_version=4))
    # Outside of the splice nothing changes, and it lies in the strings of the source.
    previous = json.loads(content)
    for document in (previous, parsed):
        document["cells"][number].pop("source")
    assert previous == parsed
    if cell.literals:
        assert cell.literals[0][0] <= file_splice.offset
        assert file_splice.end <= cell.literals[-1][1]
    unchanged = content[: file_splice.offset], content[file_splice.end :]
    assert after == file_splice.replacement.join(unchanged)


def test_edits_large_notebook(root: Path, workspace: Workspace) -> None:
    images = ({**IMAGE_OUTPUT, "data": {"image/png": "A" * (6 << 20)}},) * 8
    path = write(
        root,
        notebook(
            code(["a = 1\n", "b = 2"], "first", images), code(["c = 3"], "last")
        ),
    )
    text = workspace.call("read_content", {"path": "n.ipynb"}).text
    assert "8 outputs of 50,33" in text
    edit = {"search": "c = 3", "replace": "c = 4"}
    assert not workspace.call(
        "edit_content", {"path": "n.ipynb", "edits": [edit]}
    ).is_error
    assert sources(path) == ["a = 1\nb = 2", "c = 4"]


def test_checks_task_while_scanning() -> None:
    checks = 0

    class CountingTask(Task):
        def check(self) -> None:
            nonlocal checks
            checks += 1

    content = json.dumps(notebook(*[code(["x = 1\n"] * 20)] * 5000)).encode()
    view = view_cells(Snapshot(content), CountingTask())
    assert isinstance(view, NotebookView)
    assert len(view.cells) == 5000
    assert checks > len(content) // (100 << 10)


@pytest.mark.parametrize("path", [".", "n.ipynb"])
def test_replace_changes_sources_only(
    root: Path, workspace: Workspace, path: str
) -> None:
    notebook = {
        "cells": [
            {"cell_type": "code", "id": "code", "metadata": {"code": 1}, "outputs": ["code"],
             "execution_count": None, "source": ['print("code")\n', "a = code"]},
            {"cell_type": "markdown", "id": "m", "metadata": {}, "source": "# code"},
        ],
        "metadata": {"code": "code"}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    (root / "n.ipynb").write_text(json.dumps(notebook, indent=1))
    before = (root / "n.ipynb").read_text()
    asked = {"pattern": "code", "replacement": 'new "kode"', "path": path}
    found = workspace.call(
        "search_content", {"pattern": "code", "path": path}
    ).data
    preview = workspace.call("replace_content", asked)
    assert preview.text.startswith("3 matches in 1 file would be replaced"), (
        preview.text
    )
    assert len(found["results"]) == 3
    made = workspace.call(
        "replace_content", {**asked, "preview": False, "expected_count": 3}
    )
    assert not made.is_error, made.text
    after = json.loads((root / "n.ipynb").read_text())
    assert after["cells"][0].pop("source") == [
        'print("new "kode"")\n',
        'a = new "kode"',
    ]
    assert after["cells"][1].pop("source") == '# new "kode"'
    for cell in notebook["cells"]:
        del cell["source"]
    assert after == notebook
    workspace.undo()
    assert (root / "n.ipynb").read_text() == before


def test_edits_name_their_cells(root: Path, workspace: Workspace) -> None:
    lines = ["rate = 1\\n", "rows = 2"]
    cells = [
        {
            "cell_type": "code",
            "id": name,
            "metadata": {},
            "outputs": [],
            "source": lines,
        }
        for name in "abc"
    ]
    (root / "n.ipynb").write_text(
        json.dumps(
            {"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
        )
    )
    (root / "a.py").write_text("rate = 1\n")
    edits = [
        {"path": "a.py", "search": "rate = 1", "replace": "rate = 5"},
        {
            "path": "n.ipynb",
            "cell": "b",
            "search": "rate = 1",
            "replace": "rate = 5",
        },
        {
            "path": "n.ipynb",
            "cell": "b",
            "search": "rows = 2",
            "replace": "rows = 6",
        },
    ]
    workspace.run("edit_content", {"edits": edits})
    assert (root / "a.py").read_text() == "rate = 5\n"
    sources = [
        "".join(cell["source"])
        for cell in json.loads((root / "n.ipynb").read_text())["cells"]
    ]
    assert sources == [
        r"rate = 1\nrows = 2",
        r"rate = 5\nrows = 6",
        r"rate = 1\nrows = 2",
    ]
    mixed = [
        {**edits[1], "search": "rate", "replace": "r", "cell": "a"},
        {**edits[2], "search": "rows", "replace": "r", "cell": 3},
    ]
    workspace.run("edit_content", {"edits": mixed})
    sources = [
        "".join(cell["source"])
        for cell in json.loads((root / "n.ipynb").read_text())["cells"]
    ]
    assert sources == [
        r"r = 1\nrows = 2",
        r"rate = 5\nrows = 6",
        r"rate = 1\nr = 2",
    ]
    refused = workspace.call(
        "edit_content", {"edits": [{**edits[0], "search": "rate", "cell": "b"}]}
    )
    assert refused.data["code"] == "invalid_input"


@pytest.mark.parametrize("cell", ["first", "2", "nowhere"])
def test_cell_edit_keeps_file(
    root: Path, workspace: Workspace, cell: str
) -> None:
    write(root, EXAMPLE)
    (root / "a.py").write_text("x = 1\n")
    for whole in ({"delete": True}, {"move_to": "new.ipynb"}, {"content": "x"}):
        for name in ("n.ipynb", "a.py", "new.ipynb"):
            edit = {"path": name, **whole}
            for arguments in (
                {"cell": cell, "edits": [edit]},
                {"edits": [{**edit, "cell": cell}]},
                {"path": name, "cell": cell, "edits": [whole]},
            ):
                done = workspace.call("edit_content", arguments)
                deletes = (name, whole, cell != "nowhere") == (
                    "n.ipynb",
                    {"delete": True},
                    True,
                )
                assert done.is_error != deletes, done.text
                if deletes:
                    assert len(sources(root / "n.ipynb")) == 3
                    workspace.undo()
    assert sorted(each.name for each in root.iterdir()) == ["a.py", "n.ipynb"]


def cells_of(path: Path) -> list[tuple[str, str]]:
    made = nbformat.reads(path.read_text(), as_version=4)
    nbformat.validate(made)
    assert len({cell["id"] for cell in made["cells"] if "id" in cell}) == len(
        [cell for cell in made["cells"] if "id" in cell]
    )
    return [(cell["cell_type"], cell["source"]) for cell in made["cells"]]


FOUR = [
    ("markdown", '# Title\nwith "quotes" and \\ and é'),
    ("code", 'import os\nx = 1\nprint("x =", x)'),
    ("code", "y = 2\nz = 3"),
    ("code", ""),
]
NEW = ("code", "n = 1\nm = 'é\"'")
CELL_EDITS: list[tuple[list[dict[str, Any]], list[tuple[str, str]]]] = [
    ([{"at": {"cell": 2}, "delete": True}], [FOUR[0], *FOUR[2:]]),
    ([{"cell": "first", "delete": True}], [FOUR[0], *FOUR[2:]]),
    ([{"at": {"cell": "title"}, "delete": True}], FOUR[1:]),
    ([{"at": {"cell": 4}, "delete": True}], FOUR[:3]),
    ([{"at": {"cell": 3}, "delete": True}, {"at": {"cell": 4}, "delete": True}], FOUR[:2]),
    ([{"at": {"cell": number}, "delete": True} for number in (1, 2, 3, 4)], []),
    ([{"at": {"after_cell": 2}, "replace": NEW[1]}], [*FOUR[:2], NEW, *FOUR[2:]]),
    ([{"at": {"after_cell": 0}, "replace": NEW[1]}], [NEW, *FOUR]),
    ([{"at": {"before_cell": "title"}, "replace": NEW[1] + "\n"}], [NEW, *FOUR]),
    ([{"at": {"after_cell": "4"}, "cell_type": "code", "replace": NEW[1]}], [*FOUR, NEW]),
    (
        [{"at": {"before_cell": 3}, "cell_type": "markdown", "replace": "# T\n\nx"}],
        [*FOUR[:2], ("markdown", "# T\n\nx"), *FOUR[2:]],
    ),
    ([{"at": {"after_cell": 1}, "cell_type": "raw", "replace": ""}], [FOUR[0], ("raw", ""), *FOUR[1:]]),
    (
        [{"at": {"after_cell": 2}, "replace": NEW[1]}, {"at": {"cell": 2}, "delete": True}],
        [FOUR[0], NEW, *FOUR[2:]],
    ),
    (
        [{"at": {"cell": n}, "delete": True} for n in (1, 2, 3, 4)] + [{"at": {"after_cell": 4}, "replace": NEW[1]}],
        [NEW],
    ),
    (
        [
            {"at": {"after_cell": 3}, "replace": "b"},
            {"at": {"after_cell": 1}, "replace": "a"},
            {"at": {"before_cell": 4}, "replace": "c"},
        ],
        [FOUR[0], ("code", "a"), *FOUR[1:3], ("code", "b"), ("code", "c"), FOUR[3]],
    ),
    ([{"at": {"cell": 2}, "replace": "x = 2\n"}], [FOUR[0], ("code", "x = 2"), *FOUR[2:]]),
    ([{"at": {"cell": 4}, "replace": "x = 2\ny = 3"}], [*FOUR[:3], ("code", "x = 2\ny = 3")]),
    ([{"at": {"cell": 3}, "replace": ""}], [*FOUR[:2], ("code", ""), FOUR[3]]),
    (
        [
            {"at": {"cell": 1}, "delete": True},
            {"cell": 2, "search": "x = 1", "replace": "x = 7"},
            {"at": {"cell": 3}, "search": "z = 3", "replace": "z = 4\nq = 5"},
            {"at": {"after_cell": 3}, "replace": "new"},
        ],
        [("code", 'import os\nx = 7\nprint("x =", x)'), ("code", "y = 2\nz = 4\nq = 5"), ("code", "new"), FOUR[3]],
    ),
]  # fmt: skip


CELL_EDIT_IDS = [
    "delete-by-number",
    "delete-by-id",
    "delete-first",
    "delete-last",
    "delete-last-two",
    "delete-all",
    "insert-after",
    "insert-at-start",
    "insert-before-first",
    "insert-at-end",
    "insert-markdown",
    "insert-empty-raw",
    "insert-and-delete-above",
    "replace-all",
    "insert-three",
    "replace-source",
    "fill-empty",
    "empty-source",
    "mixed",
]


@pytest.mark.parametrize(
    ("minor", "indent"),
    one_in(3, [(5, 1), (5, None), (5, 4), (4, None), (4, 1), (4, 4)]),
)
@pytest.mark.parametrize(("edits", "expected"), CELL_EDITS, ids=CELL_EDIT_IDS)
def test_inserts_and_deletes_cells(
    tmp_path: Path,
    root: Path,
    workspace: Workspace,
    edits: list[dict[str, Any]],
    expected: list[tuple[str, str]],
    indent: int | None,
    minor: int,
) -> None:
    content = json.loads(json.dumps({**EXAMPLE, "nbformat_minor": minor}))
    if minor < 5:  # Cells have no ids there, only numbers.
        for cell in content["cells"]:
            del cell["id"]
        edits = json.loads(
            json.dumps(edits).replace('"title"', "1").replace('"first"', "2")
        )
    path = write(root, content, indent)
    before = path.read_bytes()
    shown = workspace.call(
        "edit_content",
        {"path": "n.ipynb", "edits": edits, "preview": True, "diff": "full"},
    )
    done = workspace.call(
        "edit_content", {"path": "n.ipynb", "edits": edits, "diff": "full"}
    )
    assert not done.is_error, done.text
    assert cells_of(path) == expected
    assert [line for line in shown.text.splitlines() if line[:1] == "+"] == [
        line for line in done.text.splitlines() if line[:1] == "+"
    ]
    # The other cells keep their bytes, and new ones have the style of the file.
    after = json.loads(path.read_bytes())
    rewritten = json.dumps(after, indent=indent, ensure_ascii=False).encode()
    if (
        all(isinstance(cell["source"], list) for cell in content["cells"])
        or indent is None
    ):
        assert path.read_bytes() == rewritten
    assert len(path.read_bytes().splitlines()) == len(rewritten.splitlines())
    workspace.undo()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        ({"at": {"after_cell": 9}, "replace": "x"}, "not_found"),
        ({"at": {"cell": 9}, "delete": True}, "not_found"),
        ({"at": {"cell": 2}, "replace": "x", "delete": True}, "invalid_input"),
        ({"at": {"after_cell": 2}, "delete": True}, "invalid_input"),
        (
            {"at": {"after_cell": 2, "before_cell": 3}, "replace": "x"},
            "invalid_input",
        ),
        (
            {"at": {"cell": 2}, "cell_type": "markdown", "replace": "x"},
            "invalid_input",
        ),
        (
            {"at": {"after_cell": 2}, "cell_type": "text", "replace": "x"},
            "invalid_input",
        ),
        (
            {"at": {"after_cell": 2}, "replace": "# %% cell 3: code\nz = 1"},
            "invalid_input",
        ),
        (
            {"at": {"cell": 2}, "replace": "y\n# %% cell 3: code\nz = 1"},
            "invalid_input",
        ),
        (
            {"search": "x = 1", "replace": "x = 1\n# %% cell 3: code\nz = 1"},
            "invalid_input",
        ),
        (
            {"search": "# %% cell 4: code, id empty\n", "replace": ""},
            "invalid_input",
        ),
        ({"cell": 2, "replace": "x"}, "invalid_input"),
        ({"at": {"after": 3}, "replace": "x"}, "invalid_input"),
        ({"at": {"cell": 3}, "replace": "y = 2\nz = 3"}, "no_change"),
        (
            {
                "at": {"after_cell": 2},
                "replace": "x",
                "expected_version": "0" * 16,
            },
            "stale_version",
        ),
    ],
    ids=[
        "insert-after-unknown",
        "delete-unknown",
        "replace-and-delete",
        "delete-after",
        "after-and-before",
        "type-of-old-cell",
        "unknown-type",
        "heading-in-new-cell",
        "heading-in-replaced-cell",
        "heading-in-edit",
        "delete-heading",
        "cell-without-search",
        "after-without-cell",
        "same-source",
        "stale",
    ],
)
def test_refuses_invalid_cell_edit(
    root: Path, workspace: Workspace, edit: dict[str, Any], code: str
) -> None:
    path = write(root, EXAMPLE)
    before = path.read_bytes()
    done = workspace.call("edit_content", {"path": "n.ipynb", "edits": [edit]})
    assert done.code == code, done.text
    if "# %%" in str(edit):
        assert "after_cell" in done.text
    assert path.read_bytes() == before


def test_accepts_jupytext_marks(root: Path, workspace: Workspace) -> None:
    path = write(root, notebook(code(["# %% [markdown]\n", "x = 1"])))
    edit = {"search": "x = 1", "replace": "# %%\nx = 2"}
    assert not workspace.call(
        "edit_content", {"path": "n.ipynb", "edits": [edit]}
    ).is_error
    assert sources(path) == ["# %% [markdown]\n# %%\nx = 2"]


@pytest.mark.parametrize(
    "empty",
    [
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        '{\n "cells": [],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n',
        '{\r\n "cells": [\r\n ],\r\n "metadata": {},\r\n "nbformat": 4,\r\n "nbformat_minor": 5\r\n}\r\n',
        '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":2}',
    ],
    ids=["one-line", "indented", "crlf", "compact"],
)
def test_inserts_first_cell(
    root: Path, workspace: Workspace, empty: str
) -> None:
    path = root / "n.ipynb"
    path.write_bytes(empty.encode())
    edit = {"at": {"after_cell": 0}, "replace": "x = 1\ny = 2"}
    done = workspace.call("edit_content", {"path": "n.ipynb", "edits": [edit]})
    assert not done.is_error, done.text
    assert cells_of(path) == [("code", "x = 1\ny = 2")]
    assert (
        b"\r\n" not in empty.encode()
        or b"\n" not in path.read_bytes().replace(b"\r\n", b"")
    )


PARTS = [
    (["ab", "cd", "ef"], "cd", "CD", ["ab", "CD", "ef"]),
    (["ab", "cd", "ef"], "ef", "EF", ["ab", "cd", "EF"]),
    (["ab", "cd", "ef"], "ab", "AB", ["AB", "cd", "ef"]),
    (["ab", "cd", "ef"], "cd", "c\nd", ["ab", "c\n", "d", "ef"]),
    (["ab", "cd", "ef"], "cd", "", ["ab", "ef"]),
    (["ab", "cd\n", "ef"], "b", "B", ["aB", "cd\n", "ef"]),
    (["ab", "cd\n", "ef"], "cd\n", "CD\n", ["ab", "CD\n", "ef"]),
    (["a = 1\n", "b = 2"], "a = 1\n", "", ["b = 2"]),
]


@pytest.mark.parametrize(
    ("parts", "search", "replace", "expected"),
    PARTS,
    ids=[
        "middle",
        "last",
        "first",
        "new-line",
        "deleted",
        "before-line-end",
        "whole-line",
        "deleted-line",
    ],
)
def test_keeps_other_strings(
    root: Path,
    workspace: Workspace,
    parts: list[str],
    search: str,
    replace: str,
    expected: list[str],
) -> None:
    path = write(root, notebook(code(parts)))
    edit = {"search": search, "replace": replace}
    done = workspace.call(
        "edit_content",
        {"path": "n.ipynb", "edits": [edit], "cell": 1, "fuzzy": False},
    )
    assert not done.is_error, done.text
    assert json.loads(path.read_text())["cells"][0]["source"] == expected


def test_number_and_id_of_cell(root: Path, workspace: Workspace) -> None:
    path = write(
        root,
        notebook(
            code(["x = 1"], "a"), code(["x = 1"], "b"), code(["x = 1"], "2")
        ),
    )
    edit = {"search": "x = 1", "replace": "x = 2"}
    workspace.run(
        "edit_content", {"path": "n.ipynb", "cell": 2, "edits": [edit]}
    )
    assert sources(path) == ["x = 1", "x = 2", "x = 1"]
    workspace.run(
        "edit_content", {"path": "n.ipynb", "cell": "2", "edits": [edit]}
    )
    assert sources(path) == ["x = 1", "x = 2", "x = 2"]
    workspace.run(
        "edit_content", {"path": "n.ipynb", "edits": [{**edit, "cell": 1}]}
    )
    assert sources(path) == ["x = 2", "x = 2", "x = 2"]


@pytest.mark.parametrize(
    "indent", [1, 4, "\t", None], ids=["1", "4", "tab", "none"]
)
@pytest.mark.parametrize(
    "sources",
    [["a"], ["a", "b\nc"], ["", "b"], [""], ["a\n"]],
    ids=["one", "two", "empty-first", "empty", "line-end"],
)
def test_writes_sources_as_jupyter(
    root: Path,
    workspace: Workspace,
    indent: int | str | None,
    sources: list[str],
) -> None:
    content = notebook(
        *(
            code(text.splitlines(keepends=True), f"c{number}")
            for number, text in enumerate(sources)
        )
    )
    path = root / "n.ipynb"
    path.write_text(json.dumps(content, indent=indent))
    edits = [
        {"at": {"cell": 1}, "replace": "new\n\nlines"},
        {"at": {"after_cell": 1}, "replace": "one\n\n\n"},
    ]
    workspace.run("edit_content", {"path": "n.ipynb", "edits": edits})
    after = json.loads(path.read_text())
    first, new = ["new\n", "\n", "lines"], ["one\n", "\n"]
    assert [cell["source"] for cell in after["cells"][:2]] == [first, new]
    assert path.read_text() == json.dumps(after, indent=indent)
