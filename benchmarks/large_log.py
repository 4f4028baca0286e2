"""A session on a large log through the real server: time of each call, and the server's peak memory.

Its rows are the edit and its undo against `cp` and a flush of the same file. `scaling` shows every call.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.row import Row

LINE = "2026-01-01T00:00:{:02d}.{:06d}Z INFO worker-{:02d} request {:09d} served in {:03d} ms\n"
_ROWS = 4_000
RARE = "ERROR checksum mismatch in segment 4711"


def make_log(path: Path, size: int) -> int:
    """Write a log of about `size` bytes with one rare line in its middle; the number of that line."""
    block = "".join(
        LINE.format(i % 60, i * 7919 % 10**6, i % 16, i, i % 997)
        for i in range(_ROWS)
    ).encode()
    lines = rare = 0
    with path.open("wb") as file:
        while file.tell() < size:
            if not rare and file.tell() >= size // 2:
                file.write(f"2026-01-01T00:00:30.000000Z {RARE}\n".encode())
                lines += 1
                rare = lines
            file.write(block)
            lines += _ROWS
    return rare


class Server:
    """`filewright serve` as a child process, spoken to in lines of JSON.

    `descriptors` is the most files it may have open (as `ulimit -n`), `settings` are as in the environment.
    """

    def __init__(
        self,
        root: Path,
        state: Path,
        *,
        descriptors: int | None = None,
        **settings: object,
    ) -> None:
        limits = (
            ["prlimit", f"--nofile={descriptors}"]
            if descriptors is not None
            else []
        )
        self.process = subprocess.Popen(
            [
                *limits,
                sys.executable,
                "-m",
                "filewright",
                "serve",
                str(root),
                "--log-level",
                "error",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                **{
                    f"FILEWRIGHT_{name.upper()}": str(value)
                    for name, value in settings.items()
                },
                "FILEWRIGHT_STATE_DIR": str(state),
            },
        )
        self._id = 0
        self.request(
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "benchmark", "version": "1"},
        )
        self._send({"method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(
            json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        )
        self.process.stdin.flush()

    def request(self, method: str, **params: object) -> dict[str, Any]:
        """Send one request and wait for its result."""
        assert self.process.stdout is not None
        self._id += 1
        self._send({"id": self._id, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self._id:
                if "error" in message:
                    raise RuntimeError(message["error"])
                result: dict[str, Any] = message["result"]
                return result
        raise RuntimeError("the server left")

    def call(self, tool: str, **arguments: object) -> tuple[float, str]:
        """Call a tool: seconds until the answer, and its text."""
        begun = time.perf_counter()
        result = self.request("tools/call", name=tool, arguments=arguments)
        took = time.perf_counter() - begun
        text = "\n".join(part.get("text", "") for part in result["content"])
        if result.get("isError"):
            raise RuntimeError(text)
        return took, text

    def forget_peak(self) -> None:
        """Begin to measure the peak anew."""
        for pid in [self.process.pid, *_children(self.process.pid)]:
            try:
                Path(f"/proc/{pid}/clear_refs").write_text("5")
            except OSError:
                continue

    def peak(self) -> int:
        """The highest anonymous memory since `forget_peak`, in bytes, of the server and its children."""
        total = 0
        for pid in [self.process.pid, *_children(self.process.pid)]:
            try:
                fields = dict(
                    line.split(":", 1)
                    for line in Path(f"/proc/{pid}/status")
                    .read_text()
                    .splitlines()
                    if ":" in line
                )
            except OSError:
                continue
            now = int(fields["VmRSS"].split()[0])
            private = int(fields["RssAnon"].split()[0])
            total += (int(fields["VmHWM"].split()[0]) - (now - private)) * 1024
        return total

    def close(self) -> None:
        """End the session."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    try:
        return [int(child) for child in found.read_text().split()]
    except OSError:
        return []


@dataclass(frozen=True)
class Sample:
    """One call: its time, and bytes held privately by the server beyond what it held when idle."""

    call: str
    seconds: float
    beyond_idle: int


def session(folder: Path, size: int) -> list[Sample]:
    """Each call of the session, begun with the disk at rest: no call pays for what an earlier one wrote."""
    root, state = folder / "root", folder / "state"
    root.mkdir()
    log = root / "big.log"
    rare = make_log(log, size)
    original = _digest(log)
    server = Server(root, state)
    results: list[Sample] = []
    idle = 0

    def call(label: str, tool: str, **arguments: object) -> str:
        os.sync()
        server.forget_peak()
        took, text = server.call(tool, **arguments)
        results.append(Sample(label, took, server.peak() - idle))
        return text

    try:
        call("list the folder", "list_files")
        idle = server.peak()
        results[0] = Sample("list the folder", results[0].seconds, 0)
        found = call(
            "search a rare line", "search_content", pattern=RARE, path="big.log"
        )
        assert str(rare) in found, found
        around = call(
            "read around it, first time",
            "read_content",
            path="big.log",
            line=rare,
            limit=20,
        )
        assert RARE in around
        call(
            "read around it again",
            "read_content",
            path="big.log",
            line=rare,
            limit=20,
        )
        call(
            "tail 1,000 lines",
            "read_content",
            path="big.log",
            mode="tail",
            limit=1000,
        )
        edited = call(
            "edit one line in the middle",
            "edit_content",
            path="big.log",
            edits=[
                {
                    "search": RARE,
                    "replace": "ERROR checksum mismatch (repaired)",
                }
            ],
        )
        assert "1 edit applied" in edited, edited
        assert log.stat().st_size != size
        call("undo it", "revert_edit", path="big.log")
        assert _digest(log) == original
    finally:
        server.close()
    return results


def _digest(path: Path) -> bytes:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").digest()


def reference_copy(folder: Path) -> float:
    """`cp` of the log and a flush, the second time: the file is in the page cache in both cases."""
    source, target = folder / "root" / "big.log", folder / "copy"
    best = float("inf")
    for _ in range(2):
        os.sync()
        begun = time.perf_counter()
        subprocess.run(["cp", str(source), str(target)], check=True)
        with target.open("rb+") as file:
            os.fsync(file.fileno())
        best = min(best, time.perf_counter() - begun)
        target.unlink()
    return best


def rows(*, quick: bool = False) -> list[Row]:
    """Return edit and undo of one line of 1 GB against `cp` and a flush."""
    megabytes = 4 if quick else 1024
    with tempfile.TemporaryDirectory(prefix="filewright-log-") as name:
        folder = Path(name)
        samples = session(folder, megabytes << 20)
        copy = reference_copy(folder)
    took = {sample.call: sample.seconds for sample in samples}
    return [
        Row(
            f"edit one line in the middle of {megabytes} MB, against cp + fsync",
            took["edit one line in the middle"],
            copy,
            1.3,
        ),
        Row("undo it, against the same", took["undo it"], copy, 1.3),
    ]
