from hypothesis import HealthCheck
from hypothesis import strategies as st
from tests.examples import examples

from filewright.search.matches import find_matches
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot

SETTINGS = examples(
    25,
    derandomize=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
    ],
)


atoms = st.sampled_from(
    [
        "a",
        "b",
        "é",
        "x",
        ".",
        r"\w",
        r"\W",
        r"\d",
        r"\s",
        r"\S",
        "[ab]",
        "[^a]",
        r"[^\s]",
        "[a-é]",
        r"\.",
        " ",
    ]
)


ends = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "*?", "+?"])


terms = st.builds(lambda a, e: a + e, atoms, ends)


sequences = st.lists(terms, min_size=1, max_size=4).map("".join)


regexes = st.one_of(
    sequences,
    st.builds(lambda s: f"^{s}", sequences),
    st.builds(lambda s: f"{s}$", sequences),
    st.builds(lambda s: rf"\b{s}", sequences),
    st.builds(lambda a, b: f"{a}|{b}", sequences, sequences),
    st.builds(lambda a, b: f"(?:{a}){b}", sequences, sequences),
    st.builds(lambda a, b: f"({a})?{b}", sequences, sequences),
)


anchored = st.one_of(
    regexes, sequences.map(r"\A{}".format), sequences.map(r"(?:\A|b){}".format)
)


texts = st.lists(
    st.tuples(
        st.text("abxé1. A_\t", max_size=12),
        st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    ),
    max_size=8,
).map(lambda parts: "".join(body + end for body, end in parts))


def spans(snapshot: Snapshot, pattern) -> list[tuple[int, int]]:
    return [(m.offset, m.end) for m in find_matches(snapshot, pattern)]


def found(pattern: str, text: str, **options: object) -> list[str]:
    """Return the matches of a pattern in a text, by default of a regex with case."""
    options.setdefault("mode", "regex")
    options.setdefault("case", "sensitive")
    data = text.encode()
    compiled = compile_pattern(pattern, **options)  # type: ignore[arg-type]
    return [
        data[m.offset : m.end].decode()
        for m in find_matches(Snapshot(data), compiled)
    ]
