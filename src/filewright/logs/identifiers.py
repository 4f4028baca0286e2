"""Identifiers in log lines: of requests, jobs and traces, which link one line to others.

A line of JSON has them in fields with names such as `trace.id`; in text, an identifier is
a token that looks like one. Measures, ports, versions, hosts and times are not
identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from filewright.logs.timestamps import TIME_FORMS
from filewright.rows.fields import parse_entry

_MAX_TEXT_CHARS = 16 << 10
_MAX_ID_CHARS = 128
_MAX_DEPTH = 20
_MAX_ITEMS = 20
"""Inner objects, and items of an array, that are searched for identifiers."""

_MIN_NUMBER_DIGITS = 5
_MIN_TOKEN_DIGITS = 4
"""A token with fewer digits is a name, such as ``storage142`` or ``sha256``."""

_MIN_MIXED_CHARS = 6
_MIN_RANDOM_RUNS = 6
"""Runs of letters and of digits that make a token random, whatever words it contains."""

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_TOKEN = re.compile(
    rf"(?<![\w.$%-])(?:(?P<prefix>[A-Za-z]+[-_])?(?P<uuid>{_UUID})(?!\w)"
    r"|(?P<word>[A-Za-z0-9]+(?:[-_]+[A-Za-z0-9]+)*)(?![\w@%]|\.\w|-\w))"
)
_HEX = re.compile(r"(?=.*\d)[0-9a-fA-F]{16,64}")
_UNIQUE = re.compile(rf"{_UUID}|{_HEX.pattern}")
_SHORT_ID = re.compile(r"[A-Za-z]{1,12}[-_]\d{3}")
_NAME = re.compile(r"[A-Za-z][a-z]{3}")
_LETTER_OR_DIGIT = re.compile("[A-Za-z0-9]")
_SEPARATOR = re.compile("[-_]+")
_RUN = re.compile(r"\d+|[A-Za-z]+")
_CAMEL_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_DATE = re.compile(
    r"(?<!\d)(?:19|20)\d\d[-_]?(?:0[1-9]|1[0-2])[-_]?(?:[0-2]\d|3[01])(?!\d)"
)
_EPOCH = re.compile(r"1\d{9}(?:\d{3}){0,2}|1[5-9]\d{17}")
_MEASURE_UNIT = (
    r"(?:n|u|µ|m)?s(?:ecs?|econds?)?|milli(?:s|seconds)|m(?:in(?:ute)?s?)?|h(?:ours?)?|"
    r"d(?:ays?)?|[kmgt]?i?b(?:ytes?)?|bytes|[kmgx]|px|th|st|nd|rd|[kmg]?hz|"
    r"rp[ms]|rows?|lines?|times|items|entries|records|events|messages"
)
_MEASURE = re.compile(rf"(?:\d+(?:{_MEASURE_UNIT}))+", re.IGNORECASE)
_UNIT_BEHIND = re.compile(
    rf"\s*(?:%|(?:{_MEASURE_UNIT})\b|\.\d)", re.IGNORECASE
)
_WORD_BEFORE = re.compile(
    r"""([A-Za-z_][\w.-]*)["']?(?:[ \t]*[:=#(\[/"'<]+[ \t]*|[ \t]+#?)$"""
    # The number of a connection of nginx.
    r"|([*])$"
)
_MAX_WORD_CHARS = 40
_ID_VALUE = re.compile(r"[\w.:/+=@-]+", re.ASCII)


def _words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_NAMES_OF_IDS = _words(
    "id ids uuid guid trace traceid span spanid request requestid correlation "
    "correlationid transaction transactionid txn tx session sessionid job order "
    "customer account user tenant invoice payment batch task execution run build "
    "reqid cid rid tid oid"
)
"""The last words of the names of fields that hold identifiers."""

_TRACE_NAME = re.compile(
    r"(?:^|[._/@-])(?:trace|request|correlation|req|x-?request|amzn-?trace)"
    r"(?:[._-]?u?u?id)?$",
    re.IGNORECASE,
)
"""A field that names the one request that a line belongs to."""

_NO_ID_NAMES = _words(
    "host hostname node instance server machine version ver ip addr address port "
    "agent thread logger level severity time timestamp ts date file func function "
    "caller lineno size bytes length duration elapsed latency ms us ns sec secs "
    "seconds millis took count total offset limit timeout status code errno error "
    "err exit percent pct rate score price amount width height memory mem cpu sha "
    "digest checksum etag hash schema label labels resource kubernetes container "
    "docker os process"
)
"""Words in the names of fields whose values are no identifiers."""

_NO_ID_WORDS = _NO_ID_NAMES | _words(
    "in after of than over within at by to from up max min every last first about "
    "info warn warning debug trace notice fatal crit line lines column http https "
    "tcp udp tls ssl utf iso md int uint float arm amd win log java python http nio "
    "exec worker pool executor threadpool base latin ipv rs aes eth core shard "
    "partition replica ora rfc cve sqlstate java lambda proxy rev read wrote sent "
    "received got deleted inserted updated processed loaded on listening ed ssh irq "
    "etime type len length val value start end begin out into mask flags mode kind "
    "exceptions warnings errors"
)
"""Words in tokens, or before numbers, that are no identifiers."""

