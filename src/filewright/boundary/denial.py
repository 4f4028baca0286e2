"""What the user keeps from agents: `.agentsignore` and `--deny`, and from their changes `.agentsreadonly`.

Both files are written like `.gitignore`, may be in any folder, and hold for what is below it. What is
denied is not there for any call: not read, listed, searched, changed, nor named by history. The answer
for a path that a rule matches is the same whether or not anything is there; a rule that ends in a slash
matches a name that does not exist, too. A name is matched as it is written and as the most forgiving
file system would read it, and either is enough. A rule file that cannot be used denies its whole folder.

Nobody has to say that there are such files: they are looked for in the folders on the way to what was
opened, from the folder that is held, so that no rename in between hides one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from filewright import errors
from filewright.boundary.ignore import NOTHING, Matcher, Rule, problem_of
from filewright.boundary.names import quote
from filewright.boundary.protection import checked, folded, plain_form
from filewright.errors import FilewrightError
from filewright.system import Folder

DENY_FILE: Final = b".agentsignore"
READ_ONLY_FILE: Final = b".agentsreadonly"
RULE_FILES: Final = (DENY_FILE, READ_ONLY_FILE)


class Unusable(str):
    """Why a rule file cannot be used; `number` is the error of the system's that was met, if one was."""

    number: int | None = None

    @classmethod
    def because(cls, why: str, number: int | None = None) -> Unusable:
        made = cls(why)
        made.number = number
        return made


_Content = bytes | str | None
"""What a rule file holds; why it cannot be used; None if there is none."""

_FILE_BYTES = 64 << 10
_REMEMBERED_BYTES = 8 << 10
_TRIES = 8
_SPECIAL = re.compile(rb"[*?\[\]\\!# ]")


class _Scope:
    """Some rules as they are for the names in one folder: as written, and as a file system that ignores
    case and more would read them. `prefix` is the folder's path from the root, `plain` the same folded."""

    __slots__ = ("_exact", "_folds", "_plain", "_prefix")

    def __init__(self, exact: Matcher, folds: Matcher, prefix: bytes = b"", plain: bytes = b"") -> None:
        self._exact, self._folds, self._prefix, self._plain = exact, folds, prefix, plain

    def __bool__(self) -> bool:
        return bool(self._exact) or bool(self._folds)

    def matches(self, name: bytes, folder: bool) -> bool:
        """Whether a rule matches the name of a folder, or of something else."""
        return bool(self) and (
            self._exact.ignores(self._prefix, name, folder)
            or self._folds.ignores(self._plain, _plain(name), folder)
        )

    def rule(self, name: bytes, folder: bool) -> tuple[bytes, Rule] | None:
        """The rule that matches a name, and the path of the folder it was written in."""
        for matcher, prefix, form in (
            (self._exact, self._prefix, name),
            (self._folds, self._plain, _plain(name)),
        ):
            found = matcher.decides(prefix, form, folder)
            if found is not None and not found.rule.negated:
                return self._prefix[: found.base], found.rule
        return None

    def left(self, names: list[bytes], folder: bool) -> list[bytes]:
        """The names that no rule matches."""
        if not self or not names:
            return names
        names = self._exact.kept(self._prefix, names, folder)
        plain = [_plain(name) for name in names]
        kept = set(self._folds.kept(self._plain, plain, folder))
        return [name for name, form in zip(names, plain, strict=True) if form in kept]

    def below(self, name: bytes) -> _Scope:
        """The same for the names in the folder `name`."""
        prefix, plain = self._prefix + name + b"/", self._plain + _plain(name) + b"/"
        return _Scope(self._exact.below(prefix), self._folds.below(plain), prefix, plain)

    def plus(self, content: bytes) -> _Scope:
        """With the rules of a file in this folder."""
        if not content:
            return self
        exact = self._exact.with_files(len(self._prefix), content, None)
        folds = self._folds.with_files(len(self._plain), folded(content), None)
        return _Scope(exact, folds, self._prefix, self._plain)


