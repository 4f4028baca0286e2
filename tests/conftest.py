"""What holds for every test."""

import pytest
from hypothesis import settings

from filewright.system import can

# A slow machine is not a failure: speed is measured in benchmarks/, never by a test.
settings.register_profile("filewright", deadline=None, print_blob=True)
settings.load_profile("filewright")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out a test of something that this system does not have; `docs/platforms.md` says what there is instead."""
    for mark in item.iter_markers("needs"):
        for capability in mark.args:
            if not getattr(can, capability):
                pytest.skip(f"this system lacks the capability {capability}")
