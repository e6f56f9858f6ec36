"""The taxes that apply, with their rates at the destinations of an order."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import and_, bindparam, or_, select

from storeapi.core.database import Connection, Row
from storeapi.core.statement import query
from storeapi.models import Tax, TaxRate, TaxText
from storeapi.rules.taxing import TaxRule

BILLING = "B"
SHIPPING = "S"

_ids: Any = bindparam("ids", expanding=True)
_RULES = query(
    select(
        Tax.tax_id,
        TaxRate.rate_value,
        TaxRate.rate_type,
        Tax.price_includes_tax,
        Tax.priority,
        TaxText.tax,
        Tax.regnumber,
        Tax.display_including_tax,
    )
    .join(TaxRate, TaxRate.tax_id == Tax.tax_id)
    .join(TaxText, TaxText.tax_id == Tax.tax_id)
    .where(
        Tax.tax_id.in_(_ids),
        Tax.status == "A",
        TaxRate.rate_value != 0,
        TaxText.lang_code == bindparam("lang_code", required=True),
        or_(
            and_(
                Tax.address_type == BILLING,
                TaxRate.destination_id == bindparam("billing", required=True),
            ),
            and_(
                Tax.address_type == SHIPPING,
                TaxRate.destination_id == bindparam("shipping", required=True),
            ),
        ),
    )
    .order_by(Tax.tax_id)
)


def tax_rules(
    db: Connection,
    tax_ids: Iterable[int],
    destinations: Mapping[str, int],
    lang_code: str,
) -> dict[int, TaxRule]:
    """The taxes among these that apply, by ID.

    Shapes: `destinations` maps the kind of an address, `S` or `B`, to the
    destination that contains it.
    Source: spec/entities/taxes.md, section 5.1.
    """
    ids = sorted(set(tax_ids))
    if not ids:
        return {}
    rows = db.rows(
        _RULES,
        ids=ids,
        lang_code=lang_code,
        billing=destinations[BILLING],
        shipping=destinations[SHIPPING],
    )
    return {row[0]: _rule(row) for row in rows}


@lru_cache(maxsize=1024)
def _rule(row: Row) -> TaxRule:
    return TaxRule(
        row[0],
        row[1],
        row[2],
        included=row[3] == "Y",
        priority=row[4],
        description=row[5],
        regnumber=row[6],
        displayed=row[7] == "Y",
    )
