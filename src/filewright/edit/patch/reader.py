"""A patch as text, read into `FilePatch` values: the unified diff, plain and as git writes it, and the envelope.

The unified diff is that of GNU diffutils ("Detailed Description of Unified Format") and of git
("Generating patch text with -p"). Counts in a hunk's header are checked against its body; where
they are wrong and the body can be read in one way only, the body counts. The envelope is::

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

Lines after ``@@`` are headings: they stand somewhere before the hunk, outermost first. The end mark
is what tells a whole patch from a cut one, so it must be there; the begin mark may be missing.

Both are read by one scanner. It says first, in a letter, what each line is: a file or a hunk begins, a row, a blank
line, a mark. A file is then the lines of its header (`_HEADER` is the table of what they say) and its hunks.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from filewright.boundary import quote, unquote
from filewright.edit.visible import cut_line
from filewright.errors import Code, FilewrightError
from filewright.text import check_text
from filewright.visible import one_line

Kind = Literal["modify", "create", "delete", "rename", "copy"]
_Names: TypeAlias = tuple[bytes, bytes]
"""The names of both sides."""

_RESEND = "send the whole patch again, as a unified diff that is complete"
_NO_FILE = b"/dev/null"
_EMPTY_BLOB = "e69de29"
_LONG = 5_000
_HUNK = re.compile(r"@@ -(\d{1,18})(?:,(\d{1,18}))? \+\d{1,18}(?:,(\d{1,18}))? @@")
_ROW_PIECE = re.compile(r"([^\r\n]*)(\r\n|\r|\n)")

# What the lines above a file's hunks say, in either notation.
_HEADER = re.compile(
    r"diff --git (?P<git>.*)"
    r"|old mode (?P<old>[0-7]{6})|new mode (?P<new>[0-7]{6})"
    r"|new file mode (?P<created>[0-7]{6})|deleted file mode (?P<deleted>[0-7]{6})"
    r"|(?P<verb>rename|copy) (?:(?:from|old) (?P<source>.*)|(?:to|new) (?P<target>.*))"
    r"|similarity index (?P<similarity>\d{1,3})%|dissimilarity index .*"
    r"|index (?P<before>[0-9a-f]+)\.\.(?P<after>[0-9a-f]+)(?: (?P<both>[0-7]{6}))?"
    r"|\*\*\* (?P<part>Add|Update|Delete) File:(?P<file>.*)"
    r"|\*\*\* (?:Move to|Move File To|Rename to):(?P<moved>.*)"
)
_MODES = ("old", "new", "created", "deleted", "both")
_NAMES = ("source", "target", "file", "moved")
_NOT_BELOW = ("git", "file", "moved")
"""What is not said below git's line."""
_PREFIX = re.compile(rb"[abciwo12]/(?=.)", re.DOTALL)
_QUOTES = r'(?:[abciwo12]/)?"(?:[^"\\]|\\.)*"'  # models put a prefix before the quotes
_QUOTED = re.compile(_QUOTES)
_BEARS = re.compile(r'"?([abciwo12])/.+ "?(?!\1)[abciwo12]/')
_EPOCH = re.compile(r"(1970-01-01|1969-12-31)[ T]\d\d:\d\d:\d\d")
_TIME = re.compile(r" {1,4}\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^/]*$")

