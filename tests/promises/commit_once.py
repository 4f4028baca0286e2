"""Makes the twelve-file change in the folder given; the process that `strace` interrupts."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

spec = importlib.util.spec_from_file_location(
    "scene", Path(__file__).with_name("scene.py")
)
assert spec is not None
assert spec.loader is not None
scene = importlib.util.module_from_spec(spec)
sys.modules["scene"] = scene
spec.loader.exec_module(scene)

with scene.Bench(Path(sys.argv[1])) as bench:
    bench.changes.commit(scene.twelve(bench))
