"""Deny rules and read-only rules: the paths that the user withholds from agents.

Deny rules come from `.agentsignore` files and `--deny`; read-only rules from
`.agentsreadonly` files. The files are written like `.gitignore`, may be in any folder,
and hold for everything below it. A denied path is invisible: no call reads, lists,
searches or changes it, and history does not name it. The answer for a denied path is
the same whether or not it exists; a rule that ends in a slash also denies a name that
does not exist. A name is matched as it is written and in its plain form, and either
match is enough. A rule file that cannot be used denies its whole folder.

A repository stores copies of the files that it tracks, and their names. So where a rule
denies anything, only the parts of a git folder that tell its state are offered: `HEAD`,
`config`, hooks and refs.

Rule files are looked for in the folders on the way to each opened path, from the open
folder itself, so that no rename in between hides one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from filewright import errors
from filewright.boundary.matching import (
    NO_IGNORE_RULES,
    Matcher,
    Rule,
    find_problem,
)
from filewright.boundary.names import fold_letters, plain_form, quote
from filewright.errors import FilewrightError
from filewright.system import Folder

DENY_FILE = b".agentsignore"
READ_ONLY_FILE = b".agentsreadonly"
RULE_FILES = (DENY_FILE, READ_ONLY_FILE)

_MAX_FILE_BYTES = 64 << 10
_MAX_CACHED_BYTES = 8 << 10
_MAX_READS = 8
_ESCAPED_IN_RULE = rb"[*?\[\]\\!# ]"

_OFFERED_IN_GIT_FOLDER = frozenset(
    (
        b"head",
        b"config",
        b"config.worktree",
        b"description",
        b"hooks",
        b"refs",
        b"worktrees",
        b"modules",
        b"gitdir",
        b"commondir",
    )
)
_GIT_FOLDERS_WITHIN = (b"worktrees", b"modules")
_OTHER_STORES = frozenset((b".hg", b".svn", b".jj", b".sl", b".bzr", b"_darcs"))
"""Folders in which other version control systems store copies of tracked files."""


class Unusable(NamedTuple):
    """The reason why a rule file cannot be used, and the system's error, if any."""

    reason: str
    error_number: int | None = None


_Content = bytes | Unusable | None
"""The content of a rule file; None if there is no file."""


class _Place(Enum):
    """The kind of a folder, by which stored copies of denied files are found."""

    TREE = "a folder of a working tree"
    GIT_FOLDER = "a git folder"
    GIT_FOLDERS = "a folder of git folders, for worktrees or modules"
    FREE = "a folder of a git folder in which no copies are stored"


class _RuleSet(NamedTuple):
    """The rules of one source, as they apply to the names in one folder.

    `source` is the name of a kind of rule file, or empty for the rules of settings.
    `fold_name` and `fold_rules` say how names, and the text of rules, are compared.
    `prefix` is the folder's path, with a slash, and `matcher` has the rules.
    """

    source: bytes
    fold_name: Callable[[bytes], bytes]
    fold_rules: Callable[[bytes], bytes]
    prefix: bytes = b""
    matcher: Matcher = NO_IGNORE_RULES

    def find_rule(self, name: bytes, is_folder: bool | None) -> Rule | None:
        """Return the rule that matches a name, or None.

        If `is_folder` is None, the name is tested both as a file and as a folder.
        """
        kinds = (False, True) if is_folder is None else (is_folder,)
        for kind in kinds:
            rule = self.matcher.deciding_rule(
                self.prefix, self.fold_name(name), kind
            )
            if rule is not None and not rule.is_negated:
                return rule
        return None

    def filter_unmatched(
        self, names: list[bytes], are_folders: bool
    ) -> list[bytes]:
        """Return the names that no rule matches."""
        if not self.matcher.layers or not names:
            return names
        folded_names = [*map(self.fold_name, names)]
        # Several names may have the same plain form.
        unmatched = set(
            self.matcher.filter_not_ignored(
                self.prefix, folded_names, are_folders
            )
        )
        return [name for name in names if self.fold_name(name) in unmatched]

    def below(self, name: bytes) -> _RuleSet:
        """Return the rules for the names in the folder `name` of this one."""
        prefix = self.prefix + self.fold_name(name) + b"/"
        return self._replace(prefix=prefix, matcher=self.matcher.below(prefix))

    def with_file(self, content: bytes) -> _RuleSet:
        """Return the rules with those of a file in this folder added."""
        rules = self.fold_rules(content)
        return self._replace(
            matcher=self.matcher.with_files(len(self.prefix), rules)
        )


