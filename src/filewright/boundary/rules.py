"""What the user keeps from agents (`.agentsignore`, `--deny`), from their changes (`.agentsreadonly`), and protects.

Both files are written like `.gitignore`, may be in any folder, and hold for what is below it. What is
denied is not there for any call: not read, listed, searched, changed, nor named by history. The answer
for a path that a rule matches is the same whether or not anything is there; a rule that ends in a slash
matches a name that does not exist, too. A name is matched as it is written and as the most forgiving
file system would read it, and either is enough. A rule file that cannot be used denies its whole folder.

A repository holds copies of what it tracks, and its names. So where anything is denied, of a git folder only what
tells its state is offered: `HEAD`, `config`, hooks and refs.

Nobody has to say that there are such files: they are looked for in the folders on the way to what was
opened, from the folder that is held, so that no rename in between hides one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from filewright import errors
from filewright.boundary.matching import NOTHING, Matcher, Rule, problem_of
from filewright.boundary.names import fold_letters, plain_form, quote
from filewright.errors import FilewrightError
from filewright.system import Folder

DENY_FILE = b".agentsignore"
READ_ONLY_FILE = b".agentsreadonly"
RULE_FILES = (DENY_FILE, READ_ONLY_FILE)


class Unusable(NamedTuple):
    """Why a rule file cannot be used; `number` is the error of the system's that was met, if one was."""

    why: str
    number: int | None = None


_Content = bytes | Unusable | None
"""What a rule file holds; None if there is none."""

_Inside = Literal["tree", "git", "gits", "free"]
"""A folder of a working tree, a git folder, a folder that holds git folders (of worktrees or modules), or a folder of a
git folder in which no contents are stored."""

_OFFERED_OF_GIT = frozenset(
    b"head config config.worktree description hooks refs worktrees modules gitdir commondir".split()
)
_GITS_OF_GIT = (b"worktrees", b"modules")
_OTHER_STORES = frozenset((b".hg", b".svn", b".jj", b".sl", b".bzr", b"_darcs"))
"""Where other systems keep copies of what they track."""

_FILE_BYTES = 64 << 10
_REMEMBERED_BYTES = 8 << 10
_TRIES = 8
_SPECIAL = rb"[*?\[\]\\!# ]"


class _Reading(NamedTuple):
    """The rules of one `source`, a kind of rule file or nothing for those given, as they are for the names in one
    folder, whose path ends in a slash; and how names are read, and the text of rules for them."""

    source: bytes
    name: Callable[[bytes], bytes]
    text: Callable[[bytes], bytes]
    prefix: bytes = b""
    matcher: Matcher = NOTHING

    def rule(self, name: bytes, folder: bool | None) -> Rule | None:
        """The rule that matches the name of a folder, or of something else (None: of either)."""
        for is_folder in (False, True) if folder is None else (folder,):
            found = self.matcher.decides(self.prefix, self.name(name), is_folder)
            if found is not None and not found.negated:
                return found
        return None

    def left(self, names: list[bytes], folder: bool) -> list[bytes]:
        """The names that no rule matches."""
        if not self.matcher.layers or not names:
            return names
        kept = set(self.matcher.kept(self.prefix, [*map(self.name, names)], folder))
        return [name for name in names if self.name(name) in kept]

    def below(self, name: bytes) -> _Reading:
        """The same for the names in the folder `name`."""
        prefix = self.prefix + self.name(name) + b"/"
        return self._replace(prefix=prefix, matcher=self.matcher.below(prefix))

    def plus(self, content: bytes) -> _Reading:
        """With the rules of a file in this folder."""
        return self._replace(
            matcher=self.matcher.with_files(len(self.prefix), self.text(content))
        )


def _both(source: bytes, content: bytes = b"") -> tuple[_Reading, _Reading]:
    """Rules, read as they are written and as a file system reads them that ignores case and more."""
    plain = _Reading(source, plain_form, fold_letters)
    return _Reading(source, bytes, bytes).plus(content), plain.plus(content)


_FILES = (*_both(DENY_FILE), *_both(READ_ONLY_FILE))


