"""`python -m filewright.tools`: write the catalogue anew after a tool's words or arguments changed."""

import json
import tomllib

from filewright.tools.registry import schema_of
from filewright.tools.surface import CATALOGUE, load


def made() -> str:
    """The catalogue's text as the tools would have it."""
    told = tomllib.loads(
        CATALOGUE.with_name("tools.toml").read_text(encoding="utf-8")
    )
    usual = {
        "writes": False,
        "destructive": False,
        "idempotent": True,
        "listed": True,
    }
    found = [{"name": name, **usual, **row} for name, row in told.items()]
    for each in found:
        each["schema"] = schema_of(load(each["module"], each["name"])[0])
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    CATALOGUE.write_text(made(), encoding="utf-8")