def _rule_sets(
    source: bytes, content: bytes = b""
) -> tuple[_RuleSet, _RuleSet]:
    """Return two rule sets: one compares names exactly, one by their plain form."""
    exact = _RuleSet(source, bytes, bytes)
    folded = _RuleSet(source, plain_form, fold_letters)
    return exact.with_file(content), folded.with_file(content)


_NO_FILE_RULES = (*_rule_sets(DENY_FILE), *_rule_sets(READ_ONLY_FILE))


class DenyRules:
    """The rules for the names in one folder: which are denied, which are read only.

    Rules come from settings and the client's roots, which no file undoes; from deny
    files; and from read-only files.

    `broken` is the reason why a rule file cannot be used, if one cannot. Then, and
    where the whole folder is denied, the rules are `closed`: every name is denied.
    Rules that are `active` may deny more than the deny files themselves.
    """

    def __init__(
        self,
        rule_sets: Sequence[_RuleSet] = _NO_FILE_RULES,
        broken: Unusable | None = None,
        *,
        active: bool = True,
        closed: bool = False,
        hides_copies: bool = False,
        tree_denies: Callable[[], bool] | None = None,
        place: _Place = _Place.TREE,
    ) -> None:
        """Make rules for a folder.

        With `hides_copies`, a rule here or in a folder above denies something, so
        copies of it in repositories are denied too. `tree_denies` finds out whether a
        rule elsewhere in the working tree denies anything; it is called when needed.
        """
        self._rule_sets = rule_sets
        self._denying = [
            rule_set
            for rule_set in rule_sets
            if rule_set.source != READ_ONLY_FILE
        ]
        self._read_only = [
            rule_set
            for rule_set in rule_sets
            if rule_set.source == READ_ONLY_FILE
        ]
        self.broken = broken
        self.closed = closed or broken is not None
        self.active = active
        self.hides_copies = hides_copies or any(
            rule_set.matcher.layers for rule_set in self._denying
        )
        self._tree_denies = tree_denies
        self._place = place

    @staticmethod
    def from_settings(globs: Sequence[str]) -> DenyRules:
        """Return the rules that hold in every root.

        Raise `invalid_input` for a rule that can match nothing.
        """
        if not globs:
            return NO_DENY_RULES
        content = encode_rules(globs, "deny")
        return DenyRules((*_rule_sets(b"", content), *_NO_FILE_RULES))

    def restricted_to(self, folders: Sequence[tuple[bytes, ...]]) -> DenyRules:
        """Return these rules for a root that serves only `folders`."""
        # Rules of a folder must not close one that holds another: level by level, and
        # in each level the rules that open come last.
        lines = {(0, False, b"/*")}
        for parts in folders:
            if any(parts[: len(other)] == other != parts for other in folders):
                continue  # It lies in another folder.
            path = b""
            for depth, part in enumerate(parts, 1):
                path += b"/" + re.sub(_ESCAPED_IN_RULE, rb"\\\g<0>", part)
                if depth < len(parts):
                    lines.add((depth - 1, True, b"!" + path + b"/"))
                    lines.add((depth, False, path + b"/*"))
                else:
                    lines.add((depth - 1, True, b"!" + path))
        content = b"\n".join(line for _, _, line in sorted(lines))
        return DenyRules((*_rule_sets(b"", content), *self._rule_sets))

    def denies(self, name: bytes, is_folder: bool | None) -> bool:
        """Return True if `name` is denied.

        With None for `is_folder`, for a name that may not exist: as a file or a folder.
        """
        plain_name = plain_form(name)
        if self.closed or plain_name == DENY_FILE or self._is_store(plain_name):
            return True
        if not self.active:
            return False
        return any(
            rule_set.find_rule(name, is_folder) for rule_set in self._denying
        )

    def is_read_only(self, name: bytes, is_folder: bool | None) -> bool:
        """Return True if `name` may not be changed; None is as for `denies`."""
        return any(
            rule_set.find_rule(name, is_folder) for rule_set in self._read_only
        )

    def filter_allowed(
        self,
        names: list[bytes],
        are_folders: bool,
        *,
        for_change: bool = False,
        denied_counts: Counter[str],
    ) -> list[bytes]:
        """Return the names that are not denied, in their order.

        With `for_change`, leave out read-only names too. Count the others in
        `denied_counts`, by `reason`.
        """
        if self.closed:
            return []
        allowed = names
        for rule_set in self._rule_sets if for_change else self._denying:
            allowed = rule_set.filter_unmatched(allowed, are_folders)
        allowed = [name for name in allowed if not self._is_always_denied(name)]
        denied_names = set(names).difference(allowed)
        denied_counts.update(
            self.reason(name, are_folders) for name in denied_names
        )
        return allowed

    def _is_always_denied(self, name: bytes) -> bool:
        plain_name = plain_form(name)
        return plain_name == DENY_FILE or self._is_store(plain_name)

    def enter(self, name: bytes | None, folder: Folder | None) -> DenyRules:
        """Return the rules for the folder `name` of this one, those of its files added.

        With None for `name`, it is this folder, a root. With None for `folder` it does
        not exist and has no files.
        """
        contents: list[_Content] = [None, None]
        prefix = b""
        if folder is not None:
            contents = [_read_rule_file(folder, file) for file in RULE_FILES]
            prefix = b"/".join((*folder.resolved_parts, b""))
        if not self.active and contents == [None, None]:
            return self
        place = self._place_of(name, folder)
        deny, read_only = contents
        size = len(prefix) + sum(
            len(content) for content in contents if isinstance(content, bytes)
        )
        # A cached result with `tree_denies` would keep the answer for an earlier tree.
        if size <= _MAX_CACHED_BYTES and self._tree_denies is None:
            return _enter_cached(self, name, prefix, place, deny, read_only)
        return _enter_cached.__wrapped__(
            self, name, prefix, place, deny, read_only
        )

    def below(self, names: Sequence[bytes]) -> DenyRules:
        """Return the rules for a folder, by the names on the way; it need not exist."""
        rules = self
        for name in names:
            if rules.denies(name, True):
                return rules if rules.broken else DENY_ALL
            rules = rules.enter(name, None)
        return rules

    def for_git_folder(self, tree_denies: Callable[[], bool]) -> DenyRules:
        """Return these rules for a git folder.

        `tree_denies` tells whether its working tree denies anything; it is called when
        needed.
        """
        return DenyRules(
            self._rule_sets,
            self.broken,
            closed=self.closed,
            hides_copies=self.hides_copies,
            tree_denies=tree_denies,
            place=_Place.GIT_FOLDER,
        )

    def for_git(self) -> DenyRules:
        """Return these rules for git itself, which may read stored copies."""
        return DenyRules(
            self._rule_sets,
            self.broken,
            active=self.active,
            closed=self.closed,
            hides_copies=self.hides_copies,
            place=_Place.FREE,
        )

    def for_inner_root(self, name: bytes, root_rules: DenyRules) -> DenyRules:
        """Return the rules for the folder `name` of this one, a root of its own.

        `root_rules` are the rules with which that root begins.
        """
        rule_sets = [
            rule_set
            for rule_set in root_rules._rule_sets
            if not rule_set.source
        ]
        # The rules of the outer root still apply inside the inner one.
        rule_sets += [rule_set.below(name) for rule_set in self._rule_sets]
        if self.denies(name, True):
            rule_sets += _rule_sets(DENY_FILE, b"/*")
        if self.is_read_only(name, True):
            rule_sets += _rule_sets(READ_ONLY_FILE, b"/*")
        return DenyRules(
            rule_sets,
            self.broken,
            hides_copies=self.hides_copies,
            place=self._place_of(name, None),
        )

    def _is_store(self, plain_name: bytes) -> bool:
        """Return True if a name stores copies of files that include denied ones."""
        if self._place is _Place.TREE:
            return self.hides_copies and plain_name in _OTHER_STORES
        if (
            self._place is not _Place.GIT_FOLDER
            or plain_name in _OFFERED_IN_GIT_FOLDER
        ):
            return False
        # To search a whole tree takes long, so it is done once, and only if it matters.
        if not self.hides_copies and self._tree_denies is not None:
            self.hides_copies, self._tree_denies = self._tree_denies(), None
        return self.hides_copies

    def _place_of(self, name: bytes | None, folder: Folder | None) -> _Place:
        """Return the kind of the folder `name`; `folder` is its handle if it exists."""
        plain_name = plain_form(name) if name is not None else b""
        match self._place:
            case _Place.GIT_FOLDER:
                if plain_name in _GIT_FOLDERS_WITHIN:
                    return _Place.GIT_FOLDERS
                return _Place.FREE
            case _Place.GIT_FOLDERS:
                # A module's name may have slashes: folders on the way are no git
                # folders.
                is_git_folder = folder is None or folder.contains_any(
                    (b"HEAD",)
                )
                return (
                    _Place.GIT_FOLDER if is_git_folder else _Place.GIT_FOLDERS
                )
            case _Place.FREE:
                return _Place.FREE
            case _Place.TREE:
                is_git_folder = plain_name == b".git" or (
                    folder is not None and _is_git_folder(folder)
                )
                return _Place.GIT_FOLDER if is_git_folder else _Place.TREE

    def reason(self, name: bytes, is_folder: bool) -> str:
        """Return the rule that denies `name` and the file it is in, for the user."""
        for rule_set in self._denying:
            rule = rule_set.find_rule(name, is_folder)
            if rule is not None:
                file = "--deny"
                if rule_set.source:
                    file = quote(rule_set.prefix[: rule.base] + rule_set.source)
                return f"{file}: {rule}"
        return self.broken.reason if self.broken is not None else ""

    def require_allowed(
        self,
        requested_path: str,
        name: bytes,
        is_folder: bool | None,
        *,
        for_change: bool = False,
    ) -> None:
        """Refuse `name` if it is denied; with `for_change`, also if it is read only.

        `requested_path` is the path in the message; `is_folder` is as for `denies`.
        """
        if self.denies(name, is_folder):
            raise self.refusal(requested_path)
        if for_change and self.active and self.is_read_only(name, is_folder):
            raise errors.read_only_by_rules(requested_path)

    def refusal(self, requested_path: str) -> FilewrightError:
        """Return the error for every path that is denied here."""
        if self.broken is None:
            return errors.denied_by_rules(requested_path)
        return errors.unusable_rules(
            requested_path, self.broken.reason, self.broken.error_number
        )


