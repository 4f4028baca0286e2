"""What a file's bytes are taken for, and that text goes back only in that encoding."""

import os

import pytest

from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.text import Encoding, Snapshot, codec

JAPANESE = "日本語のテキストです。\nこれは表とソースと能力です\n" * 3


@pytest.mark.parametrize(
    ("data", "name", "invalid"),
    [
        (b"", "utf-8", False),
        (b"plain\n", "utf-8", False),
        ("naïve café\n".encode(), "utf-8", False),
        (b"\xef\xbb\xbfx\n", "utf-8", False),
        (b"\xff\xfex\0\n\0", "utf-16-le", False),
        (b"\xfe\xff\0x\0\n", "utf-16-be", False),
        ("café naïve\n".encode() + b"x \xff y\n", "utf-8", True),
        (b"hello world\nsecond \xff here\n", "utf-8", True),
        (b"line one\nbad \xff\xfe bytes\n", "utf-8", True),
        ("Le café est prêt, voilà la clé du problème.\n".encode("latin-1"), "cp1252", False),
        (b"# auteur: Andr\xe9\nx = 1\n", "cp1252", False),
        ("“quoted” — and €5\n".encode("cp1252"), "cp1252", False),
        (JAPANESE.encode("shift_jis"), "cp932", False),
        ("中文文本文件，测试编码。\n".encode("gb18030"), "gb18030", False),
        ("Привет, мир\nЭто текст\n".encode("cp1251"), "cp1251", False),
        ("Привет, мир, как дела\n".encode("koi8-r"), "koi8_r", False),
        (b"MZ is text here\n", "utf-8", False),
        (b"BM and ID3 are text\n", "utf-8", False),
    ],
)
def test_detection(data, name, invalid):
    encoding = Snapshot.of_bytes(data).encoding
    assert (encoding.name, encoding.invalid) == (name, invalid)


@pytest.mark.parametrize("prefix", [b"BM", b"ID3", b"MZ", b"%PDF", b"GIF89a"])
def test_text_that_begins_like_a_binary_is_text(prefix):
    assert Snapshot.of_bytes(prefix + b" is how this text begins\n").binary is None


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "image/png"),
        (b"a\0b", "application/octet-stream"),
        (b"x" * 9000 + b"\0", "application/octet-stream"),
        (b"x" * 9000 + b"\0" + b"y" * 9000, None),
        (b"\xff\xfe\0\0a\0\0\0", "text/plain; charset=utf-32"),
        (b"\0\0\xfe\xff\0\0\0a", "text/plain; charset=utf-32"),
        (b"\xff\xfea\0", None),
    ],
)
def test_binary_is_a_nul_near_an_end(data, binary):
    assert Snapshot.of_bytes(data).binary == binary


def test_large_files_are_sampled_and_small_ones_looked_at_whole(tmp_path):
    data = b"ascii line\n" * 40_000
    late = data[:200_000] + "café\n".encode("latin-1") + data[200_000:]
    path = tmp_path / "f"
    path.write_bytes(late)
    assert Snapshot.of_bytes(late).encoding.name == "cp1252"
    reads = []
    with Snapshot.of_descriptor(os.open(path, os.O_RDONLY), None, Settings(hold_bytes=0)) as snapshot:
        whole = snapshot.read
        snapshot.read = lambda o, n: reads.append(n) or whole(o, n)
        assert snapshot.encoding.sampled
    assert sum(reads) < 300_000


@pytest.mark.parametrize(
    ("text", "encoding", "terminator", "expected"),
    [
        ("a\nb", "utf-8", b"\r\n", b"a\r\nb"),
        ("a\r\nb\rc", "utf-8", b"\n", b"a\nb\nc"),
        ("é\n", "cp1252", b"\r", b"\xe9\r"),
        ("日", "cp932", b"\n", "日".encode("cp932")),
    ],
)
def test_encoded(text, encoding, terminator, expected):
    assert codec.encoded(text, Encoding(encoding), terminator) == expected


@pytest.mark.parametrize(
    ("text", "encoding", "code"),
    [
        ("日本", "cp1252", Code.UNENCODABLE),
        ("a\ud83d", "utf-8", Code.INVALID_INPUT),
        ("€", "latin-1", Code.UNENCODABLE),
    ],
)
def test_what_cannot_be_written_is_refused_by_name(text, encoding, code):
    with pytest.raises(FilewrightError) as caught:
        codec.encoded(text, Encoding(encoding))
    assert caught.value.code == code
    if code is Code.UNENCODABLE:
        assert repr(text[0]) in caught.value.message


def test_no_boundary_inside_a_character():
    encoding = Encoding("cp932")
    data = "表".encode("cp932")  # its second byte is a backslash
    assert not codec.is_boundary(data[:1], encoding)
    assert codec.is_boundary(data, encoding)


@pytest.mark.parametrize("name", ["utf-8", "cp932", "utf-16-le", "latin-1", "gb18030"])
def test_cut_ends_on_a_character(name):
    text = "aé日😀" if name in ("utf-8", "utf-16-le", "gb18030") else ("a日b" if name == "cp932" else "aé")
    data = text.encode(name) * 3
    for limit in range(1, len(data) + 2):
        piece = codec.cut(data, limit, Encoding(name))
        assert len(piece) <= limit
        assert (text * 3).startswith(piece.decode(name))
        assert len(piece) > limit - 4 or limit < 4


@pytest.mark.parametrize(
    ("asked", "name"), [("UTF8", "utf-8"), ("latin1", "iso8859_1"), ("SJIS", "shift_jis")]
)
def test_named_encodings(asked, name):
    assert codec.named(asked) == name


@pytest.mark.parametrize("asked", ["nope", "base64", "rot13", "", "\0"])
def test_unknown_encodings_are_refused(asked):
    with pytest.raises(FilewrightError) as caught:
        codec.named(asked)
    assert caught.value.code == Code.INVALID_INPUT
