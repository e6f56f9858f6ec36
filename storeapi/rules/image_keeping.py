"""Rows of images, and the files that belong to them."""

import logging
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.database import Transaction
from storeapi.core.errors import Unavailable
from storeapi.core.failures import Again, Violation
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models.media import Image
from storeapi.rules import image_files
from storeapi.rules.image_content import ImageContent, NotAnImage, read_image
from storeapi.rules.image_files import StoredImage
from storeapi.rules.image_owned import Picture
from storeapi.rules.image_places import Found
from storeapi.rules.image_sent import SentImage
from storeapi.rules.images import Media

_log = logging.getLogger("storeapi.images")

_NAMED_ALREADY = "an image's name is taken"

_TABLE = table_of(Image)
_COLUMNS = ("path", "source_url", "alt", "width", "height", "digest", "size_bytes")
_IMAGE = query(
    select(*[_TABLE.c[name] for name in _COLUMNS]).where(
        Image.image_id == bindparam("image_id")
    )
)


def keep(
    db: Transaction, found: Found, sent: SentImage, *, group: str, media: Media
) -> Picture:
    """Store what was found, the file first, and return the image that has it.

    The row of a file that is there already is shared. The size of an image that
    was not fetched is what was sent of it, else 0.
    Shapes: `group` is the folder of new files under the media folder.
    Source: spec/entities/products.md, 7.5.
    """
    if found.image_id is not None:
        return _read(db, found.image_id)
    stored = found.stored
    if found.content is not None:
        name = found.url or sent.alt or ""
        stored = _store(db, found.content, group, name, media)
    values: dict[str, Any] = {
        "source_url": found.url,
        "alt": sent.alt or "",
        "width": sent.width or 0,
        "height": sent.height or 0,
    }
    return _insert(db, values | _columns(stored))


def keep_copy(db: Transaction, image_id: int, media: Media) -> Picture:
    """Copy an image and its file, for a pair that is to differ from the others.

    A file that cannot be read leaves a copy that names no file.
    """
    row = db.row(_IMAGE, image_id=image_id)
    assert row is not None, "the image is shared, so it is there"
    values: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    path = values["path"]
    if path is not None:
        try:
            data = (media.folder / path).read_bytes()
            content = read_image(data, media.settings.max_image_pixels)
        except (OSError, NotAnImage):
            values["path"] = None
        else:
            group = path.partition("/")[0] if "/" in path else "detailed"
            values |= _columns(_store(db, content, group, path, media))
    return _insert(db, values)


def _store(
    db: Transaction, content: ImageContent, group: str, name: str, media: Media
) -> StoredImage:
    """Write a file that goes again if the transaction does not come true.

    Raises: `Unavailable` where the folder takes no more, which only its operator can
    mend.
    """
    folder = media.folder
    try:
        at_random = db.remembers(_NAMED_ALREADY)
        stored = image_files.store(folder, content, group, name, at_random=at_random)
    except OSError as error:
        _log.exception("the media folder takes no image")
        raise Unavailable(
            "images cannot be stored now", headers={"Retry-After": "60"}
        ) from error
    db.after_rollback(lambda: image_files.remove(folder, stored.relative_path))
    return stored


def _columns(stored: StoredImage | None) -> dict[str, Any]:
    if stored is None:
        return {}
    return {
        "path": stored.relative_path,
        "width": stored.width,
        "height": stored.height,
        "size_bytes": stored.size_bytes,
        "digest": stored.digest,
    }


def _insert(db: Transaction, values: dict[str, Any]) -> Picture:
    """Insert the row of an image.

    Raises: `Again` where the name that was free in the folder is that of a row whose
    file is missing: the next attempt takes one at random.
    """
    try:
        image_id = db.insert(_TABLE, values)
    except Violation as error:
        db.remember(_NAMED_ALREADY)
        raise Again("a row names a file that is not there") from error
    return _picture(image_id, {"path": None, "digest": "", **values})


def _read(db: Transaction, image_id: int) -> Picture:
    row = db.row(_IMAGE, image_id=image_id)
    assert row is not None, "it was found in this transaction"
    return _picture(image_id, dict(zip(_COLUMNS, row, strict=True)))


def _picture(image_id: int, values: dict[str, Any]) -> Picture:
    names = ("path", "source_url", "alt", "width", "height", "digest")
    return Picture(image_id, *(values[name] for name in names))