NO_DENY_RULES = DenyRules(active=False)
"""Only deny files themselves are denied."""

DENY_ALL = DenyRules(closed=True)
"""Everything is denied."""


@lru_cache(maxsize=128)
def _enter_cached(
    rules: DenyRules,
    name: bytes | None,
    prefix: bytes,
    place: _Place,
    deny: _Content,
    read_only: _Content,
) -> DenyRules:
    """Return the rules for a folder whose rule files hold `deny` and `read_only`."""
    rule_sets, broken = rules._rule_sets, rules.broken
    names: list[bytes] = []
    if name is not None:
        # Rules that are not active have not followed the path down to here.
        names = [name] if rules.active else prefix.split(b"/")[:-1]
    for folder_name in names:
        rule_sets = [rule_set.below(folder_name) for rule_set in rule_sets]
    for file, content in ((DENY_FILE, deny), (READ_ONLY_FILE, read_only)):
        if isinstance(content, Unusable):
            if broken is None:
                reason = f"{quote(prefix + file)} {content.reason}"
                broken = Unusable(reason, content.error_number)
        elif content is not None and broken is None:
            rule_sets = [
                rule_set.with_file(content)
                if rule_set.source == file
                else rule_set
                for rule_set in rule_sets
            ]
    return DenyRules(
        rule_sets,
        broken,
        hides_copies=rules.hides_copies,
        tree_denies=rules._tree_denies,
        place=place,
    )


