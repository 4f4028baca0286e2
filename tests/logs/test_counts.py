"""Counts of log entries."""

from filewright.logs import counts
from filewright.logs.counts import CountedLine, EntryCounts, parse_key


def test_samples_keep_the_largest_number_of_each_value(monkeypatch):
    monkeypatch.setattr(counts, "MAX_SAMPLED_NUMBERS", 100)
    entries = EntryCounts(parse_key("name"), parse_key("ms"))
    for number in range(1_000):
        name = "rare" if number in (5, 990) else "frequent"
        number = 5_000 if number in (500, 990) else number % 100
        entries.add(CountedLine(entry={"name": name, "ms": number}))
    assert entries.is_sampled
    frequent, rare = entries.ranked()
    (summary,) = entries.summarize(frequent)
    assert summary.largest.number == 5_000
    assert 30 < summary.p50 < 70
    (summary,) = entries.summarize(rare)
    assert summary.largest.number == 5_000


def test_long_groups_are_cut():
    entries = EntryCounts(parse_key("$1"))
    entries.add(CountedLine(groups={"1": "x" * 5_000}))
    assert len(entries.show_key(entries.ranked()[0], None)) == 200
