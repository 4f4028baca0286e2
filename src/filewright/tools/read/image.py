"""An image, which is shown as it is."""

from __future__ import annotations

from filewright.boundary.location import Location
from filewright.errors import Code, path_error
from filewright.text.snapshot import Snapshot
from filewright.tools.binary_files import binary_error
from filewright.tools.context import Context
from filewright.tools.read.rendering import render_image
from filewright.tools.read.result import FileRead
from filewright.tools.result import Image


def read_image(
    context: Context, snapshot: Snapshot, location: Location
) -> FileRead:
    """Return an image as it is. Raise `is_binary` for any other binary file."""
    media_type = snapshot.binary_type or ""
    max_bytes = context.settings.image_bytes
    if not media_type.startswith("image/") or not max_bytes:
        raise binary_error(snapshot)
    if snapshot.size > max_bytes:
        raise path_error(
            Code.TOO_LARGE,
            location.requested_path,
            f"{location.requested_path} is an image of {snapshot.size:,} bytes ({media_type}); "
            f"images of up to {max_bytes:,} bytes are shown",
            "make a smaller copy of it",
            size=snapshot.size,
            limit=max_bytes,
        )
    path = location.display_path
    return FileRead(
        render_image(path, media_type, snapshot.size, snapshot.version),
        path=path,
        type=media_type,
        size=snapshot.size,
        version=snapshot.version,
        images=(Image(snapshot.read(0, snapshot.size), media_type),),
    )
