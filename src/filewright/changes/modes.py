"""Permission bits as people write them: octal digits or chmod's symbolic form."""

from __future__ import annotations

import re
import stat

from filewright import system
from filewright.errors import Code, FilewrightError

_CLAUSE = re.compile(r"([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]))+)")
_ACTION = re.compile(r"([-+=])([rwxXst]*|[ugo])(?=[-+=]|$)")
_BITS = {"r": 0o444, "w": 0o222, "x": 0o111}
_WHO = {"u": 0o4700, "g": 0o2070, "o": 0o0007}


def resolve(asked: str, current: int, *, folder: bool) -> int:
    """The permission bits (12 bits) that `asked` makes of `current`, as `chmod` would.

    Raises `invalid_input` for anything that is neither octal nor symbolic.
    """
    text = asked.strip()
    if re.fullmatch(r"(0o)?[0-7]{1,5}", text):
        value = int(text.removeprefix("0o"), 8)
        if value <= 0o7777:
            # As chmod does: an octal mode of up to four digits leaves a folder's setgid bit alone.
            return value | (
                current & stat.S_ISGID
                if folder and len(text.removeprefix("0o")) < 5
                else 0
            )
    mode = current
    for clause in text.split(","):
        match = _CLAUSE.fullmatch(clause)
        if match is None:
            raise FilewrightError(
                Code.INVALID_INPUT,
                f"{asked!r} is not a mode",
                hint="write octal digits such as 644, or symbols such as u+x or go-w",
                details={"mode": asked},
            )
        who, actions = match.groups()
        for operator, permissions in _ACTION.findall(actions):
            mode = _act(mode, who, operator, permissions, folder)
    return mode


def _act(mode: int, who: str, operator: str, permissions: str, folder: bool) -> int:
    everyone = not who or "a" in who
    reach = 0o6777 if everyone else 0
    for letter in who:
        reach |= _WHO.get(letter, 0)
    bits = 0
    if permissions in ("u", "g", "o"):
        three = mode >> {"u": 6, "g": 3, "o": 0}[permissions] & 0o7
        bits = three << 6 | three << 3 | three
    else:
        for letter in permissions:
            if letter == "X":
                bits |= 0o111 if folder or mode & 0o111 else 0
            elif letter == "s":
                bits |= stat.S_ISUID | stat.S_ISGID
            elif letter == "t":
                bits |= stat.S_ISVTX
            else:
                bits |= _BITS[letter]
    sticky = bits & stat.S_ISVTX
    bits &= reach
    if not who:
        bits &= ~system.umask() | 0o7000
    if everyone or "o" in who:
        bits |= sticky
    if operator == "+":
        return mode | bits
    if operator == "-":
        return mode & ~bits
    cleared = reach if not folder else reach & 0o777
    return mode & ~cleared | bits
