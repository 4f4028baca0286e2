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
from dataclasses import dataclass, field

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

# Names in headers.
_QUOTED = re.compile(r'([abciwo12]/)?("(?:[^"\\]|\\.)*")')  # models put a prefix before the quotes
_EPOCH = re.compile(r"(1970-01-01|1969-12-31)[ T]\d\d:\d\d:\d\d")
_TIME = re.compile(r" {1,4}\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^/]*$")
_PREFIX = re.compile(rb"[abciwo12]/(?=.)", re.DOTALL)

# git's lines above a file's hunks, and what may stand between files.
_EXTENDED = re.compile(
    r"(?P<side>old|new|new file|deleted file) mode (?P<mode>[0-7]{6})$"
    r"|(?P<verb>rename|copy) (?P<end>from|old|to|new) (?P<name>.*)"
    r"|similarity index (?P<similarity>\d{1,3})%$"
    r"|index (?P<before>[0-9a-f]+)\.\.(?P<after>[0-9a-f]+)(?: (?P<both>[0-7]{6}))?$"
    r"|dissimilarity index "
)
_NOISE = re.compile(r"(Index: |={20,}$|Only in |diff |RCS file: |retrieving revision |-- ?$)")

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
    return Patch("unified", tuple(reader.files))


@dataclass(slots=True)
class _Header:
    """What the lines above the hunks of one file say; `names` are those of a ``diff --git`` line."""

    line: int
    git: bool = False
    names: tuple[bytes, bytes] | None = None
    old: bytes | None = None
    new: bytes | None = None
    source: bytes | None = None
    target: bytes | None = None
    kind: Kind = "modify"
    modes: dict[str, int] = field(default_factory=dict)
    blobs: tuple[str, str] = ("", "")
    similarity: int = 100
    epochs: tuple[bool, bool] = (False, False)

    @property
    def prefixed(self) -> bool:
        """Whether the names of the ``diff --git`` line bear ``a/`` and ``b/``."""
        return (
            self.names is not None and self.names[0] != self.names[1] and all(map(_PREFIX.match, self.names))
        )


@dataclass(slots=True)
class _Body:
    """The rows of one hunk as they are read; `end` is the index of the line past them.

    `old` and `new` count lines of the patch. `closed` are the signs that may not follow, as that side of the file
    has ended; `bare` is how many of its last rows are empty lines without a sign.
    """

    rows: list[Row] = field(default_factory=list)
    old: int = 0
    new: int = 0
    end: int = 0
    at_end: bool = False
    closed: str = ""
    bare: int = 0

    @property
    def changes(self) -> bool:
        return any(row.sign != " " for row in self.rows)


