"""How a payload changes the image pairs of an owner.

A pair that is sent is one the owner has (by its ID, by the address its image was
taken from, or by the same bytes) or a new one. Sending what was read changes
nothing, and sending the same twice adds nothing.

Source: spec/entities/products.md, 2.5 and rule 5.10; spec/clients.md, section 4.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import BindParameter, bindparam, or_, select

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models.media import Image, ImagePair
from storeapi.rules.fetching import may_fetch
from storeapi.rules.image_keeping import keep, keep_copy
from storeapi.rules.image_owned import OwnedPair, Owner, Picture, owned_pairs
from storeapi.rules.image_places import (
    Fetched,
    Found,
    Origin,
    Place,
    fetch_all,
    look,
    origin_of,
)
from storeapi.rules.image_sent import SLOTS, Sent, SentImage, SentPair
from storeapi.rules.images import MAIN, Kind, Media, discard

_IMAGES = table_of(Image)
_PAIRS = table_of(ImagePair)
_COLUMNS: Mapping[str, str] = {"icon": "image_id", "detailed": "detailed_id"}

_image_id: BindParameter[int] = bindparam("image_id")
_SHARERS = query(
    select(ImagePair.pair_id)
    .where(
        or_(ImagePair.image_id == _image_id, ImagePair.detailed_id == _image_id),
        ImagePair.pair_id != bindparam("pair_id"),
    )
    .limit(1)
)


def save(db: Transaction, owner: Owner, kind: Kind, sent: Sent, media: Media) -> bool:
    """Change the owner's main pair, or its additional pairs, as was sent.

    Where a payload holds both, the main pair is to be saved first. Returns whether
    anything that is shown is different now.
    Raises: `InvalidInput` for an address that is not public, or no image.
    """
    if not sent.pairs:
        return False
    saving = _Saving(db, owner, kind, media)
    wanted = [_Wanted.of(pair, sent.field, media) for pair in sent.pairs]
    saving.fetch(wanted)
    for one in wanted:
        saving.apply(one)
    discard(db, saving.dropped, media.folder)
    return saving.changed


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One sent pair with the origins of its images, by slot."""

    sent: SentPair
    origins: Mapping[str, Origin]

    @classmethod
    def of(cls, sent: SentPair, field: str, media: Media) -> "_Wanted":
        origins = {
            slot: origin_of(sent.image(slot), f"{field}.{sent.field(slot)}", media)
            for slot in SLOTS
        }
        return cls(sent, origins)

    @property
    def names_images(self) -> bool:
        """Whether it says where any image is to be taken from."""
        return any(origin.places for origin in self.origins.values())


