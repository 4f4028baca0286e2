"""The native tools, in the order in which they are listed."""

from __future__ import annotations

from filewright.tools.edit.edit import EDIT_CONTENT
from filewright.tools.history import GET_HISTORY
from filewright.tools.items import (
    COPY_ITEMS,
    CREATE_DIRECTORIES,
    DELETE_ITEMS,
    MOVE_ITEMS,
    SET_PERMISSIONS,
)
from filewright.tools.listing import LIST_FILES
from filewright.tools.overview.overview import GET_OVERVIEW
from filewright.tools.patch import APPLY_PATCH
from filewright.tools.read.read import READ_CONTENT
from filewright.tools.replace.replace import REPLACE_CONTENT
from filewright.tools.revert import REVERT_EDIT
from filewright.tools.search.search import SEARCH_CONTENT
from filewright.tools.status import STAT_ITEMS
from filewright.tools.tool import Tool
from filewright.tools.write import WRITE_CONTENT

NATIVE_TOOLS: tuple[Tool, ...] = (
    LIST_FILES,
    GET_OVERVIEW,
    SEARCH_CONTENT,
    READ_CONTENT,
    EDIT_CONTENT,
    APPLY_PATCH,
    REPLACE_CONTENT,
    WRITE_CONTENT,
    MOVE_ITEMS,
    DELETE_ITEMS,
    GET_HISTORY,
    REVERT_EDIT,
)

METHOD_TOOLS: tuple[Tool, ...] = (
    STAT_ITEMS,
    CREATE_DIRECTORIES,
    COPY_ITEMS,
    SET_PERMISSIONS,
)
"""Tools that only the methods of the library run; no client lists them."""
