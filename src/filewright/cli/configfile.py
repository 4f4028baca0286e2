"""What is written into the text of a client's configuration, and taken out of it; every other character stays.

It takes JSON with comments and trailing commas, as editors write it, and TOML. What is made is read again and
compared with what it should say, so that a form that is not known here is refused, not spoiled.
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
    wanted = _merged(_read_toml(text) if toml else json_of(text), keys, entry)
    if not toml:
        return with_value(text, wanted)
    return _verified(_in_toml(text, keys, entry), wanted)


def without_entry(text: str, keys: Sequence[str], *, toml: bool = False) -> str:
    """`text` without that entry, and without the objects that are left empty. Raises `ValueError` likewise."""
    config = _read_toml(text) if toml else json_of(text)
    wanted = _without(config, keys) if isinstance(config, Mapping) else config
    if wanted == config:
        return text
    return _verified(_out_of_toml(text, keys), wanted) if toml else with_value(text, wanted)


def with_value(text: str, wanted: Any) -> str:
    """JSON that says `wanted`; only what differs is written anew. Raises `ValueError` likewise."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text.strip():
        return text + (_json(wanted) + "\n").replace("\n", newline)
    while (after := _step(text, _parsed(text), wanted, newline)) is not None:
        text = after  # It has moved what follows: look again.
    if json_of(text) != wanted:
        raise ValueError("the entry cannot be put into it safely")
    return text


def _verified(toml: str, wanted: Any) -> str:
    if _read_toml(toml) != wanted:
        raise ValueError("the entry cannot be put into it safely")
    return toml