_MACHINE_WORDS = _words(
    "host hostname node instance server machine version ver ip addr address port "
    "thread logger status code errno sqlstate etag sha md checksum schema"
)
"""Words before a token of letters and digits that is no identifier."""

_GENERIC_WORDS = _words(
    "utc gmt id ids pid no nr num number for with and or is are was the a an this "
    "key ref process"
)
"""Words before a number that do not say what it is a number of."""

_NO_ID_TOKEN = re.compile(
    r"[vV]\d+|x86_64|[IWEF]\d{4}|0x[0-9a-fA-F]{1,8}|\d+[A-Z]?[a-z]{4,}"
    r"|(?:[A-Za-z]+[-_])?\d{1,3}(?:-\d{1,3}){3}"
)
"""Versions, the level with the date of klog, codes and flags, measures, and addresses."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier in a log line.

    `text` is searched for. `label` names it for a reader: a number has the word before it,
    as in "job 90417". The `noun` says what a number counts, such as "order"; it is "" if
    that is not known. With `is_trace`, exactly the lines of one request have it.
    """

    text: str
    label: str
    noun: str = ""
    is_trace: bool = False

    @property
    def is_unique(self) -> bool:
        """Return True for a UUID or the digits of a trace, which name one thing only."""
        return _UNIQUE.fullmatch(self.text) is not None

    def _occurs_in(self, line: str) -> bool:
        """Return True if the text is in a line, and not a part of a longer word."""
        start = line.find(self.text)
        while start >= 0:
            end = start + len(self.text)
            edges = line[max(0, start - 1) : start] + line[end : end + 1]
            if not _LETTER_OR_DIGIT.search(edges):
                return True
            start = line.find(self.text, start + 1)
        return False

    def is_in(self, line: str) -> bool:
        """Return True if a line has this identifier.

        A number is compared with its noun, since the same digits may be another number
        there, such as a size or a key of another table.
        """
        if not self.text.isdigit() or self.is_trace:
            return self._occurs_in(line)
        for other in find_all_identifiers(line):
            is_same_noun = self.noun == other.noun
            is_known = bool(self.noun and other.noun)
            if other.text == self.text and (is_same_noun or not is_known):
                return True
        return False


def find_identifiers(line: str) -> tuple[Identifier, ...]:
    """Return the identifiers of a log line that lead to its other lines.

    If a line of JSON names its trace or request, only this is returned: it leads to
    exactly the lines of that request.
    """
    identifiers = find_all_identifiers(line)
    traces = [identifier for identifier in identifiers if identifier.is_trace]
    return tuple(traces) or identifiers


def find_all_identifiers(line: str) -> tuple[Identifier, ...]:
    """Return all identifiers in a log line, each once."""
    entry = None
    if line.lstrip().startswith("{"):
        entry = parse_entry(line.encode("utf-8", "replace"))
    if entry is None:
        candidates = list(_find_in_text(line))
    else:
        candidates = list(_find_in_fields(entry, ()))
    by_text: dict[str, Identifier] = {}
    for candidate in candidates:
        by_text.setdefault(candidate.text, candidate)
    return tuple(by_text.values())


def is_trace_name(path: str) -> bool:
    """Return True for a field that names the request of a line, such as ``trace.id``."""
    return _TRACE_NAME.search(path) is not None


def _find_in_fields(
    container: Mapping[str, Any], names: tuple[str, ...]
) -> Iterator[Identifier]:
    """Yield the identifiers in an object, whose own name is the last of `names`."""
    if len(names) > _MAX_DEPTH:
        return
    for name, value in container.items():
        path = (*names, name)
        words = _split_name(name)
        is_no_id = bool(_NO_ID_NAMES.intersection(words))
        items = value[:_MAX_ITEMS] if isinstance(value, list) else [value]
        for item in items:
            if words and words[-1] in _NAMES_OF_IDS and _is_scalar(item):
                yield from _read_id(path, item)
            elif isinstance(item, dict) and not is_no_id:
                yield from _find_in_fields(item, path)
            elif isinstance(item, str) and not is_no_id:
                yield from _find_in_text(item)


