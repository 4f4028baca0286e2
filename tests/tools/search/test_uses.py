"""The survey of a name with `output="uses"`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.tools.sources import write_callers, write_files

from filewright import Code, FilewrightError, Workspace
from filewright.search.pattern import compile_pattern
from filewright.tools.search.uses import UsesCollector

SCRIPTS = {
    "lib/predicate.ts": "export const member = (self: unknown, key: string) => true\n",
    "src/old.ts": (
        "/** They have an `own` of their own. */\n"
        "const own = (self: Item, key: string) => true\n"
        "export class Table {\n  own(key: string) { return own(this, key) }\n}\n"
        'export const both = (t: Table) => t.own("a") && t?.own<Map<A, B>>("b")\n'
    ),
    "src/audit.ts": (
        'import { own, isText } from "../lib/predicate.ts"\n'
        'export const a = (e) => own(e, key("x", (y) => y + 1, ")")) &&\n'
        '  own(own(e, "inner") ? e.inner : e, key("a, (b)", [1, 2], { a: ")" }))\n'
        "export const b = own(\n  e,\n  \"kind\" // not own(e)\n)\n"
        "const text = `own: ${own(e, `,`)}`\n"
        "list.map(own)\n"
    ),
    "src/cron.ts": (
        "import {\n  isText,\n  own as has\n} from '../lib/predicate'\n"
        "export const c = has(u, Id) || dates.has(u)\n"
        "each(has)\n"
    ),
    "src/index.ts": 'export { own } from "./audit.js"\n',
    "src/all.ts": 'import * as P from "../lib/predicate.ts"\nP.own(a, b)\nnew own()\n',
}  # fmt: skip
SCRIPT_ANSWER = """\
own: 20 uses in 15 lines of 5 files
2 definitions:
src/old.ts (3 calls and 2 other uses there)
2: const own = (self: Item, key: string) => true
4: own(key: string) { return own(this, key) }
3 imports:
2 from lib/predicate.ts (which has no own now): src/{audit.ts:1 cron.ts:3}
1 from src/audit.ts: src/index.ts:1
imported as has in src/cron.ts:3, called by it in line 5, used in line 6
re-exported: src/index.ts:1
10 calls:
6 own(…) with 2 arguments
1 P.own(…) with 2 arguments: src/all.ts:2 [P from lib/predicate.ts]
1 new own(…) with 0 arguments: src/all.ts:3
1 t.own(…) with 1 argument: src/old.ts:6
1 t?.own(…) with 1 argument: src/old.ts:6
over several lines or nested: src/audit.ts:3,4
called without import or definition there: src/all.ts:3
other code, 1 line:
src/audit.ts:9: list.map(own)
in comments, 2 lines:
src/audit.ts:6: "kind" // not own(e)
src/old.ts:1: /** They have an `own` of their own. */
in strings, 1 line:
src/audit.ts:8: const text = `own: ${own(e, `,`)}`
[6 files searched]"""

MODULES = {
    "pkg/__init__.py": "from .core import run\n",
    "pkg/core.py": (
        '"""Call run(1) first."""\n'
        "def run(value, *more):\n    return value\n"
        "class Job:\n    def run(self):\n        return self.run()\n"
    ),
    "pkg/job.py": (
        "from pkg.core import (\n    Job,  # not (run)\n    run as start,\n)\n"
        "import pkg.core\nfrom . import core\n"
        "start(1)\nvalues.start(2)\n"
        "pkg.core.run(lambda a, b: a, key=[1, 2],)\n"
        "core.run(*values)\n"
        'core.run("a, b", {1: 2})\n'
        "@core.run\ndef f(run=None): ...\n"
        "get().run()\n"
    ),
    "star.py": "from pkg.core import *\nrun(1)\nprint(f'{run(2, 3)} run', run)\n",
    "notes.txt": "run it\nrun(1)\n",
    "broken.py": "def g(:\n    run(((\n",
}  # fmt: skip
MODULE_ANSWER = """\
run: 20 uses in 18 lines of 6 files
3 definitions:
pkg/core.py (1 call and 1 other use there)
2: def run(value, *more):
5: def run(self):
pkg/job.py:13: def f(run=None): ... (5 calls and 2 other uses there)
2 imports from pkg/core.py: pkg/{__init__.py:1 job.py:3}
imported as start in pkg/job.py:3, called by it in line 7
re-exported: pkg/__init__.py:1
8 calls:
2 core.run(…) 1 with spread arguments: pkg/job.py:10; 1 with 2 arguments: pkg/job.py:11 [core from pkg/core.py]
2 run(…) 1 with 1 argument: star.py:2; 1 with 2 arguments: star.py:3
1 self.run(…) with 0 arguments: pkg/core.py:6
1 pkg.core.run(…) with 2 arguments: pkg/job.py:9 [pkg from pkg/core.py]
1 @core.run pkg/job.py:12 [core from pkg/core.py]
1 ….run(…) with 0 arguments: pkg/job.py:14
called without import or definition there: star.py:2,3
other code, 2 lines:
broken.py:2: run(((
star.py:3: print(f'{run(2, 3)} run', run)
in comments, 2 lines:
pkg/core.py:1: \"""Call run(1) first.\"""
pkg/job.py:2: Job,  # not (run)
in strings, 1 line:
star.py:3: print(f'{run(2, 3)} run', run)
in files that are not parsed, 2 lines:
notes.txt:1: run it
notes.txt:2: run(1)
by folder:
pkg/: 13 in 3 files
./: 7 in 3 files
[syntax errors around matches, so look twice: broken.py; 6 files searched]"""


def survey(workspace: Workspace, pattern: str, **arguments: Any) -> str:
    """Return the text of a survey."""
    call = {"pattern": pattern, "output": "uses", **arguments}
    return workspace.call("search_content", call).text


def test_surveys_scripts(workspace: Workspace, root: Path) -> None:
    write_files(root, SCRIPTS)
    answer = survey(workspace, "own")
    assert answer == SCRIPT_ANSWER


def test_surveys_python(workspace: Workspace, root: Path) -> None:
    write_files(root, MODULES)
    answer = survey(workspace, r"\brun\b", mode="regex")
    assert answer == MODULE_ANSWER


def test_surveys_several_names(workspace: Workspace, root: Path) -> None:
    """Names have a block each; an item and a file are surveyed too."""
    (root / "a.py").write_bytes(b"def one(): two(1)\r\nx = one\r\n")
    (root / "b.py").write_bytes("one()\n".encode("utf-16"))
    item = {"pattern": "one|two|three", "output": "uses", "path": "a.py"}
    call = {"items": [item, {"pattern": "two"}]}
    answer = workspace.call("search_content", call).text
    assert "one: 2 uses in 1 file\n1 definition:\na.py:1: def one()" in answer
    assert "two: 1 use in 1 file\n1 call: two(…) with 1 argument" in answer
    assert "three: no use" in answer
    result = workspace.search("one", output="uses")
    assert result.uses[0].count == 3
    assert result.uses[0].others[0].places[1].text == "one()"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pattern": "own("}, '"own(" is none'),
        ({"pattern": "(own|[a-z])", "mode": "regex"}, '"pattern": "own"'),
        ({"pattern": "own", "only": "calls"}, "leave out only"),
        ({"pattern": "own", "mode": "fuzzy"}, "no meaning in a fuzzy"),
        ({"pattern": "own", "invert": True}, "leave out invert"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refuses(
    workspace: Workspace, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(FilewrightError) as caught:
        workspace.search(**arguments, output="uses")
    assert caught.value.code is Code.INVALID_INPUT
    assert message in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("limit", "unparsed"),
    [
        ({"max_parsed_bytes": 8}, {"b.py": 2}),
        ({"max_uses": 2}, {"b.py": 1}),
        ({"max_uses": 1}, {"b.py": 2}),
        ({"max_uses": 3}, {}),
    ],
    ids=str,
)
def test_counts_what_is_not_parsed(
    workspace: Workspace,
    root: Path,
    limit: dict[str, Any],
    unparsed: dict[str, int],
) -> None:
    """Beyond a limit, uses are counted, and the answer says where."""
    write_files(root, {"a.py": "own()\n", "b.py": "own()\nown\n"})
    collector = UsesCollector(workspace.context, ("own",), **limit)
    pattern = compile_pattern("own")
    for name in ("a.py", "b.py"):
        location = workspace.context.boundary.locate(name)
        with workspace.context.open(location) as snapshot:
            collector.add_file(snapshot, pattern)
    uses = collector.survey()
    assert uses.names[0].count == 3 - sum(unparsed.values())
    assert uses.unparsed == unparsed


def test_surveys_a_name_with_many_hits(
    workspace: Workspace, root: Path
) -> None:
    """Without max_results, a name in many lines is surveyed, as far as it is code."""
    write_callers(root)
    (root / "a.py").write_text('"""Call has(u)."""\nhash(1)\nHas = 1\n')
    (root / "todo.py").write_text("# TODO: this\n" * 100)
    answer = workspace.call("search_content", {"pattern": "has"}).text
    assert answer.splitlines() == [
        "has: 244 uses in 122 files",
        "120 imports from lib",
        "120 calls: has(…) with 2 arguments",
        "in comments, 1 line:",
        'a.py:1: """Call has(u)."""',
        "in strings, 1 line:",
        "src/odd.py:1: names = {'has': 1}",
        "not this name: hash 1, Has 1",
        "by folder:",
        "src/p0/: 80 in 40 files",
        "src/p1/: 80 in 40 files",
        "src/p2/: 80 in 40 files",
        "./: 3 in 1 file",
        "src/: 1 in 1 file",
        "[244 matching lines in 122 files; max_results=244 shows all lines]",
        "[123 files searched]",
    ]
    todo = workspace.call("search_content", {"pattern": "TODO"}).text
    assert "[50 shown of 100 matching lines in 1 file; continue" in todo


def test_goes_on_beyond_its_limits(workspace: Workspace, root: Path) -> None:
    """A file that is too large alone is counted, and does not come again."""
    write_files(root, {"a.py": "own()\n", "c.py": "own(1)\n"})
    (root / "b.py").write_bytes(b"x" * (33 << 20) + b"\nown(2)\n")
    result = workspace.search("own", output="uses")
    assert "b.py and c.py" in result.text or "b.py, c.py" in result.text
    counts = []
    while result.next_cursor is not None:
        counts.append(result.uses[0].count)
        assert f"[continue with cursor={result.next_cursor}]" in result.text
        result = workspace.search(
            "own", output="uses", cursor=result.next_cursor
        )
    assert counts == [1, 0]
    assert result.text.startswith("own: 1 use in 1 file\n1 call: own(…)")


def test_sums_small_folders(workspace: Workspace, root: Path) -> None:
    write_files(root, {f"d{n}/a.py": "own()\n" * (9 - n) for n in range(9)})
    rows = survey(workspace, "own").splitlines()
    first = rows.index("by folder:")
    assert rows[first + 1] == "d0/: 9 in 1 file"
    assert rows[first + 6 : -1] == ["d5/: 4 in 1 file", "6 in 3 more folders"]


def test_fits_the_page(workspace: Workspace, root: Path) -> None:
    """What does not fit is counted; a survey gets what other searches leave."""
    write_files(root, {**SCRIPTS, **MODULES})
    survey: dict[str, Any] = {
        "pattern": "own|run|member|isText",
        "output": "uses",
    }
    nothing: dict[str, Any] = {"pattern": "none"}
    text = workspace.search(items=[survey] * 3).text
    assert len(text) < 12_500
    assert "more lines: survey this name alone]" in text
    assert text.count("isText: 2 uses in 2 files") == 3
    text = workspace.search(items=[survey, nothing]).text
    assert "survey this name alone" not in text


@pytest.mark.parametrize(
    ("name", "text", "rows"),
    [
        (
            "A.java",
            "import static a.b.C.own;\nclass A { int own(int a) { return x.own(a, f(1, 2)); } }\n",
            ["1 import from a.b.C", "1 call: x.own(…) with 2 arguments"],
        ),
        (
            "a.go",
            'package a\nimport "x/own"\nfunc (t T) own(a int) {}\nfunc f() { t.own(1); own[int](2) }\n',
            ["1 import of an unread module", "1 t.own(…) with 1 argument", "imports of go are not read"],
        ),
        (
            "a.rs",
            "pub use crate::a::{b::own as other, c};\nfn f() { other(1, 2); own::<u8>(3); own!(4) }\n",
            ["1 import from crate::a::b: a.rs:1", "imported as other in a.rs:1, called by it in line 2", "re-exported: a.rs:1", "with 1 argument"],
        ),
        (
            "a.tsx",
            'import own from "x"\nconst a = <own b="1" />\nconst c: own = d\n',
            ["1 import from x", "1 call: <own …>", "a.tsx:3: const c: own = d"],
        ),
    ],
    ids=["java", "go", "rust", "tsx"],
)  # fmt: skip
def test_other_languages(
    workspace: Workspace, root: Path, name: str, text: str, rows: list[str]
) -> None:
    (root / name).write_text(text)
    answer = survey(workspace, "own")
    assert [row for row in rows if row not in answer] == [], answer
