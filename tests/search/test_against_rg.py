"""Which lines match, and how many, against `rg` itself: every option, small files and large ones.

The texts hold what both define alike: UTF-8 with `\\n`. Ours is asked with windows so small that
matches, lines and characters lie across their edges, and with `rg` running ahead or not.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.examples import examples
from tests.samples import one_in

from filewright.boundary.boundary import Boundary
from filewright.boundary.launcher import find_program
from filewright.search import prefilter as prefilter_module
from filewright.search.hits import count_hits, search_snapshot
from filewright.search.matches import WindowSizes
from filewright.search.pattern import compile_pattern
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot

SETTINGS = examples(
    25,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
    ],
)

words = st.sampled_from(
    ["foo", "Foo", "bar", "fo", "o", "é", "1", " ", ".", "foobar", "x" * 90]
)
texts = st.lists(st.lists(words, max_size=5).map("".join), max_size=9).map(
    "\n".join
)
asked = st.one_of(
    st.tuples(
        st.just("literal"),
        st.sampled_from(["foo", "Foo", "o", "bar1", "é", ".", "oo"]),
    ),
    st.tuples(
        st.just("regex"),
        st.sampled_from(
            ["fo+", "^foo", "o$", "[fb]o", "o|a", "x{80}", "^$", "o.b?"]
        ),
    ),
)


def by_rg(
    path: Path,
    mode: str,
    pattern: str,
    case: str,
    *more: str,
    whole_word: bool,
    invert: bool,
) -> list[int]:
    """The numbers that its lines begin with: of lines, unless `more` asks for something else."""
    argv = [
        str(find_program("rg")),
        "--no-config",
        "-a",
        "-n",
        "--no-heading",
        "--color=never",
    ]
    argv += {"literal": ["-F"], "regex": []}[mode]
    argv += {"smart": ["-S"], "sensitive": ["-s"], "insensitive": ["-i"]}[case]
    argv += ["-w"] * whole_word + ["-v"] * invert
    done = subprocess.run(
        [*argv, *more, "-e", pattern, str(path)],
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return [
        int(row.partition(b":")[0]) for row in done.stdout.split(b"\n") if row
    ]


@contextmanager
def opened(path: Path, **options: int) -> Iterator[Snapshot]:
    wanted = Settings(**options)  # type: ignore[arg-type]
    boundary = Boundary([path.parent], wanted)
    where = boundary.locate(path.name)
    with Snapshot.of_file(
        boundary.open_file(where), where, wanted, launcher=boundary.launcher
    ) as snapshot:
        yield snapshot
    boundary.close()


@SETTINGS
@given(
    texts,
    asked,
    st.sampled_from(["smart", "sensitive", "insensitive"]),
    st.booleans(),
    st.booleans(),
    st.integers(1, 64),
    st.booleans(),
)
def test_same_lines_and_counts(
    tmp_path, text, what, case, whole_word, invert, length, with_child
):
    mode, pattern = what
    path = tmp_path / "text"
    path.write_bytes(text.encode())
    compiled = compile_pattern(
        pattern, mode=mode, case=case, whole_word=whole_word
    )
    expected = by_rg(
        path, mode, pattern, case, whole_word=whole_word, invert=invert
    )
    # The overlap holds the longest match there can be, as the real one does.
    small = WindowSizes(length=length, max_length=length + 400, overlap=200)
    with (
        pytest.MonkeyPatch.context() as patch,
        opened(path, hold_bytes=0) as snapshot,
    ):
        patch.setattr(
            prefilter_module,
            "MIN_PREFILTER_BYTES",
            1 if with_child else 1 << 40,
        )
        patch.setattr(prefilter_module, "MIN_UNCOUNTED_BYTES", -1)
        found = search_snapshot(
            snapshot, compiled, limit=10_000, invert=invert, windows=small
        )
        assert [hit.line for hit in found.hits] == expected
        assert count_hits(
            snapshot, compiled, invert=invert, windows=small
        ) == len(expected)


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    """54 MB of lines, of which a few at the end hold what others only seem to."""
    path = tmp_path_factory.mktemp("large") / "log"
    rare = b" over caffeine and decaf"
    row = b"".join(
        b"%07d the quick brown fox jumps%b\n"
        % (n, b" over the lazy dog" if n % 100 else rare)
        for n in range(10_000)
    )
    with path.open("wb") as file:
        for _ in range(110):
            file.write(row)
        file.write("café au lait\n".encode() * 10 + b"caf\nCaf and caf\n" * 3)
    return path


@pytest.mark.extra
@pytest.mark.parametrize("whole_word", [False, True])
@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize(
    ("mode", "pattern"),
    one_in(
        2,
        [
            ("literal", "caf"),
            ("literal", "Caf"),
            ("regex", r"c[a]f( |$)"),
            ("regex", "^caf"),
        ],
    ),
)
def test_same_count_in_a_large_file(log, mode, pattern, whole_word, invert):
    options = {"whole_word": whole_word, "invert": invert}
    (count,) = by_rg(log, mode, pattern, "sensitive", "--count", **options)
    first = by_rg(log, mode, pattern, "sensitive", "--max-count=30", **options)
    compiled = compile_pattern(
        pattern, mode=mode, case="sensitive", whole_word=whole_word
    )
    assert log.stat().st_size > 50 << 20
    with opened(log) as snapshot:
        assert count_hits(snapshot, compiled, invert=invert) == count
        found = search_snapshot(snapshot, compiled, limit=30, invert=invert)
        assert [hit.line for hit in found.hits] == first
