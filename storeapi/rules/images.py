"""Image pairs of any owner: how they are read, copied and removed.

A pair belongs to an owner `(object_type, object_id)`; its kind is `M` for the
main pair, `A` for additional ones. A row of `images` is one file or one address;
pairs may share it, and it goes, with its file, when no pair names it any more.
How a payload changes pairs is in `image_saving`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, unquote, urlsplit

from sqlalchemy import Select, bindparam, exists, or_, select
from sqlalchemy.orm import aliased

from storeapi.core.database import Connection, Row, Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models.media import Image, ImagePair
from storeapi.rules import image_files
from storeapi.rules.fetching import MediaSettings

Kind = Literal["M", "A"]
MAIN: Kind = "M"
ADDITIONAL: Kind = "A"
IMAGES_PATH = "/images"
_BATCH = 1000
_IMAGE_TABLE = table_of(Image)
_PAIR_TABLE = table_of(ImagePair)


@dataclass(frozen=True, slots=True)
class Media:
    """Where images lie, and the address under which they are served.

    Shapes: `base` ends without a slash, in the scheme of the request.
    """

    settings: MediaSettings
    base: str

    @classmethod
    def of(cls, settings: MediaSettings, base_url: str) -> "Media":
        """Take the address from the settings, or from the request.

        Shapes: `base_url` is the scheme and host of the request.
        """
        if not settings.media_url:
            return cls(settings, base_url.rstrip("/") + IMAGES_PATH)
        scheme = base_url.partition("://")[0] or "http"
        rest = settings.media_url.partition("://")[2]
        return cls(settings, f"{scheme}://{rest}".rstrip("/"))

    @property
    def folder(self) -> Path:
        """The media folder."""
        return self.settings.media_folder

    def url(self, path: str) -> str:
        """Return the address of a file under the folder."""
        return f"{self.base}/{quote(path)}"

    def own_path(self, url: str) -> str | None:
        """Return the path under the folder if the address is one of ours."""
        try:
            base, given = urlsplit(self.base), urlsplit(url.strip())
        except ValueError:
            return None
        is_own = (
            given.scheme in ("http", "https")
            and given.netloc.lower() == base.netloc.lower()
            and given.path.startswith(base.path + "/")
        )
        return unquote(given.path[len(base.path) + 1 :]) if is_own else None


_icon = aliased(Image)
_detailed = aliased(Image)
_shown = [
    column
    for image in (_icon, _detailed)
    for column in (
        image.image_id,
        image.path,
        image.source_url,
        image.alt,
        image.width,
        image.height,
    )
]
_order = (
    ImagePair.object_id,
    ImagePair.kind,
    ImagePair.position,
    ImagePair.pair_id,
)


def pairs_of_owners(*more: Any) -> Select[*tuple[Any, ...]]:
    """Build the SELECT of the pairs of some owners, with both images of each.

    Shapes: pair_id, object_id, kind, position; then image_id, path, source_url,
    alt, width and height of the icon and the same of the full image; then `more`.
    """
    return (
        select(
            ImagePair.pair_id,
            ImagePair.object_id,
            ImagePair.kind,
            ImagePair.position,
            *_shown,
            *more,
        )
        .outerjoin(_icon, _icon.image_id == ImagePair.image_id)
        .outerjoin(_detailed, _detailed.image_id == ImagePair.detailed_id)
        .where(
            ImagePair.object_type == bindparam("object_type"),
            ImagePair.object_id.in_(bindparam("ids", expanding=True)),
        )
        .order_by(*_order)
    )


DIGESTS = (_icon.digest, _detailed.digest)
_PAIRS = query(pairs_of_owners())
_PAIRS_OF_KIND = query(pairs_of_owners().where(ImagePair.kind == bindparam("kind")))

_of_owners = (
    ImagePair.object_type == bindparam("object_type"),
    ImagePair.object_id.in_(bindparam("ids", expanding=True)),
)
_IMAGES_OF_OWNERS = query(
    select(ImagePair.image_id, ImagePair.detailed_id).where(*_of_owners)
)
_PLAIN_PAIRS = query(
    select(
        ImagePair.object_id,
        ImagePair.kind,
        ImagePair.position,
        ImagePair.image_id,
        ImagePair.detailed_id,
        ImagePair.pair_id,
    )
    .where(*_of_owners)
    .order_by(*_order)
)
_unused = (
    Image.image_id.in_(bindparam("ids", expanding=True)),
    ~exists().where(
        or_(
            ImagePair.image_id == Image.image_id,
            ImagePair.detailed_id == Image.image_id,
        )
    ),
)
_HELD = query(
    select(Image.image_id)
    .where(Image.image_id.in_(bindparam("ids", expanding=True)))
    .order_by(Image.image_id)
    .with_for_update()
)
_UNUSED = query(select(Image.image_id, Image.path).where(*_unused))


def load(
    db: Connection,
    object_type: str,
    ids: Sequence[int],
    media: Media,
    kind: Kind | None = None,
) -> dict[int, dict[Kind, dict[str, Any]]]:
    """Load the pairs of a page of owners by one statement, as JSON values.

    Shapes: owner ID to kind to pair ID to pair, in the order of the pairs; owners
    and kinds without pairs are left out. Without `kind` it loads both.
    Source: spec/entities/products.md, 2.5.
    """
    values: dict[str, Any] = {"object_type": object_type, "ids": ids}
    if kind is None:
        rows = db.rows(_PAIRS, **values)
    else:
        rows = db.rows(_PAIRS_OF_KIND, kind=kind, **values)
    found: dict[int, dict[Kind, dict[str, Any]]] = {}
    for row in rows:
        if row[4] is not None or row[10] is not None:
            of_kind = found.setdefault(row[1], {}).setdefault(row[2], {})
            of_kind[str(row[0])] = _pair_record(row, object_type, media)
    return found


def _pair_record(row: Row, object_type: str, media: Media) -> dict[str, Any]:
    owner = {"object_id": str(row[1]), "object_type": object_type, "type": row[2]}
    icon, detailed = row[4:10], row[10:16]
    record: dict[str, Any] = {
        "pair_id": str(row[0]),
        "image_id": str(icon[0] or 0),
        "detailed_id": str(detailed[0] or 0),
        "position": str(row[3]),
        "object_id": owner["object_id"],
        "object_type": object_type,
    }
    if icon[0] is not None:
        record["icon"] = owner | _image_record(icon, media)
    if detailed[0] is not None:
        record["detailed"] = owner | _image_record(detailed, media)
    return record


def _image_record(image: Row, media: Media) -> dict[str, Any]:
    _, path, source_url, alt, width, height = image
    url = source_url or "" if path is None else media.url(path)
    rest = url.partition("://")[2]
    return {
        "image_path": url,
        "alt": alt,
        "image_x": str(width),
        "image_y": str(height),
        "http_image_path": f"http://{rest}" if rest else "",
        "https_image_path": f"https://{rest}" if rest else "",
        "relative_path": path or "",
        "is_high_res": False,
    }


def remove_all(
    db: Transaction, object_type: str, ids: Iterable[int], folder: Path | None
) -> None:
    """Remove every pair of some owners, and the images that nobody else shows.

    Without `folder` the files stay.
    """
    for batch in _batches(ids):
        rows = db.rows(_IMAGES_OF_OWNERS, object_type=object_type, ids=batch)
        if rows:
            where = {"object_type": object_type, "object_id": batch}
            db.delete(_PAIR_TABLE, where)
            discard(db, (id for row in rows for id in row if id is not None), folder)


def discard(db: Transaction, image_ids: Iterable[int], folder: Path | None) -> None:
    """Delete those images that no pair names; their files go after the commit.

    They are held first: who shows one of them anew has done so by then, and it stays,
    or finds it gone.
    """
    for batch in _batches(image_ids):
        if db.concurrent:
            db.rows(_HELD, ids=batch)
        unused: dict[int, str | None] = dict(db.rows(_UNUSED, ids=batch))
        if not unused:
            continue
        db.delete(_IMAGE_TABLE, {"image_id": list(unused)})
        for path in unused.values():
            if folder and path:
                db.after_commit(_removal(folder, path))


def copy(db: Transaction, object_type: str, ids: Mapping[int, int]) -> None:
    """Give copies of objects the same pairs; they share the image files.

    Shapes: `ids` maps the old owner's ID to the new one's. A later change of the
    text of a shared image makes a copy of it first.
    """
    rows: list[dict[str, Any]] = []
    for batch in _batches(ids):
        for old_id, *pair, _ in db.rows(
            _PLAIN_PAIRS, object_type=object_type, ids=batch
        ):
            rows.append(_pair_row(object_type, ids[old_id], pair))
    db.insert_many(_PAIR_TABLE, rows)


def follow(
    db: Transaction,
    object_type: str,
    source: int,
    targets: Iterable[int],
    folder: Path,
) -> None:
    """Give owners the pairs of another one; those that are alike keep their IDs.

    A place is a kind and a position. Where pairs share one, it is their IDs that
    order them, so that they stay or go together.
    """
    wanted = _places(db, object_type, [source]).get(source, {})
    rows: list[dict[str, Any]] = []
    gone: list[Row] = []
    for batch in _batches(targets):
        placed = _places(db, object_type, batch)
        for target in batch:
            own = placed.get(target, {})
            for place in dict.fromkeys([*own, *wanted]):
                old, new = own.get(place, []), wanted.get(place, [])
                if [pair[:-1] for pair in old] == [pair[:-1] for pair in new]:
                    continue
                gone += old
                rows += [_pair_row(object_type, target, pair[:-1]) for pair in new]
    for ids in _batches(pair[-1] for pair in gone):
        db.delete(_PAIR_TABLE, {"pair_id": ids})
    db.insert_many(_PAIR_TABLE, rows)
    discard(db, (id for pair in gone for id in pair[2:4] if id is not None), folder)


def _places(
    db: Connection, object_type: str, ids: Sequence[int]
) -> dict[int, dict[Row, list[Row]]]:
    """The pairs of owners by kind and position, in their order.

    Shapes: kind, position, both images, and the ID of the pair.
    """
    found: dict[int, dict[Row, list[Row]]] = {}
    for owner, *pair in db.rows(_PLAIN_PAIRS, object_type=object_type, ids=ids):
        places = found.setdefault(owner, {})
        places.setdefault(tuple(pair[:2]), []).append(tuple(pair))
    return found


def _pair_row(object_type: str, owner: int, pair: Sequence[Any]) -> dict[str, Any]:
    names = ("kind", "position", "image_id", "detailed_id")
    return {
        "object_type": object_type,
        "object_id": owner,
        **dict(zip(names, pair, strict=True)),
    }


def _removal(folder: Path, path: str) -> Any:
    """Return the action that removes one file."""
    return lambda: image_files.remove(folder, path)


def _batches(ids: Iterable[int]) -> Iterator[list[int]]:
    """Cut IDs into lists that fit into one statement, each ID once."""
    unique = sorted(set(ids))
    for start in range(0, len(unique), _BATCH):
        yield unique[start : start + _BATCH]
