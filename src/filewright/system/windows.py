"""Windows: the names that `filewright.system` takes from a platform; nothing behind them yet."""

from filewright.system.posix import Folder
from filewright.system.status import MISSING_EVERYTHING, Capabilities

can: Capabilities = MISSING_EVERYTHING


def open_folder(path: bytes | str) -> Folder:
    """The folder of a path that the user named."""
    raise NotImplementedError(f"filewright does not run on Windows yet ({path!r})")


def umask() -> int:
    """Windows has none."""
    return 0
