"""Stored models as bytes, on the desktop: what `save` would write, and back."""

from __future__ import annotations

import io
from typing import Any

from niwaki import ImageError, image
from niwaki_host.errors import UsageError


def to_bytes(model: Any) -> bytes:
    """The image of a model, without a file."""
    head = image._head(model)
    body = bytes(head) + bytes(model.words) + bytes(model.halves) + bytes(model.octets)
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
