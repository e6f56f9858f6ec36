"""Addresses of storefronts: how they are stored, and when two are the same."""

import re

from storeapi.core.folding import folded

_LABEL = r"[^\W_](?:[\w-]*\w)?"
_ADDRESS = re.compile(
    rf"(?:{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?:/[^\s?#\\\x00-\x20\x7f]*)?"
)
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_LARGEST_PORT = 65535


def without_scheme(text: str) -> str:
    """Drop `http://` or `https://`, in any letter case."""
    found = _SCHEME.match(text)
    return text[found.end() :] if found else text


def address_of(text: str) -> str | None:
    """Read the address of a storefront; `None` if it is none.

    Shapes: host with optional port and path, returned without scheme.
    Source: spec/entities/stores.md, rule 5.
    """
    address = without_scheme(text)
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return None
    port = found["port"]
    if port is not None and not 0 < int(port) <= _LARGEST_PORT:
        return None
    return address


def storefront_key(text: str) -> str:
    """The text by which storefronts are compared; a path keeps its letter case.

    Source: spec/entities/stores.md, rule 5.
    """
    host, slash, path = without_scheme(text).partition("/")
    return f"{folded(host)}{slash}{path}".rstrip("/")
