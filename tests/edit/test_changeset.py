"""The changes of a call: when the encoding of a file is checked."""

from __future__ import annotations

from tests.files import ROOT

from filewright.boundary.location import Location
from filewright.edit.changeset import Modify
from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.text.snapshot import Snapshot


def test_checks_sampled_encoding_of_new_text() -> None:
    from filewright.text.codec import Encoding

    class Sampled(Snapshot):
        encoding = Encoding("latin-1", is_sampled=True)  # type: ignore[assignment]

    snapshot = Sampled("é\nb\n".encode("latin-1"))
    for new, codec in (("ü", "latin-1"), ("u", None)):
        splices = plan_edits(snapshot, [TextEdit("b", new)]).splices
        assert (
            Modify.from_snapshot(
                Location(ROOT, (b"a",)), snapshot, splices
            ).encoding_check
            == codec
        )