# What a line is, in a letter, by how it begins. Rows of hunks are their sign, a blank line is "_", and any other "?".
_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_FILE = re.compile(r"\*\*\* (?:Add|Update|Delete) File:")
_ROW = r"(?P<row>[-+ \\])|(?P<_>\r?$)|)"
_ENVELOPE = re.compile(
    rf"^(?:(?P<F>{_FILE.pattern})|(?P<N>@@)"  # a file; a hunk
    r"|(?P<E>\*\*\* End Patch\s*?$)|(?P<Z>\*\*\* End of File\s*?$)|" + _ROW,
    re.MULTILINE,
)
_UNIFIED = re.compile(
    r"^(?:(?P<F>diff --git )|(?P<N>@@(?!@))"
    r"|(?P<A>--- (?=.*\n\+\+\+ .*\n@@))|(?P<H>--- (?=.*\n\+\+\+ ))"  # a header above a hunk; one without any
    r"|(?P<S>-- ?$(?=(?:\n.*){0,2}\Z))|" + _ROW,  # a signature
    re.MULTILINE,
)
_SIGNS = str.maketrans("AHS_", "--- ")
_BLANK, _BODY = re.compile("_*"), re.compile(r"[-+ \\_]*")
_BEGINS = re.compile(rf"(?P<envelope>{re.escape(_BEGIN)}|{_FILE.pattern})|--- |\+\+\+ |diff --git |@@ -")
_SIGNATURE = ("-- ", "--")
_ENDS = "NFEZSA."
"""What a hunk ends before."""
_NOISE = re.compile(r"(Index: |={20,}$|Only in |diff |RCS file: |retrieving revision |-- ?$)")
_OF_A_PATCH = re.compile(r"@@|--- |\+|diff |\*\*\* |\\|-\S")
_NOT_READ = (
    (
        ("GIT binary patch", "Binary files "),
        Code.INVALID_INPUT,
        "a binary patch cannot be applied",
        "write the file by another tool",
    ),
    (
        ("@@@ ", "diff --cc ", "diff --combined "),
        Code.UNSUPPORTED,
        "a combined diff of a merge cannot be applied",
        "send a plain two-way diff",
    ),
    (
        ("@@",),
        Code.INVALID_INPUT,
        "a hunk comes before any file header",
        "put '--- a/path' and '+++ b/path' above it",
    ),
    (("***************",), Code.UNSUPPORTED, "this is a context diff", "send a unified diff (diff -u)"),
)
"""How lines begin that no file has, and why they are refused."""


