"""Which pair of an owner a payload means."""

from typing import Any

import pytest

from tests.album import CDN, Album, address, encoded, picture

BIG = 3190457718


def test_same_object_sent_again_adds_and_fetches_nothing(fetching: Album) -> None:
    pairs = [address("a.jpg"), address("b.jpg"), address("dead.jpg")]
    assert fetching.main(address("a.jpg"))
    assert fetching.more(pairs[1:])
    before = fetching.read(), fetching.counts(), list(fetching.seen)
    assert not fetching.main(address("a.jpg"))
    assert not fetching.more(pairs)
    assert not fetching.more({str(n): pair for n, pair in enumerate(pairs)})
    assert (fetching.read(), fetching.counts(), fetching.seen) == before


def test_same_bytes_from_another_address_add_nothing(fetching: Album) -> None:
    fetching.pages[f"{CDN}/a2.jpg"] = picture("red")
    fetching.more([address("a.jpg")])
    before = fetching.read(), fetching.counts()
    fetching.more([address("a2.jpg")])
    fetching.more([address("a2.jpg")])
    assert (fetching.read(), fetching.counts()) == before
    assert fetching.seen == [f"{CDN}/a.jpg", f"{CDN}/a2.jpg"]


def test_same_address_updates_the_pair(album: Album) -> None:
    album.more([address("a.jpg")])
    assert album.more([address("a.jpg", alt="New") | {"position": 3}])
    (pair,) = album.read()["A"].values()
    assert (pair["detailed"]["alt"], pair["position"]) == ("New", "3")


def test_same_address_twice_in_one_payload_is_one_pair(fetching: Album) -> None:
    fetching.more([address("a.jpg"), address("a.jpg")])
    assert fetching.counts() == (1, 1, 1)
    assert fetching.seen == [f"{CDN}/a.jpg"]


@pytest.mark.parametrize("fetch", [False, True])
def test_echo_of_what_was_read_changes_nothing(album: Album, fetch: bool) -> None:
    album.media.settings.fetch_images = fetch
    album.pages[f"{CDN}/a.jpg"] = picture()
    album.main(address("a.jpg", alt="x") | {"icon": {"data": encoded("blue")}})
    album.more([address("b.jpg"), {"detailed": {"data": encoded("green")}}])
    before, counts, seen = album.read(), album.counts(), list(album.seen)
    assert not album.main(album.main_pair())
    assert not album.more(before["A"])
    assert not album.more(list(before["A"].values()))
    assert (album.read(), album.counts(), album.seen) == (before, counts, seen)


@pytest.mark.parametrize("base", ["https://localhost:5000", "http://LOCALHOST:5000"])
def test_echo_in_another_scheme_changes_nothing(fetching: Album, base: str) -> None:
    fetching.main(address("a.jpg"))
    before = fetching.read()
    sent = {"detailed": {"image_path": f"{base}/images/{fetching.files()[0]}"}}
    assert not fetching.main(sent)
    assert fetching.read() == before


@pytest.mark.parametrize(
    "value", [None, "", [], {}, {"detailed": {"image_path": ""}}, {"detailed": None}]
)
def test_what_is_empty_changes_nothing(album: Album, value: Any) -> None:
    album.main(address("a.jpg"))
    album.more([address("b.jpg")])
    before = album.read()
    assert not album.main(value)
    assert not album.more(value)
    assert not album.more([value])
    assert album.read() == before


def test_main_pair_replaces_and_drops_the_old_one(fetching: Album) -> None:
    fetching.main(address("a.jpg", alt="old"))
    old = fetching.main_pair()["pair_id"]
    fetching.main(address("b.jpg"))
    pair = fetching.main_pair()
    assert pair["pair_id"] != old
    assert pair["detailed"]["alt"] == ""
    assert fetching.counts() == (1, 1, 1)
    assert fetching.files()[0].endswith("/b.png")


def test_main_pair_keeps_its_id_when_it_is_named(fetching: Album) -> None:
    fetching.main(address("a.jpg", alt="old"))
    old = fetching.main_pair()["pair_id"]
    fetching.main({"pair_id": old, **address("b.jpg")})
    pair = fetching.main_pair()
    assert (pair["pair_id"], pair["detailed"]["alt"]) == (old, "old")
    assert fetching.counts() == (1, 1, 1)


def test_record_with_a_changed_address_takes_the_new_image(fetching: Album) -> None:
    fetching.main(address("a.jpg"))
    pair = fetching.main_pair()
    pair["detailed"]["image_path"] = f"{CDN}/b.jpg"
    assert fetching.main(pair)
    assert fetching.files()[0].endswith("/b.png")
    assert not fetching.main(pair)


def test_alt_alone_changes_the_main_pair(album: Album) -> None:
    album.main(address("a.jpg"))
    assert album.main({"detailed": {"alt": 5}})
    shown = album.main_pair()["detailed"]
    assert (shown["alt"], shown["image_path"]) == ("5", f"{CDN}/a.jpg")


def test_icon_alone_joins_the_main_pair(fetching: Album) -> None:
    fetching.main(address("a.jpg"))
    fetching.main({"icon": {"image_path": f"{CDN}/b.jpg"}})
    pair = fetching.main_pair()
    assert list(pair)[-2:] == ["icon", "detailed"]
    assert pair["icon"]["relative_path"].startswith("product/")
    assert fetching.counts() == (1, 2, 2)


