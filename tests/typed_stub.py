"""The library's typed methods, made from the models of the tools' arguments: `python -m tests.pages` writes them anew."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path
from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel
from pydantic.fields import FieldInfo

import filewright
from filewright.tools.context import Context
from filewright.tools.surface import entries

STUB = Path(__file__).parents[1] / "src/filewright/tools/typed.pyi"
_ALIASES = {
    'Literal["smart", "sensitive", "insensitive"]': "Case",
    'Literal["create", "overwrite", "append"]': "WriteMode",
    'Literal["lf", "keep"]': "Newline",
    'Literal["auto", "full", "none"]': "DiffWanted",
}
_REQUESTS = {
    "MovedFrom": "MoveSource", "EditPlace": "EditPlace", "EditItem": "EditRequest", "WriteItem": "WriteRequest", "ReadItem": "ReadRequest",
    "SearchArguments": "Mapping[str, Any]", "ReplaceArguments": "Mapping[str, Any]", "Pair": "",
}  # fmt: skip
METHODS: dict[str, tuple[str, str, str]] = {
    "list_files": ("list_files", "path", ""),
    "stat": ("stat_items", "", "paths"),
    "get_overview": ("get_overview", "path", ""),
    "get_overviews": ("get_overview", "", "paths"),
    "get_map": ("get_overview", "path", ""),
    "search": ("search_content", "pattern path", ""),
    "read": ("read_content", "path", ""),
    "edit": ("edit_content", "path edits", ""),
    "apply_patch": ("apply_patch", "patch", ""),
    "replace": ("replace_content", "pattern replacement path", ""),
    "write": ("write_content", "path content", ""),
    "write_all": ("write_content", "items", ""),
    "create_directories": ("create_directories", "", "paths"),
    "move": ("move_items", "source destination", ""),
    "copy": ("copy_items", "source destination", ""),
    "delete": ("delete_items", "", "paths"),
    "set_permissions": ("set_permissions", "", "paths"),
    "get_history": ("get_history", "path", ""),
    "revert_edit": ("revert_edit", "change_id", ""),
}
"""The methods of the library: their tools, what may be given without a name, and what is given one after another."""
_ANSWERS = {
    "get_overview": "OverviewResult",
    "get_overviews": "ManyOverviews",
    "get_map": "FolderMap",
}
_ELSEWHERE = {"get_overview": {"paths", "folders"}}
"""Arguments that make another kind of answer have a method of their own: `get_overviews`, `get_map`."""


_HEAD = """# Made from the arguments of the tools: write it anew with `python -m tests.pages`.
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict, Unpack, overload

IMPORTS
"""
_READ = """    @overload
    def read(self, path: str, **options: Unpack[ReadOptions]) -> FileRead:
        DOC
    @overload
    def read(self, *, paths: Sequence[str], **options: Unpack[ReadOptions]) -> FilesRead: ...
    @overload
    def read(self, *, items: Sequence[ReadRequest], **options: Unpack[ReadOptions]) -> FilesRead: ...
"""


def _models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """A model and those of its fields."""
    yield model
    for field in model.model_fields.values():
        for kind in _parts(field.annotation):
            if (
                isinstance(kind, type)
                and issubclass(kind, BaseModel)
                and kind is not model
            ):
                yield from _models(kind)


def _parts(annotation: Any) -> Iterator[Any]:
    yield annotation
    for each in get_args(annotation):
        yield from _parts(each)


def _type_text(annotation: Any) -> str:
    """A type as a stub writes it."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _type_text(get_args(annotation)[0])
    if origin is Literal:
        text = f"Literal[{', '.join(json.dumps(value) for value in get_args(annotation))}]"
        return _ALIASES.get(text, text)
    if origin in (Union, UnionType):
        return " | ".join(
            dict.fromkeys(_type_text(each) for each in get_args(annotation))
        )
    if origin in (list, tuple):
        return f"Sequence[{_type_text(get_args(annotation)[0])}]"
    if origin is dict:
        return f"Mapping[{', '.join(map(_type_text, get_args(annotation)))}]"
    if annotation is type(None):
        return "None"
    return _REQUESTS.get(annotation.__name__, annotation.__name__)


def _request(name: str, model: type[BaseModel]) -> str:
    """A typed dict of a model's fields."""
    rows = {}
    for field, found in model.model_fields.items():
        kind = _type_text(found.annotation)
        rows[found.alias or field] = (
            kind if found.is_required() else f"NotRequired[{kind}]"
        )
    if any(map(iskeyword, rows)):
        members = ", ".join(f'"{key}": {kind}' for key, kind in rows.items())
        return f'{name} = TypedDict("{name}", {{{members}}})\n'
    return f"class {name}(TypedDict):\n" + "".join(
        f"    {key}: {kind}\n" for key, kind in rows.items()
    )


