"""Conditional requests: a record's tag, 304 and 412."""

import hashlib
from dataclasses import replace

from storeapi.core.entity import Entity, Key, Params
from storeapi.core.errors import NotFound, PreconditionFailed
from storeapi.core.headers import EntityTag, EntityTags
from storeapi.core.present import encode_json

_TAG_BYTES = 12
_SUFFIXES = {"text/plain": "-text"}


def tag_of(body: bytes, media_type: str) -> EntityTag:
    """The strong tag of a record: a digest of its JSON, one per media type."""
    digest = hashlib.blake2b(body, digest_size=_TAG_BYTES).hexdigest()
    return EntityTag(digest + _SUFFIXES.get(media_type, ""))


def check_match(entity: Entity, id: Key, payload: Params, tags: EntityTags) -> None:
    """Compare `If-Match` with the object as it is, and hold it until the commit.

    The object is locked before it is read, inside the transaction of the write, so
    that comparison and write are one step.
    Raises: `PreconditionFailed`; `NotFound` for an object that is not there.
    """
    entity.lock(id)
    context, view = entity.context, entity.view_of(payload)
    code = view.get("lang_code")
    if isinstance(code, str) and code.lower() in context.installation.languages:
        entity = type(entity)(replace(context, lang_code=code.lower()), entity.reader)
    result = entity.index(id, {**context.query, **view})
    if result.data is None:
        raise NotFound
    body = encode_json(result.data)
    current = [tag_of(body, kind) for kind in ("application/json", "text/plain")]
    if not any(tags.strongly(tag) for tag in current):
        raise PreconditionFailed(
            "the object has changed", headers={"ETag": str(current[0])}
        )
