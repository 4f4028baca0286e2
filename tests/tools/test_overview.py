"""The tool `get_overview`: of a file, of a folder, of several."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace
from filewright.errors import FilewrightError

SHOP = {
    "README.md": "# Shop\n",
    "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.cli:main"\n',
    "shop/__init__.py": "",
    "shop/cli.py": "from shop.cart import Cart\nfrom .money import Money\n",
    "shop/cart.py": "from shop.money import (\n    Money,\n    cents,  # not whole ones\n)\n\n\nclass Cart:\n    pass\n",
    "shop/money.py": "class Money:\n    pass\n\n\ndef cents(): ...\n",
    "shop/report/table.py": "from ..money import cents\nimport shop.cart\n",
    "web/src/index.ts": "import { Basket } from './basket';\nconst x = require('../lib/tax.js');\n",
    "web/src/basket.ts": "export class Basket {}\n",
    "web/lib/tax.js": "module.exports = 1;\n",
    "native/main.c": '#include "core/ring.h"\n',
    "native/core/ring.h": "int ring(void);\n",
    "tests/test_cart.py": "from shop.cart import Cart\n",
    ".gitignore": "built/\n",
    "built/copy.py": "from shop.money import Money\n",
}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_several_overviews_in_one_call(
    root: Path, workspace: Workspace
) -> None:
    write(root, SHOP)
    made = workspace.get_overviews("shop/money.py", "web", "gone.py")
    assert "class Money" in made.overviews[0].text
    assert "web/: 3 files" in made.text
    assert "gone.py: not_found" in made.text
    assert (
        workspace.call("get_overview", {"paths": ["gone.py"]}).data[
            "overviews"
        ][0]["code"]
        == "not_found"
    )
    assert (
        workspace.call("get_overview", {"path": "web", "paths": ["web"]}).data[
            "code"
        ]
        == "invalid_input"
    )


def test_method_refuses_a_folder(root: Path, workspace: Workspace) -> None:
    (root / "d").mkdir()
    with pytest.raises(FilewrightError) as refused:
        workspace.get_overview("d")
    assert refused.value.code == "not_a_file"
