"""Images that are fetched, beside the transaction and behind the guard."""

import base64
from typing import Any

import pytest

from storeapi.core.database import Transaction
from storeapi.core.errors import InvalidInput
from storeapi.rules import fetching as rule
from storeapi.rules import outgoing
from storeapi.rules.image_places import fetch_all
from storeapi.rules.image_saving import save
from storeapi.rules.outgoing import Address, Network, check_address
from tests.album import CDN, Album, address, encoded, picture


@pytest.fixture
def guarded(fetching: Album, monkeypatch: pytest.MonkeyPatch) -> Album:
    """The real rule, on a network whose names all lead inside."""

    def connect(ip: str, port: int, timeout_s: float) -> Any:
        raise AssertionError("no packet may leave")

    inside = Network(lambda host, port: ["10.0.0.7"], connect, lambda wire, host: wire)
    monkeypatch.setattr(outgoing, "SYSTEM", inside)
    monkeypatch.setattr("storeapi.rules.image_places.fetch_image", rule.fetch_image)
    return fetching


def test_name_that_leads_inside_is_refused(guarded: Album) -> None:
    with pytest.raises(InvalidInput) as caught:
        guarded.main(address("a.jpg"))
    (error,) = caught.value.errors
    assert error.field == "main_pair.detailed.image_path"
    assert error.message == "leads to an IP address that is not public"
    assert guarded.counts() == (0, 0, 0)


def test_host_that_is_not_named_is_not_visited(guarded: Album) -> None:
    guarded.media.settings.fetch_hosts = ("other.example",)
    assert guarded.main(address("a.jpg"))
    assert guarded.main_pair()["detailed"]["image_path"] == f"{CDN}/a.jpg"


def test_others_write_while_an_image_is_fetched(
    fetching: Album, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch_image(place: Address, settings: object) -> Any:
        fetching.main({"detailed": {"data": encoded("green")}}, owner=9)
        raise outgoing.NoAnswer

    monkeypatch.setattr("storeapi.rules.image_places.fetch_image", fetch_image)
    fetching.main(address("a.jpg"))
    assert fetching.counts() == (2, 2, 1)


def test_write_is_done_once_and_fetches_once(fetching: Album) -> None:
    begun: list[int] = []

    def action(db: Transaction) -> None:
        begun.append(1)
        for where, kind, sent in fetching.sent(address("a.jpg"), [address("b.jpg")]):
            save(db, where, kind, sent, fetching.media)

    fetching.write(action)
    assert fetching.counts() == (2, 2, 2)
    assert fetching.seen == [f"{CDN}/a.jpg", f"{CDN}/b.jpg"]
    assert len(begun) == 3


def test_image_of_another_pair_is_not_fetched_again(fetching: Album) -> None:
    fetching.more([address("a.jpg")])
    fetching.main(address("a.jpg"))
    paths = {
        pair["detailed"]["relative_path"]
        for pairs in fetching.read().values()
        for pair in pairs.values()
    }
    assert paths == set(fetching.files())
    assert fetching.counts() == (2, 1, 1)
    assert fetching.seen == [f"{CDN}/a.jpg"]


def test_image_deleted_and_sent_again_at_once_stays(fetching: Album) -> None:
    fetching.more([address("a.jpg")])
    (id,) = fetching.read()["A"]
    assert fetching.more([{"pair_id": id, "delete": "Y"}, address("a.jpg")])
    (new,) = fetching.read()["A"]
    assert new != id
    assert fetching.counts() == (1, 1, 1)
    assert fetching.seen == [f"{CDN}/a.jpg"]


def test_deleted_pair_is_not_fetched(fetching: Album) -> None:
    assert not fetching.more([address("a.jpg") | {"delete": "Y"}])
    assert fetching.seen == []


def test_icon_and_full_image_from_one_address_are_fetched_once(
    fetching: Album,
) -> None:
    image = {"image_path": f"{CDN}/a.jpg"}
    fetching.main({"icon": image | {"alt": "small"}, "detailed": image})
    assert fetching.seen == [f"{CDN}/a.jpg"]
    pair = fetching.main_pair()
    assert (pair["icon"]["alt"], pair["detailed"]["alt"]) == ("small", "")


@pytest.mark.parametrize("seconds", [0, 5])
def test_many_addresses_share_one_patience(fetching: Album, seconds: int) -> None:
    fetching.media.settings.fetch_timeout = seconds
    found = fetch_all(
        [check_address(f"{CDN}/a.jpg"), check_address(f"{CDN}/dead.jpg")],
        fetching.media.settings,
    )
    assert list(found) == [f"{CDN}/a.jpg", f"{CDN}/dead.jpg"]
    assert found[f"{CDN}/dead.jpg"] is None
    assert (found[f"{CDN}/a.jpg"] is None) == (seconds == 0)
    assert len(fetching.seen) == (0 if seconds == 0 else 2)


def test_same_data_sent_again_changes_nothing(album: Album) -> None:
    data = base64.b64encode(picture()).decode()
    assert album.more([{"detailed": {"data": data}}])
    before = album.read(), album.counts()
    assert not album.more([{"detailed": {"data": data}}])
    assert (album.read(), album.counts()) == before
