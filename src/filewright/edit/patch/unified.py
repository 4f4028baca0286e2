"""The unified diff, plain and as git writes it, read into `FilePatch` values.

The format is that of GNU diffutils ("Detailed Description of Unified Format") and of git
("Generating patch text with -p"). Counts in a hunk's header are checked against its body; where
they are wrong and the body can be read in one way only, the body counts.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field

from filewright.boundary import quote, unquote
from filewright.edit.patch.model import RESEND, Body, FilePatch, Hunk, Kind, PatchText, Row
from filewright.errors import Code, FilewrightError

NO_FILE = "/dev/null"
_EPOCH = re.compile(r"(1970-01-01|1969-12-31)[ T]\d\d:\d\d:\d\d")
_TIME = re.compile(r" {1,4}\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^/]*$")
_LONG = 5_000
_PREFIXES = frozenset("abciwo12")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_HUNK = re.compile(r"@@ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@")
_MODE = re.compile(r"(old|new|new file|deleted file) mode ([0-7]{6})$")
_NOISE = re.compile(r"(Index: |={20,}$|Only in |diff |RCS file: |retrieving revision |-- ?$)")
_EMPTY_BLOB = "e69de29"
_SIGNATURE = ("-- ", "--")


def parse(source: PatchText, *, renames: bool = False) -> tuple[FilePatch, ...]:
    """The files of a unified diff. Raises `invalid_input` naming the line, `unsupported`.

    `renames`: two names in a plain header rename the file, which otherwise only git's own lines do.
    """
    reader = _Reader(source, renames)
    reader.run()
    if not reader.files:
        raise source.refused(
            source.first,
            "no file header was found",
            "begin each file with '--- a/path' and '+++ b/path' lines, or use '*** Begin Patch'",
        )
    return tuple(reader.files)


@dataclass(slots=True)
class _Header:
    """What the lines above the hunks of one file say."""

    line: int
    git: GitNames | None = None
    old: str | None = None
    new: str | None = None
    source: str | None = None
    target: str | None = None
    kind: Kind = "modify"
    modes: dict[str, int] = field(default_factory=dict)
    blobs: tuple[str, str] | None = None
    similarity: int = 100
    epochs: tuple[bool, bool] = (False, False)


class _Reader:
    def __init__(self, source: PatchText, renames: bool) -> None:
        self.source = source
        self.renames = renames
        self.at = source.first
        self.files: list[FilePatch] = []

    def run(self) -> None:
        source = self.source
        while self.at < len(source):
            line = source[self.at]
            if line.startswith("diff --git "):
                self._file(self._git_header())
            elif self._is_header(self.at):
                header = _Header(self.at)
                self._plain_names(header)
                self._file(header)
            else:
                self._between(line)
                self.at += 1

    def _between(self, line: str) -> None:
        """A line outside every file: a remark before the first, or nothing that means something."""
        source = self.source
        if line.startswith(("GIT binary patch", "Binary files ")):
            raise _binary(source, self.at)
        if line.startswith("@@@ ") or line.startswith("diff --cc ") or line.startswith("diff --combined "):
            raise source.refused(
                self.at, "a combined diff of a merge cannot be applied", "send a plain two-way diff",
                Code.UNSUPPORTED,
            )  # fmt: skip
        if line.startswith("@@"):
            raise source.refused(
                self.at, "a hunk comes before any file header", "put '--- a/path' and '+++ b/path' above it"
            )
        if line.startswith("***************"):
            raise source.refused(
                self.at, "this is a context diff", "send a unified diff (diff -u)", Code.UNSUPPORTED
            )
        if line.startswith("--- ") and self.at + 1 >= len(source) and not self.files:
            raise source.refused(self.at, "the patch ends inside a file header", RESEND)
        if self.files and not source.is_blank(self.at) and not _NOISE.match(line):
            if self._is_signed_off() or self._is_remark():
                self.at = len(source)
                return
            raise source.refused(
                self.at,
                "this line belongs to no hunk",
                "each line of a hunk begins with a space, '-' or '+'; remove what is not part of the patch",
            )

    def _is_signed_off(self) -> bool:
        """Whether this is the version under the signature of a mailed patch."""
        return self.source[self.at - 1] in _SIGNATURE and self.at >= len(self.source) - 2

    def _is_remark(self) -> bool:
        """Whether the patch is over and what follows is talk: its last hunk was whole, and no other begins."""
        hunks = self.files[-1].hunks
        rest = self.source.lines[self.at :]
        if self.source[self.at - 1].strip() and not rest[0].startswith("```"):
            return False
        return not any(hunk.repaired or hunk.start is None for hunk in hunks[-1:]) and not any(
            line.startswith(("@@", "--- ", "+++ ", "diff ", "*** ", "+", "\\")) or re.match(r"-\S", line)
            for line in rest
        )

    def _is_header(self, at: int) -> bool:
        return self.source[at].startswith("--- ") and self.source[at + 1].startswith("+++ ")

    # Headers

    def _git_header(self) -> _Header:
        source = self.source
        header = _Header(self.at, git=git_line_names(source[self.at].removesuffix("\r")))
        self.at += 1
        while self.at < len(source):
            line = source[self.at].removesuffix("\r")
            if self._is_header(self.at):
                self._plain_names(header)
                break
            if line.startswith(("GIT binary patch", "Binary files ")):
                raise _binary(source, self.at)
            if not self._extended(header, line):
                break
            self.at += 1
        return header

    def _extended(self, header: _Header, line: str) -> bool:
        """Take one of git's extended header lines; False if it is none."""
        mode = _MODE.match(line)
        if mode:
            header.modes[mode[1]] = self._mode(mode[2])
            if mode[1] == "new file":
                header.kind = "create"
            elif mode[1] == "deleted file":
                header.kind = "delete"
            return True
        for verb, kind in (("rename", "rename"), ("copy", "copy")):
            for word in ("from ", "old ", "to ", "new "):
                if line.startswith(f"{verb} {word}"):
                    name = self._named(line[len(verb) + 1 + len(word) :])
                    header.kind = "rename" if kind == "rename" else "copy"
                    if word in ("from ", "old "):
                        header.source = name
                    else:
                        header.target = name
                    return True
        similarity = re.match(r"similarity index (\d{1,3})%$", line)
        if similarity:
            header.similarity = int(similarity[1])
            return True
        blobs = re.match(r"index ([0-9a-f]+)\.\.([0-9a-f]+)(?: ([0-7]{6}))?$", line)
        if blobs:
            header.blobs = (blobs[1], blobs[2])
            if blobs[3]:
                self._mode(blobs[3])
            return True
        return line.startswith("dissimilarity index ")

    def _mode(self, digits: str) -> int:
        mode = int(digits, 8)
        if mode >> 12 != 0o10:
            what = {0o12: "a symbolic link", 0o16: "a submodule", 0o4: "a folder"}.get(
                mode >> 12, "a special file"
            )
            raise self.source.refused(
                self.at, f"mode {digits} is {what}", "patches change regular files only", Code.UNSUPPORTED
            )
        return mode & 0o777

    def _named(self, text: str) -> str:
        name, _ = header_name(text)
        if not name:
            raise self.source.refused(self.at, "a file name is missing", "name the file")
        return name

    def _plain_names(self, header: _Header) -> None:
        """Take the ``---`` and ``+++`` lines."""
        header.old, old_epoch = header_name(self.source[self.at][4:])
        header.new, new_epoch = header_name(self.source[self.at + 1][4:])
        header.epochs = (old_epoch, new_epoch)
        if not header.old or not header.new:
            raise self.source.refused(
                self.at, "a file name is missing", "name the file after '--- ' and '+++ '"
            )
        self.at += 2

    # Files

    def _file(self, header: _Header) -> None:
        hunks: list[Hunk] = []
        while self.at < len(self.source):
            if self.source[self.at].startswith("@@") and not self.source[self.at].startswith("@@@"):
                hunks.append(self._hunk(len(hunks) + 1))
            elif self.source.is_blank(self.at):
                self.at += 1
            else:
                break
        self.files.append(self._assembled(header, tuple(hunks)))

    def _assembled(self, header: _Header, hunks: tuple[Hunk, ...]) -> FilePatch:
        old, new = self._names(header)
        kind = header.kind
        if old == NO_FILE or (kind == "create"):
            kind, old = "create", NO_FILE
        elif new == NO_FILE or kind == "delete":
            kind, new = "delete", NO_FILE
        elif kind == "modify" and len(hunks) == 1:
            # GNU diff -N: the missing side bears the time of the epoch.
            if header.epochs[0] and not hunks[0].old:
                kind = "create"
            elif header.epochs[1] and not hunks[0].new:
                kind = "delete"
        self._check_body(header, kind, hunks)
        modes = header.modes
        return FilePatch(
            kind=kind,
            old=None if kind == "create" else old,
            new=None if kind == "delete" else new,
            hunks=hunks,
            line=header.line + 1,
            new_mode=modes.get("new", modes.get("new file")),
            emptied=kind == "delete",
            prefixed=_prefixes_taken(header, old, new),
        )

    def _names(self, header: _Header) -> tuple[str, str]:
        source = self.source
        if header.kind in ("rename", "copy"):
            if header.source is None or header.target is None:
                raise source.refused(
                    header.line, f"a {header.kind} names only one file", f"give '{header.kind} from' and 'to'"
                )
            self._check_same(header, header.source, header.target)
            return header.source, header.target
        if header.old is not None and header.new is not None:
            old, new = without_prefixes(header.old, header.new, header.git)
        elif header.git is not None:
            old, new = without_prefixes(header.git.old, header.git.new, header.git)
        else:
            raise source.refused(
                header.line, "the file names cannot be read", "add '--- a/path' and '+++ b/path'"
            )
        if old == new == NO_FILE:
            raise source.refused(header.line, "both sides are /dev/null", "name the file on one side")
        if old != new and NO_FILE not in (old, new):
            if old in (f"{new}.orig", f"{new}.old", f"{new}~"):
                return new, new
            if self.renames and header.git is None:
                if posixpath.normpath(old) == posixpath.normpath(new):
                    return old, old
                header.kind = "rename"
                return old, new
            raise source.refused(
                header.line,
                f"the two sides name different files, {old} and {new}, without a rename",
                "name one file on both sides, or give 'diff --git', 'rename from' and 'rename to' lines",
            )
        return old, new

    def _check_same(self, header: _Header, source: str, target: str) -> None:
        """Where a rename or copy has ``---`` and ``+++`` lines too, they must be about the same files."""
        if header.old is None or header.new is None:
            return
        old, new = without_prefixes(header.old, header.new, header.git)
        if (old not in (source, target) or new != target) and (header.old, header.new) != (source, target):
            raise self.source.refused(
                header.line,
                f"'--- {header.old}' or '+++ {header.new}' does not name the file of the lines above it",
                f"name {source} and {target} there",
            )

    def _check_body(self, header: _Header, kind: Kind, hunks: tuple[Hunk, ...]) -> None:
        """Refuse a file part whose body cannot be all of it."""
        source = self.source
        if kind == "create" and any(hunk.old for hunk in hunks):
            raise source.refused(
                hunks[0].line - 1,
                "a new file cannot have kept or removed lines",
                "begin each of its lines with '+'",
            )
        if kind == "create" and len(hunks) > 1:
            raise source.refused(hunks[1].line - 1, "a new file has one hunk", "join its hunks into one")
        if hunks:
            return
        old_blob, new_blob = header.blobs or ("", "")
        content = {
            "create": bool(new_blob) and not new_blob.startswith(_EMPTY_BLOB),
            "delete": bool(old_blob) and not old_blob.startswith(_EMPTY_BLOB),
            "modify": not header.modes or old_blob != new_blob,
            "rename": header.similarity < 100 or old_blob != new_blob,
            "copy": header.similarity < 100 or old_blob != new_blob,
        }[kind]
        named = header.old is not None and (kind != "rename" or header.git is not None)
        if content or named:
            raise source.refused(
                max(self.at - 1, header.line), f"the hunks of {_first(header)} are missing", RESEND
            )

    # Hunks

    def _hunk(self, number: int) -> Hunk:
        source, at = self.source, self.at
        match = _HUNK.match(source[at])
        if match is None:
            if "-" in source[at] and re.match(r"@@ -?\d", source[at]):
                raise source.refused(at, "this hunk header cannot be read", "write it as '@@ -1,3 +1,4 @@'")
            body = self._body_to_boundary(at + 1)
            heading = source[at].removesuffix("\r").strip("@ \t")
            headings = () if heading in ("", "...", "…") else (heading,)
            return self._made(number, at, None, body, headings=headings)
        start, old_count = int(match[1]), int(match[2] or 1)
        new_count = int(match[4] or 1)
        counted = self._body_by_counts(at + 1, old_count, new_count)
        if counted is not None:
            return self._made(number, at, start, counted)
        body = self._body_to_boundary(at + 1)
        cut = False
        if body.end >= len(source) and (body.old < old_count or body.new < new_count):
            cut = looks_cut(body.rows)
            if cut and not source.ended:
                raise source.refused(body.end, "the patch ends in the middle of a hunk", RESEND)
        return self._made(number, at, start, body, repaired=True, cut=cut)

    def _made(
        self,
        number: int,
        at: int,
        start: int | None,
        body: Body,
        *,
        headings: tuple[str, ...] = (),
        repaired: bool = False,
        cut: bool = False,
    ) -> Hunk:
        self.at = body.end
        bare = self.source[self.at]
        if not any(row.sign != " " for row in body.rows) and bare.strip() and not self._is_boundary(self.at):
            raise self.source.refused(
                self.at,
                "this line of a hunk begins with neither a space, '-' nor '+'",
                "put a space before each line of context",
            )
        if not any(row.sign != " " for row in body.rows):
            raise self.source.refused(
                at, "this hunk changes nothing", "give it '-' or '+' lines, or leave it out"
            )
        return Hunk(
            number, at + 1, tuple(body.rows), start, headings,
            body.at_end, body.old_ended, body.new_ended, repaired, cut,
        )  # fmt: skip

    def _body_by_counts(self, at: int, old_count: int, new_count: int) -> Body | None:
        """The body its header announces; None if the body is another."""
        source = self.source
        body = Body(source)
        while body.old < old_count or body.new < new_count or source[at].startswith("\\"):
            if at >= len(source) or not body.take(at):
                return None
            at += 1
        if body.old != old_count or body.new != new_count or self._took_header(body, at):
            return None
        following = at
        while following < len(source) and source.is_blank(following):
            following += 1
        line = source[following]
        if line[:1] in (" ", "+", "-", "\\") and not self._is_boundary(following) and line not in _SIGNATURE:
            return None
        body.end = at
        return body

    def _took_header(self, body: Body, at: int) -> bool:
        """Whether a count one too high took the next file's header for changed lines.

        A hunk with context has some behind its changes too, unless the file ends there; and then none follows it.
        """
        return (
            self._is_header(at - 2)
            and self.source[at].startswith("@@ -")
            and any(row.sign == " " for row in body.rows)
        )

    def _body_to_boundary(self, at: int) -> Body:
        """The body up to the next header; refused where a line of it could be a header too."""
        source = self.source
        body = Body(source)
        while at < len(source) and not self._is_boundary(at):
            if self._is_header(at) and not source[at + 2].startswith("@@"):
                raise source.refused(
                    at,
                    "the counts of this hunk are wrong, and these may be a file header or changed lines",
                    "correct the counts in the hunk's header",
                )
            if not body.take(at):
                break
            at += 1
        body.drop_blank_end(at)
        return body

    def _is_boundary(self, at: int) -> bool:
        line = self.source[at]
        if line.startswith(("@@ ", "diff --git ")) or line.rstrip() == "@@":
            return True
        if line in _SIGNATURE and at >= len(self.source) - 3:
            return True
        return self._is_header(at) and self.source[at + 2].startswith("@@")