_NONE = _Scope(NOTHING, NOTHING)


class DenyRules:
    """What is denied, and what may not be changed, of the names in one folder.

    `given` are those of the command line and of the client's roots, which no file undoes. `broken` says why a
    rule file cannot be used; then, and where all of the folder is denied, it is `closed`: every name is.
    `active` rules may deny more than deny files.
    """

    __slots__ = ("_files", "_given", "_read_only", "active", "broken", "closed")

    def __init__(
        self,
        given: tuple[_Scope, ...] = (),
        files: _Scope = _NONE,
        read_only: _Scope = _NONE,
        broken: str = "",
        *,
        active: bool = False,
        closed: bool = False,
    ) -> None:
        self._given, self._files, self._read_only = given, files, read_only
        self.broken = broken
        self.closed = closed or bool(broken)
        self.active = active or self.closed or any(given)

    @staticmethod
    def of(globs: Sequence[str]) -> DenyRules:
        """The rules that hold in every root. Raises `invalid_input` for one that can match nothing."""
        return DenyRules((_NONE.plus(checked(globs, "deny")),) if globs else ())

    def narrowed(self, folders: Sequence[Sequence[bytes]]) -> DenyRules:
        """These for a root, of which only what lies in `folders` is served, given by their parts."""
        lines: list[bytes] = [b"/*"]
        given = [tuple(parts) for parts in folders]
        for parts in given:
            if any(parts[: len(other)] == other and other != parts for other in given):
                continue
            for depth in range(1, len(parts) + 1):
                path = b"/" + b"/".join(_SPECIAL.sub(rb"\\\g<0>", part) for part in parts[:depth])
                lines += [b"!" + path] if depth == len(parts) else [b"!" + path + b"/", path + b"/*"]
        # What holds another folder must not close that again: each line once, the ways in last.
        ordered = [line for line in dict.fromkeys(lines) if not line.startswith(b"!")]
        ordered += [line for line in dict.fromkeys(lines) if line.startswith(b"!")]
        ordered.sort(key=lambda line: line.count(b"/"))
        return DenyRules((*self._given, _NONE.plus(b"\n".join(ordered))))

    def denies(self, name: bytes, folder: bool | None) -> bool:
        """Whether `name` is denied; with None, which may not be there, whether it is as a file or a folder."""
        if self.closed or is_deny_file(name):
            return True
        return self.active and any(
            scope.matches(name, kind) for scope in (*self._given, self._files) for kind in _kinds(folder)
        )

    def keeps(self, name: bytes, folder: bool | None) -> bool:
        """Whether `name` may not be changed; None as for `denies`."""
        return self.active and any(self._read_only.matches(name, kind) for kind in _kinds(folder))

    def allowed(self, names: list[bytes], folder: bool, *, changing: bool = False) -> list[bytes]:
        """The names that are not denied, and for `changing` may be changed, in their order."""
        if self.closed:
            return []
        for scope in (*self._given, self._files, *((self._read_only,) if changing else ())):
            names = scope.left(names, folder)
        return [name for name in names if not is_deny_file(name)]

    def entered(self, name: bytes | None, folder: Folder | None) -> DenyRules:
        """The rules in the folder `name` of this one (None: this one, a root), with those of its own files.

        Without `folder`, whose `reached` is its path from the root, it is not there and has none.
        """
        found = [_content(folder, file) if folder is not None else None for file in RULE_FILES]
        if not self.active and not any(content is not None for content in found):
            return self
        place = b"/".join((*folder.reached, b"")) if folder is not None else b""
        short = len(place) + sum(map(len, filter(None, found))) <= _REMEMBERED_BYTES
        return (_entered if short else _entered.__wrapped__)(self, name, place, *found)

    def below(self, names: Sequence[bytes]) -> DenyRules:
        """The rules in a folder below this one that is not there: by the `names` on the way to it alone."""
        rules = self
        for name in names:
            rules = rules.entered(name, None)
        return rules

    def begun(self, name: bytes, given: DenyRules) -> DenyRules:
        """The rules in the folder `name` of this one where that is a root of its own, which has `given` too."""
        every = _NONE.plus(b"/*")
        kept = every if self.keeps(name, True) else self._read_only.below(name)
        files = every if self.denies(name, True) else self._files.below(name)
        within = tuple(scope.below(name) for scope in self._given)
        return DenyRules((*given._given, *within), files, kept, self.broken, active=True)

    def reason(self, name: bytes, folder: bool) -> str:
        """By which rule `name` is denied, for the user: its file and its words."""
        for scope in self._given:
            if (given := scope.rule(name, folder)) is not None:
                return f"--deny: {given[1]}"
        found = self._files.rule(name, folder)
        return self.broken if found is None else f"{quote(found[0] + DENY_FILE)}: {found[1]}"

    def traced(self) -> DenyRules:
        """The same for a walk that is to say where each rule comes from."""
        return DenyRules(self._given, self._files, self._read_only, self.broken, active=True)

    def require(self, asked: str, name: bytes, folder: bool | None, *, changing: bool = False) -> None:
        """Raise `refusal` for what is denied, as `denies`, and for `changing` what may only be read."""
        if self.denies(name, folder):
            raise self.refusal(asked)
        if changing and self.keeps(name, folder):
            raise errors.only_read(asked)

    def refusal(self, asked: str) -> FilewrightError:
        """The answer for whatever is denied here."""
        if not self.broken:
            return errors.denied(asked)
        return errors.rules_unusable(asked, self.broken, getattr(self.broken, "number", None))


