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
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import TypeAlias

from filewright.boundary import quote, unquote
from filewright.edit.patch.model import FilePatch, Hunk, Kind, Patch, Row
from filewright.edit.visible import cut_line
from filewright.errors import Code, FilewrightError
from filewright.text import check_text
from filewright.visible import one_line

_RESEND = "send the whole patch again, as a unified diff that is complete"
_NO_FILE = b"/dev/null"
_EMPTY_BLOB = "e69de29"
_SIGNATURE = ("-- ", "--")
_LONG = 5_000
_HUNK = re.compile(r"@@ -(\d{1,18})(?:,(\d{1,18}))? \+\d{1,18}(?:,(\d{1,18}))? @@")
_ROW_PIECE = re.compile(r"([^\r\n]*)(\r\n|\r|\n)")

# Names in headers: those of both sides, as bytes.
_Names: TypeAlias = tuple[bytes, bytes]
_PREFIX = re.compile(rb"[abciwo12]/(?=.)", re.DOTALL)
_QUOTES = r'(?:[abciwo12]/)?"(?:[^"\\]|\\.)*"'  # models put a prefix before the quotes
_QUOTED = re.compile(_QUOTES)
_GIT_NAMES = re.compile(
    rf"({_QUOTES}) *(.+)|(.+?) *({_QUOTES})"
    r"|((?:[abciwo12]/)?(?P<same>.+)) ((?:[abciwo12]/)?(?P=same))|(\S+) (\S+)"
)
_EPOCH = re.compile(r"(1970-01-01|1969-12-31)[ T]\d\d:\d\d:\d\d")
_TIME = re.compile(r" {1,4}\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^/]*$")

# git's lines above a file's hunks, and what may be between files.
_EXTENDED = re.compile(
    r"old mode (?P<old>[0-7]{6})$|new mode (?P<new>[0-7]{6})$"
    r"|new file mode (?P<created>[0-7]{6})$|deleted file mode (?P<deleted>[0-7]{6})$"
    r"|(?P<verb>rename|copy) (?:(?:from|old) (?P<source>.*)|(?:to|new) (?P<target>.*))"
    r"|similarity index (?P<similarity>\d{1,3})%$|dissimilarity index "
    r"|index (?P<before>[0-9a-f]+)\.\.(?P<after>[0-9a-f]+)(?: (?P<both>[0-7]{6}))?$"
)
_NOISE = re.compile(r"(Index: |={20,}$|Only in |diff |RCS file: |retrieving revision |-- ?$)")
_BINARY = ("GIT binary patch", "Binary files ")

# The envelope.
_BEGIN, _END, _END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File:(.*)")
_MOVE = re.compile(r"\*\*\* (?:Move to|Move File To|Rename to):(.*)")
_HEREDOC = re.compile(r"(?:apply_patch |applypatch )?<<-?['\"]?\w+['\"]?")


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
    reader = _Reader(text, renames)
    if reader.is_envelope:
        reader.read_envelope()
        return Patch("envelope", tuple(reader.files))
    reader.read_unified()
    otherwise: list[FilePatch] = []
    if reader.doubted:
        other = _Reader(text, renames, splits=True)
        with suppress(FilewrightError):
            other.read_unified()
            otherwise = other.files
    return Patch("unified", tuple(reader.files), tuple(otherwise))