class _Reader:
    """The lines of a patch, without terminators, and the files read from them.

    A patch whose own lines (headers too) all end in ``\\r\\n`` came over a transport that made them
    so: the returns are taken off. Elsewhere a trailing ``\\r`` stays, and says that line's content
    has one. An outer code fence is taken off. `ended`: the last line had its newline.
    """

    def __init__(self, text: str, renames: bool) -> None:
        check_text(text, "patch")
        self.ended = text.endswith("\n")
        lines = text.removesuffix("\n").split("\n")
        whole = lines if self.ended else lines[:-1]
        if len(lines) > 1 and all(line.endswith("\r") for line in whole):
            lines = [line.removesuffix("\r") for line in lines]
        self.lines = lines
        self.renames = renames
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
            header = _Header(self.at)
            if self[self.at].startswith("diff --git "):
                self._git_header(header)
                self._file(header)
            elif self._is_header(self.at):
                self._plain_names(header)
                self._file(header)
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
        self._check_binary(line)
        if line.startswith(("@@@ ", "diff --cc ", "diff --combined ")):
            raise self.refused(
                at,
                "a combined diff of a merge cannot be applied",
                "send a plain two-way diff",
                Code.UNSUPPORTED,
            )
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
        last, rest = self.files[-1].hunks[-1:], self.lines[self.at :]
        if self[self.at - 1].strip() and not rest[0].startswith("```"):
            return False
        return not any(hunk.repaired or hunk.start is None for hunk in last) and not any(
            line.startswith(("@@", "--- ", "+++ ", "diff ", "*** ", "+", "\\")) or re.match(r"-\S", line)
            for line in rest
        )

    def _check_binary(self, line: str) -> None:
        if line.startswith(("GIT binary patch", "Binary files ")):
            raise self.refused(self.at, "a binary patch cannot be applied", "write the file by another tool")

    def _git_header(self, header: _Header) -> None:
        """Take a ``diff --git`` line and those below it, up to the first hunk."""
        header.git, header.names = True, _git_names(self[self.at].removesuffix("\r"))
        self.at += 1
        while self.at < len(self.lines):
            if self._is_header(self.at):
                self._plain_names(header)
                return
            line = self[self.at].removesuffix("\r")
            self._check_binary(line)
            said = _EXTENDED.match(line)
            if said is None:
                return
            if said["mode"]:
                header.modes[said["side"]] = self._mode(said["mode"])
                new: dict[str, Kind] = {"new file": "create", "deleted file": "delete"}
                header.kind = new.get(said["side"], header.kind)
            elif said["verb"]:
                header.kind = "rename" if said["verb"] == "rename" else "copy"
                name, _ = self._name(said["name"])
                if said["end"] in ("from", "old"):
                    header.source = name
                else:
                    header.target = name
            elif said["similarity"]:
                header.similarity = int(said["similarity"])
            elif said["before"]:
                header.blobs = (said["before"], said["after"])
                self._mode(said["both"] or "100644")
            self.at += 1

    def _mode(self, digits: str) -> int:
        mode = int(digits, 8)
        if mode >> 12 != 0o10:
            what = {0o12: "a symbolic link", 0o16: "a submodule", 0o4: "a folder"}
            raise self.refused(
                self.at,
                f"mode {digits} is {what.get(mode >> 12, 'a special file')}",
                "patches change regular files only",
                Code.UNSUPPORTED,
            )
        return mode & 0o777

    def _name(self, text: str, hint: str = "name the file") -> tuple[bytes, bool]:
        """The name after ``--- `` or ``rename to ``, and whether a time of the epoch follows it."""
        text = text.removesuffix("\r")
        quoted = _QUOTED.match(text)
        if quoted:
            return _unquoted(quoted.group()), bool(_EPOCH.search(text, quoted.end()))
        name, tab, time = text.partition("\t")
        if not tab:
            match = _TIME.search(text) if len(text) < _LONG else None
            name, time = (text[: match.start()], match.group().strip()) if match else (text.strip(" "), "")
        if not name:
            raise self.refused(self.at, "a file name is missing", hint)
        return unquote(name), bool(_EPOCH.match(time))

    def _plain_names(self, header: _Header) -> None:
        """Take the ``---`` and ``+++`` lines."""
        (header.old, old_epoch), (header.new, new_epoch) = (
            self._name(self[at][4:], "name the file after '--- ' and '+++ '") for at in (self.at, self.at + 1)
        )
        header.epochs = (old_epoch, new_epoch)
        self.at += 2

    def _file(self, header: _Header) -> None:
        """Read the hunks of a file, and put together what is said of it."""
        hunks: list[Hunk] = []
        while self.at < len(self.lines):
            if self[self.at].startswith("@@") and not self[self.at].startswith("@@@"):
                hunks.append(self._hunk(len(hunks) + 1))
            elif self._is_blank(self.at):
                self.at += 1
            else:
                break
        old, new, prefixed = self._names(header)
        kind = header.kind
        if old == _NO_FILE:
            kind = "create"
        elif new == _NO_FILE and kind != "create":
            kind = "delete"
        elif kind == "modify" and len(hunks) == 1:
            # GNU diff -N: the missing side bears the time of the epoch.
            if header.epochs[0] and not hunks[0].old:
                kind = "create"
            elif header.epochs[1] and not hunks[0].new:
                kind = "delete"
        self._check_body(header, kind, hunks, new if old == _NO_FILE else old)
        self.files.append(
            FilePatch(
                kind=kind,
                old=None if kind == "create" else quote(old),
                new=None if kind == "delete" else quote(new),
                hunks=tuple(hunks),
                line=header.line + 1,
                new_mode=header.modes.get("new", header.modes.get("new file")),
                emptied=kind == "delete",
                prefixed=prefixed,
            )
        )

    def _names(self, header: _Header) -> tuple[bytes, bytes, bool]:
        """The names of both sides, and whether they were written with ``a/`` and ``b/``, which are taken off."""
        at, source, target = header.line, header.source, header.target
        old, new = header.old, header.new
        written = (old, new) if old is not None and new is not None else None
        if header.kind in ("rename", "copy"):
            if source is None or target is None:
                raise self.refused(
                    at, f"a {header.kind} names only one file", f"give '{header.kind} from' and 'to'"
                )
            if written is not None and written != (source, target):
                old, new = _without_prefixes(*written, header)
                if old not in (source, target) or new != target:
                    raise self.refused(
                        at,
                        f"'--- {quote(written[0])}' or '+++ {quote(written[1])}' does not name the file of the "
                        "lines above it",
                        f"name {quote(source)} and {quote(target)} there",
                    )
            return source, target, header.prefixed
        both = written or header.names
        if both is None:
            raise self.refused(at, "the file names cannot be read", "add '--- a/path' and '+++ b/path'")
        old, new = _without_prefixes(*both, header)
        if old == new == _NO_FILE:
            raise self.refused(at, "both sides are /dev/null", "name the file on one side")
        prefixed = header.prefixed
        if written is not None:
            prefixed = written[0] != old if new == _NO_FILE else written[1] != new
        if old == new or _NO_FILE in (old, new):
            return old, new, prefixed
        if old in (new + b".orig", new + b".old", new + b"~"):
            return new, new, prefixed
        if self.renames and not header.git:
            if posixpath.normpath(old) == posixpath.normpath(new):
                return old, old, prefixed
            header.kind = "rename"
            return old, new, prefixed
        raise self.refused(
            at,
            f"the two sides name different files, {quote(old)} and {quote(new)}, without a rename",
            "name one file on both sides, or give 'diff --git', 'rename from' and 'rename to' lines",
        )

    def _check_body(self, header: _Header, kind: Kind, hunks: list[Hunk], name: bytes) -> None:
        """Refuse a file part whose body cannot be all of it."""
        if kind == "create" and any(hunk.old for hunk in hunks):
            raise self.refused(
                hunks[0].line - 1,
                "a new file cannot have kept or removed lines",
                "begin each of its lines with '+'",
            )
        if kind == "create" and len(hunks) > 1:
            raise self.refused(hunks[1].line - 1, "a new file has one hunk", "join its hunks into one")
        if hunks:
            return
        old, new = header.blobs
        differ = old != new
        missing = {
            "create": bool(new) and not new.startswith(_EMPTY_BLOB),
            "delete": bool(old) and not old.startswith(_EMPTY_BLOB),
            "modify": differ or not header.modes,
            "rename": differ or header.similarity < 100,
            "copy": differ or header.similarity < 100,
        }[kind]
        if missing or (header.old is not None and (kind != "rename" or header.git)):
            raise self.refused(
                max(self.at - 1, header.line), f"the hunks of {quote(name)} are missing", _RESEND
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
            said = _FILE.match(self[self.at].removesuffix("\r"))
            if self.at >= len(self.lines):
                raise self.refused(
                    self.at,
                    "the patch has no '*** End Patch', so its end may be missing",
                    "send the whole patch again, ending with '*** End Patch'",
                )
            if said:
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
        """Whether the line begins another part of the envelope."""
        return bool(_FILE.match(self[at])) or self[at].rstrip() == _END

    def _part(self, verb: str, name: str) -> FilePatch:
        """One file of an envelope, whose first line is read."""
        line = self.at
        if verb == "Add":
            return FilePatch("create", None, name, self._added(), line)
        if verb == "Delete":
            while self.at < len(self.lines) and not self._is_mark(self.at):
                if not self._is_blank(self.at):
                    raise self.refused(
                        self.at, "a deleted file has no lines", "give only '*** Delete File: path'"
                    )
                self.at += 1
            return FilePatch("delete", name, None, (), line)
        move = _MOVE.match(self[self.at].removesuffix("\r"))
        target = self._after_colon(move[1]) if move else name
        if self._is_header(self.at) and self[self.at + 2].startswith("@@"):
            self.at += 2  # a unified diff's own header, put below this one
        opened = self.at  # blank lines right here belong to no hunk
        hunks: list[Hunk] = []
        while self.at < len(self.lines) and not self._is_mark(self.at):
            solid = self.at
            while solid < len(self.lines) and self._is_blank(solid):
                solid += 1
            ended = self[self.at - 1].rstrip() == _END_OF_FILE
            if solid > self.at and (self.at == opened or ended or self[solid][:1] not in (" ", "+", "-")):
                self.at = solid
            else:
                hunks.append(self._hunk(len(hunks) + 1))
        if not hunks and not move:
            raise self.refused(
                line - 1, f"the update of {name} has no hunks", "give it '@@' sections with '-' and '+' lines"
            )
        return FilePatch("rename" if move else "modify", name, target, tuple(hunks), line)

    def _added(self) -> tuple[Hunk, ...]:
        """The text of a new file, as one hunk."""
        first = self.at
        rows: list[Row] = []
        blank = 0
        while self.at < len(self.lines) and not self._is_mark(self.at):
            line = self[self.at]
            if self._is_blank(self.at):
                blank += 1  # inside the text it is an empty line whose '+' was lost; at its end nothing
            elif line.startswith("+"):
                rows += [Row("+", "")] * blank + _rows("+", line[1:])
                blank = 0
            elif line.rstrip() != _END_OF_FILE:
                raise self.refused(
                    self.at, "a line of a new file does not begin with '+'", "put '+' before it"
                )
            self.at += 1
        return (Hunk(1, first, tuple(rows)),) if rows else ()

    # Hunks of both

    def _hunk(self, number: int) -> Hunk:
        """The hunk that begins here; it ends before the line that is next."""
        first = self.at
        start: int | None = None
        headings: list[str] = []
        body: _Body | None = None
        repaired = cut = False
        while self[self.at].startswith("@@"):
            numbers = _HUNK.match(self[self.at])
            if numbers is not None:
                start = int(numbers[1])
            elif not self.is_envelope and re.match(r"@@ -\d|@@ \d.*-", self[self.at]):
                raise self.refused(
                    self.at, "this hunk header cannot be read", "write it as '@@ -1,3 +1,4 @@'"
                )
            else:
                heading = self[self.at][2:].strip().removesuffix("@@").strip()
                headings += [heading] if heading not in ("", "...", "…") else []
            self.at += 1
            if not self.is_envelope:
                if numbers is not None:
                    counts = int(numbers[2] or 1), int(numbers[3] or 1)
                    body = self._body_by_counts(*counts)
                    if body is None:
                        body, repaired = self._body(), True
                        short = body.old < counts[0] or body.new < counts[1]
                        cut = body.end >= len(self.lines) and short and _looks_cut(body.rows)
                        if cut and not self.ended:
                            raise self.refused(body.end, "the patch ends in the middle of a hunk", _RESEND)
                break
        body = body or self._body()
        self.at = body.end
        if not body.changes and self[self.at].strip() and not self._ends_hunk(self.at):
            raise self._unsigned(self.at)
        if not body.changes:
            raise self.refused(
                first, "this hunk changes nothing", "give it '-' or '+' lines, or leave it out"
            )
        return Hunk(number, first + 1, tuple(body.rows), start, tuple(headings), body.at_end, repaired, cut)

    def _unsigned(self, at: int) -> FilewrightError:
        return self.refused(
            at,
            "this line of a hunk begins with neither a space, '-' nor '+'",
            "put a space before each line of context",
        )

    def _body_by_counts(self, old: int, new: int) -> _Body | None:
        """The body that a header announces; None if the body is another."""
        body, at = _Body(), self.at
        while body.old < old or body.new < new or self[at].startswith("\\"):
            if at >= len(self.lines) or not self._take(body, at):
                return None
            at += 1
        # A count one too high takes the next file's header for changed lines. A hunk with context has some behind
        # its changes too, unless the file ends there; and then none follows it.
        context = any(row.sign == " " for row in body.rows)
        took_header = context and self._is_header(at - 2) and self[at].startswith("@@ -")
        if body.old != old or body.new != new or took_header:
            return None
        following = at
        while following < len(self.lines) and self._is_blank(following):
            following += 1
        line = self[following]
        if line[:1] in (" ", "+", "-", "\\") and not self._ends_hunk(following) and line not in _SIGNATURE:
            return None
        body.end = at
        return body

    def _body(self) -> _Body:
        """The body up to the next header or mark; refused where a line of it could be a header too."""
        body, at = _Body(), self.at
        while at < len(self.lines) and not self._ends_hunk(at):
            if self.is_envelope and self[at].rstrip() == _END_OF_FILE:
                body.at_end = True
                at += 1
                break
            if not self.is_envelope and self._is_header(at):
                raise self.refused(
                    at,
                    "the counts of this hunk are wrong, and these may be a file header or changed lines",
                    "correct the counts in the hunk's header",
                )
            if not self._take(body, at):
                if self.is_envelope:
                    raise self._unsigned(at)
                break
            at += 1
        if body.bare:  # empty lines at the end that are not marked as rows only separate
            del body.rows[-body.bare :]
            body.old, body.new = body.old - body.bare, body.new - body.bare
        body.end = at
        return body

    def _ends_hunk(self, at: int) -> bool:
        """Whether another hunk or another file begins here."""
        line = self[at]
        if self.is_envelope:
            return line.startswith("@@") or self._is_mark(at)
        if line.startswith(("@@ ", "diff --git ")) or line.rstrip() == "@@":
            return True
        if line in _SIGNATURE and at >= len(self.lines) - 3:
            return True
        return self._is_header(at) and self[at + 2].startswith("@@")

    def _take(self, body: _Body, at: int) -> bool:
        """Read one line of a hunk; False if no line of a hunk looks like that."""
        line, bare = self[at], self._is_blank(at)
        sign = " " if bare else line[0]
        if sign == "\\":
            self._unended(body, at)
            return True
        if sign not in " +-":
            return False
        if sign in body.closed:
            raise self.refused(
                at, "a line follows the one that has no newline at the end of its file", _RESEND
            )
        body.rows += _rows(sign, line if bare else line[1:])
        body.bare = body.bare + 1 if bare else 0
        body.old += sign != "+"
        body.new += sign != "-"
        return True

    def _unended(self, body: _Body, at: int) -> None:
        """Take git's remark that the line above has no newline."""
        if not body.rows:
            raise self.refused(at, "there is no line above this remark", _RESEND)
        last = body.rows[-1]
        body.at_end = True
        # Where the file ends with a lone return, the newline is the patch's own.
        alone = last.terminator == "\r\n"
        body.rows[-1] = Row(last.sign, last.text, "\r" if alone else "")
        body.closed += "" if alone else {" ": " +-", "-": " -", "+": " +"}[last.sign]


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
    lead = next((i for i, row in enumerate(rows) if row.sign != " "), len(rows))
    tail = next((i for i, row in enumerate(reversed(rows)) if row.sign != " "), len(rows))
    return tail < max(1, min(3, lead))


def _git_names(line: str) -> tuple[bytes, bytes] | None:
    """The names of ``diff --git a/x b/x``; None where it is not clear which is which."""
    rest = line.removeprefix("diff --git ")
    middle = len(rest) // 2
    quoted = _QUOTED.search(rest)
    if quoted and not quoted.start():
        old, new = quoted.group(), rest[quoted.end() :].lstrip(" ")
    elif quoted and quoted.end() == len(rest):
        old, new = rest[: quoted.start()].rstrip(" "), quoted.group()
    else:
        # The two names are as long as one another unless the file was renamed.
        old, new = rest[:middle], rest[middle + 1 :]
        alike = old[2:] == new[2:] and _PREFIX.match(old.encode()) and _PREFIX.match(new.encode())
        if rest[middle : middle + 1] != " " or len(rest) % 2 == 0 or not (old == new or alike):
            old, _, new = rest.partition(" ")
            if " " in new:
                return None
    return (_unquoted(old), _unquoted(new)) if old and new else None


def _unquoted(name: str) -> bytes:
    quoted = _QUOTED.fullmatch(name)
    return (quoted[1] or "").encode() + unquote(quoted[2]) if quoted else unquote(name)


def _without_prefixes(old: bytes, new: bytes, header: _Header) -> tuple[bytes, bytes]:
    """Both names less ``a/`` and ``b/``, where these are prefixes and not folders.

    They are where the ``diff --git`` line has them, or where both sides have different ones before
    the same name, or where the one side that is a file has the one that belongs there.
    """
    if _NO_FILE in (old, new):
        name, prefix = (new, b"b/") if old == _NO_FILE else (old, b"a/")
        if (header.prefixed if header.names is not None else name.startswith(prefix)) and _PREFIX.match(name):
            name = name[2:]
        return (_NO_FILE, name) if old == _NO_FILE else (name, _NO_FILE)
    if old.startswith(b"a/") and old[2:] == new:
        return new, new
    if new.startswith(b"b/") and new[2:] == old:
        return old, old
    if _PREFIX.match(old) and _PREFIX.match(new) and (old[:1] != new[:1] or header.prefixed):
        return old[2:], new[2:]
    return old, new
