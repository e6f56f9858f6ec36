"""Envelopes of both versions, and how an answer leaves."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import orjson

from storeapi.core.entity import Entity, Listing, Result, Version
from storeapi.core.errors import Fault
from storeapi.core.query import emit_pairs

PLAIN_TYPE = "text/plain; charset=utf-8"


def encode_json(value: Any) -> bytes:
    """Encode a JSON value as UTF-8, in the order of its keys."""
    return orjson.dumps(value)


def encode(value: Any, media_type: str) -> bytes:
    """Encode a body in the media type that the client chose."""
    if media_type == "text/plain":
        return emit_pairs(value).encode()
    return encode_json(value)


def content_type(media_type: str) -> str:
    """The `Content-Type` of a media type."""
    return PLAIN_TYPE if media_type == "text/plain" else media_type


def body_of(entity: Entity, result: Result, operation: str) -> Any:
    """The body of a result in the version of the request.

    Source: spec/protocol.md, sections 3, 5 and 6.
    """
    version = entity.context.version
    if isinstance(result.data, Listing):
        return _envelope(entity, result.data, version)
    if operation == "index":
        return result.data
    return _identified(entity, result, version, operation)


def _envelope(entity: Entity, listing: Listing, version: Version) -> Any:
    shape = listing.shape or entity.shapes[version]
    if shape in ("map", "bare_map"):
        records: Any = _keyed(entity, listing)
    else:
        records = list(listing.records)
    if shape in ("bare_map", "bare_array"):
        return records
    name = entity.name
    if version != "1.0" and entity.list_key is not None:
        name = entity.list_key
    envelope = {name: records}
    for key in entity.echoes[version]:
        envelope[key] = listing.params
    return envelope


def _keyed(entity: Entity, listing: Listing) -> dict[str, Any]:
    """Records by their keys; one whose key is taken gets its row's number too."""
    found: dict[str, Any] = {}
    for id, record in zip(listing.ids, listing.records, strict=True):
        key = str(id) if entity.map_key is None else record[entity.map_key]
        found[f"{key}-{id}" if key in found else key] = record
    return found


def _identified(
    entity: Entity, result: Result, version: Version, operation: str
) -> Any:
    if not isinstance(result.data, dict) or entity.id_key not in result.data:
        return result.data
    kind = str if version == "1.0" else entity.answers[operation]
    return {**result.data, entity.id_key: kind(result.data[entity.id_key])}


def list_headers(
    listing: Listing, path: str, query: Mapping[str, Any]
) -> dict[str, str]:
    """The headers of a list: its total, the links to other pages, the cursor.

    Source: spec/protocol.md, section 5.1 (bare lists carry no counts).
    """
    headers = {"X-Total-Count": str(listing.total)}
    if listing.cursor is not None:
        headers["X-Next-Cursor"] = listing.cursor
    size = listing.items_per_page
    if size is None:
        return headers
    links = _cursor_links(listing) if listing.by_cursor else _page_links(listing, size)
    kept = {k: v for k, v in query.items() if k not in ("page", "cursor")}
    pairs = [pair for pair in emit_pairs(kept).split("&") if pair]
    headers["Link"] = ", ".join(
        f'<{path}?{"&".join([*pairs, urlencode(place)])}>; rel="{rel}"'
        for rel, place in links.items()
    )
    if not headers["Link"]:
        del headers["Link"]
    return headers


def _page_links(listing: Listing, size: int) -> dict[str, dict[str, Any]]:
    last = max(1, -(-listing.total // size))
    links: dict[str, dict[str, Any]] = {"first": {"page": 1}, "last": {"page": last}}
    if listing.page > 1:
        links["prev"] = {"page": min(listing.page - 1, last)}
    if listing.page < last:
        links["next"] = {"page": listing.page + 1}
    return links


def _cursor_links(listing: Listing) -> dict[str, dict[str, Any]]:
    return {} if listing.cursor is None else {"next": {"cursor": listing.cursor}}


def names_header(names: Sequence[str]) -> str:
    """Names that a client sent, as the value of a header field."""
    text = ", ".join(names).encode("ascii", "backslashreplace").decode()[:1000]
    return "".join(c if c.isprintable() else " " for c in text)


def fault_body(fault: Fault, request_id: str) -> dict[str, Any]:
    """The one body of every error.

    Source: spec/protocol.md, section 8; RFC 9457.
    """
    body: dict[str, Any] = {
        "message": fault.message,
        "status": int(fault.status),
        "type": "about:blank",
        "title": fault.status.phrase,
        "detail": fault.detail,
        "request_id": request_id,
    }
    if fault.errors:
        body["errors"] = [
            {
                "field": error.field,
                "pointer": error.pointer,
                "code": error.code,
                "message": error.message,
            }
            for error in fault.errors
        ]
    return body
