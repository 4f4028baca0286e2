"""`Boundary`: from a caller's path to an open thing that lies inside a root."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from filewright import errors, system
from filewright.boundary.aliases import AliasFinder
from filewright.boundary.excludes import find_excludes_file
from filewright.boundary.location import Location, Root
from filewright.boundary.matching import NO_IGNORE_RULES
from filewright.boundary.names import plain_form, printable_path, quote
from filewright.boundary.protection import Alias, Protection
from filewright.boundary.roots import (
    Path,
    enclosing_location,
    open_roots,
    require_root,
    split_root,
)
from filewright.boundary.rule_checker import RuleChecker
from filewright.boundary.rules import (
    DENY_ALL,
    DENY_FILE,
    READ_ONLY_FILE,
    RULE_FILES,
    DenyRules,
)
from filewright.boundary.walk import (
    Visit,
    Walk,
    WalkedFolder,
    WalkOptions,
    is_folder,
    read_rules,
)
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import (
    EscapesFolderError,
    File,
    FileKind,
    Folder,
    NotAFileError,
    Status,
)

_ON_THE_WAY = {
    errno.ELOOP: (
        Code.SYMLINK,
        "the links on the way never end",
        "name the target itself",
    ),
    errno.EAGAIN: (
        Code.IN_USE,
        "it is being replaced over and over",
        "stop what renames it, or try again later",
    ),
}
_GIT = b".git"
_TREE_SECONDS = 5
"""Time to look for deny files in a working tree whose repository is read."""

_LEVELS = 1_000  # a path of so many `..` is as long as the system takes

ResolvedFolders = dict[Location, tuple[bytes, ...]]
"""Where folders led to when they were opened, without links."""

Free = set[tuple[int, int, int]]
"""Folders, by their root and identity, where no rule file is, nor above."""


class _RootRules(NamedTuple):
    """What holds in a root: what is protected, what is denied from the start, and where it lies in another root."""

    protection: Protection
    given: DenyRules
    outer: Location | None


class Boundary:
    """The roots of a workspace and the only way to open anything below them.

    Thread-safe: it holds nothing but the roots. `guarded` are absolute folders of our own, such as
    the state folder: where they lie below a root they are neither read, listed nor changed.
    """

    def __init__(
        self, roots: Sequence[Path], settings: Settings, guarded: Sequence[Path] = ()
    ) -> None:
        self.settings = settings
        self.before_reading: Callable[[Location], None] | None = None
        self.roots: tuple[Root, ...] = open_roots(roots, settings)
        self.launcher = self.roots[0].launcher
        self._cross = settings.cross_devices
        self._aliases = AliasFinder(cross_devices=self._cross)
        self._deny = DenyRules.from_settings(settings.deny)
        folders = [
            system.real_path(folder)
            for folder in (*guarded, settings.state_dir)
            if folder is not None
        ]
        protected = (*settings.protected, *map(os.fsdecode, RULE_FILES))
        self._rules = [
            _RootRules(
                Protection(protected, settings.allow_write, root.parts_within(folders)),
                self._deny,
                enclosing_location(root, self.roots),
            )
            for root in self.roots
        ]
        self.excludes_path = find_excludes_file(os.environ)

    def close(self) -> None:
        """End the child processes and let go of the roots; nothing can be opened afterwards."""
        self.launcher.close()
        for root in self.roots:
            root.folder.close()
        self.roots = ()

    def restrict(self, folders: Sequence[Path] | None) -> None:
        """Serve only what of the roots lies in `folders`, of which some may not; None: everything again."""
        wanted = [system.real_path(folder) for folder in folders or ()]
        for root in self.roots:
            above = root.resolved_path.rstrip(b"/") + b"/"
            whole = folders is None or any(
                above.startswith(path.rstrip(b"/") + b"/") for path in wanted
            )
            given = (
                self._deny
                if whole
                else self._deny.restricted_to(root.parts_within(wanted))
            )
            self._rules[root.index] = self._rules[root.index]._replace(given=given)

    def _rules_at(self, root: Root) -> DenyRules:
        """The rules with which a root begins: those given, and those of the roots that it lies in."""
        begun = self._rules[root.index]
        if begun.outer is None:
            return begun.given
        above = self.rules_for(begun.outer.parent)
        return (
            above.for_inner_root(begun.outer.name, begun.given)
            if above.active
            else begun.given
        )

    def locate(self, asked: str) -> Location:
        """The place a caller's path names, whether or not anything is there.

        A path is relative to the first root, begins with `name:` of a root, is absolute inside a
        root, or begins with `~/`; any of them in quoted form too. `..` is resolved through the
        folders that are there, as the kernel would. Raises `path_escape`, `invalid_input`,
        `permission_denied` for what is denied, and `not_found` for a `..` after a part that does not
        exist and for a root that is gone or replaced.
        """
        if not self.roots:
            raise errors.workspace_closed()
        safe = printable_path(asked) or "."
        if asked.startswith("file://"):
            raise errors.path_error(
                Code.INVALID_INPUT, safe, f"{safe} is a URL", "give a path"
            )
        try:
            root, parts = split_root(self.roots, asked, safe)
        except ValueError as error:
            raise errors.unusable_path(safe, str(error)) from None
        require_root(root, safe)
        for part in parts:
            problem = system.name_problem(part) if part != b".." else None
            if problem is not None:
                raise errors.unusable_path(
                    safe, f"cannot be used: the name {quote(part)} {problem}"
                )
        where = Location(root, parts)
        where.spelling = safe
        if b".." in parts:
            after = len(parts) - parts[::-1].index(b"..")
            try:
                with self._beneath(where, parts[:after], listable=False)[0] as folder:
                    parts = folder.resolved_parts + parts[after:]
            except OSError as error:
                depths = accumulate(-1 if part == b".." else 1 for part in parts)
                climbs = error.errno == errno.ENOENT and min(depths) < 0
                raise self._failure(
                    EscapesFolderError() if climbs else error, where, "open"
                ) from error
        if parts:
            # What is denied only as a folder, say, is refused when it is opened.
            rules = self.rules_for(Location(root, parts[:-1]))
            if rules.denies(parts[-1], False) and rules.denies(parts[-1], True):
                raise rules.refusal(safe)
        # History, sessions and notices go by names: one that has several spellings is taken as the disk has it.
        where = Location(root, root.folder.true_names(parts))
        where.spelling = safe
        return where

    # Opening: every way from a path to an open thing is `_beneath`, or `file_beneath` of the root's folder.

    def _beneath(
        self,
        where: Location,
        parts: Sequence[bytes],
        *,
        listable: bool = True,
        changing: bool = False,
        free: Free | None = None,
        stores: bool = False,
    ) -> tuple[Folder, DenyRules]:
        """The folder `parts` on the way to `where`, and the rules for what is in it.

        With `stores`, what a repository stores is not denied: git itself is to read it.
        """
        root = where.root.folder
        rules = self._rules_at(where.root)
        opened: Folder | None = None
        if not rules.active and b".." not in parts:
            # In most workspaces nothing is denied, and no link is on the way: one call opens the folder, and
            # from it, not by its path, the folders above are asked whether they hold a rule file.
            try:
                opened = root.open_folder_beneath(
                    parts,
                    follow_links=False,
                    cross_devices=self._cross,
                    listable=listable,
                )
            except OSError:
                pass  # Walked part by part it is found out whether the caller may be told of it.
            else:
                if self._rules_above(where.root, opened, changing=changing, free=free):
                    with opened:
                        if changing:
                            self._names_now(where, opened)
                    opened = None
            if (
                opened is not None
                and not stores
                and _GIT in map(plain_form, opened.resolved_parts)
            ):
                opened.close()
                opened = None
        if opened is None:
            asking = self._asking(rules, where, changing=changing, stores=stores)
            opened = root.open_folder_beneath(
                parts, cross_devices=self._cross, listable=listable, check_part=asking
            )
            rules = asking.rules_in(opened)
        try:
            self._refuse_own(where, opened.resolved_parts)
        except FilewrightError:
            opened.close()
            raise
        return opened, rules

    @staticmethod
    def _rules_above(
        root: Root, folder: Folder, *, changing: bool, free: Free | None = None
    ) -> bool:
        """Whether the folder, or one from it up to the root, holds a rule file that matters; True if it is unknown."""
        depth = len(folder.resolved_parts)
        try:
            if free and depth and (root.index, *folder.ancestor_identity(1)) in free:
                depth, seen = 0, True
            else:
                # It may have been moved meanwhile, or not let us through to the folders above.
                seen = (
                    depth < _LEVELS and folder.ancestor_identity(depth) == root.identity
                )
        except OSError:
            seen = False
        files = RULE_FILES if changing or free is not None else (DENY_FILE,)
        looked = [b"../" * up + file for up in range(depth + 1) for file in files]
        found = not seen or folder.contains_any(looked)
        if free is not None and not found:
            free.add((root.index, *folder.status().identity))
        return found

    @contextmanager
    def _looked_at(
        self, where: Location, doing: str = "look at", *, birth: bool = False
    ) -> Iterator[tuple[Folder, Status]]:
        """The folder that `where`, which is no root, is in, and the status of what has its name there, while something
        is done with it; refused if it is denied, be it there or not."""
        name = where.parts[-1]
        try:
            above, rules = self._beneath(where, where.parts[:-1], listable=False)
            with above:
                self._refuse_own(where, (*above.resolved_parts, name))
                try:
                    status = above.stat(name, with_birth=birth)
                except OSError:
                    rules.require_allowed(where.requested_path, name, None)
                    raise
                rules.require_allowed(
                    where.requested_path, name, status.kind == "folder"
                )
                if not self._cross and (
                    status.device != where.root.identity[0] or above.is_mount(name)
                ):
                    raise EscapesFolderError()
                yield above, status
        except OSError as error:
            raise self._failure(error, where, doing) from error

    def stat(self, where: Location, *, birth: bool = False) -> Status:
        """The status of the thing itself, a link included; links above it are followed inside the root. When it was
        made is in it if `birth` is asked for."""
        if not where.parts:
            folder = where.root.folder
            return folder.status_with_birth() if birth else folder.status()
        with self._looked_at(where, birth=birth) as (_, status):
            return status

    def read_link(self, where: Location) -> bytes:
        """The target of a link, as it is written in it; `invalid_input` if `where` is not a link."""
        if where.parts:
            with self._looked_at(where) as (above, status):
                if status.kind == "link":
                    return above.read_link(where.parts[-1])
        raise errors.invalid(
            f"{where.requested_path} is not a link", path=where.requested_path
        )

    def open_file(self, where: Location) -> File:
        """The regular file `where`, for reading; relative links inside the root are followed.

        Never blocks: what is not a regular file is found out before it is opened, and so is what is denied.
        Raises `not_found`, `not_a_file`, `path_escape`, `permission_denied`, `symlink` for a link loop, and
        whatever `before_reading` raises.
        """
        if self.before_reading is not None:
            self.before_reading(where)
        if not where.parts:
            raise self._failure(NotAFileError("folder"), where, "open")
        with self._looked_at(where, "open") as (above, status):
            name = where.parts[-1]
            try:
                file: File = above.open(name, known_file=status.kind == "file")
                file.resolved_parts = (*above.resolved_parts, name)
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
                asking = self._asking(self._rules_at(where.root), where)
                file = where.root.folder.open_file_beneath(
                    where.parts, cross_devices=self._cross, check_part=asking
                )
            try:
                self._refuse_own(where, file.resolved_parts)
                if where.requested_path.endswith("/"):
                    raise errors.slash_after_file(where.requested_path)
            except FilewrightError:
                file.close()
                raise
            return file

    def open_folder(
        self, where: Location, *, changing: bool = False, free: Free | None = None
    ) -> Folder:
        """The folder `where`; relative links inside the root are followed.

        To be `changing` something in it, the folder that was reached, not only the path to it, must
        be neither protected nor outside the root by now; then one that may be entered but not listed
        will do. What is found to be `free` of rules is noted there, for one change: a folder in it need not look
        further up. Raises `not_found`, `not_a_directory`, `path_escape`, `permission_denied`, `symlink`.
        """
        try:
            if changing:
                self._refuse_protected(where, where.parts, itself=False)
                return self._open_changing(where, where.parts, free)[0]
            return self._beneath(where, where.parts, free=free)[0]
        except OSError as error:
            raise self._failure(error, where, "open the folder") from error

    def _open_changing(
        self, where: Location, parts: tuple[bytes, ...], free: Free | None = None
    ) -> tuple[Folder, DenyRules]:
        """The folder `parts` on the way to `where`, asked what it really is and where it is by now; and
        the rules in it, by which the parts below may be changed."""
        try:
            folder, rules = self._beneath(where, parts, changing=True, free=free)
        except PermissionError:
            folder, rules = self._beneath(
                where, parts, listable=False, changing=True, free=free
            )
        try:
            below, within = where.parts[len(parts) :], rules
            for names in {folder.resolved_parts, self._names_now(where, folder)} - {
                parts
            }:
                self._refuse_protected(where, (*names, *below), itself=bool(below))
            for depth, name in enumerate(below if rules.active else (), 1):
                # Where a part above is not there, nobody knows what the last one will be.
                entered = depth < len(below) or (
                    is_folder(folder, name) if depth == 1 else None
                )
                within.require_allowed(
                    where.requested_path, name, entered, for_change=True
                )
                within = within.enter(name, None)
        except FilewrightError:
            folder.close()
            raise
        return folder, rules

    @staticmethod
    def _names_now(where: Location, folder: Folder) -> tuple[bytes, ...]:
        """The names from the root to a held folder at this moment, as far as the system says. Raises `path_escape`
        for one that was moved out of the root."""
        path, start = folder.path(), where.root.folder.path()
        if not folder.resolved_parts or path is None or start is None or path == start:
            return folder.resolved_parts
        start = start.rstrip(b"/") + b"/"
        if not path.startswith(start):
            raise errors.folder_moved_out(where.requested_path, quote(where.root.path))
        return tuple(path[len(start) :].split(b"/"))

    # Walking

    def walk(
        self,
        where: Location,
        *,
        depth: int = 0,
        glob: str | Sequence[str] | None = None,
        exclude: Sequence[str] = (),
        include_hidden: bool = True,
        include_ignored: bool = False,
        include_git: bool = False,
        details: bool = False,
        kinds: Collection[FileKind] | None = None,
        after: Location | None = None,
        changing: bool = False,
        stores: bool = False,
        visit: Visit | None = None,
        task: Task,
    ) -> Walk:
        """Everything below the folder `where`, sorted, as a stream: see `Walk` and, for globs, `Globs`.

        Only what fits `glob` and none of `exclude`. `depth` 1 is the folder's own names, 0 all levels.
        `details` fills in each entry's status. `after` goes on behind an entry of an earlier walk, which need
        not be there any more. The folder asked for is walked even if a rule ignores it; `.git` is left out
        unless `include_git`, or `where` lies in it; our own state, temporaries and what is denied always are,
        and for `changing` what may not be changed. With `stores`, what a repository stores is not denied.
        Raises as `open_folder`, and for a glob `invalid_input` or `path_escape`.
        """
        require_root(where.root, where.requested_path)
        globs = [glob] if isinstance(glob, str) else [*(glob or ())]
        for each in exclude:
            globs.append(f"!{each}")
        outer = None if include_ignored else NO_IGNORE_RULES
        if outer is not None and self.excludes_path is not None:
            content = read_rules(partial(system.open_file, self.excludes_path))
            outer = (
                NO_IGNORE_RULES.with_files(0, content) if content else NO_IGNORE_RULES
            )
        try:
            folder, denied = self._beneath(
                where, where.parts, changing=changing, stores=stores
            )
            options = WalkOptions(
                rules=outer,
                globs=globs,
                depth=depth,
                hidden=include_hidden,
                details=details,
                kinds=kinds,
                hide=self._rules[where.root.index].protection.own_state.values(),
                hide_git=not include_git,
                after=after.parts[len(where.parts) :]
                if after is not None and after.is_within(where)
                else (),
                cross=self._cross,
                changing=changing,
                visit=visit,
            )
            return Walk(where, folder, denied, options, task)
        except OSError as error:
            raise self._failure(error, where, "list") from error

    def walk_signature(self, root: Root) -> tuple[object, ...] | None:
        """What from outside of a root says which of its names a walk yields: equal, it says the same. None if it is
        not known."""
        rules = self._rules[root.index]
        if rules.outer is not None or rules.given is not self._deny:
            return None
        excludes = self.excludes_path, system.file_signature(self.excludes_path)
        # What is below a root within this one is listed there.
        inner = root.parts_within([other.resolved_path for other in self.roots])
        return (
            *excludes,
            self._cross,
            self.settings.deny,
            rules.protection.own_state,
            inner,
        )

    def allows_git(self, where: Location, task: Task) -> bool:
        """Return True if git may run in the folder `where`: nothing in it is denied or leads elsewhere."""
        if not self.rules_for(where, stores=True).active:
            return True
        walk = self.walk(
            where, include_ignored=True, include_git=True, stores=True, task=task
        )
        return all(entry.kind != "link" for entry in walk) and not walk.denied_counts

    def count_denied_names(self, root: Root, task: Task) -> Counter[str]:
        """How many names are denied below a root, by each rule: for the user, never for an agent."""
        top = Location(root, ())
        if (broken := self.rules_for(top).broken) is not None:
            return Counter({broken.reason: 1})
        walk = self.walk(top, include_ignored=True, include_git=True, task=task)
        for _ in walk:
            pass
        del walk.denied_counts[""]
        return walk.denied_counts

    # Refusing

    def require_writable(
        self,
        where: Location,
        *,
        link_itself: bool = False,
        reached: ResolvedFolders | None = None,
    ) -> None:
        """Refuse what may not be changed, whatever the change is.

        Raises as `require_writable_names`, also when a link leads to such a thing; `symlink` if the last part is one,
        unless `link_itself`: for a delete or a move, which act on the link. Nothing needs to exist.

        `reached` remembers where the folders above led, so that each is opened once for a whole change set;
        of further names in them nobody asks whether they are links.
        """
        self.require_writable_names(where, where.parts)
        above = where.parent
        reached = {} if reached is None else reached
        led = reached.get(above)
        if led is not None:
            if led != above.parts:
                self._refuse_protected(where, (*led, where.name))
            return
        depth = len(above.parts)
        try:
            while True:
                try:
                    folder, rules = self._open_changing(where, where.parts[:depth])
                    break
                except (FileNotFoundError, NotADirectoryError):
                    if not depth:
                        raise
                depth -= 1
                # From one that is missing up to one that is there, without asking each for its rules.
                while depth and not where.root.folder.contains_any(
                    (b"/".join(where.parts[:depth]),)
                ):
                    depth -= 1
            with folder:
                # Where rules are in force, each name is looked at: they may tell files from folders.
                if not rules.active:
                    reached[above] = (*folder.resolved_parts, *above.parts[depth:])
                if depth < len(above.parts):
                    return
                kind = folder.stat(where.name).kind
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._failure(error, where, "change") from error
        if kind == "link":
            if not link_itself:
                raise self.link_refusal(where)
            self.require_link_allowed(where)

    def require_writable_names(self, where: Location, parts: tuple[bytes, ...]) -> None:
        """Refuse what may not be changed by its names alone, which are `parts` below its root.

        Raises `read_only`; `permission_denied` for the root itself, a protected name, what lies below it or holds it.
        """
        if self.settings.read_only:
            raise errors.read_only(where.requested_path)
        if not where.parts:
            raise errors.root_itself(where.requested_path, quote(where.root.path))
        require_root(where.root, where.requested_path)
        self._refuse_protected(where, parts)

    def link_refusal(self, where: Location) -> FilewrightError:
        """Return the refusal of a write to the link `where`, which says where it leads, if that may be told."""
        start = where.root.resolved_path.rstrip(b"/") + b"/"
        try:
            target = system.real_path(start + b"/".join(where.parts))
        except OSError:  # It is no link any more.
            return errors.write_to_symlink(where.requested_path)
        if not target.startswith(start) or target == start + b"/".join(where.parts):
            return errors.write_to_symlink(where.requested_path)
        leads_to = Location(where.root, tuple(target[len(start) :].split(b"/")))
        rules = self.rules_for(leads_to.parent)
        if rules.denies(leads_to.name, None) or self._rules[
            where.root.index
        ].protection.find_own_state(leads_to.parts):
            return errors.write_to_symlink(where.requested_path)
        return errors.write_to_symlink(
            where.requested_path, leads_to.exact_display_path
        )

    def require_link_allowed(self, where: Location) -> None:
        """Refuse to put a link at `where`, or to take one from there: on the way to something protected, it would
        lead to another thing instead. Raises `permission_denied`.
        """
        protection = self._rules[where.root.index].protection
        rule = protection.rule_for_link(where.parts, self.find_aliases(where))
        if rule is not None:
            raise errors.protected_link(where.requested_path, rule)

    def protection_rule(
        self, where: Location, *, link: bool = False, aliases: Iterable[Alias] = ()
    ) -> str | None:
        """Return the rule that protects `where`, which may be a `link`, or what it lies in; None if there is none.

        `aliases` are those of a folder that it is in.
        """
        protection = self._rules[where.root.index].protection
        if link:
            return protection.rule_for_link(where.parts, aliases)
        return protection.rule_for(where.parts) or protection.rule_through(
            where.parts, aliases
        )

    def find_aliases(self, where: Location) -> tuple[Alias, ...]:
        """Return the user's links by which `where`, or what is in it, has a protected name."""
        return tuple(
            alias
            for root in self.roots
            for alias in self._aliases.find(
                where, root, self._rules[root.index].protection
            )
        )

    def caching_aliases(self) -> AbstractContextManager[None]:
        """Look only once, within the block and in this thread, for links in the folders above what is changed."""
        return self._aliases.caching()

    def require_tree_transferable(
        self,
        source: Location,
        destination: Location,
        rules: DenyRules,
        *,
        moving: bool,
        task: Task,
    ) -> None:
        """Refuse to copy, or to be `moving`, a folder with all that is below it.

        Nothing in it may be denied; of what is moved nothing may be read only; and none of it may come to
        where nothing may be written, by the `rules` that hold in it there. Raises `permission_denied`.
        """
        walk = self.walk(
            source, include_ignored=True, include_git=True, changing=moving, task=task
        )
        was, then = (
            self._rules[place.root.index].protection for place in (source, destination)
        )
        aliases_before, aliases_after = (
            self.find_aliases(source),
            self.find_aliases(destination),
        )
        below = {b"": rules}
        for entry in walk:
            is_folder = entry.kind == "folder"
            if entry.kind == "link":
                # A link leads elsewhere from another folder, whatever was behind it.
                parts = tuple(entry.path.split(b"/"))
                rule = then.rule_for_link((*destination.parts, *parts), aliases_after)
                if rule is not None:
                    raise errors.protected_link(destination.requested_path, rule)
            if (
                was.may_concern(entry.name)
                or (then is not was and then.may_concern(entry.name))
                or aliases_before
                or aliases_after
            ):
                parts = tuple(entry.path.split(b"/"))
                path_before, path_after = (
                    (*source.parts, *parts),
                    (*destination.parts, *parts),
                )
                before = was.rule_for(path_before) or was.rule_through(
                    path_before, aliases_before
                )
                after = then.rule_for(path_after) or then.rule_through(
                    path_after, aliases_after
                )
                # What is protected by the folder's own name counts from where that is. A folder that is copied is
                # filled, and nothing may be put into a protected one.
                comes = before is None or then.rule_for(parts) is None
                if after is not None and (comes or (is_folder and not moving)):
                    raise errors.protected(destination.requested_path, after)
                if moving and before is not None and after is None:
                    raise errors.protected(source.requested_path, before)
            if rules.active:
                in_it = below[entry.folder.prefix]
                if in_it.denies(entry.name, is_folder) or in_it.is_read_only(
                    entry.name, is_folder
                ):
                    raise errors.contains_denied(source.requested_path)
                if is_folder:
                    below[entry.path + b"/"] = in_it.enter(entry.name, None)
        if walk.denied_counts:
            raise errors.contains_denied(source.requested_path)

    def rules_for(
        self,
        where: Location,
        held: Folder | None = None,
        *,
        above: DenyRules | None = None,
        stores: bool = False,
    ) -> DenyRules:
        """What is denied of the names in the folder `where`, and what may not be changed of them.

        Of one that is `held` open, by the folders that it is in, links on the way followed. Otherwise it need
        not be there, and a link on the way counts by its name alone: where it leads is asked when it is opened.
        If the rules in the folder above are known and none, only its own files are looked for. With `stores`, what a
        repository stores is not denied.
        """
        root, given = where.root.folder, self._rules_at(where.root)
        if held is None and DENY_FILE in map(plain_form, where.parts):
            return DENY_ALL
        free = above is not None and not above.active
        in_git = _GIT in map(
            plain_form, held.resolved_parts if held is not None else where.parts
        )
        if given.active or (in_git and not stores):
            known = True
        elif held is None:
            looked: list[bytes] = []
            for depth in range(len(where.parts) if free else 0, len(where.parts) + 1):
                way = b"/".join((*where.parts[:depth], b""))
                looked += [way + DENY_FILE, way + READ_ONLY_FILE]
            known = root.contains_any(looked)
        elif free:
            known = held.contains_any(RULE_FILES)
        else:
            known = self._rules_above(where.root, held, changing=True)
        if not known:
            return given
        asking = self._asking(given, where, stores=stores)
        try:
            with root.open_folder_beneath(
                where.parts,
                follow_links=held is not None,
                cross_devices=self._cross,
                listable=False,
                check_part=asking,
            ) as opened:
                return asking.rules_in(opened)
        except (OSError, FilewrightError) as error:
            if held is None:
                # As far as the way was walked, and from there on by the names alone.
                names = max(asking.rules, key=len, default=())
                return asking.rules.get(names, given).below(where.parts[len(names) :])
            if isinstance(error, OSError):
                raise self._failure(error, where, "look into") from error
            raise

    def _asking(
        self,
        given: DenyRules,
        where: Location,
        *,
        changing: bool = False,
        stores: bool = False,
    ) -> RuleChecker:
        if stores:
            return RuleChecker(given.for_git(), where, None, changing=changing)
        return RuleChecker(
            given, where, partial(self._hides_below, where.root), changing=changing
        )

    def _hides_below(self, root: Root, tree: tuple[bytes, ...]) -> bool:
        """Return True if the working tree has a deny file: its repository may then hold copies of denied files.

        Also return True if the search for one takes too long.
        """
        found = False

        def look(
            _folder: WalkedFolder,
            _opened: Folder,
            names: list[bytes],
            _left: list[bytes],
        ) -> None:
            nonlocal found
            found = found or any(plain_form(name) == DENY_FILE for name in names)

        try:
            task = Task(seconds=_TREE_SECONDS)
            for _ in self.walk(
                Location(root, tree), include_ignored=True, visit=look, task=task
            ):
                if found:
                    break
        except FilewrightError:
            return True
        return found

    def _refuse_protected(
        self, where: Location, parts: tuple[bytes, ...], *, itself: bool = True
    ) -> None:
        """Refuse what is protected or lies below it; if `itself` is changed, also what holds such a thing."""
        protection = self._rules[where.root.index].protection
        rule = protection.rule_for(parts, include_parents=itself)
        if rule is None and itself:
            rule = protection.rule_through(
                parts, self.find_aliases(Location(where.root, parts))
            )
        if rule is not None:
            raise errors.protected(where.requested_path, rule)

    def _refuse_own(self, where: Location, parts: tuple[bytes, ...]) -> None:
        protection = self._rules[where.root.index].protection
        if protection.own_state and protection.find_own_state(parts):
            raise errors.own_state(where.requested_path)

    def _failure(self, error: OSError, where: Location, doing: str) -> FilewrightError:
        """What an `OSError` met while `doing` something to `where` means; says where an escape leads."""
        root = quote(where.root.path)
        if isinstance(error, NotAFileError) and error.kind != "link":
            hint = (
                "list the folder instead"
                if error.kind == "folder"
                else "name a regular file"
            )
            return errors.not_a_file(where.requested_path, error.kind, hint=hint)
        if error.errno == errno.EXDEV:
            leads = where.absolute
            if isinstance(error, EscapesFolderError) and error.path is not None:
                leads = os.path.join(where.root.path, *error.above, error.path)
            leads = system.absolute_path(leads)
            if self._cross or not leads.startswith(where.root.path.rstrip(b"/") + b"/"):
                return errors.outside_root(where.requested_path, root, quote(leads))
            return errors.path_error(
                Code.PATH_ESCAPE,
                where.requested_path,
                f"{where.requested_path} lies on another file system than the root {root}",
                "mounts inside a root are not entered here; the setting cross_devices allows it",
                root=root,
                resolved=quote(leads),
            )
        if error.errno in _ON_THE_WAY:
            code, why, hint = _ON_THE_WAY[error.errno]
            return errors.path_error(
                code,
                where.requested_path,
                f"cannot {doing} {where.requested_path}: {why}",
                hint,
                root=root,
            )
        return from_os_error(error, where.requested_path, doing=doing)
