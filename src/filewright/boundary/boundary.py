"""`Boundary`: from a caller's path to an open thing that lies inside a root."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Sequence

from filewright import errors, system
from filewright.boundary import refusal
from filewright.boundary.excludes import excludes_file
from filewright.boundary.globs import Globs
from filewright.boundary.ignore import NOTHING, Matcher
from filewright.boundary.location import Location, Root
from filewright.boundary.names import quote, shown, unquote
from filewright.boundary.protection import Protection
from filewright.boundary.roots import Path, open_roots
from filewright.boundary.walk import Walk, WalkOptions, read_rules
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import File, Folder, Kind, Status


class Boundary:
    """The roots of a workspace and the only way to open anything below them.

    Thread-safe: it holds nothing but the roots. `guarded` are absolute folders of our own, such as
    the state folder: where they lie below a root they are neither read, listed nor changed.
    """

    def __init__(self, roots: Sequence[Path], settings: Settings, guarded: Sequence[Path] = ()) -> None:
        self.settings = settings
        self.before_reading: Callable[[Location], None] | None = None
        self.roots: tuple[Root, ...] = open_roots(roots, confine=settings.landlock)
        self.launcher = self.roots[0].launcher
        self._by_name = {root.name: root for root in self.roots}
        self._cross = settings.cross_devices
        folders = [os.path.realpath(os.fsencode(folder)) for folder in guarded]
        if settings.state_dir is not None:
            folders.append(os.path.realpath(os.fsencode(settings.state_dir)))
        self._own = {root.index: _below_root(root, folders) for root in self.roots}
        self._protection = {
            root.index: Protection(
                settings.protected, [os.fsdecode(b"/".join(parts)) for parts in self._own[root.index]]
            )
            for root in self.roots
        }
        self.excludes_file = excludes_file(os.environ)

    def close(self) -> None:
        """End the child processes and let go of the roots; nothing can be opened afterwards."""
        if self.launcher is not None:
            self.launcher.close()
        for root in self.roots:
            root.folder.close()
        self.roots = ()

    def require_open(self) -> None:
        """Raises `invalid_input` after `close`."""
        if not self.roots:
            raise FilewrightError(Code.INVALID_INPUT, "the workspace is closed", hint="open it again")

    # Naming

    def locate(self, asked: str) -> Location:
        """The place a caller's path names, whether or not anything is there.

        A path is relative to the first root, begins with `name:` of a root, is absolute inside a
        root, or begins with `~/`; any of them in quoted form too. `..` is resolved through the
        folders that are there, as the kernel would. Raises `path_escape`, `invalid_input`, and for
        a `..` after a part that does not exist, and for a root that is gone or replaced, `not_found`.
        """
        self.require_open()
        safe = shown(asked) or "."
        if asked.startswith("file://"):
            raise FilewrightError(
                Code.INVALID_INPUT, f"{safe} is a URL", hint="give a path", details={"path": safe}
            )
        root, path = self._split_root(asked, safe)
        refusal.require_root(root, safe)
        parts = tuple(part for part in path.split(b"/") if part not in (b"", b"."))
        where = Location(root, parts, safe)
        return self._without_dots(where) if b".." in parts else where

    def _split_root(self, asked: str, safe: str) -> tuple[Root, bytes]:
        if len(self.roots) > 1:
            name, colon, rest = asked.removeprefix('"').partition(":")
            if colon and name in self._by_name:
                path = unquote('"' + rest if asked.startswith('"') else rest)
                return self._by_name[name], path.lstrip(b"/")
        path = unquote(asked)
        if path == b"~" or path.startswith(b"~/"):
            path = os.path.expanduser(path)
        elif path.startswith(b"~"):
            raise refusal.outside(
                self.roots, os.path.expanduser(path), safe, hint="write ./ before a name that begins with ~"
            )
        if not path.startswith(b"/"):
            return self.roots[0], path
        plain = [part for part in path.split(b"/") if part not in (b"", b".")]
        best: tuple[int, Root] | None = None
        for root in self.roots:
            for above in {root.path, root.resolved}:
                steps = [part for part in above.split(b"/") if part]
                if plain[: len(steps)] == steps and (best is None or len(steps) > best[0]):
                    best = (len(steps), root)
        if best is None:
            raise refusal.outside(self.roots, path, safe)
        return best[1], b"/".join(plain[best[0] :])

    def _without_dots(self, where: Location) -> Location:
        after = len(where.parts) - where.parts[::-1].index(b"..")
        try:
            with self._beneath(where, where.parts[:after], listing=False) as folder:
                return Location(where.root, folder.reached + where.parts[after:], where.asked)
        except OSError as error:
            depth = 0
            for part in where.parts:
                depth += -1 if part == b".." else 1
                if depth < 0 and error.errno == errno.ENOENT:
                    raise self._failure(OSError(errno.EXDEV, ""), where, "open") from error
            raise self._failure(error, where, "open") from error

    # Opening: every way from a path to an open thing is one of `_beneath` and `_file_beneath`.

    def _beneath(self, where: Location, parts: Sequence[bytes], *, listing: bool = True) -> Folder:
        folder = where.root.folder.beneath(
            parts, cross=self._cross, listing=listing, kernel=self.settings.openat2
        )
        try:
            self._refuse_own(where, folder.reached)
        except FilewrightError:
            folder.close()
            raise
        return folder

    def _file_beneath(self, where: Location) -> File:
        own = self._own[where.root.index]
        # Only the walk part by part says where the links led.
        file = where.root.folder.file_beneath(
            where.parts, cross=self._cross, kernel=self.settings.openat2 and not own
        )
        try:
            if own and file.reached is not None:
                self._refuse_own(where, file.reached)
            if where.asked.endswith("/"):
                raise errors.slash_after_file(where.asked)
        except FilewrightError:
            file.close()
            raise
        return file

    def open_file(self, where: Location) -> File:
        """The regular file `where`, for reading; relative links inside the root are followed.

        Never blocks: what is not a regular file is told apart before it is opened. Raises
        `not_found`, `not_a_file`, `path_escape`, `permission_denied`, `symlink` for a link loop, and
        whatever `before_reading` raises.
        """
        if self.before_reading is not None:
            self.before_reading(where)
        try:
            return self._file_beneath(where)
        except OSError as error:
            raise self._failure(error, where, "open") from error

    def open_folder(self, where: Location, *, changing: bool = False) -> Folder:
        """The folder `where`; relative links inside the root are followed.

        To be `changing` something in it, the folder that was reached, not only the path to it, must
        be neither protected nor outside the root by now; then one that may be entered but not listed
        will do. Raises `not_found`, `not_a_directory`, `path_escape`, `permission_denied`, `symlink`.
        """
        try:
            if changing:
                self._refuse_protected(where, where.parts, itself=False)
                return self._open_changing(where, where.parts)
            return self._beneath(where, where.parts)
        except OSError as error:
            raise self._failure(error, where, "open the folder") from error

    def open_parent(
        self, where: Location, *, create: bool = False, made: list[Location] | None = None
    ) -> Folder:
        """The folder that holds `where`, for calls that change `where.name` in it.

        With `create` the missing folders are made, outermost first, and appended to `made`. The
        folder that was reached is asked for protected names with `where.name` below it. Raises
        `permission_denied` for the root itself and for protected folders, else as `open_folder`.
        """
        if not where.parts:
            raise errors.root_itself(where.asked, quote(where.root.path))
        self._refuse_protected(where, where.parts)
        above = where.parts[:-1]
        try:
            try:
                return self._open_changing(where, above)
            except FileNotFoundError:
                if not create:
                    raise
            return self._make_folders(where, above, made)
        except OSError as error:
            raise self._failure(error, where, "open the folder of") from error

    def _open_changing(self, where: Location, parts: tuple[bytes, ...]) -> Folder:
        """The folder `parts` on the way to `where`, asked what it really is and where it is by now."""
        try:
            folder = self._beneath(where, parts)
        except PermissionError:
            folder = self._beneath(where, parts, listing=False)
        try:
            below = where.parts[len(parts) :]
            if folder.reached != parts:
                self._refuse_protected(where, (*folder.reached, *below), itself=bool(below))
            now = self._names_now(where.root, folder)
            if now is None:
                raise errors.moved_out(where.asked, quote(where.root.path))
            if now != folder.reached:
                self._refuse_protected(where, (*now, *below), itself=bool(below))
        except FilewrightError:
            folder.close()
            raise
        return folder

    @staticmethod
    def _names_now(root: Root, folder: Folder) -> tuple[bytes, ...] | None:
        """The names from the root to a held folder at this moment, where the system says; None if outside."""
        path, start = folder.path(), root.folder.path()
        if path is None or start is None or path == start:
            return folder.reached
        start = start.rstrip(b"/") + b"/"
        return tuple(path[len(start) :].split(b"/")) if path.startswith(start) else None

    def _open_deepest(self, where: Location, depth: int) -> tuple[Folder, int]:
        """The deepest folder on the way to `where` that is there, at most `depth` levels down, asked."""
        while True:
            try:
                return self._open_changing(where, where.parts[:depth]), depth
            except (FileNotFoundError, NotADirectoryError):
                if depth <= 0:
                    raise
            depth -= 1

    def _make_folders(self, where: Location, above: tuple[bytes, ...], made: list[Location] | None) -> Folder:
        folder, depth = self._open_deepest(where, len(above) - 1)
        for missing in range(depth, len(above)):
            with folder:
                try:
                    folder.make(above[missing])
                    if made is not None:
                        made.append(Location(where.root, above[: missing + 1], where.asked))
                except FileExistsError:
                    pass  # Made by someone else meanwhile, or a link to nowhere: opening it tells.
            folder = self._open_changing(where, above[: missing + 1])
        return folder

    # Looking

    def stat(self, where: Location) -> Status:
        """The status of the thing itself, a link included; links above it are followed inside the root."""
        try:
            if not where.parts:
                return where.root.folder.status()
            if not self._own[where.root.index]:
                return where.root.folder.stat_beneath(
                    where.parts, cross=self._cross, kernel=self.settings.openat2
                )
            with self._beneath(where, where.parts[:-1], listing=False) as above:
                self._refuse_own(where, (*above.reached, where.name))
                return above.stat(where.name)
        except OSError as error:
            raise self._failure(error, where, "look at") from error

    def read_link(self, where: Location) -> bytes:
        """The target of a link, as it is written in it; `invalid_input` if `where` is not a link."""
        try:
            with self._beneath(where, where.parts[:-1], listing=False) as above:
                return above.read_link(where.name)
        except OSError as error:
            if error.errno == errno.EINVAL:
                raise FilewrightError(
                    Code.INVALID_INPUT, f"{where.asked} is not a link", details={"path": where.asked}
                ) from error
            raise self._failure(error, where, "look at") from error

    # Walking

    def walk(
        self,
        where: Location,
        *,
        depth: int = 0,
        glob: str | Sequence[str] | None = None,
        include_hidden: bool = True,
        include_ignored: bool = False,
        include_git: bool = False,
        details: bool = False,
        kinds: Iterable[Kind] | None = None,
        after: Location | None = None,
        task: Task,
    ) -> Walk:
        """Everything below the folder `where`, sorted, as a stream: see `Walk` and, for `glob`, `globs`.

        `depth` 1 is the folder's own names, 0 all levels. `details` fills in each entry's status.
        `after` goes on behind an entry of an earlier walk, which need not be there any more. The
        folder asked for is walked even if a rule ignores it; `.git` is left out unless `include_git`, or
        `where` lies in it; our own state and temporaries always are. Raises as `open_folder`, and for a glob
        `invalid_input` or `path_escape`.
        """
        refusal.require_root(where.root, where.asked)
        options = WalkOptions(
            rules=None if include_ignored else self._outer_rules(),
            globs=Globs([glob] if isinstance(glob, str) else glob or ()),
            depth=depth,
            hidden=include_hidden,
            details=details,
            kinds=None if kinds is None else frozenset(kinds),
            hide=tuple((parts[:-1], parts[-1]) for parts in self._own[where.root.index]),
            hide_git=not include_git,
            after=after.parts[len(where.parts) :] if after is not None and where.holds(after) else (),
            cross=self._cross,
            kernel=self.settings.openat2,
        )
        try:
            return Walk(where, self._beneath(where, where.parts), options, task)
        except OSError as error:
            raise self._failure(error, where, "list") from error

    def _outer_rules(self) -> Matcher:
        if self.excludes_file is None:
            return NOTHING
        try:
            with system.open_file(self.excludes_file) as file:
                return NOTHING.with_files(0, read_rules(file), None)
        except OSError:
            return NOTHING  # As git: a file that cannot be read excludes nothing.

    # Refusing

    def guard_write(
        self,
        where: Location,
        *,
        link_itself: bool = False,
        reached: dict[Location, tuple[bytes, ...]] | None = None,
    ) -> None:
        """Refuse what may not be changed, whatever the change is.

        Raises `read_only`; `permission_denied` for the root itself, a protected name and what lies
        below it, also when a link leads there; `symlink` if the last part is a link, unless
        `link_itself`: for a delete or a move, which act on the link. Nothing needs to exist.

        `reached` remembers where the folders above led, so that each is opened once for a whole change
        set; then whether the last part is a link is not looked at again.
        """
        if self.settings.read_only:
            raise errors.read_only(where.asked)
        if not where.parts:
            raise errors.root_itself(where.asked, quote(where.root.path))
        above = Location(where.root, where.parts[:-1])
        led = reached.get(above) if reached is not None else None
        if led is None:
            refusal.require_root(where.root, where.asked)
        self._refuse_protected(where, where.parts)
        if led is not None:
            if led != above.parts:
                self._refuse_protected(where, (*led, where.name))
            return
        try:
            folder, depth = self._open_deepest(where, len(above.parts))
            with folder:
                if reached is not None:
                    reached[above] = (*folder.reached, *above.parts[depth:])
                if depth < len(above.parts):
                    return
                kind = folder.stat(where.name).kind
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._failure(error, where, "change") from error
        if kind == "link" and not link_itself:
            raise errors.link_itself(where.asked)

    def protects(self, where: Location) -> str | None:
        """The protected name that `where` is or lies below, by its name alone; None if there is none."""
        return self._protection[where.root.index].rule_for(where.parts)

    def _refuse_protected(self, where: Location, parts: tuple[bytes, ...], *, itself: bool = True) -> None:
        """Refuse what is protected or lies below it; if `itself` is changed, also what holds such a thing."""
        protection = self._protection[where.root.index]
        rule = protection.rule_for(parts) or (protection.covers_below(parts) if itself else None)
        if rule is not None:
            raise errors.protected(where.asked, rule)

    def _refuse_own(self, where: Location, parts: tuple[bytes, ...]) -> None:
        for own in self._own[where.root.index]:
            if parts[: len(own)] == own:
                raise errors.own_state(where.asked)

    def _failure(self, error: OSError, where: Location, doing: str) -> FilewrightError:
        return refusal.failure(error, where, doing, cross=self._cross)


def _below_root(root: Root, folders: Sequence[bytes]) -> list[tuple[bytes, ...]]:
    """The paths below `root` of those of `folders` that lie there."""
    start = root.resolved.rstrip(b"/") + b"/"
    return [tuple(folder[len(start) :].split(b"/")) for folder in folders if folder.startswith(start)]