def test_additional_pair_named_as_main_becomes_it(album: Album) -> None:
    album.main(address("a.jpg"))
    album.more([address("b.jpg")])
    (id,) = album.read()["A"]
    assert album.main({"pair_id": id})
    found = album.read()
    assert list(found) == ["M"]
    assert list(found["M"]) == [id]


@pytest.mark.parametrize("mark", ["Y", True, 1, "1"])
def test_delete_removes_the_main_pair(fetching: Album, mark: Any) -> None:
    fetching.main(address("a.jpg"))
    assert fetching.main({"delete": mark})
    assert fetching.counts() == (0, 0, 0)
    assert not fetching.main({"delete": mark})


def test_main_pair_and_additional_ones_do_not_double(album: Album) -> None:
    album.main(address("a.jpg"))
    album.more([address("a.jpg"), address("b.jpg")])
    assert album.addresses() == [f"{CDN}/b.jpg"]


def test_pairs_not_named_stay(album: Album) -> None:
    album.more([address("a.jpg")])
    album.more([None, address("b.jpg")])
    assert album.addresses() == [f"{CDN}/a.jpg", f"{CDN}/b.jpg"]


@pytest.mark.parametrize("by_key", [False, True])
def test_known_pair_is_changed(album: Album, by_key: bool) -> None:
    album.more([address("a.jpg"), address("b.jpg")])
    first, second = album.read()["A"]
    if by_key:
        album.more({first: address("c.jpg")})
    else:
        album.more([{"pair_id": int(first), **address("c.jpg")}])
    assert list(album.read()["A"]) == [first, second]
    assert album.addresses() == [f"{CDN}/c.jpg", f"{CDN}/b.jpg"]


def test_key_of_what_the_same_payload_adds_is_no_id(album: Album) -> None:
    album.main(address("a.jpg"))
    main = int(album.main_pair()["pair_id"])
    sent = {str(main + n): address(f"{n}.jpg") for n in range(4)}
    album.more(sent)
    assert album.addresses() == [f"{CDN}/{n}.jpg" for n in range(4)]
    assert album.main_pair()["detailed"]["image_path"] == f"{CDN}/a.jpg"


def test_additional_pair_does_not_replace_the_main_one_by_its_id(album: Album) -> None:
    album.main(address("a.jpg"))
    main = album.main_pair()["pair_id"]
    album.more([{"pair_id": main, **address("b.jpg")}])
    assert album.addresses() == [f"{CDN}/b.jpg"]
    assert album.main_pair()["detailed"]["image_path"] == f"{CDN}/a.jpg"
    assert not album.more([{"pair_id": main, **address("a.jpg")}])
    assert album.more([{"pair_id": main, "delete": "Y"}])
    assert list(album.read()) == ["A"]


def test_place_in_an_array_is_no_id(album: Album) -> None:
    album.more([address("a.jpg")])
    (id,) = album.read()["A"]
    album.more([None] * int(id) + [address("b.jpg")])
    assert album.addresses() == [f"{CDN}/a.jpg", f"{CDN}/b.jpg"]


def test_pair_of_another_owner_is_not_known(album: Album) -> None:
    album.more([address("a.jpg")], owner=1)
    (id,) = album.read(1)["A"]
    album.more([{"pair_id": id, **address("b.jpg")}])
    album.more([{"pair_id": id, "delete": "Y"}])
    assert album.addresses(1) == [f"{CDN}/a.jpg"]
    assert album.addresses() == [f"{CDN}/b.jpg"]


@pytest.mark.parametrize("form", ["field", "key", "address"])
def test_delete_removes_one_pair(fetching: Album, form: str) -> None:
    fetching.more([address("a.jpg"), address("b.jpg")])
    first = next(iter(fetching.read()["A"]))
    sent: Any = {
        "field": [{"pair_id": first, "delete": "Y"}],
        "key": {first: {"delete": "Y"}},
        "address": [address("a.jpg") | {"delete": "Y"}],
    }[form]
    assert fetching.more(sent)
    assert fetching.counts() == (1, 1, 1)
    assert fetching.files()[0].endswith("/b.png")


def test_object_with_one_pair_is_taken(album: Album) -> None:
    album.more(address("a.jpg"))
    assert album.addresses() == [f"{CDN}/a.jpg"]


def test_key_counts_only_if_the_address_is_not_known(album: Album) -> None:
    album.more([address("a.jpg"), address("b.jpg")])
    first, second = album.read()["A"]
    before = album.read()
    assert not album.more({first: address("b.jpg"), second: address("a.jpg")})
    assert album.read() == before


def test_unknown_main_pair_is_not_deleted_in_place_of_the_known(album: Album) -> None:
    album.main(address("a.jpg"))
    id = int(album.main_pair()["pair_id"])
    assert not album.main({"pair_id": id + 1, "delete": "Y"})
    assert album.main({"pair_id": id, "delete": "Y"})
    assert album.read() == {}


def test_new_pair_without_an_image_is_none(album: Album) -> None:
    assert not album.main({"detailed": {"alt": "x"}, "position": 1})
    assert not album.more([{"detailed": {"alt": "x"}}])
    assert album.counts() == (0, 0, 0)
