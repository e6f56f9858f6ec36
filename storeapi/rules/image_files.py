"""The media folder: image files are stored, taken and removed here.

A file lies at `<group>/<n>/<name>.<extension>` under the folder, `n` from 0 to
999 by its digest, so that no folder grows too large. A file is written before the
row that names it is committed; whoever stores it registers `remove` for the case
that the transaction fails.
"""

import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from storeapi.rules.image_content import ImageContent, NotAnImage, read_image
from storeapi.rules.slugs import slug

MAXIMUM_PATH = 255
_NAME_LENGTH = 80
_PRETTY_TRIES = 20
# Only what has the shape of our own paths is ever removed: a picture that the
# operator laid into the folder may be named by a product, and outlives it.
_OWN = re.compile(r"[a-z_]{1,32}/[0-9]{1,3}/[a-z0-9_-]+\.[a-z]{3,4}")


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image in the media folder.

    Units: `width` and `height` in pixels.
    """

    relative_path: str
    width: int
    height: int
    size_bytes: int
    digest: str


def store(
    folder: Path,
    content: ImageContent,
    group: str,
    name: str,
    *,
    at_random: bool = False,
) -> StoredImage:
    """Write an image under a name that no other file has.

    Shapes: `group` is the first folder (`detailed`); `name` the name or address
    from which the file's name is made, with random letters if it is `at_random`.
    """
    place = f"{group}/{int(content.digest[:8], 16) % 1000}"
    (folder / place).mkdir(parents=True, exist_ok=True)
    for candidate in _names(name, at_random=at_random):
        relative = f"{place}/{candidate}.{content.extension}"
        if _write_new(folder / relative, content.data):
            return _stored(relative, content)
    raise AssertionError("unreachable")


def take(
    folder: Path, path: str, max_bytes: int, max_pixels: int
) -> tuple[StoredImage, ImageContent]:
    """Take a file that already lies in the media folder; returns its bytes as well.

    Shapes: `path` is relative to the folder, or absolute and inside it.
    Raises: `NotAnImage` if it leads out of the folder (also by a link), does not
    exist, is too large or is no image.
    Source: spec/entities/products.md, rule 5.10 and 7.4.
    """
    root = folder.resolve()
    relative = _relative(root, path)
    file = root / relative
    try:
        size = file.stat().st_size
        data = file.read_bytes() if size <= max_bytes else b""
    except OSError:
        raise NotAnImage("names a file that cannot be read") from None
    if size > max_bytes:
        raise NotAnImage(f"holds more than {max_bytes} bytes")
    content = read_image(data, max_pixels)
    return _stored(relative, content), content


def is_own(relative_path: str) -> bool:
    """Tell whether a path is one that `store` makes."""
    return _OWN.fullmatch(relative_path) is not None


def remove(folder: Path, relative_path: str) -> None:
    """Remove a file that we stored; a missing one is fine, a foreign one stays."""
    if is_own(relative_path):
        (folder / relative_path).unlink(missing_ok=True)


def _stored(relative_path: str, content: ImageContent) -> StoredImage:
    return StoredImage(
        relative_path,
        content.width,
        content.height,
        len(content.data),
        content.digest,
    )


def _relative(root: Path, path: str) -> str:
    """Return the canonical path under the folder, after links are followed."""
    parts = path.split("/")
    if "\0" in path or "\\" in path or any(part.startswith(".") for part in parts):
        raise NotAnImage("is no path under the images folder")
    try:
        found = (root / path).resolve(strict=True)
        relative = found.relative_to(root).as_posix()
        is_file = found.is_file()
    except (OSError, ValueError, RuntimeError):
        raise NotAnImage("names no file under the images folder") from None
    if not is_file or len(relative) > MAXIMUM_PATH:
        raise NotAnImage("names no file under the images folder")
    return relative


def _names(name: str, *, at_random: bool) -> Iterator[str]:
    """Yield names for a file: the given one, numbered ones, then random ones."""
    last = unquote(re.split(r"[?#]", name)[0]).rstrip("/").rpartition("/")[2]
    base = slug(last.rpartition(".")[0] or last, _NAME_LENGTH) or "image"
    if not at_random:
        yield base
        for number in range(2, _PRETTY_TRIES):
            yield f"{base}-{number}"
    while True:
        yield f"{base}-{secrets.token_hex(8)}"


def _write_new(file: Path, data: bytes) -> bool:
    """Write a file, or return `False` if the name is taken.

    The name is claimed first (an empty file, atomically), the bytes go to another
    name and then take its place: nothing is overwritten and nobody reads a half.
    """
    try:
        file.open("xb").close()
    except FileExistsError:
        return False
    written = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        with written.open("xb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        written.replace(file)
    except BaseException:
        written.unlink(missing_ok=True)
        file.unlink(missing_ok=True)
        raise
    return True
