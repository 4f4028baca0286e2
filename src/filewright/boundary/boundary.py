"""`Boundary`: from a caller's path to an open descriptor that lies inside a root."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Sequence

from filewright.boundary import refusal
from filewright.boundary.excludes import excludes_file
from filewright.boundary.globs import Globs
from filewright.boundary.ignore import NOTHING, Matcher
from filewright.boundary.location import Location, Root
from filewright.boundary.names import shown, unquote
from filewright.boundary.protection import Protection
from filewright.boundary.resolve import Resolver
from filewright.boundary.roots import Path, open_roots
from filewright.boundary.scan import Kind
from filewright.boundary.walk import Walk, WalkOptions, read_rules
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import kernel

_LOOK = (kernel.O_PATH or os.O_RDONLY) | os.O_NOFOLLOW
_LOOK_THROUGH = kernel.O_PATH or os.O_RDONLY
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Boundary:
    """The roots of a workspace and the only way to open anything below them.

    Thread-safe: it holds nothing but the roots' descriptors. `guarded` are absolute folders that
    are never written to if they lie below a root, such as the state folder.
    """

    def __init__(self, roots: Sequence[Path], settings: Settings, guarded: Sequence[Path] = ()) -> None:
        self.settings = settings
        self.before_reading: Callable[[Location], None] | None = None
        self.roots: tuple[Root, ...] = open_roots(roots)
        self._by_name = {root.name: root for root in self.roots}
        self.resolver = Resolver(
            by_kernel=settings.openat2 and kernel.has_openat2(), cross_devices=settings.cross_devices
        )
        folders = [os.path.realpath(os.fsencode(folder)) for folder in guarded]
        if settings.state_dir is not None:
            folders.append(os.path.realpath(os.fsencode(settings.state_dir)))
        below = {root.index: _below_root(root, folders) for root in self.roots}
        self._hidden = {
            index: tuple((parts[:-1], parts[-1]) for parts in paths) for index, paths in below.items()
        }
        self._protection = {
            index: Protection(settings.protected, [os.fsdecode(b"/".join(parts)) for parts in paths])
            for index, paths in below.items()
        }
        self.excludes_file = excludes_file(os.environ)

    def close(self) -> None:
        """Let go of the roots' descriptors; nothing can be opened afterwards."""
        for root in self.roots:
            os.close(root.fd)
        self.roots = ()

    # Naming

    def locate(self, asked: str) -> Location:
        """The place a caller's path names, whether or not anything is there.

        A path is relative to the first root, begins with `name:` of a root, is absolute inside a
        root, or begins with `~/`; any of them in quoted form too. `..` is resolved through the
        folders that are there, as the kernel would. Raises `path_escape`, `invalid_input`, and for
        a `..` after a part that does not exist `not_found`.
        """
        safe = shown(asked) or "."
        if asked.startswith("file://"):
            raise FilewrightError(
                Code.INVALID_INPUT, f"{safe} is a URL", hint="give a path", details={"path": safe}
            )
        root, path = self._split_root(asked, safe)
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
            folder, names = self.resolver.open_folder(where.root.fd, where.parts[:after], _LOOK_THROUGH)
        except OSError as error:
            depth = 0
            for part in where.parts:
                depth += -1 if part == b".." else 1
                if depth < 0 and error.errno == errno.ENOENT:
                    raise refusal.failure(self.resolver, OSError(errno.EXDEV, ""), where, "open") from error
            raise refusal.failure(self.resolver, error, where, "open") from error
        os.close(folder)
        return Location(where.root, names + where.parts[after:], where.asked)

    # Opening

    def open_file(self, where: Location) -> int:
        """A descriptor of a regular file, for reading; relative links inside the root are followed.

        Never blocks: what is not a regular file is told apart before it is opened. Raises
        `not_found`, `not_a_file`, `path_escape`, `permission_denied`, `symlink` for a link loop, and
        whatever `before_reading` raises.
        """
        if self.before_reading is not None:
            self.before_reading(where)
        try:
            look = self.resolver.open(where.root.fd, where.parts, _LOOK_THROUGH)
            try:
                refusal.require_file(os.fstat(look), where)
            finally:
                os.close(look)
            descriptor = self.resolver.open(where.root.fd, where.parts, _READ)
        except OSError as error:
            raise refusal.failure(self.resolver, error, where, "open") from error
        try:
            refusal.require_file(os.fstat(descriptor), where)
        except FilewrightError:
            os.close(descriptor)
            raise
        return descriptor

    def open_folder(self, where: Location) -> int:
        """A descriptor of a folder, for listing; relative links inside the root are followed."""
        try:
            return self.resolver.open(where.root.fd, where.parts, _FOLDER)
        except OSError as error:
            raise refusal.failure(self.resolver, error, where, "open the folder") from error

    def open_parent(
        self, where: Location, *, create: bool = False, made: list[Location] | None = None
    ) -> int:
        """A descriptor of the folder that holds `where`, for calls that change `where.name` in it.

        With `create` the missing folders are made, outermost first, and appended to `made`. The
        folder opened, not only the path to it, is checked against the protected names. Raises
        `permission_denied` for the root itself and for protected folders, else as `open_folder`.
        """
        if not where.parts:
            raise refusal.root_itself(where)
        self._refuse_protected(where, where.parts)
        above = where.parts[:-1]
        try:
            try:
                return self._open_writable(where, above)
            except FileNotFoundError:
                if not create:
                    raise
            return self._make_folders(where, above, made)
        except OSError as error:
            raise refusal.failure(self.resolver, error, where, "open the folder of") from error

    def _open_writable(self, where: Location, parts: tuple[bytes, ...]) -> int:
        try:
            folder, names = self.resolver.open_folder(where.root.fd, parts, _FOLDER)
        except PermissionError:
            # A folder that may be entered but not listed: still good for *at calls.
            folder, names = self.resolver.open_folder(where.root.fd, parts, _LOOK_THROUGH | os.O_CLOEXEC)
        if names != parts:
            try:
                self._refuse_protected(where, (*names, *where.parts[len(parts) :]))
            except FilewrightError:
                os.close(folder)
                raise
        return folder

    def _open_deepest(self, where: Location, depth: int) -> tuple[int, int]:
        """The deepest folder on the way to `where` that is there, at most `depth` levels down, checked."""
        while True:
            try:
                return self._open_writable(where, where.parts[:depth]), depth
            except (FileNotFoundError, NotADirectoryError):
                if depth <= 0:
                    raise
            depth -= 1

    def _make_folders(self, where: Location, above: tuple[bytes, ...], made: list[Location] | None) -> int:
        folder, depth = self._open_deepest(where, len(above) - 1)
        for missing in range(depth, len(above)):
            try:
                os.mkdir(above[missing], 0o777, dir_fd=folder)
                if made is not None:
                    made.append(Location(where.root, above[: missing + 1], where.asked))
            except FileExistsError:
                pass  # Made by someone else meanwhile, or a link to nowhere: opening it tells.
            finally:
                os.close(folder)
            folder = self._open_writable(where, above[: missing + 1])
        return folder

    # Looking

    def open_handle(self, where: Location) -> int:
        """A descriptor of the thing itself, a link included, that can be looked at but not read or written.

        For `os.fstat`, `kernel.chmod_descriptor` and `kernel.chown_descriptor`, which so act on exactly
        what was found. Opening it has no effect on FIFOs and devices. Raises as `open_folder`.
        """
        try:
            return self.resolver.open(where.root.fd, where.parts, _LOOK)
        except OSError as error:
            raise refusal.failure(self.resolver, error, where, "look at") from error

    def inside(self, root: Root, folder: int) -> bool:
        """Whether the folder of a held descriptor is at this moment `root` or somewhere below it.

        A folder that is moved out of the root takes descriptors of it along; ask before a change is
        made through one that was held for long.
        """
        above = os.open(b".", _LOOK_THROUGH | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        last = (-1, -1)
        try:
            while True:
                status = os.fstat(above)
                this = (status.st_dev, status.st_ino)
                if this == (root.device, root.inode):
                    return True
                if this == last:
                    return False
                last = this
                higher = os.open(b"..", _LOOK_THROUGH | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=above)
                os.close(above)
                above = higher
        except FileNotFoundError:
            return False  # Deleted.
        finally:
            os.close(above)

    def stat(self, where: Location) -> os.stat_result:
        """The status of the thing itself, a link included; links above it are followed inside the root."""
        look = self.open_handle(where)
        try:
            return os.fstat(look)
        finally:
            os.close(look)

    def read_link(self, where: Location) -> bytes:
        """The target of a link, as it is written in it; `invalid_input` if `where` is not a link."""
        look = self.open_handle(where)
        try:
            if not stat.S_ISLNK(os.fstat(look).st_mode):
                raise FilewrightError(
                    Code.INVALID_INPUT, f"{where.asked} is not a link", details={"path": where.asked}
                )
            return os.readlink(b"", dir_fd=look)
        finally:
            os.close(look)

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
        folder asked for is walked even if a rule ignores it; `.git` and the state folder are left
        out unless `include_git`, or `where` lies in them. Raises as `open_folder`, and for a glob
        `invalid_input` or `path_escape`.
        """
        globs = Globs([glob] if isinstance(glob, str) else glob or ())
        options = WalkOptions(
            rules=None if include_ignored else self._outer_rules(),
            globs=globs,
            depth=depth,
            hidden=include_hidden,
            details=details,
            kinds=None if kinds is None else frozenset(kinds),
            hide=() if include_git else self._hidden[where.root.index],
            hide_git=not include_git,
            after=after.parts[len(where.parts) :] if after is not None and where.holds(after) else (),
        )
        try:
            return Walk(self.resolver, where, options, task)
        except OSError as error:
            raise refusal.failure(self.resolver, error, where, "list") from error

    def _outer_rules(self) -> Matcher:
        if self.excludes_file is None:
            return NOTHING
        try:
            folder = os.open(os.path.dirname(self.excludes_file), _LOOK_THROUGH | os.O_CLOEXEC)
        except OSError:
            return NOTHING  # As git: a file that cannot be read excludes nothing.
        try:
            return NOTHING.with_files(0, read_rules(folder, os.path.basename(self.excludes_file)), None)
        finally:
            os.close(folder)

    # Refusing

    def guard_write(self, where: Location, *, link_itself: bool = False) -> None:
        """Refuse what may not be changed, whatever the change is.

        Raises `read_only`; `permission_denied` for the root itself, a protected name and what lies
        below it, also when a link leads there; `symlink` if the last part is a link, unless
        `link_itself`: for a delete or a move, which act on the link. Nothing needs to exist.
        """
        if self.settings.read_only:
            raise FilewrightError(
                Code.READ_ONLY,
                f"cannot change {where.asked}: the workspace is served read-only",
                hint="ask the user to start the server without --read-only",
                details={"path": where.asked},
            )
        if not where.parts:
            raise refusal.root_itself(where)
        self._refuse_protected(where, where.parts)
        try:
            folder, depth = self._open_deepest(where, len(where.parts) - 1)
        except OSError as error:
            raise refusal.failure(self.resolver, error, where, "change") from error
        try:
            if depth < len(where.parts) - 1:
                return
            mode = os.stat(where.name, dir_fd=folder, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return
        except OSError as error:
            raise refusal.failure(self.resolver, error, where, "change") from error
        finally:
            os.close(folder)
        if stat.S_ISLNK(mode) and not link_itself:
            raise FilewrightError(
                Code.SYMLINK,
                f"{where.asked} is a symbolic link; it is neither followed nor replaced by a write",
                hint="name the link's target itself, or delete the link first",
                details={"path": where.asked},
            )

    def protects(self, where: Location) -> str | None:
        """The protected name that `where` is or lies below, by its name alone; None if there is none."""
        return self._protection[where.root.index].rule_for(where.parts)

    def _refuse_protected(self, where: Location, parts: tuple[bytes, ...]) -> None:
        protection = self._protection[where.root.index]
        rule = protection.rule_for(parts) or protection.covers_below(parts)
        if rule is not None:
            raise FilewrightError(
                Code.PERMISSION_DENIED,
                f"{where.asked} is protected: nothing is written to {rule}",
                hint="change it with the program it belongs to, or ask the user to unprotect it",
                details={"path": where.asked, "protected": rule},
            )


def _below_root(root: Root, folders: Sequence[bytes]) -> list[tuple[bytes, ...]]:
    """The paths below `root` of those of `folders` that lie there."""
    start = root.resolved.rstrip(b"/") + b"/"
    return [tuple(folder[len(start) :].split(b"/")) for folder in folders if folder.startswith(start)]
