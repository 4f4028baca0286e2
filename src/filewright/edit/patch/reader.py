"""A patch as text, read into `FilePatch` values: a unified diff, or an envelope.

The unified diff is that of GNU diffutils ("Detailed Description of Unified Format") and
of git ("Generating patch text with -p"). The envelope is::

    *** Begin Patch
    *** Update File: src/app.py
    *** Move to: src/main.py
    @@ class App
    @@     def run(self):
     context
    -old
    +new
    *** Add File: notes.txt
    +text
    *** Delete File: old.txt
    *** End Patch

Lines after ``@@`` are headings: they come somewhere before the hunk, outermost first.
Only the end mark tells a whole patch from one that was cut off, so it is required; the
begin mark may be missing.

Both notations are read in three steps: `scan` says what kind each line is, this module
reads files, and `hunks` reads the hunks of each. Lines of the patch are counted from 0
here, and from 1 in errors and results.

Models write patches loosely. They are read loosely where they can mean one thing only,
and refused everywhere else.
"""

from __future__ import annotations

import posixpath
import re
from contextlib import suppress
from dataclasses import dataclass, replace

from filewright.boundary.names import quote
from filewright.edit.patch.header import (
    NO_FILE,
    GitHeader,
    NamePair,
    has_epoch,
    has_two_prefixes,
    parse_git_line,
    parse_name,
    split_git_names,
    strip_prefixes,
)
from filewright.edit.patch.hunks import (
    NO_CHANGE_HINT,
    NO_CHANGE_REASON,
    RESEND_HINT,
    HunkReader,
)
from filewright.edit.patch.model import FilePatch, Patch, PatchHunk, PatchKind
from filewright.edit.patch.scan import PatchLineKind, ScannedPatch, scan_patch
from filewright.errors import Code, FilewrightError, invalid
from filewright.text.codec import check_text

# Models know the mark by three names, of which "Move to" is the documented one.
_MOVE_MARK = re.compile(r"\*\*\* (?:Move to|Move File To|Rename to):")
_ENVELOPE_KINDS: dict[str, PatchKind] = {
    "Add": "create",
    "Update": "modify",
    "Delete": "delete",
}
_FILE_STARTS = (
    PatchLineKind.FILE,
    PatchLineKind.HEADER,
    PatchLineKind.HEADER_WITHOUT_HUNK,
)
_PATCH_ENDS = (
    PatchLineKind.END_OF_PATCH,
    PatchLineKind.SIGNATURE,
    PatchLineKind.END_OF_TEXT,
)
_ENVELOPE_FILE_ENDS = (
    PatchLineKind.FILE,
    PatchLineKind.END_OF_PATCH,
    PatchLineKind.END_OF_TEXT,
)
# Names of the copy that a person makes before editing, for "diff -u file.orig file".
_BACKUP_SUFFIXES = (b".orig", b".old", b"~")
_HERE_DOCUMENT = re.compile(r"<<-?\s*[\"'\\]?(\w+)")

# Lines that svn, diff -r, rcs and mail programs write between the files.
_NOISE = re.compile(
    r"(Index: |={20,}$|Only in |diff |RCS file: |retrieving revision |-- ?$)"
)


@dataclass(frozen=True, slots=True)
class _Unsupported:
    """Lines that begin something that cannot be applied, and the refusal of it."""

    beginnings: tuple[str, ...]
    code: Code
    reason: str
    hint: str


_BINARY_PATCH = _Unsupported(
    ("GIT binary patch", "Binary files "),
    Code.INVALID_INPUT,
    "a binary patch cannot be applied",
    "write this file with another tool",
)
_UNSUPPORTED = (
    _BINARY_PATCH,
    _Unsupported(
        ("@@@ ", "diff --cc ", "diff --combined "),
        Code.UNSUPPORTED,
        "a combined diff of a merge cannot be applied",
        "send a plain two-way diff",
    ),
    _Unsupported(
        ("@@",),
        Code.INVALID_INPUT,
        "a hunk comes before any file header",
        "put '--- a/path' and '+++ b/path' above it",
    ),
    _Unsupported(
        ("***************",),
        Code.UNSUPPORTED,
        "this is a context diff",
        "send a unified diff (diff -u)",
    ),
)


