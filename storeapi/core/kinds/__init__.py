"""Field kinds: how one value is read and written."""

from storeapi.core.kinds.base import JsonSchema, Kind, Options, Writer, unless_null
from storeapi.core.kinds.documents import Document
from storeapi.core.kinds.fields import Fields
from storeapi.core.kinds.keys import Keys
from storeapi.core.kinds.lists import IdList, id_array, ids_of
from storeapi.core.kinds.nested import ABSENT, Absent, Constant, Derived, Nested
from storeapi.core.kinds.numbers import (
    LARGEST_ID,
    Decimal,
    Id,
    Integer,
    Money,
    decimal_number,
    decimal_text,
    id_in,
    integer_of,
    money_text,
    scaled_of,
    trimmed_text,
)
from storeapi.core.kinds.problems import Faults, Problem, errors_of, invalid, under
from storeapi.core.kinds.texts import (
    Choice,
    Code,
    Email,
    Flag,
    Letter,
    Text,
    Url,
    storable,
    text_of,
)
from storeapi.core.kinds.times import Timestamp, seconds_of

__all__ = [
    "ABSENT",
    "LARGEST_ID",
    "Absent",
    "Choice",
    "Code",
    "Constant",
    "Decimal",
    "Derived",
    "Document",
    "Email",
    "Faults",
    "Fields",
    "Flag",
    "Id",
    "IdList",
    "Integer",
    "JsonSchema",
    "Keys",
    "Kind",
    "Letter",
    "Money",
    "Nested",
    "Options",
    "Problem",
    "Text",
    "Timestamp",
    "Url",
    "Writer",
    "decimal_number",
    "decimal_text",
    "errors_of",
    "id_array",
    "id_in",
    "ids_of",
    "integer_of",
    "invalid",
    "money_text",
    "scaled_of",
    "seconds_of",
    "storable",
    "text_of",
    "trimmed_text",
    "under",
    "unless_null",
]