class DenyRules:
    """What is denied, and what may not be changed, of the names in one folder.

    The `readings` are of the rules given, by the command line and the client's roots, which no file undoes; of those
    of deny files and of read-only files. `broken` says why a rule file cannot be used; then, and where all of the
    folder is denied, it is `closed`: every name is. `active` rules may deny more than deny files.

    `hides`: something is denied, here or in a folder above, so that stored copies of it are denied too; `hides_below`
    finds out, where it has to be known, whether something is denied elsewhere in the working tree.
    """

    def __init__(
        self,
        readings: Sequence[_Reading] = _FILES,
        broken: Unusable | None = None,
        *,
        active: bool = True,
        closed: bool = False,
        hides: bool = False,
        hides_below: Callable[[], bool] | None = None,
        inside: _Inside = "tree",
    ) -> None:
        self._readings = readings
        self._denying = [each for each in readings if each.source != READ_ONLY_FILE]
        self.broken = broken
        self.closed = closed or broken is not None
        self.active = active
        self.hides = hides or any(each.matcher.layers for each in self._denying)
        self._hides_below = hides_below
        self._inside: _Inside = inside

    @staticmethod
    def of(globs: Sequence[str]) -> DenyRules:
        """The rules that hold in every root. Raises `invalid_input` for one that can match nothing."""
        return (
            DenyRules((*_both(b"", checked_rules(globs, "deny")), *_FILES))
            if globs
            else NO_RULES
        )

    def restricted_to(self, folders: Sequence[tuple[bytes, ...]]) -> DenyRules:
        """These for a root, of which only what lies in `folders` is served, given by their parts."""
        # What holds another folder must not close that again: level by level, the ways in last.
        lines = {(0, False, b"/*")}
        for parts in folders:
            if any(parts[: len(other)] == other != parts for other in folders):
                continue
            path = b""
            for depth, part in enumerate(parts, 1):
                path += b"/" + re.sub(_SPECIAL, rb"\\\g<0>", part)
                lines.add((depth - 1, True, b"!" + path + b"/" * (depth < len(parts))))
                if depth < len(parts):
                    lines.add((depth, False, path + b"/*"))
        return DenyRules(
            (
                *_both(b"", b"\n".join(line for *_, line in sorted(lines))),
                *self._readings,
            )
        )

    def denies(self, name: bytes, folder: bool | None) -> bool:
        """Whether `name` is denied; with None, which may not be there, whether it is as a file or a folder."""
        plain = plain_form(name)
        if self.closed or plain == DENY_FILE or self._is_store(plain):
            return True
        return self.active and any(each.rule(name, folder) for each in self._denying)

    def keeps(self, name: bytes, folder: bool | None) -> bool:
        """Whether `name` may not be changed; None as for `denies`."""
        return any(
            each.rule(name, folder)
            for each in self._readings
            if each.source == READ_ONLY_FILE
        )

    def allowed(
        self,
        names: list[bytes],
        folder: bool,
        *,
        changing: bool = False,
        denied: Counter[str],
    ) -> list[bytes]:
        """The names that are not denied, and for `changing` may be changed, in their order; counts the others by the
        `reason`."""
        if self.closed:
            return []
        kept = names
        for each in self._readings if changing else self._denying:
            kept = each.left(kept, folder)
        kept = [
            name
            for name, plain in ((name, plain_form(name)) for name in kept)
            if plain != DENY_FILE and not self._is_store(plain)
        ]
        denied.update(self.reason(name, folder) for name in set(names).difference(kept))
        return kept

    def entered(self, name: bytes | None, folder: Folder | None) -> DenyRules:
        """The rules in the folder `name` of this one (None: this one, a root), with those of its own files.

        Without `folder`, whose `resolved_parts` is its path from the root, it is not there and has none.
        """
        found = [
            _content(folder, file) if folder is not None else None
            for file in RULE_FILES
        ]
        if not self.active and found == [None, None]:
            return self
        inside = self._inside_of(name, folder)
        place = b"/".join((*folder.resolved_parts, b"")) if folder is not None else b""
        length = len(place) + sum(
            len(content) for content in found if isinstance(content, bytes)
        )
        remembered = length <= _REMEMBERED_BYTES and self._hides_below is None
        return (_entered if remembered else _entered.__wrapped__)(
            self, name, place, inside, *found
        )

    def below(self, names: Sequence[bytes]) -> DenyRules:
        """The rules in a folder below this one that is not there: by the `names` on the way to it alone."""
        rules = self
        for name in names:
            if rules.denies(name, True):
                return rules if rules.broken else CLOSED
            rules = rules.entered(name, None)
        return rules

    def in_git_folder(self, hides_below: Callable[[], bool]) -> DenyRules:
        """Return these rules for a git folder; `hides_below` says whether its tree denies anything, if it is asked."""
        return DenyRules(
            self._readings,
            self.broken,
            closed=self.closed,
            hides=self.hides,
            hides_below=hides_below,
            inside="git",
        )

    def with_stores(self) -> DenyRules:
        """Return these rules for git itself, to which stored copies are not denied."""
        return DenyRules(
            self._readings,
            self.broken,
            active=self.active,
            closed=self.closed,
            hides=self.hides,
            inside="free",
        )

    def _is_store(self, plain: bytes) -> bool:
        """Return True if a name, in plain form, stores copies or names of tracked files and is therefore denied."""
        if self._inside == "tree":
            return self.hides and plain in _OTHER_STORES
        if self._inside != "git" or plain in _OFFERED_OF_GIT:
            return False
        if not self.hides and self._hides_below is not None:
            self.hides, self._hides_below = self._hides_below(), None
        return self.hides

    def _inside_of(self, name: bytes | None, folder: Folder | None) -> _Inside:
        """What the folder `name` in this one is; it is open as `folder` if it is there."""
        plain = plain_form(name) if name is not None else b""
        match self._inside:
            case "git":
                return "gits" if plain in _GITS_OF_GIT else "free"
            case "gits":
                return (
                    "git"
                    if folder is None or folder.contains_any((b"HEAD",))
                    else "gits"
                )
            case "free":
                return "free"
        return (
            "git"
            if plain == b".git" or (folder is not None and _is_git_folder(folder))
            else "tree"
        )

    def begun(self, name: bytes, given: DenyRules) -> DenyRules:
        """The rules in the folder `name` of this one where that is a root of its own, which has `given` too."""
        readings = [each for each in given._readings if not each.source]
        readings += [each.below(name) for each in self._readings]
        readings += _both(DENY_FILE, b"/*") if self.denies(name, True) else ()
        readings += _both(READ_ONLY_FILE, b"/*") if self.keeps(name, True) else ()
        return DenyRules(
            readings, self.broken, hides=self.hides, inside=self._inside_of(name, None)
        )

    def reason(self, name: bytes, folder: bool) -> str:
        """By which rule `name` is denied, for the user: its file and its words."""
        for each in self._denying:
            if (found := each.rule(name, folder)) is not None:
                file = (
                    quote(each.prefix[: found.base] + each.source)
                    if each.source
                    else "--deny"
                )
                return f"{file}: {found}"
        return self.broken.why if self.broken is not None else ""

    def require(
        self, asked: str, name: bytes, folder: bool | None, *, changing: bool = False
    ) -> None:
        """Raise `refusal` for what is denied, as `denies`, and for `changing` what may only be read."""
        if self.denies(name, folder):
            raise self.refusal(asked)
        if changing and self.active and self.keeps(name, folder):
            raise errors.read_only_by_rules(asked)

    def refusal(self, asked: str) -> FilewrightError:
        """The answer for whatever is denied here."""
        if self.broken is None:
            return errors.denied_by_rules(asked)
        return errors.unusable_rules(asked, self.broken.why, self.broken.number)