@dataclass(frozen=True, slots=True)
class PatchRow:
    """One line of a hunk: `sign` is " " (kept), "-" (removed) or "+" (added).

    `text` has no terminator; `terminator` is the one the patch wrote: ``\n``, ``\r\n`` or a lone ``\r``, and none
    where git's remark says that the file has no newline there.
    """

    sign: str
    text: str
    terminator: str = "\n"


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """A run of rows that belongs in one place of a file.

    `number` counts the file's hunks from 1; `line` is where in the patch it begins. `start` is the
    1-based line its header names, None without one. `headings` are lines that must come before
    it, outermost first. `at_end`: its last old line is the file's last. `repaired`: its counts were wrong.
    `cut`: it ends like a patch that lost its end, and may only apply at the end of the file.
    """

    number: int
    line: int
    rows: tuple[PatchRow, ...]
    start: int | None = None
    headings: tuple[str, ...] = ()
    at_end: bool = False
    repaired: bool = False
    cut: bool = False

    @property
    def old(self) -> tuple[str, ...]:
        """The lines that must be there."""
        return tuple(row.text for row in self.rows if row.sign != "+")

    @property
    def new(self) -> tuple[str, ...]:
        """The lines that will be there."""
        return tuple(row.text for row in self.rows if row.sign != "-")

    def ended(self, other: str) -> bool:
        """Whether the last line of a side has a terminator; `other` is the sign of the rows it lacks."""
        return next((bool(row.terminator) for row in reversed(self.rows) if row.sign != other), True)


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What happens to one file.

    `old` and `new` are paths as the patch names them, its ``a/`` and ``b/`` taken off (`prefixed`:
    it had them); both are set and equal unless the file is created (`old` None), deleted (`new` None),
    renamed or copied.
    `new_mode` are the permission bits git names (0o644 or 0o755), None where it names none. `emptied`:
    a deletion that must find the file as its hunks say, and empty after them. `line` is where in
    the patch it begins, `end` its last line.
    """

    kind: Kind
    old: str | None
    new: str | None
    hunks: tuple[PatchHunk, ...]
    line: int
    end: int
    new_mode: int | None = None
    emptied: bool = False
    prefixed: bool = False

    @property
    def path(self) -> str:
        """The name to use in messages."""
        return self.old or self.new or ""


@dataclass(frozen=True, slots=True)
class Patch:
    """A parsed patch: at least one file, in the order written; `envelope` is its notation.

    `otherwise` are its files if the counts of a hunk are wrong, which could also be right.
    """

    envelope: bool
    files: tuple[FilePatch, ...]
    otherwise: tuple[FilePatch, ...] = ()

    def part(self, text: str, files: Iterable[FilePatch]) -> str:
        """The part of its text that is of some of its files."""
        lines = [f"{line}\n" for line in text.split("\n")]  # as they are counted
        part = "".join(line for file in files for line in lines[file.line - 1 : file.end])
        return f"{_BEGIN}\n{part}{_END}\n" if self.envelope else part

    def below(self, root: str, strip: int) -> Patch:
        """The patch of files below the folder `root`, `strip` leading parts of their names taken off.

        ``a/`` and ``b/`` count as the first part, as in ``patch -p`` and ``git apply -p``; 0 takes off
        only these. Raises `invalid_input` for a name that has no more parts than that.
        """
        above = [] if root in ("", ".") else [unquote(root).rstrip(b"/")]

        def moved(file: FilePatch) -> FilePatch:
            taken, names = max(strip - file.prefixed, 0), []
            for name in (file.old, file.new):
                parts = unquote(name).split(b"/") if name is not None else []
                if name is not None and len(parts) <= taken:
                    most = len(parts) - 1 + file.prefixed
                    raise FilewrightError(
                        Code.INVALID_INPUT,
                        f"strip={strip} leaves nothing of {name}",
                        hint=f"use a strip up to {most}"
                        + ("; a/ and b/ count as one" if file.prefixed else ""),
                        details={"argument": "strip", "path": name},
                    )
                names.append(quote(b"/".join([*above, *parts[taken:]])) if name is not None else None)
            return replace(file, old=names[0], new=names[1])

        if not strip and not above:
            return self
        return Patch(self.envelope, tuple(map(moved, self.files)), tuple(map(moved, self.otherwise)))


def parse(text: str, *, renames: bool = False) -> Patch:
    """The patch in `text`: a unified diff (git's too) or the ``*** Begin Patch`` envelope.

    Linear in the text. Raises `invalid_input` with the number of the line that is wrong, or
    `unsupported` for what patches can say but filewright does not do (links, submodules). With `renames` two
    names in a header without git's lines rename the file.
    """
    if not text.strip():
        raise FilewrightError(
            Code.INVALID_INPUT,
            "the patch is empty",
            hint="send a unified diff, or an envelope that begins with '*** Begin Patch'",
        )
    reader = _PatchReader(text, renames)
    files = reader.read()
    otherwise: tuple[FilePatch, ...] = ()
    if reader.doubted:
        with suppress(FilewrightError):
            otherwise = _PatchReader(text, renames, splits=True).read()
    return Patch(reader.envelope, files, otherwise)


class _PatchReader:
    """The lines of a patch, without terminators, and the one that is read next.

    A patch whose own lines (headers too) all end in ``\\r\\n`` came over a transport that made them
    so: the returns are taken off. Elsewhere a trailing ``\\r`` stays, and says that line's content
    has one. An outer code fence is taken off. `ended`: the last line had its newline. With `splits` a hunk ends where
    its changed lines may be a header, whatever its counts say; `doubted`: there are such.
    """

    def __init__(self, text: str, renames: bool, *, splits: bool = False) -> None:
        check_text(text, "patch")
        self.ended = text.endswith("\n")
        lines = text.removesuffix("\n").split("\n")
        if len(lines) > 1 and all(line.endswith("\r") for line in (lines if self.ended else lines[:-1])):
            lines = [line.removesuffix("\r") for line in lines]
        solid = [at for at, line in enumerate(lines) if line.strip()]
        if len(solid) > 1 and lines[solid[0]].startswith("```") and lines[solid[-1]].strip() == "```":
            del lines[solid.pop() :]
            self.ended = True
        self.lines, self.at = lines, solid[0]
        self.renames, self.splits = renames, splits
        self.doubted = self._adding = False
        first = next((at for at, line in enumerate(lines) if _BEGINS.match(line)), solid[0])
        begun = lines[first].startswith(_BEGIN)
        self.envelope = begun or bool(_FILE.match(lines[first]))
        if (
            begun
            and lines[solid[-1]].rstrip() == _END
            and self[first + 1].startswith(("--- ", "diff --git "))
        ):
            del lines[solid[-1] :]  # a unified diff between the envelope's marks is one without them
            self.at, self.envelope = first + 1, False
        elif self.envelope:
            if any(map(_OF_A_PATCH.match, lines[:first])):
                raise self.refused(
                    self.at, "the patch does not begin with '*** Begin Patch'", "put that line first"
                )
            self.at = first + begun
        # One line each, and a mark behind the last.
        kinds = (_ENVELOPE if self.envelope else _UNIFIED).finditer("\n".join(lines))
        self.kinds = "".join(kind["row"] or kind.lastgroup or "?" for kind in kinds) + "."
        self.signs = self.kinds.translate(_SIGNS)

    def __getitem__(self, at: int) -> str:
        """The line at an index, or "" past the end."""
        return self.lines[at] if at < len(self.lines) else ""

    def _past(self, kinds: re.Pattern[str], at: int) -> int:
        """The first line from `at` on that is none of some kinds."""
        match = kinds.match(self.kinds, at)
        return match.end() if match else at

    def refused(self, at: int, why: str, hint: str, code: Code = Code.INVALID_INPUT) -> FilewrightError:
        """The error for something wrong at a line."""
        number = min(at, len(self.lines) - 1) + 1
        line = one_line(cut_line(self[number - 1], 200))
        return FilewrightError(
            code,
            f"the patch cannot be read: {why} (line {number} of the patch: {line!r})",
            hint=hint,
            details={"patch_line": number, "text": line},
        )

    def read(self) -> tuple[FilePatch, ...]:
        """All files, up to the end or the envelope's mark of it."""
        first, files = self.at, list[FilePatch]()
        while (kind := self.kinds[self.at]) not in "E.":
            if kind in "FAH":
                files.append(self._file())
                continue
            if kind != "_":
                self._check_between(files)
            self.at += 1
        if self.envelope:
            if self.kinds[self.at] == ".":
                raise self.refused(
                    self.at,
                    "the patch has no '*** End Patch', so its end may be missing",
                    "send the whole patch again, ending with '*** End Patch'",
                )
            # Talk may follow the end mark, and the end of a here-document, but no other patch.
            more = next(
                (at for at in range(self.at + 1, len(self.lines)) if _OF_A_PATCH.match(self[at])), None
            )
            if more is not None:
                raise self.refused(more, "this line follows '*** End Patch'", "send one patch in one call")
        if not files:
            why, hint = (
                ("the patch names no file", "add '*** Update File: path', '*** Add File: path' or such")
                if self.envelope
                else (
                    "no file header was found",
                    "begin each file with '--- a/path' and '+++ b/path' lines, or use '*** Begin Patch'",
                )
            )
            raise self.refused(first - self.envelope, why, hint)
        return tuple(files)

    def _check_between(self, files: list[FilePatch]) -> None:
        """Refuse a line outside every file, unless it is a remark before the first, or talk after the last."""
        at, line = self.at, self[self.at]
        if self.envelope:
            raise self.refused(
                at,
                "this line belongs to no file",
                "expected '*** Add File: ', '*** Update File: ', '*** Delete File: ' or '*** End Patch'",
            )
        self._check_read()
        if not files:
            if line.startswith("--- ") and at + 1 >= len(self.lines):
                raise self.refused(at, "the patch ends inside a file header", _RESEND)
        elif not _NOISE.match(line):
            # The version under the signature of a mailed patch; or the last hunk was whole, and no other begins.
            signed = self[at - 1] in _SIGNATURE and at >= len(self.lines) - 2
            apart = not self[at - 1].strip() or line.startswith("```")
            whole = not any(hunk.repaired or hunk.start is None for hunk in files[-1].hunks[-1:])
            if not signed and not (apart and whole and not any(map(_OF_A_PATCH.match, self.lines[at:]))):
                raise self.refused(
                    at,
                    "this line belongs to no hunk",
                    "each line of a hunk begins with a space, '-' or '+'; remove what is not part of the patch",
                )
            self.at = len(self.lines) - 1

    def _check_read(self, *, binary: bool = False) -> None:
        """Refuse what no file of a patch can hold; with `binary` only what is no text."""
        for begins, code, why, hint in _NOT_READ[: 1 if binary else None]:
            if self[self.at].startswith(begins):
                raise self.refused(self.at, why, hint, code)

    def _file(self) -> FilePatch:
        """One file: what the lines of its header say, and its hunks."""
        first, said = self.at, dict[str, str]()
        while match := _HEADER.fullmatch(self[self.at].removesuffix("\r")):
            part, fact = said.get("part"), match.lastgroup
            below = fact not in _NOT_BELOW if part is None else part == "Update" and fact == "moved"
            if said and ("moved" in said or not below):
                break
            if fact in _NAMES and not match[fact].strip():
                raise self.refused(self.at, "a file name is missing", "name the file")
            said |= {key: text for key, text in match.groupdict().items() if text is not None}
            self.at += 1
        part = said.get("part")
        if "moved" in said:
            said |= {"verb": "rename", "source": said["file"], "target": said["moved"]}
        for mode in (said[key] for key in _MODES if key in said):
            if not mode.startswith("10"):
                special = {"12": "a symbolic link", "16": "a submodule", "04": "a folder"}
                raise self.refused(
                    first,
                    f"mode {mode} is {special.get(mode[:2], 'a special file')}",
                    "patches change regular files only",
                    Code.UNSUPPORTED,
                )
        written: list[tuple[bytes, bool]] = []
        # In an envelope a unified diff's own header may be put below the file's line.
        below = self[self.at].startswith("--- ") and self[self.at + 1].startswith("+++ ")
        if self.kinds[self.at] in "AH" or (part and below and self.kinds[self.at + 2] == "N"):
            written = [self._name(at, self[at][4:]) for at in (self.at, self.at + 1)]
            self.at += 2
        self._check_read(binary=True)
        self._adding = part == "Add"
        after = self._past(_BLANK, self.at)
        if part == "Delete" and self.kinds[after] not in "FE.":
            raise self.refused(after, "a deleted file has no lines", "give only '*** Delete File: path'")
        hunks = self._hunks()
        kind, old, new, prefixed = self._named(first, said, [] if part else written, hunks)
        mode_said = said.get("new", said.get("created"))
        return FilePatch(
            kind,
            None if kind == "create" else quote(old),
            None if kind == "delete" else quote(new),
            hunks,
            first + 1,
            self.at,
            None if mode_said is None else int(mode_said, 8) & 0o777,
            emptied=not part and kind == "delete",
            prefixed=prefixed,
        )

    def _name(self, at: int, text: str) -> tuple[bytes, bool]:
        """The name in a line of a header, and whether a time of the epoch follows it."""
        text = text.removesuffix("\r")
        if quoted := _QUOTED.match(text):
            name, time = _unquoted(quoted[0]), text[quoted.end() :]
        else:
            plain, tab, time = text.partition("\t")
            if not tab:
                match = _TIME.search(text) if len(text) < _LONG else None
                plain, time = (text[: match.start()], match[0]) if match else (text.strip(" "), "")
            name = unquote(plain)
        if not name:
            raise self.refused(at, "a file name is missing", "name the file after '--- ' and '+++ '")
        return name, bool(_EPOCH.search(time))

    def _named(
        self,
        at: int,
        said: Mapping[str, str],
        written: Sequence[tuple[bytes, bool]],
        hunks: Sequence[PatchHunk],
    ) -> tuple[Kind, bytes, bytes, bool]:
        """What is done to a file, its names, less a diff's ``a/`` and ``b/``, and whether it had these."""
        git = said.get("git", "")
        half, bears = len(git) // 2, bool(_BEARS.match(git)) if git else None
        both: _Names | None = None
        if "part" in said:
            name, bears = self._name(at, said["file"].strip())[0], False
            both = _NO_FILE if said["part"] == "Add" else name, _NO_FILE if said["part"] == "Delete" else name
        elif git[half : half + 1] == " ":
            both = _unquoted(git[:half]), _unquoted(git[half + 1 :])
            bears = both[0] != both[1] and all(map(_PREFIX.match, both))
        if written:
            both = written[0][0], written[1][0]
        old, new = _without_prefixes(*both, bears) if both else (b"", b"")
        kind: Kind = "modify"
        prefixed = bool(bears)
        if verb := said.get("verb"):
            if "source" not in said or "target" not in said:
                raise self.refused(at, f"a {verb} names only one file", f"give '{verb} from' and 'to'")
            source, target = (self._name(at, said[end].strip())[0] for end in ("source", "target"))
            if written and both != (source, target) and (old not in (source, target) or new != target):
                raise self.refused(
                    at,
                    f"'--- {quote(written[0][0])}' or '+++ {quote(written[1][0])}' does not name the file of the "
                    "lines above it",
                    f"name {quote(source)} and {quote(target)} there",
                )
            kind, old, new = "rename" if verb == "rename" else "copy", source, target
        elif both is None:
            raise self.refused(at, "the file names cannot be read", "add '--- a/path' and '+++ b/path'")
        else:
            prefixed = both[0] != old if new == _NO_FILE else both[1] != new
            if old == new:
                if old == _NO_FILE:
                    raise self.refused(at, "both sides are /dev/null", "name the file on one side")
            elif _NO_FILE in (old, new) or old in (new + b".orig", new + b".old", new + b"~"):
                kind = "create" if old == _NO_FILE else "delete" if new == _NO_FILE else kind
                old = new = old if new == _NO_FILE else new
            elif not self.renames or git:
                raise self.refused(
                    at,
                    f"the two sides name different files, {quote(old)} and {quote(new)}, without a rename",
                    "name one file on both sides, or give 'diff --git', 'rename from' and 'rename to' lines",
                )
            elif posixpath.normpath(old) == posixpath.normpath(new):
                new = old
            else:
                kind = "rename"
            # GNU diff -N: the missing side bears the time of the epoch.
            alone = kind == "modify" and len(hunks) == 1 and bool(written)
            if "created" in said or (alone and written[0][1] and not hunks[0].old):
                kind = "create"
            elif "deleted" in said or (alone and written[1][1] and not hunks[0].new):
                kind = "delete"
        if kind == "create" and any(hunk.old for hunk in hunks):
            raise self.refused(
                hunks[0].line - 1,
                "a new file cannot have kept or removed lines",
                "begin each of its lines with '+'",
            )
        if kind == "create" and len(hunks) > 1:
            raise self.refused(hunks[1].line - 1, "a new file has one hunk", "join its hunks into one")
        if not hunks and _lacks_hunks(kind, said, named=bool(written)):
            raise self.refused(
                max(self.at - 1, at),
                f"the hunks of {quote(old)} are missing",
                "give it '@@' sections with '-' and '+' lines" if self.envelope else _RESEND,
            )
        return kind, old, new, prefixed

    # Hunks

    def _hunks(self) -> tuple[PatchHunk, ...]:
        hunks: list[PatchHunk] = []
        while True:
            solid = self._past(_BLANK, self.at)
            # What is blank in a hunk is behind other lines of it; but a new file may begin with an empty line.
            if solid > self.at and (hunks or not self._adding or self.kinds[solid] in "FE."):
                self.at = solid
            elif self.kinds[self.at] == "N" or (self.envelope and self.kinds[self.at] not in "FE."):
                hunks.append(self._hunk(len(hunks) + 1))
            else:
                break
        return tuple(hunks)

    def _hunk(self, number: int) -> PatchHunk:
        """The hunk that begins here; it ends before the line that is next."""
        first, start, headings = self.at, None, list[str]()
        counts: tuple[int, int] | None = None
        while (line := self[self.at]).startswith("@@") and (self.envelope or self.at == first):
            if numbers := _HUNK.match(line):
                start = int(numbers[1])
                counts = None if self.envelope else (int(numbers[2] or 1), int(numbers[3] or 1))
            elif not self.envelope and re.match(r"@@ -\d|@@ \d.*-", line):
                raise self.refused(
                    self.at, "this hunk header cannot be read", "write it as '@@ -1,3 +1,4 @@'"
                )
            elif (heading := line[2:].strip().removesuffix("@@").strip()) not in ("", "...", "…"):
                headings.append(heading)
            self.at += 1
        end = self._counted_end(*counts) if counts else None
        repaired = counts is not None and end is None
        end = self._seen_end() if end is None else end
        rows, at_end = self._rows(end)
        after = self._past(_BLANK, end)
        cut = False
        if counts and repaired and self.kinds[after] == ".":
            signs = self.signs[self.at : end].replace("\\", "")
            old, new = (signs.count(" ") + signs.count(sign) for sign in "-+")
            # A diff ends with as much context as it begins with, unless the file ends.
            lead, tail = (len(signs) - len(rest) for rest in (signs.lstrip(" "), signs.rstrip(" ")))
            cut = (old < counts[0] or new < counts[1]) and tail < max(1, min(3, lead))
            if cut and not self.ended:
                raise self.refused(after, "the patch ends in the middle of a hunk", _RESEND)
        self.at = end
        if all(row.sign == " " for row in rows):
            if self.kinds[after] not in _ENDS:
                raise self._unsigned(after)
            raise self.refused(
                first, "this hunk changes nothing", "give it '-' or '+' lines, or leave it out"
            )
        if self.kinds[after] == "Z":
            self.at, at_end = after + 1, True
        return PatchHunk(number, first + 1, tuple(rows), start, tuple(headings), at_end, repaired, cut)

    def _unsigned(self, at: int) -> FilewrightError:
        return self.refused(
            at,
            "this line of a hunk begins with neither a space, '-' nor '+'",
            "put '+' before it" if self._adding else "put a space before each line of context",
        )

    def _counted_end(self, old: int, new: int) -> int | None:
        """The line past as many as a header announces; None where it must have miscounted."""
        at = self.at
        while (old > 0 or new > 0 or self.signs[at] == "\\") and (sign := self.signs[at]) in "-+ \\":
            old, new, at = old - (sign in " -"), new - (sign in " +"), at + 1
        if old or new:
            return None
        if at - 2 > self.at and self.kinds[at - 2] == "A":
            # A count one too high takes the next file's header for changed lines. A hunk with context has some behind
            # its changes too, unless the file ends there; and then none follows it.
            if self.splits or " " in self.signs[self.at : at]:
                return None
            self.doubted = True
        after = self._past(_BLANK, at)
        return None if self.kinds[after] in "-+ \\H" and self[after] not in _SIGNATURE else at

    def _seen_end(self) -> int:
        """The line of the next header or mark; refused where a line before it could be a header too."""
        end = self._past(_BODY, self.at)
        if self.kinds[end] == "H":
            raise self.refused(
                end,
                "the counts of this hunk are wrong, and these may be a file header or changed lines",
                "correct the counts in the hunk's header",
            )
        if self.kinds[end] == "?" and self.envelope:
            raise self._unsigned(end)
        # Empty lines at the end that are not marked as rows only separate.
        return self.at + len(self.kinds[self.at : end].rstrip("_"))

    def _rows(self, end: int) -> tuple[list[PatchRow], bool]:
        """The rows of a hunk's lines before `end`, and whether its last old line is the file's last."""
        rows: list[PatchRow] = []
        closed, at_end = "", False
        for at in range(self.at, end):
            kind, sign = self.kinds[at], self.signs[at]
            if sign == "\\":
                # git's remark that the line above has no newline.
                if not rows:
                    raise self.refused(at, "there is no line above this remark", _RESEND)
                last, at_end = rows.pop(), True
                # Where the file ends with a lone return, the newline is the patch's own.
                alone = last.terminator == "\r\n"
                rows.append(PatchRow(last.sign, last.text, "\r" if alone else ""))
                closed += "" if alone else {" ": " +-", "-": " -", "+": " +"}[last.sign]
            elif sign in closed:
                raise self.refused(
                    at, "a line follows the one that has no newline at the end of its file", _RESEND
                )
            else:
                blank = kind == "_"
                sign = "+" if blank and self._adding else sign
                rows += _rows(sign, self[at] if blank else self[at][1:])
        return rows, at_end


def _rows(sign: str, text: str) -> list[PatchRow]:
    """The rows of one line of a patch, given without its newline.

    There are several where the line holds lone carriage returns, which end lines in a file but not
    for the tools that write diffs.
    """
    return [PatchRow(sign, body, end) for body, end in _ROW_PIECE.findall(text + "\n")]


def _lacks_hunks(kind: Kind, said: Mapping[str, str], *, named: bool) -> bool:
    """Whether a file without hunks cannot be all that was sent of it; `named`: it has ``---`` and ``+++`` lines."""
    old, new = said.get("before", ""), said.get("after", "")
    if named and (kind != "rename" or "verb" in said):
        return True
    if kind in ("create", "delete"):
        blob = new if kind == "create" else old
        return bool(blob) and not blob.startswith(_EMPTY_BLOB)
    whole = "old" in said or "new" in said if kind == "modify" else int(said.get("similarity", 100)) == 100
    return old != new or not whole


def _unquoted(name: str) -> bytes:
    lead = name[: name.index('"')] if _QUOTED.fullmatch(name) else ""
    return lead.encode() + unquote(name.removeprefix(lead))


def _without_prefixes(old: bytes, new: bytes, bears: bool | None) -> _Names:
    """Both names less ``a/`` and ``b/``, where these are prefixes and not folders.

    They are where git's line has them (`bears`; None without one), or where both sides have different ones, or where
    the one side that is a file has the one that belongs there, or where one side is the other with its own.
    """
    if _NO_FILE in (old, new):
        own = b"a/" if new == _NO_FILE else b"b/"
        old, new = (
            name[2:] if _PREFIX.match(name) and (name.startswith(own) if bears is None else bears) else name
            for name in (old, new)
        )
    elif b"a/" + new == old or b"b/" + old == new:
        old = new = min(old, new, key=len)
    elif _PREFIX.match(old) and _PREFIX.match(new) and (old[:1] != new[:1] or bears):
        old, new = old[2:], new[2:]
    return old, new
