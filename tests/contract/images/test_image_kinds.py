"""The kinds of fields that hold image pairs."""

from typing import Any

import pytest

from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import InvalidInput
from storeapi.rules.image_kinds import ImagePair, ImagePairs
from tests.album import BASE, CDN, Album, address

MAIN_PAIR = ImagePair(object_type="product")
MAIN_PAIR.name = "main_pair"
IMAGE_PAIRS = ImagePairs(object_type="product")
IMAGE_PAIRS.name = "image_pairs"
BOTH = (MAIN_PAIR, IMAGE_PAIRS)


def context(album: Album) -> Any:
    return Context(None, None, album.media.settings, base_url=BASE)


def put(album: Album, kind: Any, value: Any, owner: int = 412) -> bool:
    sent = kind.read(value)
    return album.write(lambda db: kind.save(db, owner, sent, context(album)))


def load(album: Album, kind: Any, ids: list[int]) -> Any:
    with album.database.reading() as db:
        return kind.load(db, ids, context(album))


def remove(album: Album, ids: list[int]) -> None:
    def action(db: Transaction) -> None:
        for kind in BOTH:
            kind.remove(db, ids, context(album))

    album.write(action)


def test_pairs_are_saved_and_loaded(album: Album) -> None:
    assert put(album, MAIN_PAIR, address("a.jpg"))
    assert put(album, IMAGE_PAIRS, [address("b.jpg")])
    assert not put(album, MAIN_PAIR, address("a.jpg"))
    main = load(album, MAIN_PAIR, [412, 413])
    more = load(album, IMAGE_PAIRS, [412, 413])
    assert {id: pair["detailed"]["image_path"] for id, pair in main.items()} == {
        412: f"{CDN}/a.jpg"
    }
    ((id, pair),) = more[412].items()
    assert (id, list(more)) == (pair["pair_id"], [412])


def test_owner_without_pairs_has_an_empty_array() -> None:
    assert (MAIN_PAIR.empty(), IMAGE_PAIRS.empty()) == ([], [])
    assert ImagePair(object_type="category", none=None).empty() is None


@pytest.mark.parametrize("kind", BOTH)
def test_null_changes_nothing(album: Album, kind: Any) -> None:
    put(album, kind, address("a.jpg"))
    assert not put(album, kind, None)
    assert album.counts() == (1, 1, 0)


def test_faults_bear_the_name_of_the_field(album: Album) -> None:
    for kind in BOTH:
        with pytest.raises(InvalidInput) as caught:
            put(album, kind, {"detailed": {"image_path": "http://10.0.0.1/"}})
        names = [error.field for error in caught.value.errors]
        assert names == [f"{kind.name}.detailed.image_path"]


def test_removal_takes_pairs_images_and_files(fetching: Album) -> None:
    for owner in (1, 2):
        put(fetching, MAIN_PAIR, address("a.jpg"), owner)
        put(fetching, IMAGE_PAIRS, [address("b.jpg"), address("dead.jpg")], owner)
    assert fetching.counts() == (6, 6, 4)
    remove(fetching, [1])
    assert fetching.counts() == (3, 3, 2)
    assert load(fetching, MAIN_PAIR, [1, 2]).keys() == {2}


def test_removal_of_what_has_no_pairs_costs_one_read_each(album: Album) -> None:
    statements: list[str] = []
    album.database.observer = statements.append
    remove(album, [1, 2, 3])
    album.database.observer = None
    assert [text.split()[0] for text in statements] == ["SELECT", "SELECT"]


@pytest.mark.parametrize(
    ("kind", "nothing"),
    [
        (MAIN_PAIR, "array"),
        (ImagePair(object_type="category", none=None), "null"),
        (IMAGE_PAIRS, "array"),
    ],
)
def test_schema_tells_the_pair_and_the_empty_value(kind: Any, nothing: str) -> None:
    pair, empty = kind.record_schema()["anyOf"]
    assert pair["type"] == "object"
    assert empty == {"type": nothing}


@pytest.mark.parametrize(
    ("flags", "slots"),
    [
        ({}, ["icon", "detailed"]),
        ({"get_icon": False, "get_detailed": True}, ["detailed"]),
        ({"get_detailed": False}, ["icon"]),
    ],
)
def test_flags_leave_an_image_of_the_main_pair_out(
    album: Album, flags: dict[str, bool], slots: list[str]
) -> None:
    put(album, MAIN_PAIR, address("a.jpg") | {"icon": {"image_path": f"{CDN}/i.jpg"}})
    asked = context(album)
    asked.flags = flags
    with album.database.reading() as db:
        pair = MAIN_PAIR.load(db, [412], asked)[412]
    assert [slot for slot in ("icon", "detailed") if slot in pair] == slots