def _is_git_folder(folder: Folder) -> bool:
    """Return True if a folder is that of a git repository, whatever its name."""
    names = (b"HEAD", b"objects", b"refs")
    return all(folder.contains_any((name,)) for name in names)


def _read_rule_file(folder: Folder, name: bytes) -> _Content:
    """Return the content of a rule file, or the reason why it cannot be used."""
    try:
        kind = folder.stat(name).kind
        if kind != "file":
            return Unusable(f"is a {kind}")
        # A file that is written while it is read may lack rules: it is read again.
        for _ in range(_MAX_READS):
            with folder.open(name, known_file=True) as file:
                before = file.status()
                if before.size > _MAX_FILE_BYTES:
                    return Unusable(
                        f"has {before.size:,} bytes, more than {_MAX_FILE_BYTES:,}"
                    )
                content = file.read(0, _MAX_FILE_BYTES)
                after = file.status()
            was_written = (
                after.size != before.size
                or after.mtime_ns != before.mtime_ns
                or len(content) != after.size
            )
            if not was_written:
                problem = find_problem(content)
                return Unusable(problem) if problem else content
    except FileNotFoundError:
        return None
    except OSError as error:
        return Unusable(f"cannot be read ({error.strerror})", error.errno)
    return Unusable("is being written to")


def encode_rules(rules: Sequence[str], setting: str) -> bytes:
    """Return the rules of a setting as the content of an ignore file.

    Raise `invalid_input` for a rule that can match nothing.
    """
    lines = [rule.encode("utf-8", "surrogateescape") for rule in rules]
    for rule, line in zip(rules, lines, strict=True):
        if not line or b"\n" in line or find_problem(line):
            raise errors.invalid_setting(
                setting, f"has a rule that can match nothing: {rule!r}"
            )
    return b"\n".join(lines)