def _without(table: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    inner = table.get(keys[0])
    left = _without(inner, keys[1:]) if len(keys) > 1 and isinstance(inner, Mapping) else None
    return {key: left if key == keys[0] else value for key, value in table.items() if key != keys[0] or left}


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
    """A value and where it is, with its name from `begin` on; of an object or a list what is in it, by its name or
    number, and the end of the last of them with its comma."""

    start: int
    end: int
    value: Any = None
    members: dict[str | int, _Value] = field(default_factory=dict)
    comma: int | None = None
    begin: int = 0


def json_of(text: str) -> Any:
    """What a configuration in JSON says; an empty one is an object. Raises `ValueError`."""
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
    at += 1
    while tokens[at][0] != closing:
        key: str | int = len(made.members)
        begin = tokens[at][1]
        if closing == "}":
            key = json.loads(tokens[at][0])
            if not isinstance(key, str) or tokens[at + 1][0] != ":":
                raise ValueError("a member without a name")
            at += 2
        item, at = _value(tokens, at)
        item.begin = begin
        made.members.pop(key, None)
        made.members[key] = item
        made.comma = tokens[at][2] if tokens[at][0] == "," else None
        if made.comma is not None:
            at += 1
        elif tokens[at][0] != closing:
            raise ValueError("a comma is missing")
    made.end = tokens[at][2]
    values = {key: item.value for key, item in made.members.items()}
    made.value = [*values.values()] if closing == "]" else values
    return made, at + 1


def _step(text: str, place: _Value, wanted: Any, newline: str) -> str | None:
    """`text` with the first thing that differs as wanted; None if nothing does."""
    found = place.value
    if found == wanted:
        return None
    if isinstance(found, dict) and isinstance(wanted, Mapping):
        for key, member in place.members.items():
            if key not in wanted:
                return _taken_out(text, place, member)
            if member.value != wanted[key]:
                return _step(text, member, wanted[key], newline)
        key = next(key for key in wanted if key not in found)
        name = f"{json.dumps(key, ensure_ascii=False)}: "
        return _put_in(text, place, name, wanted[key], newline)
    if isinstance(found, list) and isinstance(wanted, list) and all(isinstance(i, Mapping) for i in wanted):
        gone = next((member for member in place.members.values() if member.value not in wanted), None)
        if gone is not None:
            return _taken_out(text, place, gone)
        if found == wanted[: len(found)]:
            return _put_in(text, place, "", wanted[len(found)], newline)
    return text[: place.start] + _indented(wanted, text, place.start, newline) + text[place.end :]


def _put_in(text: str, place: _Value, name: str, value: Any, newline: str) -> str:
    """`text` with one value more, behind the last one of the object or list `place`."""
    unit = _unit(text)
    outer = _indent(text, place.start)
    last = max(place.members.values(), key=lambda member: member.end, default=None)
    inner = _indent(text, last.start) if last is not None and _first_in_line(text, last) else outer + unit
    member = f"{name}{_json(value, unit)}".replace("\n", newline + inner)
    at = place.start + 1 if last is None else place.comma or last.end
    comma = "," if last is not None and place.comma is None else ""
    beside = _BESIDE.match(text, at)
    assert beside is not None
    remark = beside[0].rstrip()
    follows = text[at + len(remark) :]
    closing = newline + outer if follows.lstrip(" \t").startswith(("}", "]")) else ""
    again = "," if last is not None and place.comma is not None else ""
    return f"{text[:at]}{comma}{remark}{newline}{inner}{member}{again}{closing}{follows}"


def _taken_out(text: str, place: _Value, member: _Value) -> str:
    """`text` without one value of the object or list `place`, and without its line if that is left empty."""
    begin, end = member.begin, member.end
    others = [other for other in place.members.values() if other is not member]
    follows = min((other.begin for other in others if other.begin > end), default=None)
    before = max((other for other in others if other.end < begin), key=lambda other: other.end, default=None)
    if follows is not None or place.comma is not None:
        end = _comma(text, end) + 1
    elif before is not None:
        comma = _comma(text, before.end)
        text = text[:comma] + text[comma + 1 :]
        begin, end = begin - 1, end - 1
    line = text.rfind("\n", 0, begin) + 1
    rest = re.compile(r"[ \t]*(?://[^\n]*)?\r?\n").match(text, end)
    if rest is not None and not text[line:begin].strip():
        begin, end = line, rest.end()
    return text[:begin] + text[end:]


def _comma(text: str, at: int) -> int:
    """Where the comma behind a value is; remarks may be between."""
    while text[at] != ",":
        token = _TOKEN.match(text, at)
        assert token is not None
        at = token.end()
    return at


def _indented(value: Any, text: str, at: int, newline: str) -> str:
    return _json(value, _unit(text)).replace("\n", newline + _indent(text, at))


def _first_in_line(text: str, member: _Value) -> bool:
    return not text[text.rfind("\n", 0, member.begin) + 1 : member.begin].strip()


def _indent(text: str, at: int) -> str:
    begin = text.rfind("\n", 0, at) + 1
    line = text[begin:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _json(value: Any, unit: str = "  ") -> str:
    """As people write it: what holds no objects in one line."""
    if isinstance(value, Mapping) and value:
        inside = [
            f"{json.dumps(key, ensure_ascii=False)}: {_json(inner, unit)}" for key, inner in value.items()
        ]
    elif isinstance(value, list) and any(isinstance(inner, Mapping | list) for inner in value):
        inside = [_json(inner, unit) for inner in value]
    else:
        return json.dumps(value, ensure_ascii=False)
    begin, end = "{}" if isinstance(value, Mapping) else "[]"
    lines = ",\n".join(inside).replace("\n", f"\n{unit}")
    return f"{begin}\n{unit}{lines}\n{end}"


# TOML


def _read_toml(text: str) -> dict[str, Any]:
    # As they are written: one of them is not equal to itself.
    return tomllib.loads(text, parse_float=str)


def _toml(value: Any) -> str:
    # JSON's strings, lists and booleans are TOML's, but for the one character that TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _table(keys: Sequence[str], more: str = "") -> re.Pattern[str]:
    """What finds the line that begins a table."""
    parts = r"\s*\.\s*".join(f"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')" for key in keys)
    return re.compile(rf"^[ \t]*\[[ \t]*{parts}{more}[ \t]*\][^\n]*(?:\n|\Z)", re.MULTILINE)


def _out_of_toml(text: str, keys: Sequence[str]) -> str:
    """Without the table, those in it, and the empty line before them."""
    while (header := _table(keys, r"(?:\s*\.[^\]\n]*)?").search(text)) is not None:
        following = re.compile(r"^[ \t]*\[", re.MULTILINE).search(text, header.end())
        begin, end = header.start(), following.start() if following else len(text)
        if end == len(text):
            begin = len(text[:begin].rstrip("\r\n"))
            begin += len(re.match(r"(?:\r?\n)?", text[begin:])[0])  # type: ignore[index]
        text = text[:begin] + text[end:]
    return text


def _in_toml(text: str, keys: Sequence[str], entry: Entry) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    header = _table(keys).search(text)
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
