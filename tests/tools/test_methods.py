"""The typed methods: their parameters are the fields of the tools' models."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, get_origin, get_type_hints

import pytest
from pydantic import BaseModel

from filewright import AsyncWorkspace
from filewright.tools import methods
from filewright.tools.catalogue import load_tool, read_catalogue
from filewright.tools.context import Context
from filewright.tools.edit.arguments import (
    MoveSource,
    Place,
    edit_field_names,
)
from filewright.tools.methods import ToolMethods
from filewright.tools.read.arguments import ReadArguments, ReadItem
from filewright.tools.tool import Tool
from filewright.tools.write import WriteItem


@dataclass(frozen=True)
class Method:
    """A method of the library: its tool, and how its parameters differ from the fields.

    `item` is the model of the one thing of which the tool takes a list. `left_out` are
    fields that another method has, `required` those that a method needs to be given.
    """

    tool: str
    item: type[BaseModel] | None = None
    left_out: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    returns: str = ""
    default_path: str | None = None


def pair() -> type[BaseModel]:
    from filewright.tools.items import Pair

    return Pair


OVERVIEW_FIELDS = frozenset(load_tool("get_overview").arguments.model_fields)
METHODS = {
    "list_files": Method("list_files"),
    "stat": Method("stat_items"),
    "get_overview": Method(
        "get_overview",
        left_out=frozenset({"paths", "folders"}),
        required=frozenset({"path"}),
        returns="OverviewResult",
    ),
    "get_overviews": Method(
        "get_overview",
        left_out=OVERVIEW_FIELDS - {"paths"},
        required=frozenset({"paths"}),
        returns="ManyOverviews",
    ),
    "get_map": Method(
        "get_overview",
        left_out=OVERVIEW_FIELDS - {"path"},
        returns="FolderMap",
        default_path=".",
    ),
    "search": Method("search_content"),
    "read": Method("read_content"),
    "edit": Method("edit_content", required=frozenset({"path"})),
    "apply_patch": Method("apply_patch"),
    "replace": Method("replace_content"),
    "write": Method(
        "write_content",
        item=WriteItem,
        left_out=frozenset({"items", "diff", "atomic"}),
    ),
    "write_all": Method("write_content"),
    "create_directories": Method("create_directories"),
    "move": Method(
        "move_items", item=pair(), left_out=frozenset({"items", "is_copy"})
    ),
    "copy": Method(
        "copy_items", item=pair(), left_out=frozenset({"items", "is_copy"})
    ),
    "delete": Method("delete_items"),
    "set_permissions": Method("set_permissions"),
    "get_history": Method("get_history"),
    "revert_edit": Method("revert_edit"),
}


def parameters_of(name: str) -> dict[str, inspect.Parameter]:
    """Return the parameters of a method, without `self`."""
    signature = inspect.signature(getattr(ToolMethods, name))
    parameters = dict(signature.parameters)
    del parameters["self"]
    return parameters


def fields_of(method: Method) -> dict[str, Any]:
    """Return the fields that a method has as parameters, with their defaults."""
    fields = dict(load_tool(method.tool).arguments.model_fields)
    if method.item is not None:
        fields = {**method.item.model_fields, **fields}
    defaults: dict[str, Any] = {}
    for name, field in fields.items():
        if name in method.left_out:
            continue
        if field.is_required() or name in method.required:
            defaults[name] = inspect.Parameter.empty
            continue
        default = field.get_default(call_default_factory=True)
        # A mutable default would be shared by all calls.
        defaults[name] = () if default == [] else default
    if method.default_path is not None:
        defaults["path"] = method.default_path
    return defaults


def test_every_tool_has_a_method() -> None:
    assert {method.tool for method in METHODS.values()} == set(
        read_catalogue().modules
    )


def test_every_method_is_listed_here() -> None:
    names = {name for name in vars(ToolMethods) if not name.startswith("_")}
    assert names == {*METHODS, "run_native"}


@pytest.mark.parametrize("name", METHODS)
def test_the_parameters_are_the_fields_of_the_model(name: str) -> None:
    parameters = parameters_of(name)
    defaults = {
        parameter: value.default for parameter, value in parameters.items()
    }
    assert defaults == fields_of(METHODS[name])


@pytest.mark.parametrize("name", METHODS)
def test_a_method_returns_the_result_of_its_tool(name: str) -> None:
    method = METHODS[name]
    run = load_tool(method.tool).run
    returned = get_type_hints(run, localns={"Context": Context})["return"]
    results = getattr(returned, "__args__", (returned,))
    expected = method.returns or " | ".join(
        result.__name__ for result in results
    )
    signature = inspect.signature(getattr(ToolMethods, name))
    assert signature.return_annotation == expected


@pytest.mark.parametrize("name", METHODS)
def test_a_method_hands_its_arguments_to_its_tool(name: str) -> None:
    """Every argument reaches the model under the name of its field."""
    calls: list[tuple[str, dict[str, Any]]] = []

    class Recorder(ToolMethods):
        def run_native(self, tool: Tool, arguments: Mapping[str, Any]) -> Any:
            calls.append((tool.name, dict(arguments)))

    method = METHODS[name]
    by_position: list[str] = []
    by_name: dict[str, str] = {}
    expected: dict[str, Any] = {}
    for parameter, value in parameters_of(name).items():
        text = f"value of {parameter}"
        expected[parameter] = text
        if value.kind is inspect.Parameter.VAR_POSITIONAL:
            by_position.append(text)
            expected[parameter] = [text]
        elif value.kind is inspect.Parameter.KEYWORD_ONLY:
            by_name[parameter] = text
        else:
            by_position.append(text)
    getattr(Recorder(), name)(*by_position, **by_name)
    [(tool_name, arguments)] = calls
    if method.item is not None:
        [item] = arguments.pop("items")
        arguments |= item
    arguments.pop("folders", None)
    assert tool_name == method.tool
    assert arguments == expected


def test_leaves_out_defaults() -> None:
    calls: list[dict[str, Any]] = []

    class Recorder(ToolMethods):
        def run_native(self, tool: Tool, arguments: Mapping[str, Any]) -> Any:
            calls.append(dict(arguments))

    Recorder().read("a.py", limit=500, symbol=None)
    Recorder().replace("a", "b", preview=True)
    assert calls == [
        {"path": "a.py"},
        {"pattern": "a", "replacement": "b", "preview": True},
    ]


REQUESTS = [
    pytest.param(methods.EditPlace, Place, id="place"),
    pytest.param(methods.MoveSource, MoveSource, id="source"),
    pytest.param(methods.WriteRequest, WriteItem, id="write"),
    pytest.param(methods.ReadRequest, ReadItem, id="read"),
]


@pytest.mark.parametrize(("request_type", "model"), REQUESTS)
def test_requests_have_the_fields_of_their_models(
    request_type: Any, model: type[BaseModel]
) -> None:
    names = {
        info.alias or name: info.is_required()
        for name, info in model.model_fields.items()
    }
    hints = get_type_hints(request_type, include_extras=True)
    # `__required_keys__` takes no notice of annotations that are text.
    required = {
        key: get_origin(hint) is not NotRequired for key, hint in hints.items()
    }
    assert required == names


def test_an_edit_request_has_the_fields_of_every_kind_of_edit() -> None:
    assert set(methods.EditRequest.__annotations__) == edit_field_names()


def test_read_options_are_the_other_fields_of_a_read() -> None:
    assert set(methods.ReadOptions.__annotations__) == set(
        ReadArguments.model_fields
    ) - {"path", "paths", "items"}


def test_every_method_can_be_awaited() -> None:
    assert set(METHODS) <= set(vars(AsyncWorkspace))
