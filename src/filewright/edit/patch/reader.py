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
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from filewright.boundary.names import quote, unquote
from filewright.edit.diff import truncate_line
from filewright.errors import Code, FilewrightError, invalid
from filewright.text.codec import check_text
from filewright.wording import to_one_line

PatchKind = Literal["modify", "create", "delete", "rename", "copy"]
_Names: TypeAlias = tuple[bytes, bytes]
"""The names of both sides."""

_RESEND = "send the whole patch again, as a unified diff that is complete"
_NO_FILE = b"/dev/null"
_HUNK = re.compile(r"@@ -(\d{1,18})(?:,(\d{1,18}))? \+\d{1,18}(?:,(\d{1,18}))? @@")
_ROW_PIECE = re.compile(r"([^\r\n]*)(\r\n|\r|\n)")

# What git's lines above a file's hunks say. The blob of an empty file, and of none, is not named.
_GIT = re.compile(
    r"diff --git (?P<git>.*)"
    r"|(?P<state>old|new|new file|deleted file) mode (?P<mode>[0-7]{6})"
    r"|(?P<verb>rename|copy) (?:(?:from|old) (?P<source>.*)|(?:to|new) (?P<target>.*))"
    r"|similarity index (?P<similarity>\d{1,3})%|dissimilarity index .*"
    r"|index (?:0+|e69de29[0-9a-f]*|(?P<before>[0-9a-f]+))\.\.(?:0+|e69de29[0-9a-f]*|(?P<after>[0-9a-f]+))"
    r"(?: (?P<both>[0-7]{6}))?"
)
_FILE = re.compile(r"\*\*\* (?:Add|Update|Delete) File:")
_MOVED = re.compile(r"\*\*\* (?:Move to|Move File To|Rename to):")
_PARTS: dict[str, PatchKind] = {"Add": "create", "Update": "modify", "Delete": "delete"}
_SPECIAL = {"12": "a symbolic link", "16": "a submodule", "04": "a folder"}
_PREFIX = re.compile(rb"[abciwo12]/(?=.)", re.DOTALL)
_QUOTES = r'(?:[abciwo12]/)?"(?:[^"\\]|\\.)*"'  # models put a prefix before the quotes
_QUOTED = re.compile(_QUOTES)
_BEARS = re.compile(r'"?([abciwo12])/.+ "?(?!\1)[abciwo12]/')
# A name, and the time behind it. A name longer than any path is not searched for a time.
_NAMED = re.compile(
    rf"({_QUOTES}|[^\t]{{0,5000}}?)(\t.*| {{1,4}}\d{{4}}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^/]{{0,99}}|)\Z"
)
_EPOCH = re.compile(r"(1970-01-01|1969-12-31)[ T]\d\d:\d\d:\d\d")

# What a line is, in a letter, by how it begins. Rows of hunks are their sign, a blank line is "_", and any other "?".
_BEGIN = "*** Begin Patch"
_ROW = r"(?P<E>\*\*\* End Patch\s*?$)|(?P<row>[-+ \\])|(?P<_>\r?$)|)"
_ENVELOPE = re.compile(
    rf"^(?:(?P<F>{_FILE.pattern})|(?P<N>@@)"  # a file; a hunk
    r"|(?P<Z>\*\*\* End of File\s*?$)|" + _ROW,
    re.MULTILINE,
)
_UNIFIED = re.compile(
    r"^(?:(?P<F>diff --git )|(?P<N>@@(?!@@))"
    r"|(?P<A>--- (?=.*\n\+\+\+ .*\n@@))|(?P<H>--- (?=.*\n\+\+\+ ))"  # a header above a hunk; one without any
    r"|(?P<S>-- ?$(?=(?:\n(?!diff ).*){0,2}\Z))|" + _ROW,  # a signature
    re.MULTILINE,
)
_SIGNS = str.maketrans("AHS_", "--- ")
_BLANK, _BODY = re.compile("_*"), re.compile(r"[-+ \\_]*")
_BEGINS = re.compile(
    rf"^(?:{re.escape(_BEGIN)}|{_FILE.pattern}|--- |\+\+\+ |diff --git |@@ -)",
    re.MULTILINE,
)
_MARGIN = re.compile(rf"\A\s*?^([ \t]+){re.escape(_BEGIN)}", re.MULTILINE)
_FENCE = re.compile(r"\n[ \t]*```\s*\Z")
_NOISE = re.compile(
    r"(Index: |={20,}$|Only in |diff |RCS file: |retrieving revision |-- ?$)"
)
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
    (
        ("***************",),
        Code.UNSUPPORTED,
        "this is a context diff",
        "send a unified diff (diff -u)",
    ),
)
"""How lines begin that no file has, and why they are refused."""


