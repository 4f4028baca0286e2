"""One server's entry in the text of a client's configuration; every other character stays as it is.

`with_entry` takes JSON with comments and trailing commas, as editors write it, and TOML. What it makes is
read again and compared with what it should say, so that a form it does not know is refused, not spoiled.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Entry = Mapping[str, Any]
_TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"/]+', re.DOTALL)
_BESIDE = re.compile(r"(?:[ \t]+|/\*[^\n]*?\*/)*(?://[^\n]*(?=\n))?")
"""What is behind a value in its line and belongs to it: a remark."""


def with_entry(text: str, keys: Sequence[str], entry: Entry, *, toml: bool = False) -> str:
    """`text` with `entry` as the value of `keys`, of which the last names the server.

    Where there is such an entry only the values that differ are replaced; what else it has stays.
    Raises `ValueError` for text that cannot be read or whose form is not known here.
    """
    read = _read_toml if toml else _read_json
    wanted = _merged(read(text), keys, entry)
    made = _in_toml(text, keys, entry) if toml else _in_json(text, keys, entry)
    if read(made) != wanted:
        raise ValueError("the entry cannot be put into it safely")
    return made


def rendered(keys: Sequence[str], entry: Entry, *, toml: bool = False) -> str:
    """A configuration of nothing but the entry."""
    if toml:
        lines = [f"{key} = {_toml(value)}" for key, value in entry.items()]
        return "\n".join([f"[{'.'.join(keys)}]", *lines, ""])
    value: Any = entry
    for key in reversed(keys):
        value = {key: value}
    return _json(value) + "\n"


def _merged(config: Any, keys: Sequence[str], entry: Entry) -> dict[str, Any]:
    table: dict[str, Any] | None = config if isinstance(config, dict) else None
    if table is None:
        raise ValueError("something other than a table is where the servers should be")
    if not keys:
        return {**table, **entry}
    return {**table, keys[0]: _merged(table.get(keys[0], {}), keys[1:], entry)}


# JSON with comments


@dataclass
class _Value:
    """A value and where it is; of an object its members, and the end of the last one with its comma."""

    start: int
    end: int
    value: Any = None
    members: dict[str, _Value] = field(default_factory=dict)
    comma: int | None = None


def _read_json(text: str) -> Any:
    return _parsed(text).value if text.strip() else {}


def _parsed(text: str) -> _Value:
    tokens: list[tuple[str, int, int]] = []
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise ValueError(f"line {text.count(chr(10), 0, position) + 1} is not JSON")
        position = found.end()
        if not found[0].isspace() and not found[0].startswith(("//", "/*")):
            tokens.append((found[0], found.start(), position))
    tokens.append(("", len(text), len(text)))
    try:
        value, after = _value(tokens, 0)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if tokens[after][0]:
        raise ValueError("something follows the end of the JSON")
    return value


def _value(tokens: list[tuple[str, int, int]], at: int) -> tuple[_Value, int]:
    word, start, end = tokens[at]
    if word not in ("{", "["):
        return _Value(start, end, json.loads(word)), at + 1
    closing = "}" if word == "{" else "]"
    made = _Value(start, end)
    items: list[Any] = []
    at += 1
    while tokens[at][0] != closing:
        key = None
        if closing == "}":
            key = json.loads(tokens[at][0])
            if not isinstance(key, str) or tokens[at + 1][0] != ":":
                raise ValueError("a member without a name")
            at += 2
        item, at = _value(tokens, at)
        if key is None:
            items.append(item.value)
        else:
            made.members.pop(key, None)
            made.members[key] = item
        made.comma = tokens[at][2] if tokens[at][0] == "," else None
        if made.comma is not None:
            at += 1
        elif tokens[at][0] != closing:
            raise ValueError("a comma is missing")
    made.end = tokens[at][2]
    made.value = items if closing == "]" else {key: item.value for key, item in made.members.items()}
    return made, at + 1


def _in_json(text: str, keys: Sequence[str], entry: Entry) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text.strip():
        return text + rendered(keys, entry).replace("\n", newline)
    place = _parsed(text)
    for depth, key in enumerate(keys):
        if key not in place.members:
            rest: Any = entry
            for inner in reversed(keys[depth + 1 :]):
                rest = {inner: rest}
            return _with_member(text, place, key, rest, newline)
        place = place.members[key]
    for key, value in entry.items():  # what is added or replaced moves what follows: look again
        place = _parsed(text)
        for outer in keys:
            place = place.members[outer]
        if key not in place.members:
            text = _with_member(text, place, key, value, newline)
        elif place.members[key].value != value:
            old = place.members[key]
            text = text[: old.start] + _indented(value, text, old.start, newline) + text[old.end :]
    return text


def _with_member(text: str, place: _Value, key: str, value: Any, newline: str) -> str:
    """`text` with one member more, behind the last one of the object `place`."""
    unit = _unit(text)
    outer = _indent(text, place.start)
    last = max(place.members.values(), key=lambda member: member.end, default=None)
    inner = _indent(text, last.start) if last is not None and _first_in_line(text, last) else outer + unit
    member = f"{json.dumps(key, ensure_ascii=False)}: {_json(value, unit)}".replace("\n", newline + inner)
    at = place.start + 1 if last is None else place.comma or last.end
    comma = "," if last is not None and place.comma is None else ""
    beside = _BESIDE.match(text, at)
    assert beside is not None
    remark = beside[0].rstrip()
    follows = text[at + len(remark) :]
    closing = newline + outer if follows.lstrip(" \t").startswith("}") else ""
    return f"{text[:at]}{comma}{remark}{newline}{inner}{member}{closing}{follows}"


def _indented(value: Any, text: str, at: int, newline: str) -> str:
    return _json(value, _unit(text)).replace("\n", newline + _indent(text, at))


def _first_in_line(text: str, member: _Value) -> bool:
    begin = text.rfind("\n", 0, member.start) + 1
    return text[begin : member.start].lstrip().startswith('"')


def _indent(text: str, at: int) -> str:
    begin = text.rfind("\n", 0, at) + 1
    line = text[begin:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _json(value: Any, unit: str = "  ") -> str:
    """As people write it: lists of words in one line."""
    if isinstance(value, Mapping):
        members = [f"{json.dumps(key)}: {_json(inner, unit)}" for key, inner in value.items()]
        inside = ",\n".join(members).replace("\n", f"\n{unit}")
        return f"{{\n{unit}{inside}\n}}"
    return json.dumps(value, ensure_ascii=False)


# TOML


def _read_toml(text: str) -> dict[str, Any]:
    # As they are written: one of them is not equal to itself.
    return tomllib.loads(text, parse_float=str)


def _toml(value: Any) -> str:
    # JSON's strings, lists and booleans are TOML's, but for the one character that TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _in_toml(text: str, keys: Sequence[str], entry: Entry) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    parts = r"\s*\.\s*".join(f"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')" for key in keys)
    header = re.search(rf"^[ \t]*\[[ \t]*{parts}[ \t]*\][^\n]*(?:\n|\Z)", text, re.MULTILINE)
    if header is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return text + gap + rendered(keys, entry, toml=True).replace("\n", newline)
    for key, value in entry.items():
        table = re.compile(r"^[ \t]*\[", re.MULTILINE).search(text, header.end())
        end = table.start() if table else len(text)
        old = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=[ \t]*", re.MULTILINE).search(
            text, header.end(), end
        )
        if old is None:
            gap = "" if header[0].endswith("\n") else newline
            text = f"{text[: header.end()]}{gap}{key} = {_toml(value)}{newline}{text[header.end() :]}"
            continue
        stop = _toml_end(text, old.end())
        if tomllib.loads(f"x = {text[old.end() : stop]}")["x"] != value:
            text = text[: old.end()] + _toml(value) + text[stop:]
    return text


def _toml_end(text: str, start: int) -> int:
    """Where the value that begins at `start` ends: the first place up to which it can be read."""
    for found in re.compile(r"[ \t]*(?:#|\r?\n|\Z)").finditer(text, start):
        try:
            tomllib.loads(f"x = {text[start : found.start()]}")
        except tomllib.TOMLDecodeError:
            continue
        return found.start()
    raise ValueError("a value has no end")
