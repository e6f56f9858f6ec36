"""storeapi: a REST server for the data of an online store.

The names in `__all__` are what a plug-in may import.
"""

from storeapi.core.access import Caller
from storeapi.core.changes import Change
from storeapi.core.column_filters import AnyOf, AtLeast, AtMost, Contains, Same
from storeapi.core.conditions import Condition, equals
from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import (
    STATUS_BAD_REQUEST,
    STATUS_CREATED,
    STATUS_FORBIDDEN,
    STATUS_METHOD_NOT_ALLOWED,
    STATUS_NO_CONTENT,
    STATUS_NOT_FOUND,
    STATUS_OK,
    Context,
    Entity,
    Key,
    Listing,
    Params,
    Record,
    Result,
    allow,
)
from storeapi.core.errors import (
    FieldError,
    Forbidden,
    InvalidInput,
    NotFound,
    Refused,
    Unavailable,
)
from storeapi.core.filters import Period, Where
from storeapi.core.kinds import (
    Choice,
    Code,
    Constant,
    Decimal,
    Derived,
    Email,
    Fields,
    Flag,
    Id,
    IdList,
    Integer,
    Keys,
    Money,
    Nested,
    Text,
    Timestamp,
    Url,
)
from storeapi.core.setting import Setting
from storeapi.core.statement import Query, query
from storeapi.core.table import TableEntity
from storeapi.rules.carriers import Carrier, Consignment
from storeapi.rules.notifications import (
    WaitingNotification,
    mark_notifications_sent,
    waiting_notifications,
)
from storeapi.rules.processors import Processor
from storeapi.rules.setting_values import setting_value

__all__ = [
    "STATUS_BAD_REQUEST",
    "STATUS_CREATED",
    "STATUS_FORBIDDEN",
    "STATUS_METHOD_NOT_ALLOWED",
    "STATUS_NOT_FOUND",
    "STATUS_NO_CONTENT",
    "STATUS_OK",
    "AnyOf",
    "AtLeast",
    "AtMost",
    "Caller",
    "Carrier",
    "Change",
    "Choice",
    "Code",
    "Condition",
    "Connection",
    "Consignment",
    "Constant",
    "Contains",
    "Context",
    "Decimal",
    "Derived",
    "Email",
    "Entity",
    "FieldError",
    "Fields",
    "Flag",
    "Forbidden",
    "Id",
    "IdList",
    "Integer",
    "InvalidInput",
    "Key",
    "Keys",
    "Listing",
    "Money",
    "Nested",
    "NotFound",
    "Params",
    "Period",
    "Processor",
    "Query",
    "Record",
    "Refused",
    "Result",
    "Same",
    "Setting",
    "TableEntity",
    "Text",
    "Timestamp",
    "Transaction",
    "Unavailable",
    "Url",
    "WaitingNotification",
    "Where",
    "allow",
    "equals",
    "mark_notifications_sent",
    "query",
    "setting_value",
    "waiting_notifications",
]
