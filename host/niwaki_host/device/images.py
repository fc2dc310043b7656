"""Stored models as bytes, on the desktop: what `save` would write, and back."""

from __future__ import annotations

import io
from typing import Any

from niwaki import ImageError, image, layout
from niwaki_host.errors import UsageError


def to_bytes(model: Any, about: bool = True) -> bytes:
    """The image of a model, without a file; `about` decides whether the text about it is included."""
    head = image._head(model)
    section = image.section(model) if about else b""
    head[image.FORMAT_AT] = layout.FORMAT_ABOUT if section else layout.FORMAT
    body = bytes(head) + bytes(model.words) + bytes(model.halves) + bytes(model.octets) + section
    return body + image.crc32(body).to_bytes(4, "little")


def from_bytes(data: bytes) -> Any:
    """The model of an image; UsageError says what is wrong with it."""
    f = io.BytesIO(data)
    try:
        if image._whole(f, bytearray(128)) is None:
            raise ImageError("damaged: the checksum does not match the content")
        return image.read(f)
    except ImageError as error:
        raise UsageError(f"not a model of this version: {error}") from None


def prove(model: Any) -> None:
    """Raise ImageError unless `load` would take what `save` is about to write."""
    try:
        image.read(io.BytesIO(to_bytes(model)))
    except ImageError as error:
        raise ImageError(f"nothing is saved, because this model would not load: {error}") from None
