"""Which bytes are an image."""

import base64
import zlib
from io import BytesIO

import pytest
from PIL import Image, features

from storeapi.rules.image_content import (
    FORMATS,
    NotAnImage,
    decode_base64,
    read_image,
)


def picture(extension: str, size: tuple[int, int] = (8, 6)) -> bytes:
    file = BytesIO()
    Image.new("RGB", size, "red").save(file, extension)
    return file.getvalue()


@pytest.mark.parametrize(("name", "extension"), FORMATS.items())
def test_known_formats_are_read(name: str, extension: str) -> None:
    content = read_image(picture(name), 48)
    found = content.extension, content.width, content.height, len(content.digest)
    assert found == (extension, 8, 6, 64)


def test_avif_is_offered_where_pillow_has_it() -> None:
    assert ("AVIF" in FORMATS) == features.check("avif")


@pytest.mark.parametrize("name", ["BMP", "TIFF", "ICO", "PPM"])
def test_other_formats_are_refused(name: str) -> None:
    with pytest.raises(NotAnImage):
        read_image(picture(name, (16, 16)), 10_000)


def test_too_many_pixels_are_refused() -> None:
    with pytest.raises(NotAnImage, match="more than 47 pixels"):
        read_image(picture("PNG"), 47)


def test_decompression_bomb_is_refused_by_its_header() -> None:
    small = picture("PNG")
    header = b"IHDR" + (60_000).to_bytes(4) * 2 + small[24:29]
    claimed = small[:12] + header + zlib.crc32(header).to_bytes(4) + small[33:]
    with pytest.raises(NotAnImage, match="more than 50000000 pixels"):
        read_image(claimed, 50_000_000)


def test_damaged_png_is_refused() -> None:
    data = bytearray(picture("PNG"))
    data[45] ^= 0xFF
    with pytest.raises(NotAnImage):
        read_image(bytes(data), 10_000)


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(b"abcd").decode(),
        "data:image/png;base64," + base64.b64encode(b"abcd").decode(),
        "DATA:image/svg+xml;base64,\n YWJj\r\nZA==",
    ],
)
def test_base64_is_read(text: str) -> None:
    assert decode_base64(text, 4) == b"abcd"


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("YWJjZA==", 3),
        ("YWJjZA==" * 100, 3),
        ("YWJjZA=", 9),
        ("YWJ*", 9),
        ("ÄÖ==", 9),
        ("data:text/html;base64,YWJj", 99),
    ],
)
def test_what_is_no_base64_or_too_large_is_refused(text: str, limit: int) -> None:
    with pytest.raises(NotAnImage):
        decode_base64(text, limit)
