"""Where a sent image is: a file of ours, an address elsewhere, or the payload."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection
from storeapi.core.errors import InvalidInput
from storeapi.core.statement import query
from storeapi.models.media import Image
from storeapi.rules import image_files
from storeapi.rules.fetching import FetchSettings, fetch_image
from storeapi.rules.image_content import (
    ImageContent,
    NotAnImage,
    decode_base64,
    read_image,
)
from storeapi.rules.image_owned import Picture
from storeapi.rules.image_sent import SentImage
from storeapi.rules.images import Media
from storeapi.rules.outgoing import Address, NoAnswer, UnsafeAddress, check_address

_PATIENCE = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where one sent image is to be taken from.

    Shapes: exactly one of `path` (under the media folder), `address` and `data`
    (base64) is set; `field` is the dotted name to complain about.
    """

    field: str
    path: str | None = None
    address: Address | None = None
    data: str | None = None

    def is_of(self, picture: Picture | None) -> bool:
        """Whether the picture lies at this place, or was taken from it."""
        if picture is None or self.data is not None:
            return False
        if self.address is not None:
            return picture.source_url == self.address.url
        return picture.path == self.path


@dataclass(frozen=True, slots=True)
class Origin:
    """The places that one sent image names, the deciding one last.

    Shapes: those before it are addresses of our own files. A record that is sent
    back names its file twice; only when the first is unchanged the next counts.
    """

    places: Sequence[Place] = ()

    def change(self, picture: Picture | None) -> Place | None:
        """Return the place of another image than the picture, if one is named."""
        return next((p for p in self.places if not p.is_of(picture)), None)

    def is_of(self, picture: Picture | None) -> bool:
        """Whether all that was named is the picture."""
        return bool(self.places) and self.change(picture) is None


def origin_of(sent: SentImage, field: str, media: Media) -> Origin:
    """Work out the places of a sent image.

    Raises: `InvalidInput` for an address that is not public, whether or not
    anything will be fetched.
    """
    places = []
    for place in _places(sent, field, media):
        places.append(place)
        if place.path is None:
            break
    return Origin(tuple(places))


def _places(sent: SentImage, field: str, media: Media) -> Iterator[Place]:
    for key, text in sent.sources.items():
        name = f"{field}.{key}"
        if key == "data":
            yield Place(name, data=text)
        elif key in ("image_path", "image_url"):
            own = media.own_path(text)
            if own is not None:
                yield Place(name, path=own)
            else:
                yield Place(name, address=_checked(text, name))
        else:
            yield Place(name, path=text.removeprefix(f"{media.folder}/"))


def _checked(text: str, field: str) -> Address:
    try:
        return check_address(text)
    except UnsafeAddress as error:
        raise InvalidInput.of(field, str(error)) from None


@dataclass(frozen=True, slots=True)
class Found:
    """What is at a place.

    Shapes: the ID of an image row to share, the bytes of a new file, or a file that
    has no row yet; none of them for an address that was not fetched. `url` is the
    address, if it is one.
    """

    digest: str = ""
    url: str | None = None
    image_id: int | None = None
    content: ImageContent | None = None
    stored: image_files.StoredImage | None = None


Fetched = Mapping[str, ImageContent | ValueError | None]
"""What addresses brought: an image, the reason to refuse them, or no answer."""

_BY_PATH = query(
    select(Image.image_id, Image.digest)
    .where(Image.path == bindparam("path"))
    .with_for_update(read=True, key_share=True)
)


def fetch_all(addresses: Iterable[Address], settings: FetchSettings) -> Fetched:
    """Fetch the images that one payload names by address.

    A payload with many dead addresses would hold a worker for minutes: after three
    times the time limit of one image, the others count as not answering.
    """
    fetched: dict[str, ImageContent | ValueError | None] = {}
    end = time.monotonic() + _PATIENCE * settings.fetch_timeout
    for address in addresses:
        fetched[address.url] = None
        try:
            if time.monotonic() < end:
                fetched[address.url] = fetch_image(address, settings)
        except NoAnswer:
            continue
        except (NotAnImage, UnsafeAddress) as error:
            fetched[address.url] = error
    return fetched


def look(db: Connection, place: Place, media: Media, fetched: Fetched) -> Found:
    """Tell what is at a place; nothing is stored yet.

    Raises: `InvalidInput` naming the field if that is no image, too large, outside
    the media folder, or at an IP address that is not public.
    """
    limits = media.settings
    try:
        if place.address is not None:
            content = fetched.get(place.address.url)
            if isinstance(content, ValueError):
                raise content
            digest = content.digest if content else ""
            return Found(digest, place.address.url, content=content)
        if place.data is not None:
            data = decode_base64(place.data, limits.fetch_max_bytes)
            content = read_image(data, limits.max_image_pixels)
            return Found(content.digest, content=content)
        return _take(db, place, media)
    except (NotAnImage, UnsafeAddress) as error:
        raise InvalidInput.of(place.field, str(error)) from None


def _take(db: Connection, place: Place, media: Media) -> Found:
    """Find a file of the media folder, and hold its row if it has one.

    A file that has the name of a stored one and no row may be about to go with the
    write that dropped the row, this one or another: it is copied.
    """
    limits = media.settings
    stored, content = image_files.take(
        media.folder, place.path or "", limits.fetch_max_bytes, limits.max_image_pixels
    )
    row = db.row(_BY_PATH, path=stored.relative_path)
    if row is not None:
        return Found(row[1], image_id=row[0])
    if image_files.is_own(stored.relative_path):
        return Found(stored.digest, content=content)
    return Found(stored.digest, stored=stored)
