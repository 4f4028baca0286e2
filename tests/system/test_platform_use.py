"""`system` is the only package that uses the operating system."""

from __future__ import annotations

import ast
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


def uses(module: Path) -> set[str]:
    """What a module imports or calls of the platform."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text())):
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


def modules() -> list[Path]:
    return [
        module
        for module in PACKAGE.rglob("*.py")
        if "system" not in module.relative_to(PACKAGE).parts
    ]


@pytest.mark.parametrize(
    "module", modules(), ids=lambda module: str(module.relative_to(PACKAGE))
)
def test_only_system_uses_the_platform(module: Path) -> None:
    found = uses(module)
    assert not found, f"{module} uses {sorted(found)}: ask `filewright.system`"
