"""Modules that tests edit, and a tree of files."""

from pathlib import Path

CART = '''\
import math

RATE = 19


class Cart:
    """What is bought."""

    def add(self, line):
        self.lines.append(line)

    # the sum of all lines
    @property
    def total(self):
        return sum(self.lines)

    def clear(self):
        self.lines = []


def empty():
    return Cart()
'''

SHOP = """\
import math


def total(lines):
    return math.fsum(lines)


def rate():
    return 19


def count(lines):
    return len(lines)
"""

SHOP_FILES = {
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


def write_files(root: Path, files: dict[str, str]) -> None:
    """Write the texts of files below the root."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def methods(*names: str, before: str = "", after: str = "") -> str:
    """Return a class in TypeScript with methods between blank lines."""
    bodies = [f"  {name}() {{\n    {name};\n  }}\n" for name in names]
    return "class A {\n" + before + "\n".join(bodies) + after + "}\n"


def write_callers(root: Path) -> None:
    """Write 120 files that import and call `has`, and one that is different."""
    for number in range(120):
        folder = root / "src" / f"p{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"m{number:03}.py").write_text(
            f"from lib import has\n\n\ndef f{number}(u):\n    return has(u, {number})\n"
        )
    (root / "src" / "odd.py").write_text("names = {'has': 1}\n")