def _prefixes_taken(header: _Header, old: str, new: str) -> bool:
    """Whether the names that became `old` and `new` were written with ``a/`` and ``b/``."""
    if header.old is None or header.new is None or header.source is not None:
        return header.git is not None and header.git.prefixed
    return header.old != old if new == NO_FILE else header.new != new


def _first(header: _Header) -> str:
    name = header.source or header.new or header.old or (header.git.new if header.git else "the file")
    return stripped(name) if header.git and header.git.prefixed and not header.source else name


def _binary(source: PatchText, at: int) -> FilewrightError:
    return source.refused(at, "a binary patch cannot be applied", "write the file by another tool")


def looks_cut(rows: list[Row]) -> bool:
    """Whether a hunk shorter than announced lacks the context a diff ends with."""
    lead = next((i for i, row in enumerate(rows) if row.sign != " "), len(rows))
    tail = next((i for i, row in enumerate(reversed(rows)) if row.sign != " "), len(rows))
    return tail < max(1, min(3, lead))


@dataclass(frozen=True, slots=True)
class GitNames:
    """The two names of a ``diff --git`` line, as written; `prefixed` if they bear ``a/`` and ``b/``."""

    old: str
    new: str
    prefixed: bool


def header_name(text: str) -> tuple[str, bool]:
    """The name after ``--- `` or ``rename to ``, and whether a time of the epoch follows it."""
    text = text.removesuffix("\r")
    if text.startswith('"'):
        match = _QUOTED.match(text)
        if match:
            return _one_form(match.group()), bool(_EPOCH.search(text, match.end()))
    name, tab, time = text.partition("\t")
    if not tab and len(text) < _LONG and (match := _TIME.search(text)):
        return text[: match.start()], bool(_EPOCH.match(match.group().strip()))
    return name if tab else name.strip(" "), bool(_EPOCH.match(time))


