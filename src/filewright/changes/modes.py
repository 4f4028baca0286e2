"""Permission bits as users write them: octal digits or the symbolic form of chmod."""

from __future__ import annotations

import re
import stat

from filewright import system
from filewright.errors import Code, FilewrightError

_CLAUSE = re.compile(r"([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]))+)")
_ACTION = re.compile(r"([-+=])([rwxXst]*|[ugo])(?=[-+=]|$)")
_PERMISSION_BITS = {
    "r": 0o444,
    "w": 0o222,
    "x": 0o111,
    "s": stat.S_ISUID | stat.S_ISGID,
    "t": stat.S_ISVTX,
}
_SHIFT_OF_CLASS = {"u": 6, "g": 3, "o": 0}
_BITS_OF_CLASS = {"u": 0o4700, "g": 0o2070, "o": 0o0007}
_ALL_CLASSES = 0o6777


def resolve_mode(mode: str, current: int, *, is_folder: bool) -> int:
    """Return the twelve permission bits that chmod would make of `current`.

    Raise `invalid_input` for a mode that is neither octal nor symbolic.
    """
    text = mode.strip()
    octal = _parse_octal(text, current, is_folder=is_folder)
    if octal is not None:
        return octal
    bits = current
    for clause in text.split(","):
        match = _CLAUSE.fullmatch(clause)
        if match is None:
            raise FilewrightError(
                Code.INVALID_INPUT,
                f"{mode!r} is not a mode",
                hint="write octal digits such as 644, or symbols such as u+x or go-w",
                details={"mode": mode},
            )
        classes, actions = match.groups()
        for operator, permissions in _ACTION.findall(actions):
            bits = _apply_action(
                bits, classes, operator, permissions, is_folder
            )
    return bits


def _parse_octal(text: str, current: int, *, is_folder: bool) -> int | None:
    """Return the bits of an octal mode, or None if it is none."""
    if not re.fullmatch(r"(0o)?[0-7]{1,5}", text):
        return None
    digits = text.removeprefix("0o")
    bits = int(digits, 8)
    if bits > 0o7777:
        return None
    if is_folder and len(digits) < 5:
        # As chmod does: up to four octal digits leave a folder's setgid bit alone.
        bits |= current & stat.S_ISGID
    return bits


def _apply_action(
    bits: int, classes: str, operator: str, permissions: str, is_folder: bool
) -> int:
    """Apply one action such as `+x` for some classes of users; none means all."""
    is_for_all = not classes or "a" in classes
    reach = _ALL_CLASSES if is_for_all else 0
    for letter in classes:
        reach |= _BITS_OF_CLASS.get(letter, 0)
    named_bits = _named_bits(bits, permissions, is_folder)
    changed = named_bits & reach
    if not classes:
        # Without a class, chmod leaves the bits alone that the umask takes away.
        changed &= ~system.umask() | 0o7000
    if is_for_all or "o" in classes:
        changed |= named_bits & stat.S_ISVTX
    if operator == "+":
        return bits | changed
    if operator == "-":
        return bits & ~changed
    # `=` leaves the special bits of a folder alone.
    cleared = reach & 0o777 if is_folder else reach
    return bits & ~cleared | changed


def _named_bits(bits: int, permissions: str, is_folder: bool) -> int:
    """Return the bits that letters stand for, in all classes."""
    if permissions in _SHIFT_OF_CLASS:
        class_bits = bits >> _SHIFT_OF_CLASS[permissions] & 0o7
        return class_bits << 6 | class_bits << 3 | class_bits
    selected_bits = 0
    for letter in permissions:
        if letter != "X":
            selected_bits |= _PERMISSION_BITS[letter]
        elif is_folder or bits & 0o111:
            selected_bits |= 0o111
    return selected_bits
