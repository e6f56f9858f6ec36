"""The fields of an order that are kept in other tables; all of them read-only."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from storeapi import Connection, Context, Nested
from storeapi.core.kinds import JsonSchema
from storeapi.rules import images
from storeapi.rules.images import MAIN, Media
from storeapi.rules.order_parts import load_parts
from storeapi.rules.order_records import (
    group_records,
    item_record,
    items_of,
    must_ship,
    shipping_records,
    tax_records,
)
from storeapi.rules.sent_lines import LINE_KEYS

Found = Mapping[int, Any]


class Products(Nested):
    """The lines of an order, by item ID."""

    def unknown_keys(self, value: Any) -> Iterable[str]:
        """The names of keys that lines do not have; the entity reads lines itself."""
        return LINE_KEYS.unknown(value)

    def load(self, db: Connection, ids: Sequence[int], context: Context) -> Found:
        """Load the lines, and the first image of each product."""
        parts = load_parts(db, ids, context)
        items = {id: items_of(parts, id) for id in ids}
        media = Media.of(context.settings, context.base_url)
        known = sorted(parts.products)
        pairs = images.load(db, "product", known, media, MAIN) if known else {}
        company_id = context.caller.company_id

        def image(product_id: int) -> Any:
            return next(iter(pairs.get(product_id, {}).get(MAIN, {}).values()), None)

        return {
            id: {
                str(item.item_id): item_record(
                    item,
                    parts.products.get(item.product_id),
                    company_id,
                    image(item.product_id),
                )
                for item in own
            }
            for id, own in items.items()
            if own
        }


class Taxes(Nested):
    """The taxes of an order, by tax ID."""

    def load(self, db: Connection, ids: Sequence[int], context: Context) -> Found:
        """Add up those of a parent's orders."""
        parts = load_parts(db, ids, context)
        return {id: tax_records(t for p in parts.of[id] for t in p.taxes) for id in ids}


class Groups(Nested):
    """The products of an order, grouped by where they come from."""

    def load(self, db: Connection, ids: Sequence[int], context: Context) -> Found:
        """Build the groups from the lines."""
        parts = load_parts(db, ids, context)
        return {id: group_records(parts.of[id]) for id in ids}


class Shippings(Nested):
    """The chosen shipping methods."""

    def load(self, db: Connection, ids: Sequence[int], context: Context) -> Found:
        """One a group."""
        parts = load_parts(db, ids, context)
        return {id: shipping_records(parts.of[id]) for id in ids}


class ShippingIds(Nested):
    """The numbers of the chosen methods, as a comma list; one for each group."""

    def load(self, db: Connection, ids: Sequence[int], context: Context) -> Found:
        """Those of a parent's orders together."""
        parts = load_parts(db, ids, context)
        return {
            id: ",".join(
                str(each.shipping_id)
                for part in parts.of[id]
                for each in part.shippings
            )
            for id in ids
        }

    def empty(self) -> str:
        """No method."""
        return ""

    def record_schema(self) -> JsonSchema:
        """Describe the list."""
        return {"type": "string"}


class NeedShipping(Nested):
    """Whether something is shipped at all."""

    def load(self, db: Connection, ids: Sequence[int], context: Context) -> Found:
        """Ask the lines."""
        parts = load_parts(db, ids, context)
        return {
            id: any(item.needs_shipping for item in items_of(parts, id)) for id in ids
        }

    def empty(self) -> bool:
        """Nothing is."""
        return False

    def record_schema(self) -> JsonSchema:
        """Describe the answer."""
        return {"type": "boolean"}


class NeedShipment(Nested):
    """Whether something is still to be shipped."""

    def load(self, db: Connection, ids: Sequence[int], context: Context) -> Found:
        """Ask the lines."""
        parts = load_parts(db, ids, context)
        return {id: must_ship(items_of(parts, id)) for id in ids}

    def empty(self) -> bool:
        """Nothing is."""
        return False

    def record_schema(self) -> JsonSchema:
        """Describe the answer."""
        return {"type": "boolean"}


class ShipmentIds(Nested):
    """The numbers of an order's shipments."""

    def load(self, db: Connection, ids: Sequence[int], context: Context) -> Found:
        """Those of a parent's orders together."""
        parts = load_parts(db, ids, context)
        return {
            id: [str(number) for part in parts.of[id] for number in part.shipments]
            for id in ids
        }