def _is_scalar(value: Any) -> bool:
    """Return True for a value that may be an identifier."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def _read_id(path: tuple[str, ...], value: int | str) -> Iterator[Identifier]:
    """Yield the identifiers in the value of a field that is named like one."""
    text = str(value)
    if isinstance(value, str) and not _ID_VALUE.fullmatch(value):
        yield from _find_in_text(value)
        return
    is_trace = is_trace_name(".".join(path))
    if is_trace:
        # Google Cloud writes projects/NAME/traces/ID.
        text = text.rpartition("/")[2]
    text = text.strip(".:/+=@-")
    digit_count = sum(character.isdigit() for character in text)
    is_long = len(text) >= _MIN_NUMBER_DIGITS and digit_count > 0
    if isinstance(value, int):
        is_long = digit_count >= _MIN_NUMBER_DIGITS
    if is_long and len(set(text)) > 1 and len(text) <= _MAX_ID_CHARS:
        if text.isdigit() and not is_trace:
            yield _number_identifier(" ".join(path[-2:]), text)
        else:
            yield Identifier(text, text, is_trace=is_trace)


def _find_in_text(text: str) -> Iterator[Identifier]:
    """Yield the identifiers in text, from left to right."""
    text = _without_times(text[:_MAX_TEXT_CHARS])
    for match in _TOKEN.finditer(text):
        word = match["uuid"] or match["word"]
        # A word of one character, such as zeros, stands for no identifier.
        if len(word) > _MAX_ID_CHARS or len(set(word) - {"-"}) == 1:
            continue
        # 00-TRACE-SPAN-01 of the W3C has two, which other lines have alone.
        long_parts = [part for part in word.split("-") if _is_long_hex(part)]
        if match["uuid"] is not None:
            yield Identifier(word, word)
        elif long_parts:
            for part in long_parts:
                yield Identifier(part, part)
        elif word.isdigit():
            yield from _read_number(text, match)
        elif _is_mixed_id(word):
            name = _read_name_before(text, match.start())
            if not _MACHINE_WORDS.intersection(_split_name(name)):
                yield Identifier(word, word)


def _read_number(text: str, match: re.Match[str]) -> Iterator[Identifier]:
    """Yield a number if the word before it says that it is that of a thing."""
    name = _read_name_before(text, match.start())
    is_measure = _UNIT_BEHIND.match(text, match.end()) is not None
    if not name or is_measure or not _is_number_of_thing(match[0]):
        return
    if not _NO_ID_WORDS.intersection(_split_name(name)):
        yield _number_identifier(name, match[0])


def _read_name_before(text: str, offset: int) -> str:
    """Return the word before an offset that says what is there, or ""."""
    before = text[max(0, offset - _MAX_WORD_CHARS) : offset]
    match = _WORD_BEFORE.search(before)
    if match is None:
        return ""
    name: str = match[1] or match[2]
    # A port stands behind a host.
    return "" if "." in name and before.endswith(":") else name


def _number_identifier(name: str, number: str) -> Identifier:
    """Return a number with the noun before it, as in `job 90417`."""
    words = [word for word in _split_name(name) if word.isalpha()]
    while words and words[-1] in _GENERIC_WORDS:
        words.pop()
    if not words:
        return Identifier(number, number)
    return Identifier(number, f"{name} {number}", noun=words[-1].rstrip("s"))


def _without_times(text: str) -> str:
    """Return a text without its timestamps; those in seconds are known as numbers."""
    content = text.encode("utf-8", "replace")
    for form in TIME_FORMS:
        if form.name != "epoch":
            content = form.pattern.sub(b" ", content)
    return content.decode("utf-8", "replace")


def _is_long_hex(part: str) -> bool:
    """Return True for the digits of a trace or a digest, but not for zeros or a time."""
    if _HEX.fullmatch(part) is None or _EPOCH.fullmatch(part):
        return False
    return len(set(part)) > 1


def _split_name(name: str) -> list[str]:
    """Return the words of a name such as ``orderId``, ``order_id`` or ``x-order-id``."""
    return [part.lower() for part in _CAMEL_PART.findall(name)]


def _is_number_of_thing(digits: str) -> bool:
    """Return True for a number that is long enough and no date or time."""
    if len(digits) < _MIN_NUMBER_DIGITS:
        return False
    return not (_DATE.fullmatch(digits) or _EPOCH.fullmatch(digits))


def _is_mixed_id(word: str) -> bool:
    """Return True if a token of letters and digits looks like an identifier."""
    is_name = _MEASURE.fullmatch(word) or _NO_ID_TOKEN.fullmatch(word)
    if is_name or not re.search("[A-Za-z]", word):
        return False
    undated = _DATE.sub("", word)
    runs = _RUN.findall(undated)
    names = {run.lower() for run in runs if run.isalpha()}
    if _NO_ID_WORDS.intersection(names) and len(runs) < _MIN_RANDOM_RUNS:
        return False
    digit_count = sum(character.isdigit() for character in undated)
    if digit_count >= _MIN_TOKEN_DIGITS or _SHORT_ID.fullmatch(word):
        return True
    if digit_count < 2 or _NAME.search(word):
        return False
    # Letters and digits take turns in a random token, as in x7f9ka.
    return any(
        len(part) >= _MIN_MIXED_CHARS and len(_RUN.findall(part)) > 2
        for part in _SEPARATOR.split(undated)
    )
