"""Files that still refer to a moved symbol in its old file."""

from __future__ import annotations

from pathlib import Path

from filewright import Workspace

USERS = {
    "lib/__init__.py": "",
    "lib/tools.py": "def slug(text):\n    return text\n\n\ndef other():\n    return slug('x')\n",
    "lib/page.py": "from lib.tools import other, slug\n",
    "lib/feed.py": "import lib.tools\n\nlib.tools.slug('x')\n",
    "lib/near.py": "from . import tools\n\ntools.slug('x')\n",
    "lib/not1.py": "from lib.tools import other\n\nslug = 1\n",
    "lib/not2.py": "from elsewhere import slug\n",
    "web/a.js": "import { slug } from './b';\n",
}


def test_names_files_that_import_it(root: Path, workspace: Workspace) -> None:
    for name, text in USERS.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    move = {
        "path": "lib/text.py",
        "from": {"path": "lib/tools.py", "symbol": "slug"},
    }
    mended = {
        "path": "lib/page.py",
        "search": "lib.tools import other, slug",
        "replace": "lib.text import slug",
    }
    shown = workspace.call("edit_content", {"edits": [move], "preview": True})
    assert "still" not in shown.text
    copied = workspace.call(
        "edit_content",
        {"edits": [{**move, "path": "lib/copy.py", "copy": True}]},
    )
    assert "still" not in copied.text
    done = workspace.call("edit_content", {"edits": [move, mended]})
    assert (
        "[still using slug from lib/tools.py: lib/feed.py:3, lib/near.py:3, lib/tools.py:2; imports: true in the move rewrites imports]"
        in done.text
    )
    assert done.data["still_used"] == [
        {
            "name": "slug",
            "path": "lib/tools.py",
            "files": ["lib/feed.py", "lib/near.py", "lib/tools.py"],
            "places": [
                {"path": "lib/feed.py", "line": 3, "reason": ""},
                {"path": "lib/near.py", "line": 3, "reason": ""},
                {"path": "lib/tools.py", "line": 2, "reason": ""},
            ],
            "can_rewrite": True,
            "language": "",
        }
    ]
    workspace.undo()
    for n in range(12):
        (root / f"lib/user{n:02}.py").write_text("from .tools import slug\n")
    done = workspace.call("edit_content", {"edits": [move]})
    assert "lib/user05.py:1 and 6 more; imports" in done.text


def test_default_export(root: Path, workspace: Workspace) -> None:
    files = {
        "a.js": "export default function foo() {}\n\nexport let $b = 1\n",
        "b.js": "import bar from './a'\nbar()\n",
        "c.js": "\nimport { $b } from './a'\n",
    }
    for name, text in files.items():
        (root / name).write_text(text)
    for symbol, place in (("foo", "b.js:1"), ("$b", "c.js:2")):
        move = {"path": "n.js", "from": {"path": "a.js", "symbol": symbol}}
        done = workspace.call("edit_content", {"edits": [move]})
        assert f"[still using {symbol} from a.js: {place};" in done.text
