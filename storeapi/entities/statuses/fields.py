"""The fields of a status, in the order of spec/entities/statuses.md."""

from typing import Any

import orjson

from storeapi import Choice, Code, Fields, Flag, Id, Text
from storeapi.core.kinds import JsonSchema, Kind, Letter, Writer
from storeapi.models import StatusText
from storeapi.rules.statuses import TYPE_ORDER, TYPE_SHIPMENT, read_params

MAIL = ("email_subj", "email_header")
"""What a company may word for itself."""


class StatusLetter(Letter):
    """The letter or digit that orders carry; empty for the first free one."""

    def parse(self, value: Any) -> str:
        """Take one character, in either case, or none."""
        return "" if value == "" else super().parse(value)

    def null(self) -> str:
        """Null leaves the choice to us."""
        return ""

    def payload_schema(self) -> JsonSchema:
        """Describe the character, or none."""
        return super().payload_schema() | {"pattern": "^[A-Za-z0-9]?$"}


class Params(Kind):
    """What happened to an order means: a map of texts, merged key by key."""

    def parse(self, value: Any) -> dict[str, str | None]:
        """Read what is to change."""
        return read_params(value)

    def null(self) -> dict[str, str | None]:
        """Null changes nothing."""
        return {}

    def conversion(self, *, full: bool) -> Writer | None:
        """Write the map."""
        return orjson.loads

    def record_schema(self) -> JsonSchema:
        """Describe the map."""
        return {"type": "object", "additionalProperties": {"type": "string"}}

    def payload_schema(self) -> JsonSchema:
        """Describe what is taken; null removes a parameter."""
        return {"type": ["object", "array"]}


class StatusFields(Fields):
    """All fields of `statuses`."""

    status_id = Id(dump_only=True, listed=True)
    status = StatusLetter(create_only=True, listed=True)
    type = Choice(TYPE_ORDER, TYPE_SHIPMENT, create_only=True, listed=True)
    is_default = Flag(listed=True)
    description = Text(required=True, translated=True, listed=True)
    email_subj = Text(translated=True, listed=True)
    email_header = Text(translated=True, listed=True)
    lang_code = Code(
        column=StatusText.lang_code, dump_only=True, listed=True, filterable=False
    )
    params = Params(listed=True, filterable=False)
