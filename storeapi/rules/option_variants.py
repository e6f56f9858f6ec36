"""The variants of an option: how a sent set is matched with the stored one.

Source: spec/entities/options.md, rules 2 to 5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import FieldError, InvalidInput
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import OptionVariant, OptionVariantText
from storeapi.rules import images
from storeapi.rules.image_owned import Owner
from storeapi.rules.image_saving import save as save_images
from storeapi.rules.image_sent import Sent
from storeapi.rules.images import MAIN, Media
from storeapi.rules.options import (
    CHECK_BOX,
    LISTED,
    drop_combinations,
    drop_exceptions,
)

NO_IMAGE = Sent()
STEP = 10
"""Between the positions of variants that are sent without."""

_TABLE = table_of(OptionVariant)
_TEXTS = table_of(OptionVariantText)
_COLUMNS = tuple(c.name for c in _TABLE.columns if c.name != "option_id")
_STORED = query(
    select(*[_TABLE.c[name] for name in _COLUMNS], OptionVariantText.variant_name)
    .join(OptionVariantText, OptionVariantText.variant_id == OptionVariant.variant_id)
    .where(
        OptionVariant.option_id == bindparam("option_id", required=True),
        OptionVariantText.lang_code == bindparam("lang_code", required=True),
    )
    .order_by(OptionVariant.position, OptionVariant.variant_id)
)


@dataclass(frozen=True, slots=True)
class SentVariant:
    """One variant of a payload.

    Shapes: `key` is its key or place; `key_id` and `variant_id` are the numbers
    that key and field could mean; `values` hold what was sent, by column, and
    `variant_name`.
    """

    key: str
    key_id: int | None = None
    variant_id: int | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    image: Sent = NO_IMAGE


@dataclass(frozen=True, slots=True)
class VariantsWrite:
    """What a write says of the variants of an option.

    Shapes: `entries` is `None` where none were sent; `icons` maps keys to images;
    `reset` says that the stored ones do not fit the type any more.
    """

    option_type: str
    entries: tuple[SentVariant, ...] | None = None
    icons: Mapping[str, Sent] = field(default_factory=dict)
    reset: bool = False


Stored = dict[str, Any]
Pair = tuple[SentVariant | None, Stored | None]


def save_variants(
    db: Transaction, option_id: int, write: VariantsWrite, context: Context
) -> bool:
    """Bring the variants of an option in line, and tell whether anything changed.

    Raises: `InvalidInput` for a new variant without a name, and unknown icons.
    """
    stored = _stored(db, option_id, context)
    kept = [] if write.reset else stored
    pairs = _pairs(write, kept)
    left = {row["variant_id"] for _, row in pairs if row is not None}
    gone = [row["variant_id"] for row in stored if row["variant_id"] not in left]
    _remove(db, gone, context)
    changed = bool(gone)
    ids: list[int] = []
    for place, (entry, row) in enumerate(pairs):
        if row is None:
            id = _insert(db, option_id, entry, place, context)
            changed = True
        else:
            id = row["variant_id"]
            changed = _update(db, entry, row, context) or changed
        ids.append(id)
    return _save_icons(db, write, _keys(pairs, ids), context) or changed


def _keys(pairs: Sequence[Pair], ids: Sequence[int]) -> dict[str, int]:
    """The variants by what icons may name: their IDs, or rather the keys sent."""
    sent = zip([entry for entry, _ in pairs], ids, strict=True)
    keys = {str(id): id for id in ids}
    return keys | {entry.key: id for entry, id in sent if entry is not None}


def _stored(db: Transaction, option_id: int, context: Context) -> list[Stored]:
    languages = context.written or context.installation.languages
    rows = db.rows(_STORED, option_id=option_id, lang_code=languages[0])
    return [dict(zip((*_COLUMNS, "variant_name"), row, strict=True)) for row in rows]


def _pairs(write: VariantsWrite, stored: Sequence[Stored]) -> list[Pair]:
    """Which sent variant is which stored one, in the order of sending."""
    if write.option_type == CHECK_BOX:
        return _ticks(write.entries or (), stored)
    if write.option_type not in LISTED:
        return []
    if write.entries is None:
        return [(None, row) for row in stored]
    found = matched(write.entries, stored)
    _check_names(write.entries, found)
    return list(zip(write.entries, found, strict=True))


def matched(
    entries: Sequence[SentVariant], stored: Sequence[Stored]
) -> list[Stored | None]:
    """Find the stored variant of each sent one: by ID, by key, by equal name.

    Source: spec/entities/options.md, rule 3.
    """
    left = {row["variant_id"]: row for row in stored}
    found: list[Stored | None] = [None] * len(entries)
    for place, entry in enumerate(entries):
        if entry.variant_id is not None:
            found[place] = left.pop(entry.variant_id, None)
    for place, entry in enumerate(entries):
        if found[place] is None and entry.key_id is not None:
            found[place] = left.pop(entry.key_id, None)
    for place, entry in enumerate(entries):
        if found[place] is None and "variant_name" in entry.values:
            name = entry.values["variant_name"]
            same = [id for id, row in left.items() if row["variant_name"] == name]
            found[place] = left.pop(same[0]) if same else None
    return found


def _check_names(
    entries: Sequence[SentVariant], found: Sequence[Stored | None]
) -> None:
    errors = [
        FieldError(f"variants.{entry.key}.variant_name", "is required", "required")
        for entry, row in zip(entries, found, strict=True)
        if not entry.values.get("variant_name", "" if row is None else "kept").strip()
    ]
    if errors:
        raise InvalidInput(errors=errors)


def _ticks(entries: Sequence[SentVariant], stored: Sequence[Stored]) -> list[Pair]:
    """The two variants of a check box: unticked, ticked.

    What is sent alone belongs to the ticked one, unless it names the other.
    Source: spec/entities/options.md, rule 2.
    """
    if len(entries) > 2:
        raise InvalidInput.of("variants", "a check box has exactly two variants")
    rows: list[Stored | None] = [*stored[:2], None, None][:2]
    sides: list[SentVariant | None] = [None, None]
    free = []
    for entry, row in zip(entries, _by_id(entries, stored), strict=True):
        place = next((n for n, each in enumerate(rows) if each and each is row), None)
        if place is None:
            free.append(entry)
        else:
            sides[place] = entry
    for entry in reversed(free):
        place = 1 if sides[1] is None else 0
        sides[place] = entry
    return [(_tick(sides[place], ticked=place == 1), rows[place]) for place in range(2)]


def _by_id(
    entries: Sequence[SentVariant], stored: Sequence[Stored]
) -> list[Stored | None]:
    """Match by ID and key only: the names of a check box say nothing."""
    bare = [SentVariant(e.key, e.key_id, e.variant_id) for e in entries]
    return matched(bare, stored)


def _tick(entry: SentVariant | None, *, ticked: bool) -> SentVariant | None:
    """A sent variant of a check box, without what only the other side can have."""
    if entry is None:
        return None
    kept = {
        name: value
        for name, value in entry.values.items()
        if name == "variant_name" or (ticked and name != "position")
    }
    return SentVariant(entry.key, entry.key_id, entry.variant_id, kept, entry.image)


def _insert(
    db: Transaction,
    option_id: int,
    entry: SentVariant | None,
    place: int,
    context: Context,
) -> int:
    sent = dict(entry.values) if entry is not None else {}
    name = sent.pop("variant_name", "")
    row = {"option_id": option_id, "position": place * STEP, **sent}
    id = db.insert(_TABLE, row)
    db.insert_many(
        _TEXTS,
        [
            {"variant_id": id, "lang_code": code, "variant_name": name}
            for code in context.installation.languages
        ],
    )
    return id


def _update(
    db: Transaction, entry: SentVariant | None, row: Stored, context: Context
) -> bool:
    if entry is None:
        return False
    moved = {name: v for name, v in entry.values.items() if row[name] != v}
    if not moved:
        return False
    changed = dict(moved)
    name = moved.pop("variant_name", None)
    if name is not None:
        where = {
            "variant_id": row["variant_id"],
            "lang_code": list(context.written or context.installation.languages),
        }
        db.update(_TEXTS, where, {"variant_name": name})
    db.update(_TABLE, {"variant_id": row["variant_id"]}, moved)
    return bool(changed)


def _remove(db: Transaction, ids: Sequence[int], context: Context) -> None:
    """Delete variants, and the combinations and exceptions that name them.

    Source: spec/entities/options.md, rule 7.
    """
    if not ids:
        return
    drop_combinations(db, "variant", ids, context)
    drop_exceptions(db, "variant", ids, context)
    images.remove_all(db, "variant_image", ids, context.settings.media_folder)
    db.delete(_TABLE, {"variant_id": list(ids)})


def _save_icons(
    db: Transaction, write: VariantsWrite, keys: Mapping[str, int], context: Context
) -> bool:
    """Save the images that were sent with the variants, and beside them."""
    unknown = [key for key in write.icons if key not in keys]
    if unknown:
        raise InvalidInput(
            errors=[
                FieldError(
                    f"main_pair.icon.image_path.{key}", "no variant has this key"
                )
                for key in unknown
            ]
        )
    media = Media.of(context.settings, context.base_url)
    sent = [
        (keys[entry.key], entry.image.named(f"variants.{entry.key}.image_pair"))
        for entry in write.entries or ()
        if entry.key in keys
    ]
    sent += [(keys[key], icon.named("main_pair")) for key, icon in write.icons.items()]
    changed = False
    for id, pairs in sent:
        owner = Owner("variant_image", id)
        changed = save_images(db, owner, MAIN, pairs, media) or changed
    return changed
