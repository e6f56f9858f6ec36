"""Which page of a list is asked for, by number or by cursor."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from storeapi.core.errors import FieldError, InvalidInput

PAGES = frozenset({"page", "items_per_page"})
PAGING_PARAMS = PAGES | {"cursor"}
LIST_PARAMS = PAGING_PARAMS | {"sort_by", "sort_order", "fields", "detailed_params"}
"""What every list takes; a field of such a name has no equality filter."""
START = "*"
_MAX_PAGE = 10**9


@dataclass(frozen=True, slots=True)
class Page:
    """A page by number, or the rows after a cursor.

    Shapes: `size` is `None` for a list that is not paged; `after` holds the sort
    values and the ID of the last row already seen (`None`: from the first row).
    """

    number: int = 1
    size: int | None = None
    by_cursor: bool = False
    after: tuple[Any, ...] | None = None

    @property
    def offset(self) -> int:
        """Rows to skip."""
        return 0 if self.by_cursor else (self.number - 1) * (self.size or 0)


def read_page(
    params: Mapping[str, Any], *, default: int, maximum: int, optional: bool
) -> Page:
    """Read the paging parameters.

    `optional` makes an unpaged list of one that names no paging parameter.
    Raises: `InvalidInput` for what is no whole number, or negative.
    Source: spec/protocol.md, section 5.3.
    """
    errors: list[FieldError] = []
    number = _whole(params, "page", errors)
    size = _whole(params, "items_per_page", errors)
    if errors:
        raise InvalidInput(errors=errors)
    if size is None:
        unpaged = optional and number is None and "cursor" not in params
        size = None if unpaged else default
    elif size == 0:
        size = maximum
    return Page(
        min(number or 1, _MAX_PAGE), None if size is None else min(size, maximum)
    )


def check_pages(params: Mapping[str, Any]) -> None:
    """Judge paging parameters that a list takes no notice of.

    Raises: `InvalidInput`, as where they count.
    """
    read_page(params, default=1, maximum=1, optional=True)


def _whole(
    params: Mapping[str, Any], name: str, errors: list[FieldError]
) -> int | None:
    text = params.get(name)
    if text is None or text == "":
        return None
    if not isinstance(text, str) or not (text.isascii() and text.isdigit()):
        errors.append(FieldError(name, "must be a whole number, 0 or more"))
        return None
    return int(text[:18]) if len(text) <= 18 else _MAX_PAGE


def write_cursor(sort: str, values: tuple[Any, ...]) -> str:
    """Make the opaque text of a cursor."""
    raw = orjson.dumps([sort, *values])
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def read_cursor(text: str, sort: str, kinds: tuple[type, ...]) -> tuple[Any, ...]:
    """Read a cursor back.

    Raises: `InvalidInput` when it is not one of ours, or of another order.
    """
    fault = InvalidInput.of("cursor", "is not a cursor of this list and order")
    if len(text) > 4096:
        raise fault
    try:
        padded = text + "=" * (-len(text) % 4)
        raw = base64.b64decode(padded, altchars=b"-_", validate=True)
        found = orjson.loads(raw)
    except (binascii.Error, ValueError):
        raise fault from None
    if not isinstance(found, list) or len(found) != len(kinds) + 1:
        raise fault
    values = tuple(found[1:])
    fits = all(type(v) is kind for v, kind in zip(values, kinds, strict=True))
    if found[0] != sort or not fits or any(v == 0 for v in values[-1:]):
        raise fault
    if any(type(v) is int and not -(2**63) <= v < 2**63 for v in values):
        raise fault
    return values