def parse_patch(text: str, *, renames: bool = False) -> Patch:
    """Return the patch in `text`, a unified diff (git's too) or an envelope.

    With `renames`, a header with two names renames the file; without, it is an error
    unless git's lines announce the rename. The time is linear in the length of `text`.

    Raise `invalid_input` with the number of the line that is wrong (from 1), or
    `unsupported` for changes that filewright does not make: those of links and
    submodules, context diffs, and combined diffs of merges.
    """
    if not text.strip():
        raise invalid(
            "the patch is empty",
            "send a unified diff, or an envelope that begins with '*** Begin Patch'",
        )
    check_text(text, "patch")
    patch_text = scan_patch(text)
    files = _FileReader(patch_text, renames=renames).read_all()
    alternative_files: tuple[FilePatch, ...] = ()
    if any(hunk.is_ambiguous for file in files for hunk in file.hunks):
        # Two changed lines such as "--- x" and "+++ y" look like the header of the next
        # file. Only the files can tell which reading is right, so the planner gets both.
        # A reading that fails is certainly wrong.
        with suppress(FilewrightError):
            alternative_files = _FileReader(
                patch_text, renames=renames, prefers_headers=True
            ).read_all()
    return Patch(patch_text.is_envelope, files, alternative_files)


@dataclass(frozen=True, slots=True)
class _FileSides:
    """The kind of change of a file, and its names on both sides, without prefixes.

    Both names are equal unless the file is renamed or copied. `has_prefix`: the header
    has ``a/`` or ``b/`` before them.
    """

    kind: PatchKind
    old: bytes
    new: bytes
    has_prefix: bool = False


