"""Names and paths that Windows misreads, and some that are only unusual."""

from __future__ import annotations

DEVICES = ["con", "PRN", "aux", "nul", "CONIN$", "conout$"] + [
    kind + digit for kind in ("com", "LPT") for digit in "123456789¹²³"
]

MISREAD: list[bytes] = [
    *[device.encode() for device in DEVICES],
    *[f"{device}.txt".encode() for device in DEVICES],
    *[f"{device} .tar.gz".encode() for device in DEVICES[:6]],
    # What is left out at the end: another file.
    b"a.", b"a ", b"a..", b"a. ", b"a .", b"...", b" ", b"  ", b".git.", b".git ", b".git. ", b".git...", b"nul.",
]  # fmt: skip
"""Names that a folder can hold, and that most programs take for something else."""

NO_NAMES: list[bytes] = [
    *[f"{device}:".encode() for device in DEVICES[:6]],
    # Separators and what is no name.
    b"", b".", b"..", b"a/b", b"a\\b", b"/a", b"\\a", b"a/", b"a\\", b"..\\a", b"a\\..", b"\\", b"/",
    # Streams of other files, and drives.
    b"a:b", b"a.txt:hidden", b"a::$DATA", b"a.txt::$INDEX_ALLOCATION", b".git:x", b":x", b"x:", b"C:", b"C:a",
    b".git::$INDEX_ALLOCATION", b".git:$I30:$INDEX_ALLOCATION",
    # Patterns, quotes, pipes and controls.
    b"a*", b"a?", b'a"b', b"a<b", b"a>b", b"a|b", b"*", b"?", b"a\0b", b"a\nb", b"a\rb", b"a\tb", b"\x01", b"\x1f",
    # What is not WTF-8: bytes, half of a character, two halves of a pair written one by one.
    b"\xff", b"a\xfe", b"\xc3", b"\x80", b"\xc0\xaf", b"\xe2\x82", b"\xf8\x88\x80\x80\x80",
    b"\xed\xa0\xbd\xed\xb8\x80",
    # Too long: 256 units of UTF-16.
    b"x" * 256, "é".encode() * 256, "\U0001f600".encode() * 128,
]  # fmt: skip
"""Names that no file on Windows can have."""

REFUSED = MISREAD + NO_NAMES
"""Names that no path may use."""

ALLOWED: list[bytes] = [
    b"a", b"A", b".a", b"..a", b"...a", b"a b", b" a", b"a.b.c", b"-", b"~", b"~a", b"a~", b"#", b"%41", b"$DATA",
    b"con1", b"console", b"nul1.txt", b"null", b"auxiliary.c", b"com", b"com0", b"com10", b"lpt", b"lpt10.txt",
    b"xcon", b".con", b"a.con", b"a.nul", b"com1x", b"CONIN", b"prn_", b"desktop.ini", b"Thumbs.db",
    b"a;b", b"a,b", b"a=b", b"a+b", b"[a]", b"{a}", b"(a)", b"a&b", b"a^b", b"a@b", b"a!b", b"a'b", b"a`b",
    "é".encode(), "e\u0301".encode(), "ß".encode(), "İ".encode(), "ﬁ".encode(), "\U0001f600".encode(),
    "\u200b".encode(), "\u202e".encode(), "\uff0e\uff0e".encode(), "\u2215".encode(), "\uff1a".encode(),
    b"lone\xed\xa0\x80", b"lone\xed\xb0\x80end", b"x" * 255, "\U0001f600".encode() * 127, "é".encode() * 255,
]  # fmt: skip
"""Unusual names of ordinary files."""

PATHS_REFUSED: list[bytes] = [
    rb"\\?\C:", rb"\\?\C", rb"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\a", rb"\\?\GLOBALROOT\Device\Harddisk0",
    rb"\\.\C:\a", rb"\\.\PhysicalDrive0", rb"\\.\pipe\a", rb"\\.\NUL", rb"\\?\pipe\a", rb"\??\GLOBALROOT\a", rb"\\?\a",
    b"//./C:/a", b"//?/Volume{x}/a", b"//./NUL", rb"\\?\UNC\server", rb"\\?\UNC", rb"\\", rb"\\server", rb"\\server\\",
    b"//server", b"//", b"///a", rb"\\\a\b", rb"\\ser:ver\share", rb"\\server\sha*re\a", rb"\\..\share\a", rb"\\.\UNC",
    b"C:", b"C:a", b"c:a\\b", b"C:..", b"C:.", b"z:", rb"\a", b"/a", b"\\", b"/", rb"\..\a", b"/c/Users/a", b"/etc/passwd",
]  # fmt: skip
"""Paths of devices, volumes, and files that depend on the current folder or drive."""

PATHS_READ: list[tuple[bytes, bytes, tuple[bytes, ...]]] = [
    (b"a/b", b"", (b"a", b"b")),
    (rb"a\b", b"", (b"a", b"b")),
    (rb"a\/b//c\\", b"", (b"a", b"b", b"c")),
    (rb".\a\.\b", b"", (b"a", b"b")),
    (rb"..\a", b"", (b"..", b"a")),
    (b"", b"", ()),
    (b".", b"", ()),
    (rb"C:\a\b", b"C:/", (b"a", b"b")),
    (b"c:/a", b"C:/", (b"a",)),
    (b"C:/", b"C:/", ()),
    (b"C:\\", b"C:/", ()),
    (rb"C:\..\a", b"C:/", (b"..", b"a")),
    (rb"\\?\C:\a", b"C:/", (b"a",)),
    (b"//?/c:/a", b"C:/", (b"a",)),
    (rb"\??\C:\a", b"C:/", (b"a",)),
    (rb"\\server\share\a", b"//server/share/", (b"a",)),
    (rb"\\server\share", b"//server/share/", ()),
    (rb"\\SERVER\Share\A", b"//server/share/", (b"A",)),
    ("//Server/BÜRO/a".encode(), "//server/bÜro/".encode(), (b"a",)),
    (b"//server/share/a/b", b"//server/share/", (b"a", b"b")),
    (rb"\\?\UNC\server\share\a", b"//server/share/", (b"a",)),
    (rb"\\?\unc\server\share\a", b"//server/share/", (b"a",)),
    (rb"\\127.0.0.1\c$\a", b"//127.0.0.1/c$/", (b"a",)),
    (b"a" * 300 + b"/" + b"b" * 300, b"", (b"a" * 300, b"b" * 300)),
]
"""The path, its anchor, its parts."""