NO_RULES = DenyRules()
"""Only deny files themselves are denied."""

CLOSED = DenyRules(closed=True)
"""Everything is denied."""


@lru_cache(maxsize=128)
def _entered(
    rules: DenyRules, name: bytes | None, place: bytes, deny: _Content, read_only: _Content
) -> DenyRules:
    given, files, kept = rules._given, rules._files, rules._read_only
    if name is not None:
        given, files, kept = tuple(scope.below(name) for scope in given), files.below(name), kept.below(name)
    broken = rules.broken
    for file, content in zip(RULE_FILES, (deny, read_only), strict=True):
        problem = content if isinstance(content, str) else problem_of(content or b"")
        if problem and not broken:
            broken = Unusable.because(f"{quote(place + file)} {problem}", getattr(problem, "number", None))
    if not broken:
        assert not isinstance(deny, str)
        assert not isinstance(read_only, str)
        files, kept = files.plus(deny or b""), kept.plus(read_only or b"")
    return DenyRules(given, files, kept, broken, active=True)


def _kinds(folder: bool | None) -> tuple[bool, ...]:
    return (False, True) if folder is None else (folder,)


def is_deny_file(name: bytes) -> bool:
    """Whether a name is that of a deny file, in any spelling that a file system may take for it."""
    if name[:1] != b"." and name.isascii():
        return False
    return plain_form(name).encode("utf-8", "surrogateescape") == DENY_FILE


def _content(folder: Folder, name: bytes) -> _Content:
    try:
        kind = folder.stat(name).kind
        if kind != "file":
            return f"is a {kind}"
        for _ in range(_TRIES):
            with folder.open(name, seen=True) as file:
                before = file.status()
                if before.size > _FILE_BYTES:
                    return f"has {before.size:,} bytes, more than {_FILE_BYTES:,}"
                content = file.read(0, _FILE_BYTES)
                after = file.status()
            if (after.size, after.mtime_ns) == (before.size, before.mtime_ns) and len(content) == after.size:
                return content
    except FileNotFoundError:
        return None
    except OSError as error:
        return Unusable.because(f"cannot be read ({error.strerror})", error.errno)
    return "is being written to"


def _plain(name: bytes) -> bytes:
    return plain_form(name).encode("utf-8", "surrogateescape")
