"""The overview of one file."""


def test_compressed_log(compressed_log):
    text = compressed_log.call("get_overview", {"path": "app.log.gz"}).text
    assert text.startswith("app.log.gz: 8,000 lines, ")
    assert "first: 2026-11-01T00:00:00Z" in text
