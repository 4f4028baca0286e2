"""Whether one word is a slip of the pen for another: only where it is no word itself.

The list is of English words, American and British, from SCOWL (see ``words.LICENSE`` beside it), and
of the words programmers use. It says what is a word; that a word is missing from it never lets an
edit land by itself.
"""

from __future__ import annotations

import builtins
import keyword
import re
import string
import sys
import zlib
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

from filewright.edit.filetext import FileText


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MONTHS_AND_DAYS = _words(
    """
    jan feb mar apr may jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    """
)

_FOLDER = files("filewright.edit.locate")
_LETTERS = string.ascii_lowercase.encode()
#: How far around a place of the list a word is looked for: it is there with a capital too.
_NEAR = 256
#: Words that only join others.
_JOINING = _words("the a an and or of to in on at by for with from into as is it its that this then than")


@cache
def _list() -> bytes:
    return b"\n" + zlib.decompress(_FOLDER.joinpath("words.txt.gz").read_bytes(), wbits=31)


@cache
def _code_words() -> frozenset[str]:
    """Words that programmers use."""
    return _words(_FOLDER.joinpath("words_code.txt").read_text("ascii"))


@cache
def _names() -> frozenset[str]:
    """Common words that are people's names too."""
    return _words(_FOLDER.joinpath("words_names.txt").read_text("ascii"))


@cache
def _python_words() -> frozenset[str]:
    return frozenset(map(str.lower, (*keyword.kwlist, *dir(builtins), *sys.stdlib_module_names)))


@lru_cache(maxsize=4096)
def is_english(word: str) -> bool:
    """Whether the lower-case `word` is a common word of English; names are not."""
    if not word.isascii():
        return False
    words, key = _list(), word.lower().encode()
    low, high = 0, len(words) - 1
    while low < high:  # the list is in order but for capitals: halve it, a line at a time
        middle = words.rfind(b"\n", 0, (low + high) // 2 + 1)
        end = words.find(b"\n", middle + 1)
        if middle >= low and words[middle + 1 : end].lower() < key:
            low = end
        elif (low + high) // 2 < high and middle > low:
            high = middle
        else:
            break
    return b"\n" + word.encode() + b"\n" in words[max(0, low - _NEAR) : high + _NEAR]


def is_word(word: str) -> bool:
    """Whether `word` means something by itself, in English or to programmers."""
    lower = word.lower()
    known = lower in _code_words() or lower in _MONTHS_AND_DAYS or lower in _python_words()
    return known or is_english(lower) or is_english(word.capitalize())


def names_time(words: Iterable[str]) -> bool:
    """Whether one of the words is a month or a day, in short or in full."""
    return any(word.lower() in _MONTHS_AND_DAYS for word in words)


def is_slip(asked: str, found: str) -> bool:
    """Whether one of two words one step apart can only be the other misspelled: it is no word at all.

    Either may be the misspelled one: people quote a misspelled file in right spelling too. Capitals may
    begin common words of five letters or more; others are names, and stay.
    """
    low, there = asked.lower(), found.lower()
    if asked != low or found != there:
        alike = (asked.isupper() and found.isupper()) or (
            asked == low.capitalize() and found == there.capitalize()
        )
        if not alike or max(len(low), len(there)) < 5 or not _names().isdisjoint((low, there)):
            return False
    return one_step(low, there) and (_is_misspelled(low, there) or _is_misspelled(there, low, strict=True))


def _is_misspelled(wrong: str, right: str, *, strict: bool = False) -> bool:
    """Whether `wrong` is no word, and nothing but `right`, a word.

    Two neighbours swapped or one letter doubled make no other name of a name. Of a common word one letter
    may also be wrong, missing or too much, but not the first, and not an ending.
    """
    known = is_english(right)
    if right in _code_words() and not strict:
        known = known or (len(right) > 4 and wrong[-1] == right[-1])
    if is_word(wrong) or (strict and not known):
        return False
    if _is_mistyped(wrong, right):
        return True
    longer, shorter = (wrong, right) if len(wrong) >= len(right) else (right, wrong)
    ending = len(longer) > len(shorter) and longer.startswith(shorter)
    usual = known and wrong[0] == right[0] and len(shorter) > 3
    return usual and not (ending and (strict or longer[-1] in "sdrnyx"))


def _is_mistyped(wrong: str, right: str) -> bool:
    """Whether two neighbours are swapped, or a letter is doubled."""
    if sorted(wrong) == sorted(right):
        return len(right) > 3 or is_english(right)
    once = [re.sub(r"(.)\1+", r"\1", word) for word in (wrong, right)]
    return min(len(wrong), len(right)) > 3 and once[0] == once[1]


def is_only_neighbour(source: FileText, asked: str, found: str) -> bool:
    """Whether `found` is the one word of the file that `asked` is a step from, and `asked` is not in it.

    Words that only join others name nothing that could be meant instead; and of no other word was the
    first letter missed.
    """
    if source.held is None:
        return False
    asked, found = asked.lower(), found.lower()
    near = _one_step_from(source.held.lower(), asked)
    return asked not in near and {word for word in near - _JOINING if _begin_alike(asked, word)} == {found}


def _one_step_from(text: bytes, asked: str) -> set[str]:
    """The words of a lower-case text that are `asked` or one step from it.

    The step leaves one half of the word as it is, or swaps the letters where the halves meet.
    """
    half = len(asked) // 2
    begin, end = asked[:half], asked[half:]
    swapped = f"{begin[:-1]}{end[:1]}{begin[-1:]}{end[1:]}"
    words: set[bytes] = set()
    for pattern in (swapped, f"{begin}[a-z]*"):
        for match in re.finditer(pattern.encode(), text):
            if not text[max(0, match.start() - 1) : match.start()].isalpha():
                words.add(match[0] if not text[match.end() : match.end() + 1].isalpha() else b"")
    for match in re.finditer(f"{end}(?![a-z])".encode(), text):
        before = text[max(0, match.start() - half - 2) : match.start()]
        words.add(before[len(before.rstrip(_LETTERS)) :] + match[0])
    return {word for one in words if (word := one.decode()) and (word == asked or one_step(asked, word))}


def _begin_alike(one: str, other: str) -> bool:
    return one[0] == other[0] or sorted(one[:2]) == sorted(other[:2])


def one_step(one: str, other: str) -> bool:
    """Whether one letter inserted, dropped, replaced, or two neighbours swapped make the other word."""
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1 or one == other:
        return False
    head = 0
    while head < len(one) and one[head] == other[head]:
        head += 1
    if len(one) < len(other):
        return one[head:] == other[head + 1 :]
    if one[head + 1 :] == other[head + 1 :]:
        return True
    swapped = other[head + 1 : head + 2] + other[head : head + 1]
    return one[head : head + 2] == swapped and one[head + 2 :] == other[head + 2 :]
