"""Payment methods as orders use them.

Source: spec/entities/payments.md, section 5.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection, Row
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
_NAMES = (*_COLUMNS, *_TEXTS)
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
    values = {} if row is None else dict(zip(_NAMES, row, strict=True))
    if row is None or not buyer.may_use(
        values["company_id"], values["status"], values["usergroup_ids"]
    ):
        text = f"{payment_id} is no payment method that can be used here"
        raise InvalidInput.of("payment_id", text, "unknown")
    return PaymentMethod(
        payment_id,
        values["company_id"],
        values["payment"],
        values["a_surcharge"],
        values["p_surcharge"],
        ids_in(values["tax_ids"]),
        {
            **_own_record(row),
            **_processor(values["processor_id"], context),
            "image": _image(db, payment_id, context),
        },
    )


@lru_cache(maxsize=1024)
def _own_record(row: Row) -> Mapping[str, object]:
    """What an order keeps of a row, without what a processor needs.

    Source: spec/entities/payments.md, section 3, and rule 4.
    """
    values = dict(zip(_NAMES, row, strict=True))
    return {
        **{n: str(v) if isinstance(v, int) else v for n, v in values.items()},
        "a_surcharge": decimal_text(values["a_surcharge"], 3),
        "p_surcharge": decimal_text(values["p_surcharge"], 3),
        "tax_ids": [str(tax_id) for tax_id in ids_in(values["tax_ids"])],
        "processor_params": "",
    }


def _processor(processor_id: int, context: Context) -> Record:
    registry = context.registry
    processor = registry and registry.extension(Processor, processor_id)
    return {
        "processor": getattr(processor, "processor", None),
        "processor_type": getattr(processor, "processor_type", None),
        "processor_status": None,
    }


def _image(db: Connection, payment_id: int, context: Context) -> object:
    media = Media.of(context.settings, context.base_url)
    found = images.load(db, "payment", [payment_id], media, MAIN)
    pairs = found.get(payment_id, {}).get(MAIN, {})
    return next(iter(pairs.values()), [])