class _Reader:
    """The lines of a patch, without terminators, and the files read from them.

    A patch whose own lines (headers too) all end in ``\\r\\n`` came over a transport that made them
    so: the returns are taken off. Elsewhere a trailing ``\\r`` stays, and says that line's content
    has one. An outer code fence is taken off. `ended`: the last line had its newline. With `splits` a hunk ends where
    its changed lines may be a header, whatever its counts say; `doubted`: there are such.
    """

    def __init__(self, text: str, renames: bool, *, splits: bool = False) -> None:
        check_text(text, "patch")
        self.ended = text.endswith("\n")
        lines = text.removesuffix("\n").split("\n")
        whole = lines if self.ended else lines[:-1]
        if len(lines) > 1 and all(line.endswith("\r") for line in whole):
            lines = [line.removesuffix("\r") for line in lines]
        self.lines = lines
        self.renames, self.splits, self.doubted = renames, splits, False
        self.files: list[FilePatch] = []
        solid = [at for at, line in enumerate(lines) if line.strip()]
        self.at, last = (solid[0], solid[-1]) if solid else (0, 0)
        if last > self.at and lines[self.at].startswith("```") and lines[last].strip() == "```":
            del lines[last:]
            self.at += 1
            self.ended = True
        self.is_envelope = self._is_envelope()

    def __getitem__(self, at: int) -> str:
        """The line at an index, or "" past the end."""
        return self.lines[at] if at < len(self.lines) else ""

    def _is_blank(self, at: int) -> bool:
        return self[at] in ("", "\r")

    def _solid(self, at: int) -> int:
        """The first line from `at` on that is not blank."""
        return next(
            (solid for solid in range(at, len(self.lines)) if not self._is_blank(solid)), len(self.lines)
        )

    def refused(self, at: int, why: str, hint: str, code: Code = Code.INVALID_INPUT) -> FilewrightError:
        """The error for something wrong at a line."""
        number = min(at, max(len(self.lines) - 1, 0)) + 1
        line = one_line(cut_line(self[number - 1], 200))
        return FilewrightError(
            code,
            f"the patch cannot be read: {why} (line {number} of the patch: {line!r})",
            hint=hint,
            details={"patch_line": number, "text": line},
        )

    def _is_envelope(self) -> bool:
        """Whether the first header of any notation is one of the envelope's.

        A unified diff between the envelope's marks is one without them, and loses them here.
        """
        lines, start = self.lines, self.at
        if self[start].rstrip() == _BEGIN and self[start + 1].startswith(("--- ", "diff --git ")):
            last = next((at for at in range(len(lines) - 1, start, -1) if lines[at].strip()), start)
            if lines[last].rstrip() == _END:
                del lines[last:]
                lines[start] = ""
                return False
        for line in lines:
            if line.startswith(_BEGIN) or _FILE.match(line):
                return True
            if line.startswith(("--- ", "diff --git ", "@@ -", "+++ ")):
                return False
        return False

    # The unified diff

    def read_unified(self) -> None:
        """Read all files of a unified diff."""
        first = self.at
        while self.at < len(self.lines):
            if self[self.at].startswith("diff --git ") or self._is_header(self.at):
                self.files.append(self._file())
            else:
                self._between()
                self.at += 1
        if not self.files:
            raise self.refused(
                first,
                "no file header was found",
                "begin each file with '--- a/path' and '+++ b/path' lines, or use '*** Begin Patch'",
            )

    def _is_header(self, at: int) -> bool:
        return self[at].startswith("--- ") and self[at + 1].startswith("+++ ")

    def _between(self) -> None:
        """A line outside every file: a remark before the first, or nothing that means something."""
        at, line = self.at, self[self.at]
        if line.startswith(_BINARY):
            raise self._binary()
        if line.startswith(("@@@ ", "diff --cc ", "diff --combined ")):
            why, hint = "a combined diff of a merge cannot be applied", "send a plain two-way diff"
            raise self.refused(at, why, hint, Code.UNSUPPORTED)
        if line.startswith("@@"):
            raise self.refused(
                at, "a hunk comes before any file header", "put '--- a/path' and '+++ b/path' above it"
            )
        if line.startswith("***************"):
            raise self.refused(
                at, "this is a context diff", "send a unified diff (diff -u)", Code.UNSUPPORTED
            )
        if line.startswith("--- ") and at + 1 >= len(self.lines) and not self.files:
            raise self.refused(at, "the patch ends inside a file header", _RESEND)
        if self.files and not self._is_blank(at) and not _NOISE.match(line):
            # The version under the signature of a mailed patch, or talk.
            signed = self[at - 1] in _SIGNATURE and at >= len(self.lines) - 2
            if not signed and not self._is_talk():
                raise self.refused(
                    at,
                    "this line belongs to no hunk",
                    "each line of a hunk begins with a space, '-' or '+'; remove what is not part of the patch",
                )
            self.at = len(self.lines)

    def _is_talk(self) -> bool:
        """Whether the patch is over and what follows is talk: its last hunk was whole, and no other begins."""
        if self[self.at - 1].strip() and not self[self.at].startswith("```"):
            return False
        return not any(hunk.repaired or hunk.start is None for hunk in self.files[-1].hunks[-1:]) and not any(
            line.startswith(("@@", "--- ", "+++ ", "diff ", "*** ", "+", "\\")) or re.match(r"-\S", line)
            for line in self.lines[self.at :]
        )

    def _binary(self) -> FilewrightError:
        return self.refused(self.at, "a binary patch cannot be applied", "write the file by another tool")

    def _file(self) -> FilePatch:
        """One file: what git's line, those below it, and the ``---`` and ``+++`` lines say, and its hunks."""
        first = self.at
        git: tuple[bytes, bytes] | None = None
        said: dict[str, str] = {}
        is_git = self[first].startswith("diff --git ")
        if is_git:
            git = _git_names(self[first].removesuffix("\r"))
            self.at += 1
            while match := _EXTENDED.match(self[self.at].removesuffix("\r")):
                said |= {key: text for key, text in match.groupdict().items() if text is not None}
                self._check_line(match)
                self.at += 1
            if self[self.at].startswith(_BINARY):
                raise self._binary()
        written: list[tuple[bytes, bool]] = []
        if self._is_header(self.at):
            hint = "name the file after '--- ' and '+++ '"
            written = [self._name(self[at][4:], hint) for at in (self.at, self.at + 1)]
            self.at += 2
        hunks: list[Hunk] = []
        while self.at < len(self.lines):
            if self[self.at].startswith("@@") and not self[self.at].startswith("@@@"):
                hunks.append(self._hunk(len(hunks) + 1))
            elif self._is_blank(self.at):
                self.at += 1
            else:
                break
        kind, old, new, prefixed = self._names(
            first, git, said, (written[0][0], written[1][0]) if written else None
        )
        if kind == "modify" and len(hunks) == 1 and written:
            # GNU diff -N: the missing side bears the time of the epoch.
            if written[0][1] and not hunks[0].old:
                kind = "create"
            elif written[1][1] and not hunks[0].new:
                kind = "delete"
        if kind == "create" and any(hunk.old for hunk in hunks):
            raise self.refused(
                hunks[0].line - 1,
                "a new file cannot have kept or removed lines",
                "begin each of its lines with '+'",
            )
        if kind == "create" and len(hunks) > 1:
            raise self.refused(hunks[1].line - 1, "a new file has one hunk", "join its hunks into one")
        name = quote(new if old == _NO_FILE else old)
        if not hunks and _lacks_hunks(kind, said, named=bool(written)):
            raise self.refused(max(self.at - 1, first), f"the hunks of {name} are missing", _RESEND)
        mode = said.get("new", said.get("created"))
        return FilePatch(
            kind=kind,
            old=None if kind == "create" else quote(old),
            new=None if kind == "delete" else quote(new),
            hunks=tuple(hunks),
            line=first + 1,
            end=self.at,
            new_mode=None if mode is None else int(mode, 8) & 0o777,
            emptied=kind == "delete",
            prefixed=prefixed,
        )

    def _check_line(self, said: re.Match[str]) -> None:
        """Refuse, in git's lines, what is no regular file and what has no name."""
        if said["verb"]:
            self._name(said["source"] or said["target"] or "")
        for digits in filter(None, said.group("old", "new", "created", "deleted", "both")):
            kind = int(digits, 8) >> 12
            if kind != 0o10:
                what = {0o12: "a symbolic link", 0o16: "a submodule", 0o4: "a folder"}
                raise self.refused(
                    self.at,
                    f"mode {digits} is {what.get(kind, 'a special file')}",
                    "patches change regular files only",
                    Code.UNSUPPORTED,
                )

    def _name(self, text: str, hint: str = "name the file") -> tuple[bytes, bool]:
        """The name after ``--- `` or ``rename to ``, and whether a time of the epoch follows it."""
        text = text.removesuffix("\r")
        if quoted := _QUOTED.match(text):
            return _unquoted(quoted.group()), bool(_EPOCH.search(text, quoted.end()))
        name, tab, time = text.partition("\t")
        if not tab:
            match = _TIME.search(text) if len(text) < _LONG else None
            name, time = (text[: match.start()], match.group().strip()) if match else (text.strip(" "), "")
        if not name:
            raise self.refused(self.at, "a file name is missing", hint)
        return unquote(name), bool(_EPOCH.match(time))

    def _names(
        self, at: int, git: _Names | None, said: Mapping[str, str], written: _Names | None
    ) -> tuple[Kind, bytes, bytes, bool]:
        """What is done to a file and the names of both sides; and whether they had ``a/`` and ``b/``, taken off here.

        `git` are those of git's line, `written` those of ``---`` and ``+++``.
        """
        bears = git and git[0] != git[1] and all(map(_PREFIX.match, git))
        verb = said.get("verb")
        if verb is not None:
            if "source" not in said or "target" not in said:
                raise self.refused(at, f"a {verb} names only one file", f"give '{verb} from' and 'to'")
            source, target = (self._name(said[end])[0] for end in ("source", "target"))
            if written is not None and written != (source, target):
                old, new = _without_prefixes(*written, bears)
                if old not in (source, target) or new != target:
                    raise self.refused(
                        at,
                        f"'--- {quote(written[0])}' or '+++ {quote(written[1])}' does not name the file of the "
                        "lines above it",
                        f"name {quote(source)} and {quote(target)} there",
                    )
            return "rename" if verb == "rename" else "copy", source, target, bool(bears)
        both = written or git
        if both is None:
            raise self.refused(at, "the file names cannot be read", "add '--- a/path' and '+++ b/path'")
        old, new = _without_prefixes(*both, bears)
        prefixed = both[0] != old if new == _NO_FILE else both[1] != new
        if old == new == _NO_FILE:
            raise self.refused(at, "both sides are /dev/null", "name the file on one side")
        if old == _NO_FILE or "created" in said:
            kind: Kind = "create"
        else:
            kind = "delete" if new == _NO_FILE or "deleted" in said else "modify"
        if old == new or _NO_FILE in (old, new):
            return kind, old, new, prefixed
        if old in (new + b".orig", new + b".old", new + b"~"):
            return kind, new, new, prefixed
        if self.renames and git is None:
            if posixpath.normpath(old) == posixpath.normpath(new):
                return kind, old, old, prefixed
            return "rename", old, new, prefixed
        raise self.refused(
            at,
            f"the two sides name different files, {quote(old)} and {quote(new)}, without a rename",
            "name one file on both sides, or give 'diff --git', 'rename from' and 'rename to' lines",
        )

    # The envelope

    def read_envelope(self) -> None:
        """Read all files of an envelope, up to its end mark."""
        first = self.at
        while self._is_blank(self.at) or _HEREDOC.fullmatch(self[self.at].strip()):
            self.at += 1
        if self[self.at].rstrip() == _BEGIN:
            self.at += 1
        elif not _FILE.match(self[self.at]):
            raise self.refused(
                self.at, "the patch does not begin with '*** Begin Patch'", "put that line first"
            )
        while self[self.at].rstrip() != _END:
            if self.at >= len(self.lines):
                raise self.refused(
                    self.at,
                    "the patch has no '*** End Patch', so its end may be missing",
                    "send the whole patch again, ending with '*** End Patch'",
                )
            if said := _FILE.match(self[self.at].removesuffix("\r")):
                self.files.append(self._part(said[1], self._after_colon(said[2])))
            elif not self._is_blank(self.at):
                raise self.refused(
                    self.at,
                    "this line belongs to no file",
                    "expected '*** Add File: ', '*** Update File: ', '*** Delete File: ' or '*** End Patch'",
                )
            else:
                self.at += 1
        # Talk may follow the end mark, and the end of a here-document, but no other patch.
        for at in range(self.at + 1, len(self.lines)):
            line = self[at]
            if line.startswith(("*** ", "--- ", "+++ ", "@@", "diff ", "+")) or re.match(r"-\S", line):
                raise self.refused(at, "this line follows '*** End Patch'", "send one patch in one call")
        if not self.files:
            raise self.refused(
                first,
                "the patch names no file",
                "add '*** Update File: path', '*** Add File: path' or such",
            )

    def _after_colon(self, name: str) -> str:
        """The name in this line of the envelope; goes on to the next."""
        name = name.strip()
        if not name:
            raise self.refused(self.at, "a file name is missing", "name the file after the colon")
        self.at += 1
        return name

    def _is_mark(self, at: int) -> bool:
        """Whether the line begins another part of the envelope, or nothing follows."""
        return at >= len(self.lines) or bool(_FILE.match(self[at])) or self[at].rstrip() == _END

    def _part(self, verb: str, name: str) -> FilePatch:
        """One file of an envelope, whose first line is read."""
        line = self.at
        if verb == "Add":
            return FilePatch("create", None, name, self._added(), line, self.at)
        if verb == "Delete":
            while not self._is_mark(self.at):
                if not self._is_blank(self.at):
                    raise self.refused(
                        self.at, "a deleted file has no lines", "give only '*** Delete File: path'"
                    )
                self.at += 1
            return FilePatch("delete", name, None, (), line, self.at)
        move = _MOVE.match(self[self.at].removesuffix("\r"))
        target = self._after_colon(move[1]) if move else name
        if self._is_header(self.at) and self[self.at + 2].startswith("@@"):
            self.at += 2  # a unified diff's own header, put below this one
        hunks: list[Hunk] = []
        while not self._is_mark(self.at):
            if self._is_blank(self.at):
                self.at += 1  # what is blank in a hunk is behind other lines of it
            else:
                hunks.append(self._hunk(len(hunks) + 1))
        if not hunks and not move:
            raise self.refused(
                line - 1, f"the update of {name} has no hunks", "give it '@@' sections with '-' and '+' lines"
            )
        return FilePatch("rename" if move else "modify", name, target, tuple(hunks), line, self.at)

    def _added(self) -> tuple[Hunk, ...]:
        """The text of a new file, as one hunk."""
        first = self.at
        rows: list[Row] = []
        count = 0
        while not self._is_mark(self.at):
            line = self[self.at]
            # What is blank inside the text is an empty line whose '+' was lost; at its end nothing.
            if line.startswith("+") or self._is_blank(self.at):
                rows += _rows("+", line[1:])
                count = len(rows) if line.startswith("+") else count
            elif line.rstrip() != _END_OF_FILE:
                raise self.refused(
                    self.at, "a line of a new file does not begin with '+'", "put '+' before it"
                )
            self.at += 1
        return (Hunk(1, first, tuple(rows[:count])),) if count else ()

    # Hunks of both

    def _hunk(self, number: int) -> Hunk:
        """The hunk that begins here; it ends before the line that is next."""
        first = self.at
        numbers: re.Match[str] | None = None
        headings: list[str] = []
        while self[self.at].startswith("@@"):
            line = self[self.at]
            if numbered := _HUNK.match(line):
                numbers = numbered
            elif not self.is_envelope and re.match(r"@@ -\d|@@ \d.*-", line):
                raise self.refused(
                    self.at, "this hunk header cannot be read", "write it as '@@ -1,3 +1,4 @@'"
                )
            elif (heading := line[2:].strip().removesuffix("@@").strip()) not in ("", "...", "…"):
                headings.append(heading)
            self.at += 1
            if not self.is_envelope:
                break
        end: int | None = None
        counts = (int(numbers[2] or 1), int(numbers[3] or 1)) if numbers and not self.is_envelope else None
        if counts is not None:
            end = self._counted_end(*counts)
        repaired = cut = False
        if end is None:
            end, repaired = self._seen_end(), counts is not None
        rows, at_end = self._rows(end)
        after = self._solid(end)
        if counts is not None and repaired and after >= len(self.lines):
            signs = [self._sign(at) for at in range(self.at, end)]
            short = any(
                sum(sign in side for sign in signs) < count
                for side, count in zip((" -", " +"), counts, strict=True)
            )
            cut = short and _looks_cut(rows)
            if cut and not self.ended:
                raise self.refused(after, "the patch ends in the middle of a hunk", _RESEND)
        self.at = end
        if not any(row.sign != " " for row in rows):
            if self[after].strip() and not self._ends_hunk(after):
                raise self._unsigned(after)
            raise self.refused(
                first, "this hunk changes nothing", "give it '-' or '+' lines, or leave it out"
            )
        if self.is_envelope and self[after].rstrip() == _END_OF_FILE:
            self.at, at_end = after + 1, True
        start = int(numbers[1]) if numbers else None
        return Hunk(number, first + 1, tuple(rows), start, tuple(headings), at_end, repaired, cut)

    def _unsigned(self, at: int) -> FilewrightError:
        return self.refused(
            at,
            "this line of a hunk begins with neither a space, '-' nor '+'",
            "put a space before each line of context",
        )

    def _sign(self, at: int) -> str:
        """What a line is in a hunk, by its first character; "" if no line of a hunk looks like that."""
        sign = " " if self._is_blank(at) else self[at][0]
        return sign if at < len(self.lines) and sign in " -+\\" else ""

    def _counted_end(self, old: int, new: int) -> int | None:
        """The line past as many as a header announces; None where it must have miscounted."""
        at, context = self.at, False
        while old > 0 or new > 0 or self[at].startswith("\\"):
            sign = self._sign(at)
            if not sign:
                return None
            old, new, context = old - (sign in " -"), new - (sign in " +"), context or sign == " "
            at += 1
        if old or new:
            return None
        if at - 2 > self.at and self._is_header(at - 2) and self[at].startswith("@@ -"):
            # A count one too high takes the next file's header for changed lines. A hunk with context has some behind
            # its changes too, unless the file ends there; and then none follows it.
            if context or self.splits:
                return None
            self.doubted = True
        after = self._solid(at)
        goes_on = self._sign(after) and self[after] not in _SIGNATURE and not self._ends_hunk(after)
        return None if goes_on else at

    def _seen_end(self) -> int:
        """The line of the next header or mark; refused where a line before it could be a header too."""
        at = self.at
        while at < len(self.lines) and not self._ends_hunk(at):
            if not self.is_envelope and self._is_header(at):
                raise self.refused(
                    at,
                    "the counts of this hunk are wrong, and these may be a file header or changed lines",
                    "correct the counts in the hunk's header",
                )
            if not self._sign(at):
                if self.is_envelope:
                    raise self._unsigned(at)
                break
            at += 1
        # Empty lines at the end that are not marked as rows only separate.
        while at > self.at and self._is_blank(at - 1):
            at -= 1
        return at

    def _ends_hunk(self, at: int) -> bool:
        """Whether another hunk or another file begins here."""
        line = self[at]
        if self.is_envelope:
            return line.startswith("@@") or line.rstrip() == _END_OF_FILE or self._is_mark(at)
        if line.startswith(("@@ ", "diff --git ")) or line.rstrip() == "@@":
            return True
        if line in _SIGNATURE and at >= len(self.lines) - 3:
            return True
        return self._is_header(at) and self[at + 2].startswith("@@")

    def _rows(self, end: int) -> tuple[list[Row], bool]:
        """The rows of a hunk's lines before `end`, and whether its last old line is the file's last."""
        rows: list[Row] = []
        closed, at_end = "", False
        for at in range(self.at, end):
            line, sign = self[at], self._sign(at)
            if sign == "\\":
                # git's remark that the line above has no newline.
                if not rows:
                    raise self.refused(at, "there is no line above this remark", _RESEND)
                last, at_end = rows.pop(), True
                # Where the file ends with a lone return, the newline is the patch's own.
                alone = last.terminator == "\r\n"
                rows.append(Row(last.sign, last.text, "\r" if alone else ""))
                closed += "" if alone else {" ": " +-", "-": " -", "+": " +"}[last.sign]
            elif sign in closed:
                raise self.refused(
                    at, "a line follows the one that has no newline at the end of its file", _RESEND
                )
            else:
                rows += _rows(sign, line if self._is_blank(at) else line[1:])
        return rows, at_end


def _rows(sign: str, text: str) -> list[Row]:
    """The rows of one line of a patch, given without its newline.

    There are several where the line holds lone carriage returns, which end lines in a file but not
    for the tools that write diffs.
    """
    if "\r" not in text:
        return [Row(sign, text)]
    return [Row(sign, body, end) for body, end in _ROW_PIECE.findall(text + "\n")]


def _looks_cut(rows: list[Row]) -> bool:
    """Whether a hunk shorter than announced lacks the context a diff ends with."""
    lead, tail = (
        next((at for at, row in enumerate(side) if row.sign != " "), len(rows)) for side in (rows, rows[::-1])
    )
    return tail < max(1, min(3, lead))


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


def _git_names(line: str) -> _Names | None:
    """The names of ``diff --git a/x b/x``; None where it is not clear which is which."""
    match = _GIT_NAMES.fullmatch(line.removeprefix("diff --git ")) if len(line) < _LONG else None
    if match is None:
        return None
    old, new = match[1] or match[3] or match[5] or match[8], match[2] or match[4] or match[7] or match[9]
    return _unquoted(old), _unquoted(new)


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
