"""The image pairs that an owner has, as they stand while a payload is worked off."""

from dataclasses import dataclass
from typing import NamedTuple

from storeapi.core.database import Connection, Row
from storeapi.core.statement import query
from storeapi.rules.images import DIGESTS, Kind, pairs_of_owners

_PAIRS_OF_OWNER = query(pairs_of_owners(*DIGESTS))


class Owner(NamedTuple):
    """The object that pairs belong to."""

    object_type: str
    object_id: int


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that is shown by a pair.

    Shapes: `path` is null for one that is shown from `source_url`; `digest` is
    empty for bytes that nobody has seen.
    """

    image_id: int
    path: str | None
    source_url: str | None
    alt: str
    width: int
    height: int
    digest: str


@dataclass(slots=True)
class OwnedPair:
    """A pair of an owner.

    Shapes: `pictures` maps `icon` and `detailed` to the images that are there.
    """

    pair_id: int
    kind: Kind
    position: int
    pictures: dict[str, Picture]

    def shows(self, image_id: int, *, beside: str) -> bool:
        """Tell whether a slot beside the named one shows an image."""
        return any(
            picture.image_id == image_id
            for slot, picture in self.pictures.items()
            if slot != beside
        )


def owned_pairs(db: Connection, owner: Owner) -> list[OwnedPair]:
    """Read the pairs of an owner, the additional ones first."""
    values = {"object_type": owner.object_type, "ids": [owner.object_id]}
    return [
        OwnedPair(row[0], row[2], row[3], _pictures(row))
        for row in db.rows(_PAIRS_OF_OWNER, **values)
    ]


def _pictures(row: Row) -> dict[str, Picture]:
    icon, detailed = (*row[4:10], row[16] or ""), (*row[10:16], row[17] or "")
    slots = {"icon": icon, "detailed": detailed}
    return {slot: Picture(*image) for slot, image in slots.items() if image[0]}
