"""What callers are told of the tools: true, complete, and short enough."""

import json
import re
from importlib.resources import files
from pathlib import Path

from filewright.tools import entries
from filewright.tools.catalogue import made

NAMES = [
    "list_files", "stat_items", "get_overview", "search_content", "read_content", "edit_content", "apply_patch",
    "replace_content", "write_content", "create_directories", "move_items", "copy_items", "delete_items",
    "set_permissions", "get_history", "revert_edit",
]  # fmt: skip


def test_the_kept_catalogue_is_what_the_tools_say():
    kept = files("filewright.tools").joinpath("catalogue.json").read_text(encoding="utf-8")
    assert kept == made(), "run: python -m filewright.tools"


def test_sixteen_tools_in_their_order():
    assert [entry.name for entry in entries()] == NAMES


def test_schemas_are_plain_objects():
    for entry in entries():
        assert entry.schema["type"] == "object"
        assert entry.schema["additionalProperties"] is False
        assert not {"anyOf", "oneOf", "allOf", "$defs", "title"} & entry.schema.keys()
        assert '"title": ' not in json.dumps(entry.schema).replace('"title": {', "")
        assert len(entry.description) < 1000


def test_every_argument_is_documented():
    page = Path(__file__).parents[2].joinpath("docs/tools.md").read_text(encoding="utf-8")
    sections = {
        name: body
        for heading, body in re.findall(r"^### (.+?)\n(.*?)(?=^###? |\Z)", page, re.MULTILINE | re.DOTALL)
        for name in heading.split(", ")
    }
    for entry in entries():
        for argument in entry.schema["properties"]:
            if argument not in ("break_hard_links", "undoable"):
                assert f"`{argument}`" in sections[entry.name], (entry.name, argument)
