"""Lists of pages as trees: nested by `subpages`, or flat in the order of the tree."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from storeapi import InvalidInput, Listing, Params, Record
from storeapi.core.paging import PAGING_PARAMS, read_page
from storeapi.core.reading import list_records
from storeapi.core.statement import batches
from storeapi.entities.pages.filters import NESTED

ROOT = 0
"""Stands above the pages whose parent is not in the list."""

Branches = Mapping[int, Sequence[int]]


def tree_of_pages(entity: Any, params: Params, form: str) -> Listing:
    """Read the pages that meet the filters, in the order of their tree.

    Their order and parents come first; then only the records of the page are read.
    Flat trees are paged by pages, nested ones by the pages on top.
    Raises: `InvalidInput`.
    """
    if params.get("cursor"):
        raise InvalidInput.of("cursor", "cannot be used with get_tree")
    settings = entity.context.settings
    page = read_page(
        params,
        default=entity.context.items_per_page,
        maximum=settings.max_items_per_page,
        optional=False,
    )
    assert page.size is not None
    plain = {name: params[name] for name in params if name not in PAGING_PARAMS}
    skeleton = list_records(entity, {**plain, "fields": "parent_id"}, whole=True)
    below = branches(skeleton)
    nested = form == NESTED
    every = list(below.get(ROOT, ())) if nested else list(walk(below, ROOT))
    wanted = every[page.offset : page.offset + page.size]
    shown = [each for id in wanted for each in (id, *walk(below, id))]
    records = read_records(entity, plain, shown if nested else wanted)
    if nested:
        hang(records, below)
    wanted = [id for id in wanted if id in records]
    listing = Listing(wanted, [records[id] for id in wanted], len(every))
    listing.page, listing.items_per_page = page.number, page.size
    listing.params = {
        **skeleton.params,
        "page": page.number,
        "items_per_page": page.size,
        "total_items": str(len(every)),
    }
    return listing


def branches(skeleton: Listing) -> Branches:
    """The pages below each page, in their order, and those on top below `ROOT`."""
    ids = set(skeleton.ids)
    found: dict[int, list[int]] = {}
    for id, record in zip(skeleton.ids, skeleton.records, strict=True):
        parent = int(record["parent_id"])
        found.setdefault(parent if parent in ids else ROOT, []).append(int(id))
    return found


def walk(below: Branches, top: int) -> Iterator[int]:
    """Everything below a page, each page before those below it."""
    waiting = list(reversed(below.get(top, ())))
    while waiting:
        id = waiting.pop()
        yield id
        waiting.extend(reversed(below.get(id, ())))


def read_records(entity: Any, params: Params, ids: Sequence[int]) -> dict[int, Record]:
    """The list records of certain pages.

    One that has gone since its place was read is left out with all below it.
    """
    found: dict[int, Record] = {}
    for batch in batches(ids):
        entity.only = batch
        listing = list_records(entity, params, whole=True)
        found.update(zip(map(int, listing.ids), listing.records, strict=True))
    entity.only = None
    return found


def hang(records: Mapping[int, Record], below: Branches) -> None:
    """Put the records of pages into `subpages` of that above them."""
    for id, record in records.items():
        children = below.get(id, ())
        record["subpages"] = [records[each] for each in children if each in records]
