"""Notebooks on the page: the language of their cells, their headings and images.

A notebook is shown by the text of its cells. Its kernel names the language of the code.
Image outputs are shown like image files; other outputs are not shown.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from filewright.bounded_json import parse_json

MAX_NOTEBOOK_BYTES = 8 << 20
"""The size above which the outputs of a notebook are not looked at."""
MAX_SHOWN_IMAGES = 12
_METADATA_BYTES = 1 << 16
"""The metadata is at the end or the beginning of a notebook."""
_LANGUAGE = re.compile(
    rb'"(?:language_info|kernelspec)"\s*:\s*\{[^{}]{0,2000}?'
    rb'"(?:name|language)"\s*:\s*"([A-Za-z0-9+#_. -]{1,40})"'
)
_KERNEL_LANGUAGE = re.compile(
    rb'"kernelspec"\s*:\s*\{[^{}]{0,2000}?"language"\s*:\s*"([A-Za-z0-9+#_. -]{1,40})"'
)
_HEADING = re.compile(
    r"# %% cell (\d+): (code|markdown|raw)(?:, id ([^,]*))?(?:, (.*))?"
)
_IMAGE_TYPES = (
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/svg+xml",
)
_DEFAULT_LANGUAGE = "python"


@dataclass(frozen=True, slots=True)
class CellHeading:
    """The heading of a cell: its number, kind and id, and a note about its outputs."""

    number: int
    kind: str
    identifier: str = ""
    outputs: str = ""


@dataclass(frozen=True, slots=True)
class OutputImage:
    """An image that a cell has put out; `index` counts all of a notebook."""

    index: int
    cell: int
    media_type: str
    encoded: str

    def decode(self) -> bytes | None:
        """Return the bytes of the image, or None if they are not encoded as such."""
        if self.media_type == "image/svg+xml":
            return self.encoded.encode("utf-8", "replace")
        try:
            # Without validation, since line ends may divide the text.
            return base64.b64decode(self.encoded, validate=False)
        except (binascii.Error, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class ImagePair:
    """The images of one output before and after a change; None where there is none."""

    before: OutputImage | None
    after: OutputImage | None

    @property
    def cell(self) -> int:
        """The number of the cell, after the change if it is there."""
        image = self.after or self.before
        assert image is not None
        return image.cell


def parse_heading(text: str) -> CellHeading | None:
    """Return the heading of a cell in a line, or None for any other line."""
    match = _HEADING.fullmatch(text)
    if match is None:
        return None
    return CellHeading(int(match[1]), match[2], match[3] or "", match[4] or "")


def find_language(content: bytes) -> str:
    """Return the language of a notebook's kernel, as its metadata name it."""
    both_ends = (content[-_METADATA_BYTES:], content[:_METADATA_BYTES])
    for pattern in (_KERNEL_LANGUAGE, _LANGUAGE):
        for metadata in both_ends:
            match = pattern.search(metadata)
            if match is not None:
                return match[1].decode("ascii").lower()
    return _DEFAULT_LANGUAGE


def list_images(content: bytes) -> list[OutputImage]:
    """Return the image outputs of a notebook in order; none of a damaged notebook."""
    if len(content) > MAX_NOTEBOOK_BYTES:
        return []
    try:
        notebook = parse_json(content)
    except (ValueError, RecursionError):
        return []
    images: list[OutputImage] = []
    for cell_number, output in _iter_outputs(notebook):
        media_bundle = output.get("data")
        if not isinstance(media_bundle, dict):
            continue
        for media_type in _IMAGE_TYPES:
            encoded = media_bundle.get(media_type)
            if isinstance(encoded, list):
                encoded = "".join(map(str, encoded))
            if isinstance(encoded, str):
                images.append(
                    OutputImage(len(images), cell_number, media_type, encoded)
                )
                break
    return images


def _iter_outputs(notebook: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the outputs in parsed JSON, each with the number of its cell."""
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        return
    for cell_number, cell in enumerate(cells, 1):
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        if not isinstance(outputs, list):
            continue
        for output in outputs:
            if isinstance(output, dict):
                yield cell_number, output


def pair_changed_images(
    before: Sequence[OutputImage], after: Sequence[OutputImage]
) -> list[ImagePair]:
    """Return the images that differ, those of one place in pairs.

    Images that are on both sides are left out, wherever they are.
    """
    known_before = {image.encoded for image in before}
    known_after = {image.encoded for image in after}
    removed_images = [
        image for image in before if image.encoded not in known_after
    ]
    added_images = [
        image for image in after if image.encoded not in known_before
    ]
    pairs: list[ImagePair] = []
    for image in added_images:
        partner: OutputImage | None = None
        for removed_image in removed_images:
            if removed_image.cell == image.cell:
                partner = removed_image
                removed_images.remove(removed_image)
                break
        pairs.append(ImagePair(partner, image))
    pairs += [ImagePair(image, None) for image in removed_images]
    return sorted(pairs, key=lambda pair: pair.cell)[:MAX_SHOWN_IMAGES]