def git_line_names(line: str) -> GitNames | None:
    """The names of ``diff --git a/x b/x``; None where it is not clear which is which."""
    rest = line.removeprefix("diff --git ")
    if rest.startswith('"') or rest.endswith('"'):
        match = _QUOTED.match(rest)
        if match:
            old, new = match.group(), rest[match.end() :].lstrip(" ")
        else:
            at = rest.find(' "')
            old, new = rest[:at], rest[at + 1 :]
        return _names(old, new) if old and new else None
    middle = len(rest) // 2
    found: GitNames | None = None
    if rest[middle : middle + 1] == " " and len(rest) % 2:
        # The two names are as long as one another unless the file was renamed.
        old, new = rest[:middle], rest[middle + 1 :]
        if old == new or (_is_prefixed(old) and _is_prefixed(new) and old[2:] == new[2:]):
            found = _names(old, new)
    if found is None and rest.count(" ") == 1:
        old, _, new = rest.partition(" ")
        found = _names(old, new)
    return found


def _one_form(name: str) -> str:
    """A name quoted only where it has to be, so that equal names are equal texts."""
    return quote(unquote(name)) if name.startswith('"') else name


def _names(old: str, new: str) -> GitNames:
    old, new = _one_form(old), _one_form(new)
    return GitNames(old, new, old != new and _is_prefixed(old) and _is_prefixed(new))