class _FileReader:
    """Reads the files of a patch; `position` is the line that is next."""

    def __init__(
        self,
        patch_text: ScannedPatch,
        *,
        renames: bool,
        prefers_headers: bool = False,
    ) -> None:
        self.position = patch_text.start
        self._text = patch_text
        self._renames = renames
        self._prefers_headers = prefers_headers

    def read_all(self) -> tuple[FilePatch, ...]:
        """Return the files up to the end of the text, a signature or the end mark."""
        patch_text = self._text
        files: list[FilePatch] = []
        while patch_text.kinds[self.position] not in _PATCH_ENDS:
            if patch_text.kinds[self.position] not in _FILE_STARTS:
                self._skip_line_between_files(files)
            elif patch_text.is_envelope:
                files.append(self._read_envelope_file())
            else:
                files.append(self._read_unified_file())
        self._check_end()
        if files:
            return tuple(files)
        if patch_text.is_envelope:
            raise patch_text.error(
                patch_text.start - 1,
                "the patch names no file",
                "add '*** Update File: path', '*** Add File: path' or '*** "
                "Delete File: path'",
            )
        raise patch_text.error(
            patch_text.start,
            "the patch has no file header",
            "begin each file with '--- a/path' and '+++ b/path' lines, or use "
            "'*** Begin Patch'",
        )

    def _check_end(self) -> None:
        """Raise an error for an envelope without an end, or for more behind it."""
        patch_text = self._text
        kind = patch_text.kinds[self.position]
        if patch_text.is_envelope and kind is PatchLineKind.END_OF_TEXT:
            raise patch_text.error(
                self.position,
                "the patch has no '*** End Patch', so its end may be missing",
                "send the whole patch again, ending with '*** End Patch'",
            )
        if kind is not PatchLineKind.END_OF_PATCH:
            return
        # Models go on talking below the mark, or close a here-document. That is ignored,
        # but a second patch must not be: it would be lost without an error.
        for index in range(self.position + 1, len(patch_text.lines)):
            if patch_text.has_patch_line(index, index + 1):
                raise patch_text.error(
                    index,
                    "this line follows '*** End Patch'",
                    "send one patch in one call",
                )

    # Between files

    def _skip_line_between_files(self, files: list[FilePatch]) -> None:
        """Skip a line outside every file, or raise an error.

        In a unified diff there may be remarks before the first file, and talk after the
        last one: then this skips to the end. `files` are those read so far.
        """
        patch_text, index = self._text, self.position
        self.position += 1
        if patch_text.kinds[index] is PatchLineKind.BLANK:
            return
        if patch_text.is_envelope:
            raise patch_text.error(
                index,
                "this line belongs to no file",
                "expected '*** Add File: ', '*** Update File: ', '*** Delete File: ' "
                "or '*** End Patch'",
            )
        self._check_supported(index, _UNSUPPORTED)
        line = patch_text.lines[index]
        if files and not _NOISE.match(line):
            if not self._is_talk(index, files[-1]):
                raise patch_text.error(
                    index,
                    "this line belongs to no hunk",
                    "each line of a hunk begins with a space, '-' or '+'; remove what "
                    "is not part of the patch",
                )
            self.position = len(patch_text.lines) - 1
            return
        is_last = patch_text.kinds[index + 1] is PatchLineKind.END_OF_TEXT
        if not files and is_last and line.startswith("--- "):
            raise patch_text.error(
                index, "the patch ends inside a file header", RESEND_HINT
            )

    def _is_talk(self, index: int, last_file: FilePatch) -> bool:
        """Return True if only talk follows, and no line of the last hunk.

        A line of context that lost its space looks like talk; skipping it would change
        what the hunk does. So the hunk must be whole by its counts, a blank line, a
        fence or the end of a here-document must come between, and no line below may
        look like a patch's.
        """
        patch_text = self._text
        is_apart = not patch_text.lines[index - 1].strip()
        is_fence = patch_text.lines[index].startswith("```")
        if not (is_apart or is_fence or self._ends_here_document(index)):
            return False
        if last_file.hunks:
            last_hunk = last_file.hunks[-1]
            if last_hunk.has_wrong_counts or last_hunk.start is None:
                return False
        return not patch_text.has_patch_line(index)

    def _ends_here_document(self, index: int) -> bool:
        """Return True if a line ends a here-document that begins above the patch."""
        word = self._text.lines[index].strip("\t")
        for line, kind in zip(self._text.lines, self._text.kinds, strict=True):
            if kind in _FILE_STARTS:
                break
            if word in _HERE_DOCUMENT.findall(line):
                return True
        return False

    def _check_supported(
        self, index: int, unsupported: tuple[_Unsupported, ...]
    ) -> None:
        for refusal in unsupported:
            if self._text.lines[index].startswith(refusal.beginnings):
                raise self._text.error(
                    index, refusal.reason, refusal.hint, refusal.code
                )

    # A file of an envelope

    def _read_envelope_file(self) -> FilePatch:
        patch_text, first_index = self._text, self.position
        verb, name = patch_text.lines[first_index][len("*** ") :].split(
            " File:", 1
        )
        kind = _ENVELOPE_KINDS[verb]
        old_name = new_name = self._parse_name(first_index, name.strip())
        self.position += 1
        line = patch_text.lines[self.position]
        if kind == "modify" and (match := _MOVE_MARK.match(line)):
            kind = "rename"
            new_name = self._parse_name(
                self.position, line[match.end() :].strip()
            )
            self.position += 1
        self._skip_unified_header()
        if kind == "delete":
            self._check_deleted_file_is_empty()
        hunks = self._read_hunks(is_new_file=kind == "create")
        return self._build_file(
            first_index,
            _FileSides(kind, old_name, new_name),
            hunks,
            may_be_empty=kind != "modify",
        )

    def _skip_unified_header(self) -> None:
        """Skip lines of a unified diff's header below the line of an envelope's file.

        Models mix both notations. Such lines repeat what the envelope says, except for
        a rename or a change of mode, which an envelope does not have.
        """
        patch_text = self._text
        while git_line := parse_git_line(patch_text.lines[self.position]):
            statements = git_line.statements
            if "verb" in statements or statements.get("state") in (
                "old",
                "new",
            ):
                break
            self.position += 1
        next_lines = patch_text.lines[self.position : self.position + 2]
        has_names = next_lines[0].startswith("--- ") and next_lines[
            1
        ].startswith("+++ ")
        if (
            has_names
            and patch_text.kinds[self.position + 2] is PatchLineKind.HUNK
        ):
            self.position += 2

    def _check_deleted_file_is_empty(self) -> None:
        patch_text = self._text
        next_index = patch_text.skip_blank(self.position)
        if patch_text.kinds[next_index] in _ENVELOPE_FILE_ENDS:
            return
        self._check_supported(self.position, (_BINARY_PATCH,))
        raise patch_text.error(
            next_index,
            "a deleted file has no lines",
            "give only '*** Delete File: path'",
        )

    # A file of a unified diff

    def _read_unified_file(self) -> FilePatch:
        patch_text, first_index = self._text, self.position
        git_header = self._read_git_header()
        names_index = self.position
        header_names = self._read_header_names()
        hunks = self._read_hunks()
        sides = self._find_sides(first_index, git_header, header_names)
        kind = sides.kind
        if git_header.state == "new file":
            kind = "create"
        elif git_header.state == "deleted file":
            kind = "delete"
        elif kind == "modify" and header_names is not None and len(hunks) == 1:
            # GNU diff -N names the file on both sides, and gives the one that does not
            # exist the time of the epoch.
            if not hunks[0].lines.old and has_epoch(
                patch_text.lines[names_index]
            ):
                kind = "create"
            elif not hunks[0].lines.new and has_epoch(
                patch_text.lines[names_index + 1]
            ):
                kind = "delete"
        # A rename, a change of mode or an empty file needs no hunks.
        may_be_empty = git_header.is_complete and (
            kind != "modify" or git_header.state != ""
        )
        if header_names is not None and (git_header.verb or kind != "rename"):
            # "---" and "+++" announce hunks. If there are none, the patch was cut off.
            may_be_empty = False
        return self._build_file(
            first_index,
            replace(sides, kind=kind),
            hunks,
            may_be_empty=may_be_empty,
            mode=git_header.permissions,
        )

    def _read_git_header(self) -> GitHeader:
        """Return the statements of git's lines, and stop behind them."""
        patch_text = self._text
        statements: dict[str, str] = {}
        while git_line := parse_git_line(
            patch_text.lines[self.position].removesuffix("\r")
        ):
            # The next "diff --git" begins another file: this one has no hunks.
            if statements and git_line.statements.get("names"):
                break
            if git_line.special_file is not None:
                raise patch_text.error(
                    self.position,
                    f"mode {git_line.mode} is {git_line.special_file}",
                    "patches change regular files only",
                    Code.UNSUPPORTED,
                )
            statements |= git_line.statements
            self.position += 1
        return GitHeader(**statements)

    def _read_header_names(self) -> NamePair | None:
        """Return the names after "---" and "+++", and stop behind them, if there."""
        patch_text, names_index = self._text, self.position
        header_kinds = (PatchLineKind.HEADER, PatchLineKind.HEADER_WITHOUT_HUNK)
        if patch_text.kinds[names_index] not in header_kinds:
            return None
        old_name = self._parse_name(
            names_index, patch_text.lines[names_index][len("--- ") :]
        )
        new_name = self._parse_name(
            names_index + 1, patch_text.lines[names_index + 1][len("+++ ") :]
        )
        self.position += 2
        return NamePair(old_name, new_name)

    def _find_sides(
        self,
        first_index: int,
        git_header: GitHeader,
        header_names: NamePair | None,
    ) -> _FileSides:
        """Return the kind of change of a file and its names, by its header.

        `git_header` are git's lines (all empty without them), and `header_names` the
        names after "---" and "+++", if any. `first_index` is the line that errors name.
        """
        git_names = split_git_names(git_header.names)
        has_prefixes = has_two_prefixes(git_header.names, git_names)
        side_names = header_names or git_names
        bare_names = (
            None
            if side_names is None
            else strip_prefixes(side_names, has_prefixes)
        )
        if git_header.verb:
            has_prefix = bool(has_prefixes)
            return self._find_renamed_sides(
                first_index, git_header, header_names, bare_names, has_prefix
            )
        if side_names is None or bare_names is None:
            raise self._text.error(
                first_index,
                "the file names cannot be read",
                "add '--- a/path' and '+++ b/path'",
            )
        # Without git's "rename" or "copy" only the two names tell the kind of change.
        has_prefix = bare_names != side_names
        if bare_names.old == bare_names.new == NO_FILE:
            raise self._text.error(
                first_index,
                "both sides are /dev/null",
                "name the file on one side",
            )
        if bare_names.old == NO_FILE:
            return _FileSides(
                "create", bare_names.new, bare_names.new, has_prefix
            )
        if bare_names.new == NO_FILE:
            return _FileSides(
                "delete", bare_names.old, bare_names.old, has_prefix
            )
        # "diff -u file.orig file" compares a file with a copy of its earlier content: it
        # renames nothing.
        if bare_names.old in [
            bare_names.new + suffix for suffix in _BACKUP_SUFFIXES
        ]:
            return _FileSides(
                "modify", bare_names.new, bare_names.new, has_prefix
            )
        if bare_names.old == bare_names.new:
            return _FileSides(
                "modify", bare_names.old, bare_names.new, has_prefix
            )
        if not self._renames or git_header.names:
            raise self._text.error(
                first_index,
                f"the two sides name different files, {quote(bare_names.old)} and "
                f"{quote(bare_names.new)}, without a rename",
                "name one file on both sides, or give 'diff --git', 'rename from' and "
                "'rename to' lines",
            )
        # "./a.py" and "a.py" are two spellings of one name.
        if posixpath.normpath(bare_names.old) == posixpath.normpath(
            bare_names.new
        ):
            return _FileSides(
                "modify", bare_names.old, bare_names.old, has_prefix
            )
        return _FileSides("rename", bare_names.old, bare_names.new, has_prefix)

    def _find_renamed_sides(
        self,
        first_index: int,
        git_header: GitHeader,
        header_names: NamePair | None,
        bare_names: NamePair | None,
        has_prefix: bool,
    ) -> _FileSides:
        """Return the sides that git's "rename" or "copy" lines name.

        `header_names` and `bare_names` (the same without prefixes) must agree with them.
        """
        patch_text = self._text
        if git_header.source is None or git_header.target is None:
            raise patch_text.error(
                first_index,
                f"a {git_header.verb} names only one file",
                f"give '{git_header.verb} from' and 'to'",
            )
        source = self._parse_name(first_index, git_header.source)
        target = self._parse_name(first_index, git_header.target)
        if header_names is not None and bare_names is not None:
            names_agree = (
                bare_names.old in (source, target) and bare_names.new == target
            )
            if header_names != NamePair(source, target) and not names_agree:
                raise patch_text.error(
                    first_index,
                    f"'--- {quote(header_names.old)}' or '+++ "
                    f"{quote(header_names.new)}' names another file than the "
                    "git header above it",
                    f"name {quote(source)} and {quote(target)} there",
                )
        kind: PatchKind = "rename" if git_header.verb == "rename" else "copy"
        return _FileSides(kind, source, target, has_prefix)

    # Both notations

    def _read_hunks(
        self, *, is_new_file: bool = False
    ) -> tuple[PatchHunk, ...]:
        """Return the hunks of a file, and stop behind them."""
        if self._text.kinds[self.position] is PatchLineKind.OTHER:
            self._check_supported(self.position, (_BINARY_PATCH,))
        reader = HunkReader(
            self._text,
            self.position,
            is_new_file=is_new_file,
            prefers_headers=self._prefers_headers,
        )
        hunks = reader.read_all()
        self.position = reader.position
        return hunks

    def _build_file(
        self,
        first_index: int,
        sides: _FileSides,
        hunks: tuple[PatchHunk, ...],
        *,
        may_be_empty: bool,
        mode: int | None = None,
    ) -> FilePatch:
        """Return the file that begins at line `first` and ends at the position."""
        patch_text, kind = self._text, sides.kind
        # Models send hunks of context alone, to show where they are. A file of only such
        # hunks is a mistake: its changed lines have lost their signs.
        idle_hunks = tuple(hunk for hunk in hunks if not hunk.lines.has_changes)
        if idle_hunks and len(idle_hunks) == len(hunks):
            raise patch_text.error(
                hunks[0].patch_line - 1, NO_CHANGE_REASON, NO_CHANGE_HINT
            )
        if kind == "create":
            self._check_new_file(hunks)
        hunks = tuple(hunk for hunk in hunks if hunk.lines.has_changes)
        takes_ends = kind == "create" and not patch_text.is_envelope
        if takes_ends and patch_text.is_crlf:
            hunks = tuple(_with_crlf(hunk) for hunk in hunks)
        if not hunks and not may_be_empty:
            hint = RESEND_HINT
            if patch_text.is_envelope:
                hint = "give it '@@' sections with '-' and '+' lines"
            raise patch_text.error(
                self.position - 1,
                f"the hunks of {quote(sides.old)} are missing",
                hint,
            )
        return FilePatch(
            kind=kind,
            old_path=None if kind == "create" else quote(sides.old),
            new_path=None if kind == "delete" else quote(sides.new),
            hunks=hunks,
            first_line=first_index + 1,
            last_line=self.position,
            new_mode=mode,
            must_be_empty=kind == "delete" and not patch_text.is_envelope,
            has_prefix=sides.has_prefix,
            idle_hunks=idle_hunks,
        )

    def _check_new_file(self, hunks: tuple[PatchHunk, ...]) -> None:
        if any(hunk.lines.old for hunk in hunks):
            raise self._text.error(
                hunks[0].patch_line - 1,
                "a new file cannot have kept or removed lines",
                "begin each of its lines with '+'",
            )
        if len(hunks) > 1:
            raise self._text.error(
                hunks[1].patch_line - 1,
                "a new file has one hunk",
                "join its hunks into one",
            )

    def _parse_name(self, index: int, field: str) -> bytes:
        """Return the name in a line of a header; raise an error if it is missing."""
        name = parse_name(field)
        if not name:
            raise self._text.error(
                index, "a file name is missing", "name the file"
            )
        return name


def _with_crlf(hunk: PatchHunk) -> PatchHunk:
    """Return a hunk whose lines end in ``\\r\\n``.

    The reader removes the returns of a patch that has them everywhere, because an
    existing file decides its line ends itself. A new file takes those of the patch.
    """
    line_ends = tuple(
        b"\r\n" if end == b"\n" else end for end in hunk.lines.ends
    )
    return replace(hunk, lines=replace(hunk.lines, ends=line_ends))
