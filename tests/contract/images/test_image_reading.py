"""How image pairs look."""

from pathlib import Path

import pytest

from storeapi.models.media import Image
from storeapi.rules import images
from storeapi.rules.images import MAIN, Media
from tests.album import BASE, CDN, Album, Limits, address

BIG = 3190457718


def test_pair_has_the_documented_shape(fetching: Album) -> None:
    fetching.main(address("a.jpg", alt="Green mug"))
    pair = fetching.main_pair()
    path = fetching.files()[0]
    assert pair == {
        "pair_id": pair["pair_id"],
        "image_id": "0",
        "detailed_id": pair["detailed_id"],
        "position": "0",
        "object_id": "412",
        "object_type": "product",
        "detailed": {
            "object_id": "412",
            "object_type": "product",
            "type": "M",
            "image_path": f"{BASE}/images/{path}",
            "alt": "Green mug",
            "image_x": "8",
            "image_y": "6",
            "http_image_path": f"{BASE}/images/{path}",
            "https_image_path": f"https://localhost:5000/images/{path}",
            "relative_path": path,
            "is_high_res": False,
        },
    }
    assert list(pair["detailed"])[:4] == [
        "object_id",
        "object_type",
        "type",
        "image_path",
    ]
    assert path.startswith("detailed/")
    assert path.endswith("/a.png")


@pytest.mark.parametrize(
    ("media_url", "base", "expected"),
    [
        ("", "https://shop.example", "https://shop.example/images/x.png"),
        ("http://img.example/s", "https://shop.example", "https://img.example/s/x.png"),
        ("https://img.example", "http://shop.example", "http://img.example/x.png"),
    ],
)
def test_address_is_in_the_scheme_of_the_request(
    tmp_path: Path, media_url: str, base: str, expected: str
) -> None:
    media = Media.of(Limits(tmp_path, media_url), base)
    assert media.url("x.png") == expected
    assert media.own_path(expected) == "x.png"
    assert media.own_path(expected.replace("http", "ftp")) is None


def test_owner_with_a_large_number(album: Album) -> None:
    album.main(address("a.jpg"), owner=BIG)
    assert album.main_pair(BIG)["object_id"] == str(BIG)


def test_page_of_owners_takes_one_statement(album: Album) -> None:
    for owner in (1, 2, 3):
        album.main(address("a.jpg"), owner=owner)
        album.more([address("b.jpg"), address("c.jpg")], owner=owner)
    statements: list[str] = []
    album.database.observer = statements.append
    with album.database.reading() as db:
        both = images.load(db, "product", [1, 2, 3, 4], album.media)
        main = images.load(db, "product", [1, 2, 3, 4], album.media, MAIN)
        none = images.load(db, "category", [1], album.media)
    album.database.observer = None
    assert len(statements) == 3
    assert {id: [len(both[id][kind]) for kind in "MA"] for id in both} == {
        1: [1, 2],
        2: [1, 2],
        3: [1, 2],
    }
    assert {id: list(kinds) for id, kinds in main.items()} == {
        1: ["M"],
        2: ["M"],
        3: ["M"],
    }
    assert none == {}


def test_additional_pairs_come_by_position(album: Album) -> None:
    album.more([address("a.jpg") | {"position": "9"}, address("b.jpg")])
    assert album.addresses() == [f"{CDN}/b.jpg", f"{CDN}/a.jpg"]


def test_what_is_no_address_is_not_ours(tmp_path: Path) -> None:
    media = Media.of(Limits(tmp_path), BASE)
    assert media.own_path("http://[x/images/a.png") is None


def test_pair_without_a_full_image_has_only_an_icon(album: Album) -> None:
    album.main({"icon": {"image_path": f"{CDN}/a.jpg"}})
    pair = album.main_pair()
    assert list(pair)[6:] == ["icon"]
    assert (pair["detailed_id"], pair["icon"]["image_path"]) == ("0", f"{CDN}/a.jpg")


def test_pair_whose_images_are_gone_is_not_shown(album: Album) -> None:
    album.main(address("a.jpg"))
    album.write(lambda db: db.delete(Image.__table__, {}))
    assert (album.read(), album.counts()) == ({}, (1, 0, 0))
    assert album.main(address("b.jpg"))
    assert album.counts() == (1, 1, 0)
