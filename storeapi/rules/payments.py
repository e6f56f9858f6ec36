"""Payment methods as orders use them.

Source: spec/entities/payments.md, section 5.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection
from storeapi.core.entity import Context, Record
from storeapi.core.errors import InvalidInput
from storeapi.core.kinds import decimal_text
from storeapi.core.statement import query
from storeapi.models import Payment, PaymentText
from storeapi.rules import images
from storeapi.rules.buying import Buyer
from storeapi.rules.id_lists import ids_in
from storeapi.rules.images import MAIN, Media
from storeapi.rules.processors import Processor
from storeapi.rules.totals import Surcharge

_COLUMNS = (
    "payment_id", "company_id", "usergroup_ids", "position", "status", "template",
    "processor_id", "a_surcharge", "p_surcharge", "tax_ids", "localization",
    "payment_category",
)  # fmt: skip
_TEXTS = ("payment", "description", "instructions", "surcharge_title", "lang_code")
_PAYMENT = query(
    select(
        *[getattr(Payment, name) for name in _COLUMNS],
        *[getattr(PaymentText, name) for name in _TEXTS],
    )
    .join(PaymentText, PaymentText.payment_id == Payment.payment_id)
    .where(
        Payment.payment_id == bindparam("id", required=True),
        PaymentText.lang_code == bindparam("lang_code", required=True),
    )
)


@dataclass(frozen=True, slots=True)
class PaymentMethod:
    """A payment method that an order may use.

    Units: surcharges in thousandths, of a unit of money and of a per cent.
    Shapes: `record` is the copy that the order keeps; no secret is in it.
    """

    payment_id: int
    company_id: int
    payment: str
    a_surcharge: int
    p_surcharge: int
    tax_ids: tuple[int, ...]
    record: Record

    def surcharge(self, *, fixed: bool = True) -> Surcharge:
        """What the method adds to an order.

        Shapes: without `fixed`, the part that does not depend on the order is charged
        elsewhere.
        """
        fee = self.a_surcharge if fixed else 0
        return Surcharge(self.payment_id, fee, self.p_surcharge, self.tax_ids)


def available_payment(
    db: Connection, payment_id: int, buyer: Buyer, context: Context
) -> PaymentMethod:
    """The payment method of that ID, if the buyer may use it.

    Raises: `InvalidInput` naming `payment_id`.
    """
    row = db.row(_PAYMENT, id=payment_id, lang_code=buyer.lang_code)
    found = None if row is None else dict(zip((*_COLUMNS, *_TEXTS), row, strict=True))
    if found is None or not buyer.may_use(
        found["company_id"], found["status"], found["usergroup_ids"]
    ):
        text = f"{payment_id} is no payment method that can be used here"
        raise InvalidInput.of("payment_id", text, "unknown")
    return PaymentMethod(
        payment_id,
        found["company_id"],
        found["payment"],
        found["a_surcharge"],
        found["p_surcharge"],
        ids_in(found["tax_ids"]),
        _record(db, found, context),
    )


def _record(db: Connection, found: dict[str, Any], context: Context) -> Record:
    """The record of a payment as an order keeps it, without what a processor needs.

    Source: spec/entities/payments.md, section 3, and rule 4.
    """
    id, registry = found["payment_id"], context.registry
    processor = registry and registry.extension(Processor, found["processor_id"])
    media = Media.of(context.settings, context.base_url)
    pairs = images.load(db, "payment", [id], media, MAIN).get(id, {}).get(MAIN, {})
    return {
        **{n: str(v) if isinstance(v, int) else v for n, v in found.items()},
        "a_surcharge": decimal_text(found["a_surcharge"], 3),
        "p_surcharge": decimal_text(found["p_surcharge"], 3),
        "tax_ids": [str(tax_id) for tax_id in ids_in(found["tax_ids"])],
        "processor_params": "",
        "processor": getattr(processor, "processor", None),
        "processor_type": getattr(processor, "processor_type", None),
        "processor_status": None,
        "image": next(iter(pairs.values()), []),
    }