def _is_prefixed(name: str) -> bool:
    return (
        len(name) > 2
        and (name[1:3] if name[0] == '"' else name[:2])[1:] == "/"
        and _letter(name) in _PREFIXES
    )


def _letter(name: str) -> str:
    return name[1] if name[0] == '"' else name[0]


def without_prefixes(old: str, new: str, git: GitNames | None) -> tuple[str, str]:
    """Both names less ``a/`` and ``b/``, where these are prefixes and not folders.

    They are where the ``diff --git`` line has them, or where both sides have different ones before
    the same name, or where the one side that is a file has the one that belongs there.
    """
    if NO_FILE in (old, new):
        name, letter = (new, "b") if old == NO_FILE else (old, "a")
        prefixed = git.prefixed if git is not None else name.startswith((f"{letter}/", f'"{letter}/'))
        bare = stripped(name) if prefixed and _is_prefixed(name) else name
        return (NO_FILE, bare) if old == NO_FILE else (bare, NO_FILE)
    if old.startswith("a/") and stripped(old) == new:
        return new, new
    if new.startswith("b/") and stripped(new) == old:
        return old, old
    if not (_is_prefixed(old) and _is_prefixed(new)):
        return old, new
    if _letter(old) != _letter(new) or (git is not None and git.prefixed):
        return stripped(old), stripped(new)
    return old, new


def stripped(name: str) -> str:
    """`name` less its first two characters, quoted as it was or as it needs to be."""
    if name.startswith('"'):
        return quote(unquote(name)[2:])
    return name[2:]