class HunkLines(NamedTuple):
    """The lines of a hunk: `signs` says of each in turn whether it is kept (" "), removed ("-") or added ("+").

    `old` are those that must be there, `new` those that will be, without their ends. `ends` are those that the patch
    wrote, one for each sign: ``\\n``, ``\\r\\n`` or a lone ``\\r``, and none where git's remark says that the file
    has no newline there.
    """

    signs: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    ends: tuple[bytes, ...]

    def without(self, sign: str) -> list[tuple[str, str]]:
        """The lines of the side that has none with this sign ("+" or "-"), each with its own."""
        side = self.old if sign == "+" else self.new
        return [*zip(self.signs.replace(sign, ""), side, strict=True)]


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """A run of lines that belongs in one place of a file.

    `number` counts the file's hunks from 1; `line` is where in the patch it begins. `start` is the 1-based line its
    header names, None without one; `stated` the same from 0, 0 without one. `headings` are lines that must come before
    it, outermost first. `at_end`: its last old line is the file's last. `repaired`: its counts were wrong.
    `cut`: it ends like a patch that lost its end, and may only apply at the end of the file.
    """

    number: int
    line: int
    rows: HunkLines
    start: int | None = None
    stated: int = 0
    headings: tuple[str, ...] = ()
    at_end: bool = False
    repaired: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What happens to one file.

    `old` and `new` are paths as the patch names them, its ``a/`` and ``b/`` taken off (`prefixed`:
    it had them); both are set and equal unless the file is created (`old` None), deleted (`new` None),
    renamed or copied.
    `new_mode` are the permission bits git names (0o644 or 0o755), None where it names none. `emptied`:
    a deletion that must find the file as its hunks say, and empty after them. `idle` are the numbers of hunks
    that change nothing. `line` is where in
    the patch it begins, `end` its last line.
    """

    kind: PatchKind
    old: str | None
    new: str | None
    hunks: tuple[PatchHunk, ...]
    line: int
    end: int
    new_mode: int | None = None
    emptied: bool = False
    prefixed: bool = False
    idle: tuple[int, ...] = ()

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
        lines = [
            f"{line}\n" for line in _without_margin(text).split("\n")
        ]  # as they are counted
        part = "".join(
            line for file in files for line in lines[file.line - 1 : file.end]
        )
        return f"{_BEGIN}\n{part}*** End Patch\n" if self.envelope else part

    def below(self, root: str, strip: int) -> Patch:
        """The patch of files below the folder `root`, `strip` leading parts of their names taken off.

        ``a/`` and ``b/`` count as the first part, as in ``patch -p`` and ``git apply -p``; 0 takes off
        only these. Raises `invalid_input` for a name that has no more parts than that.
        """
        above = [] if root in ("", ".") else [unquote(root).rstrip(b"/")]

        def moved(name: str | None, prefixed: bool) -> str | None:
            if name is None:
                return None
            parts = unquote(name).split(b"/")
            left = parts[max(strip - prefixed, 0) :]
            if not left:
                hint = f"use a strip up to {len(parts) - 1 + prefixed}"
                raise invalid(
                    f"strip={strip} leaves nothing of {name}",
                    hint + ("; a/ and b/ count as one" if prefixed else ""),
                    argument="strip",
                    path=name,
                )
            return quote(b"/".join([*above, *left]))

        files, otherwise = (
            tuple(
                replace(
                    file,
                    old=moved(file.old, file.prefixed),
                    new=moved(file.new, file.prefixed),
                )
                for file in some
            )
            for some in (self.files, self.otherwise)
        )
        return Patch(self.envelope, files, otherwise)


def parse_patch(text: str, *, renames: bool = False) -> Patch:
    """The patch in `text`: a unified diff (git's too) or the ``*** Begin Patch`` envelope.

    Linear in the text. Raises `invalid_input` with the number of the line that is wrong, or
    `unsupported` for what patches can say but filewright does not do (links, submodules). With `renames` two
    names in a header without git's lines rename the file.
    """
    if not text.strip():
        raise invalid(
            "the patch is empty",
            "send a unified diff, or an envelope that begins with '*** Begin Patch'",
        )
    check_text(text, "patch")
    reader = _PatchReader(text, renames)
    patch = Patch(reader.envelope, reader.read())
    if reader.doubted:
        with suppress(FilewrightError):
            patch = replace(
                patch, otherwise=_PatchReader(text, renames, splits=True).read()
            )
    return patch


class _PatchReader:
    """The lines of a patch, without terminators and with an empty one behind the last, and the one that is read next.

    A patch whose own lines (headers too) all end in ``\\r\\n`` says nothing of the ends of a file that is there:
    the returns are taken off, and the lines of a file that a unified diff creates get them again. Elsewhere a
    trailing ``\\r`` stays, and says that the content of its line has one. An outer code fence is taken off. With
    `splits` a hunk ends where its changed lines may be a header, whatever its counts say; `doubted`: there are such.
    """

    def __init__(self, text: str, renames: bool, *, splits: bool = False) -> None:
        self.is_crlf = 0 < text.count("\n") == text.count("\r\n")
        if self.is_crlf:
            text = text.replace("\r\n", "\n")
        if text.lstrip().startswith("```"):
            text = _FENCE.sub("\n", text)
        text = _without_margin(text)
        self.ended = text.endswith("\n")
        text = text.removesuffix("\n")
        self.lines = lines = [*text.split("\n"), ""]
        self.renames, self.splits, self.doubted = renames, splits, False
        self.at = text.count("\n", 0, len(text) - len(text.lstrip()))
        begins = _BEGINS.search(text)
        first = text.count("\n", 0, begins.start()) if begins else self.at
        begun = lines[first].startswith(_BEGIN)
        # A unified diff between the envelope's marks is one without them.
        self.envelope = bool(_FILE.match(lines[first])) or (
            begun and not lines[first + 1].startswith(("--- ", "diff --git "))
        )
        if self.envelope and any(map(_OF_A_PATCH.match, lines[:first])):
            raise self.refused(
                self.at,
                "the patch does not begin with '*** Begin Patch'",
                "put that line first",
            )
        self.at = first + begun if self.envelope or begun else self.at
        # One letter for each line, and a mark behind the last.
        kinds = (_ENVELOPE if self.envelope else _UNIFIED).finditer(text)
        self.kinds = (
            "".join(kind["row"] or kind.lastgroup or "?" for kind in kinds) + "."
        )
        self.signs = self.kinds.translate(_SIGNS)

    def _past(self, kinds: re.Pattern[str], at: int) -> int:
        """The first line from `at` on that is none of some kinds."""
        match = kinds.match(self.kinds, at)
        return match.end() if match else at

    def refused(
        self, at: int, why: str, hint: str, code: Code = Code.INVALID_INPUT
    ) -> FilewrightError:
        """The error for something wrong at a line."""
        number = min(at + 1, len(self.lines) - 1)
        line = to_one_line(truncate_line(self.lines[number - 1], 200))
        message = (
            f"the patch cannot be read: {why} (line {number} of the patch: {line!r})"
        )
        return FilewrightError(code, message, hint, patch_line=number, text=line)

    def read(self) -> tuple[FilePatch, ...]:
        """All files, up to the end, a signature or the envelope's mark of the end."""
        first, files = self.at, list[FilePatch]()
        while (kind := self.kinds[self.at]) not in "ES.":
            if kind in "FAH":
                files.append(self._part() if self.envelope else self._diff())
            else:
                self._check_between(files)
                self.at += 1
        if self.envelope and kind == ".":
            raise self.refused(
                self.at,
                "the patch has no '*** End Patch', so its end may be missing",
                "send the whole patch again, ending with '*** End Patch'",
            )
        # Talk may follow the end mark, and the end of a here-document, but no other patch.
        for at in range(self.at + 1, len(self.lines) if kind == "E" else 0):
            if _OF_A_PATCH.match(self.lines[at]):
                raise self.refused(
                    at,
                    "this line follows '*** End Patch'",
                    "send one patch in one call",
                )
        if not files and self.envelope:
            raise self.refused(
                first - 1,
                "the patch names no file",
                "add '*** Update File: path', '*** Add File: path' or such",
            )
        if not files:
            raise self.refused(
                first,
                "no file header was found",
                "begin each file with '--- a/path' and '+++ b/path' lines, or use '*** Begin Patch'",
            )
        return tuple(files)

    def _check_between(self, files: list[FilePatch]) -> None:
        """Refuse a line outside every file, unless it is a remark before the first, or talk after the last."""
        at, line = self.at, self.lines[self.at]
        if self.kinds[at] == "_":
            return
        if self.envelope:
            raise self.refused(
                at,
                "this line belongs to no file",
                "expected '*** Add File: ', '*** Update File: ', '*** Delete File: ' or '*** End Patch'",
            )
        self._check_read()
        if files and not _NOISE.match(line):
            # Talk follows a last hunk that was whole, and no other begins.
            apart = not self.lines[at - 1].strip() or line.startswith("```")
            whole = not any(
                hunk.repaired or hunk.start is None for hunk in files[-1].hunks[-1:]
            )
            if not (apart and whole) or any(map(_OF_A_PATCH.match, self.lines[at:])):
                raise self.refused(
                    at,
                    "this line belongs to no hunk",
                    "each line of a hunk begins with a space, '-' or '+'; remove what is not part of the patch",
                )
            self.at = len(self.lines) - 2
        elif not files and line.startswith("--- ") and self.kinds[at + 1] == ".":
            raise self.refused(at, "the patch ends inside a file header", _RESEND)

    def _check_read(self, *, binary: bool = False) -> None:
        """Refuse what no file of a patch can hold; with `binary` only what is no text."""
        for begins, code, why, hint in _NOT_READ[: 1 if binary else None]:
            if self.lines[self.at].startswith(begins):
                raise self.refused(self.at, why, hint, code)

    def _part(self) -> FilePatch:
        """One file of an envelope."""
        first, lines = self.at, self.lines
        part, name = lines[first][4:].split(" File:", 1)
        kind = _PARTS[part]
        old = new = self._name(first, name.strip())
        self.at += 1
        if kind == "modify" and (moved := _MOVED.match(lines[self.at])):
            kind, new = (
                "rename",
                self._name(self.at, lines[self.at][moved.end() :].strip()),
            )
            self.at += 1
        while (git := _GIT.fullmatch(lines[self.at])) and not (
            git["verb"] or git["state"] in ("old", "new")
        ):
            self.at += 1  # it says nothing that the envelope does not say
        # A unified diff's own header may be put below the file's line.
        below = lines[self.at].startswith("--- ") and lines[self.at + 1].startswith(
            "+++ "
        )
        if below and self.kinds[self.at + 2] == "N":
            self.at += 2
        after = self._past(_BLANK, self.at)
        if kind == "delete" and self.kinds[after] not in "FE.":
            self._check_read(binary=True)
            raise self.refused(
                after,
                "a deleted file has no lines",
                "give only '*** Delete File: path'",
            )
        hunks = self._hunks(adding=kind == "create")
        return self._made(first, kind, old, new, hunks, whole=kind != "modify")

    def _diff(self) -> FilePatch:
        """One file of a unified diff."""
        first, lines, said = self.at, self.lines, self._git_lines()
        written: _Names | None = None
        header = self.at
        if self.kinds[header] in "AH":
            written = (
                self._name(header, lines[header][4:]),
                self._name(header + 1, lines[header + 1][4:]),
            )
            self.at += 2
        hunks = self._hunks()
        git, verb, state = said["git"], said["verb"], said["state"]
        half, bears = len(git) // 2, bool(_BEARS.match(git)) if git else None
        names = written
        if git[half : half + 1] == " ":
            twice = _unquoted(git[:half]), _unquoted(git[half + 1 :])
            bears = twice[0] != twice[1] and all(map(_PREFIX.match, twice))
            names = written or twice
        old, new = _without_prefixes(*names, bears) if names else (b"", b"")
        kind: PatchKind = "modify"
        prefixed = bool(bears) if verb else (old, new) != names
        if verb:
            if "source" not in said or "target" not in said:
                raise self.refused(
                    first,
                    f"a {verb} names only one file",
                    f"give '{verb} from' and 'to'",
                )
            both = self._name(first, said["source"]), self._name(first, said["target"])
            if written and written != both and (old not in both or new != both[1]):
                raise self.refused(
                    first,
                    f"'--- {quote(written[0])}' or '+++ {quote(written[1])}' does not name the file of the "
                    "lines above it",
                    f"name {quote(both[0])} and {quote(both[1])} there",
                )
            kind = "rename" if verb == "rename" else "copy"
            old, new = both
        elif names is None:
            raise self.refused(
                first,
                "the file names cannot be read",
                "add '--- a/path' and '+++ b/path'",
            )
        elif old == new == _NO_FILE:
            raise self.refused(
                first, "both sides are /dev/null", "name the file on one side"
            )
        elif _NO_FILE in (old, new) or old in (
            new + b".orig",
            new + b".old",
            new + b"~",
        ):
            kind = (
                "create" if old == _NO_FILE else "delete" if new == _NO_FILE else kind
            )
            old = new = old if new == _NO_FILE else new
        elif old != new:
            if not self.renames or git:
                raise self.refused(
                    first,
                    f"the two sides name different files, {quote(old)} and {quote(new)}, without a rename",
                    "name one file on both sides, or give 'diff --git', 'rename from' and 'rename to' lines",
                )
            kind = "rename"
            if posixpath.normpath(old) == posixpath.normpath(new):
                kind, new = "modify", old
        # GNU diff -N: the missing side bears the time of the epoch.
        alone = kind == "modify" and len(hunks) == 1 and bool(written)
        if state == "new file" or (
            alone and not hunks[0].rows.old and _EPOCH.search(lines[header])
        ):
            kind = "create"
        elif state == "deleted file" or (
            alone and not hunks[0].rows.new and _EPOCH.search(lines[header + 1])
        ):
            kind = "delete"
        whole = said["before"] == said["after"] and not (
            written and (verb or kind != "rename")
        )
        whole = (
            whole
            and said.get("similarity", "100") == "100"
            and (kind != "modify" or bool(state))
        )
        bits = int(said["mode"], 8) & 0o777 if state.startswith("new") else None
        return self._made(
            first, kind, old, new, hunks, whole=whole, mode=bits, prefixed=prefixed
        )

    def _git_lines(self) -> defaultdict[str, str]:
        """What git's lines say that come before the others of a file's header."""
        said = defaultdict[str, str](str)
        while (
            match := _GIT.fullmatch(self.lines[self.at].removesuffix("\r"))
        ) and not (said and match["git"]):
            mode = match["mode"] or match["both"] or "10"
            if not mode.startswith("10"):
                what = _SPECIAL.get(mode[:2], "a special file")
                raise self.refused(
                    self.at,
                    f"mode {mode} is {what}",
                    "patches change regular files only",
                    Code.UNSUPPORTED,
                )
            said |= {
                key: text for key, text in match.groupdict().items() if text is not None
            }
            self.at += 1
        return said

    def _made(
        self,
        first: int,
        kind: PatchKind,
        old: bytes,
        new: bytes,
        hunks: tuple[PatchHunk, ...],
        *,
        whole: bool,
        mode: int | None = None,
        prefixed: bool = False,
    ) -> FilePatch:
        """The file that begins at a line and ends here. `whole`: it may have no hunks."""
        idle = tuple(hunk.number for hunk in hunks if not hunk.rows.signs.strip(" "))
        if idle and len(idle) == len(hunks):
            raise self.refused(
                hunks[0].line - 1,
                "this hunk changes nothing",
                "give it '-' or '+' lines, or leave it out",
            )
        hunks = tuple(hunk for hunk in hunks if hunk.number not in idle)
        if kind == "create" and any(hunk.rows.old for hunk in hunks):
            raise self.refused(
                hunks[0].line - 1,
                "a new file cannot have kept or removed lines",
                "begin each of its lines with '+'",
            )
        if kind == "create" and len(hunks) > 1:
            raise self.refused(
                hunks[1].line - 1, "a new file has one hunk", "join its hunks into one"
            )
        if kind == "create" and self.is_crlf and not self.envelope:
            hunks = tuple(_with_returns(hunk) for hunk in hunks)
        if not hunks and not whole:
            raise self.refused(
                self.at - 1,
                f"the hunks of {quote(old)} are missing",
                "give it '@@' sections with '-' and '+' lines"
                if self.envelope
                else _RESEND,
            )
        return FilePatch(
            kind,
            None if kind == "create" else quote(old),
            None if kind == "delete" else quote(new),
            hunks,
            first + 1,
            self.at,
            mode,
            emptied=kind == "delete" and not self.envelope,
            prefixed=prefixed,
            idle=idle,
        )

    def _name(self, at: int, text: str) -> bytes:
        """The name in a line of a header."""
        named = _NAMED.match(text.removesuffix("\r").strip(" "))
        name = _unquoted(named[1] if named else text)
        if not name:
            raise self.refused(at, "a file name is missing", "name the file")
        return name

    # Hunks

    def _hunks(self, *, adding: bool = False) -> tuple[PatchHunk, ...]:
        """The hunks up to the next file. `adding`: lines of a new file in an envelope."""
        hunks = list[PatchHunk]()
        if self.kinds[self.at] == "?":
            self._check_read(binary=True)
        while True:
            solid = self._past(_BLANK, self.at)
            # What is blank in a hunk is behind other lines of it; but a new file may begin with an empty line.
            if hunks or not adding or self.kinds[solid] in "FE.":
                self.at = solid
            if self.kinds[self.at] != "N" and (
                not self.envelope or self.kinds[self.at] in "FE."
            ):
                return tuple(hunks)
            hunks.append(self._hunk(len(hunks) + 1, adding))

    def _hunk(self, number: int, adding: bool) -> PatchHunk:
        """The hunk that begins here; it ends before the line that is next."""
        first, start, stated, headings = self.at, None, 0, list[str]()
        counts: tuple[int, int] | None = None
        while (line := self.lines[self.at]).startswith("@@") and (
            self.envelope or self.at == first
        ):
            if numbers := _HUNK.match(line):
                start = int(numbers[1])
                stated = max(0, start - 1)
                counts = (
                    None
                    if self.envelope
                    else (int(numbers[2] or 1), int(numbers[3] or 1))
                )
            elif not self.envelope and re.match(r"@@ -\d|@@ \d.*-", line):
                raise self.refused(
                    self.at,
                    "this hunk header cannot be read",
                    "write it as '@@ -1,3 +1,4 @@'",
                )
            elif (heading := line[2:].strip().removesuffix("@@").strip()) not in (
                "",
                "...",
                "…",
            ):
                headings.append(heading)
            self.at += 1
        end = self._counted_end(*counts) if counts else None
        repaired = counts is not None and end is None
        end = self._seen_end(adding) if end is None else end
        rows = self._rows(end, adding)
        signs, after, cut = self.signs[self.at : end], self._past(_BLANK, end), False
        at_end = "\\" in signs
        if counts and repaired and self.kinds[after] in "E.":
            signs = signs.replace("\\", "")
            old, new = (len(signs.replace(sign, "")) for sign in "+-")
            # A diff ends with as much context as it begins with, unless the file ends.
            lead, tail = (
                len(signs) - len(rest)
                for rest in (signs.lstrip(" "), signs.rstrip(" "))
            )
            cut = (old < counts[0] or new < counts[1]) and tail < max(1, min(3, lead))
            if cut and not self.ended:
                raise self.refused(
                    after, "the patch ends in the middle of a hunk", _RESEND
                )
        self.at = end
        if not rows.signs.strip(" "):
            if self.kinds[after] == "?":
                raise self._unsigned(after, adding)
            if adding or (counts is not None and (repaired or not rows.signs)):
                raise self.refused(
                    first,
                    "this hunk changes nothing",
                    "give it '-' or '+' lines, or leave it out",
                )
        if self.kinds[after] == "Z":
            self.at, at_end = after + 1, True
        return PatchHunk(
            number,
            first + 1,
            rows,
            start,
            stated,
            tuple(headings),
            at_end,
            repaired,
            cut,
        )

    def _unsigned(self, at: int, adding: bool) -> FilewrightError:
        if self.envelope and _GIT.fullmatch(self.lines[at]):
            what = "this line is one of git's, which an envelope does not have there"
            return self.refused(
                at,
                what,
                "leave it out, or send git's unified diff without the marks of an envelope",
            )
        return self.refused(
            at,
            "this line of a hunk begins with neither a space, '-' nor '+'",
            "put '+' before it"
            if adding
            else "put a space before each line of context",
        )

    def _counted_end(self, old: int, new: int) -> int | None:
        """The line past as many as a header announces; None where it must have miscounted."""
        at = self.at
        while (old > 0 or new > 0 or self.signs[at] == "\\") and (
            sign := self.signs[at]
        ) in "-+ \\":
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
        return (
            None
            if self.kinds[after] in "-+ \\H" and self.lines[after] not in ("-- ", "--")
            else at
        )

    def _seen_end(self, adding: bool) -> int:
        """The line of the next header or mark; refused where a line before it could be a header too."""
        end = self._past(_BODY, self.at)
        if self.kinds[end] == "H":
            raise self.refused(
                end,
                "the counts of this hunk are wrong, and these may be a file header or changed lines",
                "correct the counts in the hunk's header",
            )
        if self.kinds[end] == "?" and self.envelope:
            raise self._unsigned(end, adding)
        # Empty lines at the end that are not marked as rows only separate.
        return self.at + len(self.kinds[self.at : end].rstrip("_"))

    def _rows(self, end: int, adding: bool) -> HunkLines:
        """The lines of a hunk that are before `end`."""
        signs, old, new, ends, closed = "", list[str](), list[str](), list[bytes](), ""
        for at in range(self.at, end):
            sign = self.signs[at]
            text = self.lines[at].removeprefix(
                sign
            )  # a blank line may have lost its space
            if adding and self.kinds[at] == "_":
                sign = "+"
            if sign == "\\":
                # git's remark that the line above has no newline.
                if not signs:
                    raise self.refused(
                        at, "there is no line above this remark", _RESEND
                    )
                # Where the file ends with a lone return, the newline is the patch's own.
                ends[-1] = b"\r" if ends[-1] == b"\r\n" else b""
                closed += signs[-1].replace(" ", "+-") + " "
            elif sign in closed:
                raise self.refused(
                    at,
                    "a line follows the one that has no newline at the end of its file",
                    _RESEND,
                )
            else:
                # Lone returns end lines in a file, but not for the tools that write diffs.
                for body, mark in _ROW_PIECE.findall(text + "\n"):
                    signs += sign
                    ends.append(mark.encode())
                    if sign != "+":
                        old.append(body)
                    if sign != "-":
                        new.append(body)
        return HunkLines(signs, tuple(old), tuple(new), tuple(ends))


def _with_returns(hunk: PatchHunk) -> PatchHunk:
    """Return a hunk whose lines end with a return before the newline."""
    ends = tuple(b"\r\n" if end == b"\n" else end for end in hunk.rows.ends)
    return replace(hunk, rows=hunk.rows._replace(ends=ends))


def _without_margin(text: str) -> str:
    """Take the blanks before an envelope from each of its lines, if all have them: its marks begin their lines."""
    begins = _MARGIN.search(text)
    lines = text.split("\n")
    if begins is None or not all(
        line.startswith(begins[1]) or not line.strip() for line in lines
    ):
        return text
    return "\n".join(line.removeprefix(begins[1]) for line in lines)


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
            name[2:]
            if _PREFIX.match(name)
            and (name.startswith(own) if bears is None else bears)
            else name
            for name in (old, new)
        )
    elif b"a/" + new == old or b"b/" + old == new:
        old = new = min(old, new, key=len)
    elif _PREFIX.match(old) and _PREFIX.match(new) and (old[:1] != new[:1] or bears):
        old, new = old[2:], new[2:]
    return old, new