NO_RULES = DenyRules(active=False)
"""Only deny files themselves are denied."""

CLOSED = DenyRules(closed=True)
"""Everything is denied."""


@lru_cache(maxsize=128)
def _entered(
    rules: DenyRules,
    name: bytes | None,
    place: bytes,
    inside: _Inside,
    deny: _Content,
    read_only: _Content,
) -> DenyRules:
    readings, broken = rules._readings, rules.broken
    # Without rules nobody has kept the path.
    names = [] if name is None else [name] if rules.active else place.split(b"/")[:-1]
    for each in names:
        readings = [reading.below(each) for reading in readings]
    for file, content in zip(RULE_FILES, (deny, read_only), strict=True):
        if isinstance(content, Unusable):
            broken = broken or content._replace(
                why=f"{quote(place + file)} {content.why}"
            )
        elif content is not None and broken is None:
            readings = [
                each.plus(content) if each.source == file else each for each in readings
            ]
    below = rules._hides_below
    return DenyRules(
        readings, broken, hides=rules.hides, hides_below=below, inside=inside
    )


def _is_git_folder(folder: Folder) -> bool:
    """Return True if a folder is the store of a git repository, whatever its name."""
    return all(folder.contains_any((name,)) for name in (b"HEAD", b"objects", b"refs"))


def _content(folder: Folder, name: bytes) -> _Content:
    try:
        kind = folder.stat(name).kind
        if kind != "file":
            return Unusable(f"is a {kind}")
        for _ in range(_TRIES):
            with folder.open(name, known_file=True) as file:
                before = file.status()
                if before.size > _FILE_BYTES:
                    return Unusable(
                        f"has {before.size:,} bytes, more than {_FILE_BYTES:,}"
                    )
                content = file.read(0, _FILE_BYTES)
                after = file.status()
            if (after.size, after.mtime_ns) == (before.size, before.mtime_ns) and len(
                content
            ) == after.size:
                why = problem_of(content)
                return Unusable(why) if why else content
    except FileNotFoundError:
        return None
    except OSError as error:
        return Unusable(f"cannot be read ({error.strerror})", error.errno)
    return Unusable("is being written to")


def checked_rules(rules: Sequence[str], setting: str) -> bytes:
    """The rules of a setting as the text of an ignore file. Raises `invalid_input` for one that is none."""
    lines = [rule.encode("utf-8", "surrogateescape") for rule in rules]
    for rule, line in zip(rules, lines, strict=True):
        if not line or b"\n" in line or problem_of(line):
            raise errors.invalid_setting(
                setting, f"has a rule that can match nothing: {rule!r}"
            )
    return b"\n".join(lines)
