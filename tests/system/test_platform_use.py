"""`system` is the only package that uses the operating system."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import filewright

PACKAGE = Path(filewright.__file__).parent
PLATFORM = {"fcntl", "ctypes", "resource", "msvcrt"}
# What `os` offers on names and descriptors of files. The rest of it (environ, fsencode, getpid …) is free.
ON_NAMES = {
    "access", "chmod", "chown", "close", "copy_file_range", "dup", "dup2", "fchmod", "fchown", "fdatasync", "fstat",
    "fstatvfs", "fsync", "ftruncate", "getxattr", "lchown", "link", "listdir", "listxattr", "lseek", "lstat", "makedirs",
    "mkdir", "open", "posix_fadvise", "posix_fallocate", "pread", "preadv", "pwrite", "pwritev", "read", "readlink",
    "remove", "removedirs", "removexattr", "rename", "renames", "replace", "rmdir", "scandir", "sendfile", "setxattr",
    "stat", "statvfs", "symlink", "sync", "truncate", "umask", "unlink", "utime", "walk", "write", "writev",
}  # fmt: skip


def uses(text: str) -> set[str]:
    """Return what the text of a module imports or calls of the platform."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {
                alias.name for alias in node.names if alias.name in PLATFORM
            }
        elif isinstance(node, ast.ImportFrom) and node.module in PLATFORM | {
            "os"
        }:
            found.add(f"from {node.module}")
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "os"
        ):
            found |= {f"os.{node.attr}"} if node.attr in ON_NAMES else set()
    return found


# Without one of these words there is no such node.
WORDS = re.compile(rf"\b(?:os|{'|'.join(sorted(PLATFORM))})\b")
PACKAGES = sorted(
    entry.name
    for entry in PACKAGE.iterdir()
    if entry.name not in ("system", "__pycache__")
    and (entry.is_dir() or entry.suffix == ".py")
)


@pytest.mark.parametrize("package", PACKAGES)
def test_only_system_uses_the_platform(package: str) -> None:
    folder = PACKAGE / package
    modules = [folder] if folder.is_file() else folder.rglob("*.py")
    found: dict[str, list[str]] = {}
    for module in modules:
        text = module.read_text(encoding="utf-8")
        names = uses(text) if WORDS.search(text) else set()
        if names:
            found[str(module.relative_to(PACKAGE))] = sorted(names)
    assert found == {}, "ask `filewright.system`"
