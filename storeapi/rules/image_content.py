"""The bytes of an image: what is accepted, and what is read from them."""

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from io import BytesIO
from types import MappingProxyType

from PIL import Image, UnidentifiedImageError, features

# Formats that browsers show and that carry no script (so no SVG), each with the
# extension of its files.
FORMATS = MappingProxyType(
    {"JPEG": "jpg", "PNG": "png", "GIF": "gif", "WEBP": "webp"}
    | ({"AVIF": "avif"} if features.check("avif") else {})
)
_DATA_URL = re.compile(r"data:image/[a-z0-9.+-]{1,40};base64,", re.IGNORECASE)


class NotAnImage(ValueError):
    """Content that is no image of an accepted format and size."""


@dataclass(frozen=True, slots=True)
class ImageContent:
    """An image in memory.

    Units: `width` and `height` in pixels.
    Shapes: `digest` is the SHA-256 of the bytes in hex.
    """

    data: bytes
    extension: str
    width: int
    height: int
    digest: str


def read_image(data: bytes, max_pixels: int) -> ImageContent:
    """Open bytes as an image; only its header is decoded.

    Raises: `NotAnImage` with the reason.
    """
    try:
        with Image.open(BytesIO(data), formats=tuple(FORMATS)) as image:
            width, height = image.size
            extension = FORMATS[image.format or ""]
            if width * height <= max_pixels:
                image.verify()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise NotAnImage(f"has more than {max_pixels} pixels") from None
    except UnidentifiedImageError:
        names = ", ".join(FORMATS)
        raise NotAnImage(f"holds no image of a known format ({names})") from None
    except (OSError, SyntaxError, ValueError, KeyError, EOFError, RuntimeError):
        raise NotAnImage("holds a damaged image") from None
    if width * height > max_pixels:
        raise NotAnImage(f"has more than {max_pixels} pixels")
    digest = hashlib.sha256(data).hexdigest()
    return ImageContent(data, extension, width, height, digest)


def decode_base64(text: str, max_bytes: int) -> bytes:
    """Read base64 text, also in the form `data:image/png;base64,...`.

    Raises: `NotAnImage` if it is no base64 or holds more than `max_bytes`.
    """
    found = _DATA_URL.match(text)
    body = "".join(text[found.end() if found else 0 :].split())
    if len(body) > 4 * (max_bytes // 3 + 1):
        raise NotAnImage(f"holds more than {max_bytes} bytes")
    try:
        data = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        raise NotAnImage("is not base64") from None
    if len(data) > max_bytes:
        raise NotAnImage(f"holds more than {max_bytes} bytes")
    return data
