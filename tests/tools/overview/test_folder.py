"""The map of a folder: bounded, and the same every time."""

from __future__ import annotations

from pathlib import Path

from tests.tools.sources import SHOP_FILES, write_files

from filewright import Workspace


def test_a_map_names_what_a_newcomer_looks_for(
    root: Path, workspace: Workspace
) -> None:
    write_files(root, SHOP_FILES)
    found = workspace.get_map()
    assert found.files == len(SHOP_FILES) - 1  # not what is ignored
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