def _parameter(name: str, field: FieldInfo, *, default: bool = True) -> str:
    kind = _type_text(field.annotation)
    if field.is_required() or not default:
        return f"{name}: {kind}"
    value = field.get_default(call_default_factory=True)
    shown = (
        "()"
        if isinstance(value, (list, tuple))
        else json.dumps(value)
        if isinstance(value, str)
        else repr(value)
    )
    return f"{name}: {kind} = {shown}"


def typed_stub() -> str:
    """What mypy and an editor know of the library's methods: their arguments are those of the tools' models."""
    tools = {name: tool.load() for name, tool in entries().items()}
    models = {
        model.__name__: model
        for taken, _ in tools.values()
        for model in _models(taken)
    }
    reading = tools["read_content"][0].model_fields
    options = [
        name for name in reading if name not in ("path", "paths", "items")
    ]
    methods = []
    results: set[str] = set()
    for name, (tool, ordered, several) in METHODS.items():
        arguments, run = tools[tool]
        hints = get_type_hints(
            run, localns={"Context": Context, "Task": object}
        )
        answer = _ANSWERS.get(name) or " | ".join(
            each.__name__
            for each in get_args(hints["return"]) or (hints["return"],)
        )
        results.update(answer.split(" | "))
        doc = f'        """{(run.__doc__ or "").strip().splitlines()[0]}"""\n'
        if name == "read":
            methods.append(_READ.replace("DOC", doc.strip()))
            continue
        shared = getattr(arguments.__mro__[1], "model_fields", {})
        fields = dict(
            sorted(
                arguments.model_fields.items(),
                key=lambda item: item[0] in shared,
            )
        )
        for gone in _ELSEWHERE.get(name, ()):
            fields.pop(gone, None)
        if name in ("get_overviews", "get_map"):
            fields = {
                key: field
                for key, field in fields.items()
                if key == (several or "path")
            }
        if name in ("write", "move", "copy"):
            inner = get_args(fields.pop("items").annotation)[0]
            fields = {**inner.model_fields, **fields}
            if name == "write":
                fields = {
                    key: field
                    for key, field in fields.items()
                    if key not in ("atomic", "diff")
                }
        first = ordered.split()
        parts = ["self", *(f"*{several}: str" for _ in [0] if several)]
        for key in first:
            wanted = name == "get_overview" or fields[key].is_required()
            kind = _parameter(key, fields[key], default=not wanted)
            parts.append(
                kind.replace("str | None", "str")
                if name == "get_overview"
                else kind
            )
        if name == "get_map":
            parts[1:] = ['path: str = "."']
        if name == "edit":
            parts[1:] = ["path: str | None", "edits: Sequence[EditRequest]"]
        rest = [
            _parameter(key, field)
            for key, field in fields.items()
            if key not in first and key != several
        ]
        if rest:
            parts += [*([] if several else ["*"]), *rest]
        methods.append(
            f"    def {name}({', '.join(parts)}) -> {answer}:\n{doc}"
        )
    modules = {
        each: inspect.getmodule(getattr(filewright, each))
        for each in sorted(results | {"FileRead", "FilesRead"})
    }
    imports = "".join(
        f"from {module.__name__} import {each}\n"
        for each, module in modules.items()
        if module
    )
    text = _HEAD.replace("IMPORTS", imports) + "\n".join(
        [
            *(f"{alias} = {text}\n" for text, alias in _ALIASES.items()),
            _request("EditPlace", models["EditPlace"]),
            _request("MoveSource", models["MovedFrom"]),
            _request("EditRequest", models["EditItem"]),
            _request("WriteRequest", models["WriteItem"]),
            _request("ReadRequest", models["ReadItem"]),
            "class ReadOptions(TypedDict, total=False):\n"
            + "".join(
                f"    {key}: {_type_text(reading[key].annotation)}\n"
                for key in options
            ),
            "class TypedTools:\n"
            "    def _run(self, name: str, arguments: Mapping[str, Any]) -> Any: ...\n"
            + "".join(methods),
        ]
    )
    for command in (["check", "--select", "I", "--fix-only", "-q"], ["format"]):
        given = [
            sys.executable,
            "-m",
            "ruff",
            *command,
            "--stdin-filename",
            str(STUB),
            "-",
        ]
        text = subprocess.run(
            given, input=text, capture_output=True, text=True, check=True
        ).stdout
    return text
