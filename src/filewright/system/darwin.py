"""macOS: `posix` until its own calls are used (`renameatx_np`, `F_FULLFSYNC`, `fclonefileat`, `F_GETPATH`)."""

from filewright.system.posix import can, open_folder, umask

__all__ = ["can", "open_folder", "umask"]
