"""The map of a folder: bounded, and the same every time."""

from __future__ import annotations

from pathlib import Path

from filewright import Workspace

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


def test_a_map_names_what_a_newcomer_looks_for(
    root: Path, workspace: Workspace
) -> None:
    write(root, SHOP)
    found = workspace.get_map()
    assert found.files == len(SHOP) - 1  # not what is ignored
    assert dict(found.languages)["python"] == 6
    assert found.manifests == ("pyproject.toml",)
    assert found.entries[0] == "shop = shop.cli:main"
    assert {"shop/cli.py", "native/main.c", "web/src/index.ts"} <= set(
        found.entries
    )
    assert found.tests == ("tests",)
    central = {file.path: file for file in found.central}
    assert found.central[0].path == "shop/money.py"
    assert central["shop/money.py"].used_by == 3
    assert central["shop/money.py"].names == ("Money", "cents")
    assert central["shop/cart.py"].used_by == 2  # the test does not count
    assert {"web/src/basket.ts", "web/lib/tax.js", "native/core/ring.h"} <= set(
        central
    )
    assert "\nshop/money.py: Money, cents\n" in found.text, (
        "of few files each is shown with what it defines"
    )
    assert "built" not in found.text
    assert workspace.get_map().text == found.text
