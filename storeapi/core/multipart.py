"""The properties in a `multipart/form-data` body; files are left out."""

from collections.abc import Iterator

from storeapi.core.errors import InvalidInput
from storeapi.core.headers import parameters

_MAX_BOUNDARY = 200
_MAX_HEAD = 8192
_FIELD = b"content-disposition:"


def form_pairs(
    data: bytes, boundary: str, *, max_parts: int
) -> Iterator[tuple[str, str]]:
    """Read the name and text of every part that has no file name.

    Raises: `InvalidInput` for a body that is cut short or malformed, for too many
    parts, and for text that is not UTF-8.
    Source: spec/protocol.md, section 7, request; RFC 7578.
    """
    if not boundary.isascii() or not 0 < len(boundary) <= _MAX_BOUNDARY:
        raise InvalidInput("the multipart body has no sound boundary")
    delimiter = b"\r\n--" + boundary.encode()
    # The line end before a delimiter is part of it; the first one may lack it.
    data = b"\r\n" + data
    if data.count(delimiter) > max_parts + 1:
        raise InvalidInput(f"the body holds more than {max_parts} properties")
    for part in data.split(delimiter)[1:]:
        if part.startswith(b"--"):
            return
        pair = _pair(part)
        if pair is not None:
            yield pair
    raise InvalidInput("the multipart body is cut short")


def _pair(part: bytes) -> tuple[str, str] | None:
    """Read one part; `None` for a file.

    Raises: `InvalidInput`.
    """
    head, blank, content = part.partition(b"\r\n\r\n")
    padding, *fields = head[:_MAX_HEAD].split(b"\r\n")
    if not blank or len(head) > _MAX_HEAD or padding.strip(b" \t"):
        raise InvalidInput("the multipart body is malformed")
    for line in fields:
        if line.lower().startswith(_FIELD):
            kind, found = parameters(_text(line[len(_FIELD) :]))
            if kind.lower() == "form-data" and "name" in found:
                is_file = "filename" in found or "filename*" in found
                return None if is_file else (found["name"], _text(content))
    raise InvalidInput("the multipart body has a part without a name")


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InvalidInput("the body is not UTF-8 text") from None
