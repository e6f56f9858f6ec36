"""Payment methods: how an order is paid. No payment is ever run here."""

from storeapi import (
    Choice,
    Code,
    Decimal,
    Derived,
    Fields,
    Id,
    IdList,
    Integer,
    InvalidInput,
    Key,
    Listing,
    Params,
    Record,
    Result,
    Text,
    allow,
)
from storeapi.core.writing import Values
from storeapi.entities.methods import SellingMethod, for_group
from storeapi.models import Payment, PaymentText
from storeapi.rules.image_kinds import ImagePair
from storeapi.rules.processors import TYPES, Processor
from storeapi.rules.secrets import SecretMap

_OF_PROCESSOR = frozenset({"processor", "processor_type"})


def _number(processor_id: int) -> int:
    """The processor whose name or type is to be shown."""
    return processor_id


class PaymentFields(Fields):
    """The fields of a payment method."""

    payment_id = Id(dump_only=True, listed=True)
    company_id = Id(zero=True, create_only=True, listed=True)
    usergroup_ids = IdList(listed=True)
    position = Integer(listed=True)
    status = Choice("A", "D", "H", listed=True)
    template = Text(listed=True)
    processor_id = Id(zero=True, listed=True)
    processor_params = SecretMap(listed=True, filterable=False)
    a_surcharge = Decimal(3, listed=True)
    p_surcharge = Decimal(3, minimum=0, listed=True)
    tax_ids = IdList(array="full", listed=True)
    localization = Text(listed=True)
    payment_category = Choice("tab1", "tab2", "tab3", listed=True)
    payment = Text(required=True, translated=True, listed=True)
    description = Text(translated=True, listed=True)
    instructions = Text(translated=True, listed=True)
    surcharge_title = Text(translated=True, listed=True)
    lang_code = Code(
        column=PaymentText.lang_code, dump_only=True, listed=True, filterable=False
    )
    processor = Derived(("processor_id",), _number, schema={"type": ["string", "null"]})
    processor_type = Derived(
        ("processor_id",),
        _number,
        schema={"type": ["string", "null"], "enum": [*TYPES, None]},
    )
    image = ImagePair(object_type="payment")


class Payments(SellingMethod[Payment]):
    """Payment methods of stores: texts, surcharge, taxes on it, processor."""

    name = "payments"
    id_key = "payment_id"
    masked = "processor_params"
    named = "payment"
    model = Payment
    texts = PaymentText
    fields = PaymentFields
    filters = (for_group(Payment),)
    sortings = {
        "position": Payment.position,
        "payment": PaymentText.payment_key,
        "status": Payment.status,
    }
    privileges = allow(view="view_payments", manage="manage_payments")

    def index(self, id: Key | None, params: Params) -> Result:
        """Say of processors what they say of themselves, in lists of full records."""
        result = super().index(id, params)
        if isinstance(result.data, Listing):
            shown = [r for r in result.data.records if not _OF_PROCESSOR.isdisjoint(r)]
            for record in shown:
                self._tell_processor(record)
        return result

    def read_one(self, id: Key, params: Params) -> Record:
        """Say of the processor what it says of itself."""
        record = super().read_one(id, params)
        self._tell_processor(record)
        return record

    def _tell_processor(self, record: Record) -> None:
        for name in _OF_PROCESSOR & record.keys():
            record[name] = getattr(self._processor(record[name]), name, None)

    def _processor(self, processor_id: int) -> Processor | None:
        registry = self.context.registry
        return registry.extension(Processor, processor_id) if registry else None

    def check(self, values: Values, row: Record | None) -> None:
        """Judge the processor too."""
        super().check(values, row)
        processor_id = values.get("processor_id", 0)
        if not processor_id or processor_id == (row or {}).get("processor_id"):
            return
        if self._processor(processor_id) is None:
            text = f"{processor_id} is no processor that is installed"
            raise InvalidInput.of("processor_id", text, "unknown")