class _Saving:
    """The work on the pairs of one kind of one owner."""

    def __init__(self, db: Transaction, owner: Owner, kind: Kind, media: Media) -> None:
        self.db = db
        self.owner = owner
        self.kind = kind
        self.media = media
        self.pairs = owned_pairs(db, owner)
        # What this payload adds is not what its keys may stand for.
        self.keyed = {pair.pair_id for pair in self.pairs if pair.kind == kind}
        self.dropped: set[int] = set()
        self.changed = False
        # Images that were taken from an address before are not fetched again.
        self.taken: dict[str | None, Found] = {
            picture.source_url: Found(picture.digest, image_id=picture.image_id)
            for pair in self.pairs
            for picture in pair.pictures.values()
        }
        self._fetched: Fetched = {}
        self._found: dict[Place, Found] = {}

    def fetch(self, wanted: Iterable[_Wanted]) -> None:
        """Fetch what the payload names by address, while no transaction is held."""
        settings = self.media.settings
        named = [
            place.address
            for one in wanted
            if not one.sent.delete
            for origin in one.origins.values()
            for place in origin.places
            if place.address is not None
        ]
        addresses = {
            address.url: address
            for address in named
            if address.url not in self.taken and may_fetch(address, settings)
        }
        if addresses:
            self._fetched = self.db.outside(
                ("images", *addresses), lambda: fetch_all(addresses.values(), settings)
            )

    def apply(self, wanted: _Wanted) -> None:
        """Work off one sent pair."""
        pair = self._meant(wanted)
        main = next((pair for pair in self.pairs if pair.kind == MAIN), None)
        if pair is None and self.kind == MAIN and _adds_to(main, wanted):
            pair = main
        if wanted.sent.delete:
            if pair is not None:
                self._drop(pair)
        elif pair is not None or wanted.names_images:
            if self.kind == MAIN and main is not None and main is not pair:
                self._drop(main)
            self._put(pair, wanted)

    def _meant(self, wanted: _Wanted) -> OwnedPair | None:
        """Find the pair that was sent: by its ID, its address, its key, its bytes.

        The key of an entry may be the ID of a pair, or a plain number; what the
        address says is surer.
        """
        sent = wanted.sent
        keyed = sent.pair_id is None and sent.key_id in self.keyed
        shown = self._comparable(sent.lead)
        origin = wanted.origins[sent.lead]
        return (
            self._by_id(wanted)
            or next((pair for pair, picture in shown if origin.is_of(picture)), None)
            or (self._named(sent.key_id) if keyed else None)
            or (None if sent.delete else self._same_bytes(origin, shown))
        )

    def _by_id(self, wanted: _Wanted) -> OwnedPair | None:
        """Find the pair whose ID was sent.

        An additional entry that brings an image does not mean the main pair, which
        may have got this very ID from the same payload.
        """
        found = self._named(wanted.sent.pair_id)
        foreign = found is not None and self.kind != MAIN and found.kind == MAIN
        return None if foreign and wanted.names_images else found

    def _named(self, id: int | None) -> OwnedPair | None:
        return next((pair for pair in self.pairs if pair.pair_id == id), None)

    def _comparable(self, slot: str) -> list[tuple[OwnedPair, Picture]]:
        """List the pairs that a sent one may be: those of the same kind first.

        An additional pair may also be the main one, but not the other way round.
        """
        return [
            (pair, pair.pictures[slot])
            for pair in sorted(self.pairs, key=lambda pair: pair.kind != self.kind)
            if slot in pair.pictures and (self.kind != MAIN or pair.kind == MAIN)
        ]

    def _same_bytes(
        self, origin: Origin, shown: Sequence[tuple[OwnedPair, Picture]]
    ) -> OwnedPair | None:
        if not shown or not origin.places:
            return None
        digest = self._look(origin.places[0]).digest
        same = (pair for pair, picture in shown if digest and picture.digest == digest)
        return next(same, None)

    def _look(self, place: Place) -> Found:
        """Return what is at a place, looked up at most once."""
        if place not in self._found:
            url = place.address.url if place.address else ""
            self._found[place] = self.taken.get(url) or look(
                self.db, place, self.media, self._fetched
            )
        return self._found[place]

    def _drop(self, pair: OwnedPair) -> None:
        self.pairs.remove(pair)
        self.dropped |= {picture.image_id for picture in pair.pictures.values()}
        self.db.delete(_PAIRS, {"pair_id": pair.pair_id})
        self.changed = True

    def _put(self, pair: OwnedPair | None, wanted: _Wanted) -> None:
        """Change a pair as was sent, or add it."""
        new = pair is None
        if pair is None:
            pair = OwnedPair(0, self.kind, wanted.sent.position or 0, {})
            self.pairs.append(pair)
        values: dict[str, Any] = {}
        for slot in SLOTS:
            values |= self._put_picture(pair, slot, wanted)
            values |= self._describe(pair, slot, wanted.sent.image(slot))
        if new:
            row = dict.fromkeys(_COLUMNS.values()) | self.owner._asdict() | values
            row |= {"kind": pair.kind, "position": pair.position}
            pair.pair_id = self.db.insert(_PAIRS, row)
        else:
            values |= self._put_place(pair, wanted.sent)
            self.db.update(_PAIRS, {"pair_id": pair.pair_id}, values)
        self.changed |= bool(new or values)

    def _put_place(self, pair: OwnedPair, sent: SentPair) -> dict[str, Any]:
        """Make a pair the main one if it is now; move it; return its columns."""
        values: dict[str, Any] = {}
        if self.kind == MAIN and pair.kind != MAIN:
            pair.kind = values["kind"] = MAIN
        if sent.position is not None and sent.position != pair.position:
            pair.position = values["position"] = sent.position
        return values

    def _put_picture(
        self, pair: OwnedPair, slot: str, wanted: _Wanted
    ) -> dict[str, Any]:
        """Put another image into a slot if one was sent; return the pair's columns."""
        current = pair.pictures.get(slot)
        place = wanted.origins[slot].change(current)
        if place is None:
            return {}
        found = self._look(place)
        if current is not None and found.digest and found.digest == current.digest:
            pair.pictures[slot] = self._note_source(current, found)
            return {}
        sent = wanted.sent.image(slot)
        if current is not None:
            self.dropped.add(current.image_id)
            sent = replace(sent, alt=current.alt) if sent.alt is None else sent
        group = "detailed" if slot == "detailed" else self.owner.object_type
        picture = keep(self.db, found, sent, group=group, media=self.media)
        pair.pictures[slot] = picture
        return {_COLUMNS[slot]: picture.image_id}

    def _note_source(self, picture: Picture, found: Found) -> Picture:
        """Remember that the same bytes are at another address, to fetch once."""
        if found.url is None:
            return picture
        source = {"source_url": found.url}
        self.db.update(_IMAGES, {"image_id": picture.image_id}, source)
        return replace(picture, source_url=found.url)

    def _describe(self, pair: OwnedPair, slot: str, sent: SentImage) -> dict[str, Any]:
        """Store the texts that were sent of an image; return the pair's columns."""
        picture = pair.pictures.get(slot)
        values = _descriptions(picture, sent)
        if picture is None or not values:
            return {}
        columns: dict[str, Any] = {}
        if self._is_shared(pair, slot, picture.image_id):
            self.dropped.add(picture.image_id)
            picture = keep_copy(self.db, picture.image_id, self.media)
            columns = {_COLUMNS[slot]: picture.image_id}
        self.db.update(_IMAGES, {"image_id": picture.image_id}, values)
        pair.pictures[slot] = replace(picture, **values)
        self.changed = True
        return columns

    def _is_shared(self, pair: OwnedPair, slot: str, image_id: int) -> bool:
        values = {"image_id": image_id, "pair_id": pair.pair_id}
        beside = pair.shows(image_id, beside=slot)
        return beside or self.db.row(_SHARERS, **values) is not None


def _adds_to(main: OwnedPair | None, wanted: _Wanted) -> bool:
    """Tell whether a pair that matches none is about the main one as it is."""
    if wanted.sent.delete:
        return wanted.sent.pair_id is None
    if not wanted.names_images:
        return True
    return (
        wanted.sent.lead == "icon" and main is not None and "detailed" in main.pictures
    )


def _descriptions(picture: Picture | None, sent: SentImage) -> dict[str, Any]:
    """Return the columns that were sent and differ.

    The size of a file is measured; what is said of it counts only where an image
    is shown from an address elsewhere.
    """
    if picture is None:
        return {}
    given: dict[str, Any] = {"alt": sent.alt}
    if picture.path is None:
        given |= {"width": sent.width, "height": sent.height}
    return {
        name: value
        for name, value in given.items()
        if value is not None and value != getattr(picture, name)
    }
