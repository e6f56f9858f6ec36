"""Image pairs: read, saved, copied and removed, on every database."""

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow
from sqlalchemy import create_engine, func, select

from storeapi.core.database import Database, Transaction
from storeapi.core.engines import normalized, reader_options, set_up, writer_options
from storeapi.core.errors import InvalidInput
from storeapi.core.statement import query
from storeapi.models.base import Base
from storeapi.models.media import Image, ImagePair
from storeapi.rules import images, outgoing
from storeapi.rules.image_saving import Owner, save
from storeapi.rules.image_sent import parse_pair, parse_pairs
from storeapi.rules.images import ADDITIONAL, MAIN, Media
from storeapi.rules.outgoing import Address, NoAnswer, UnsafeAddress
from tests import databases

BASE = "http://localhost:5000"
CDN = "https://cdn.example"
BIG = 3190457718
TABLES = [Image.__table__, ImagePair.__table__]
COUNT_IMAGES = query(select(func.count()).select_from(Image))
COUNT_PAIRS = query(select(func.count()).select_from(ImagePair))


@dataclass
class Limits:
    media_folder: Path
    media_url: str = ""
    fetch_images: bool = False
    fetch_hosts: tuple[str, ...] = ()
    fetch_timeout: int = 5
    fetch_max_bytes: int = 100_000
    max_image_pixels: int = 10_000


def picture(color: str = "red", size: tuple[int, int] = (8, 6)) -> bytes:
    file = BytesIO()
    Pillow.new("RGB", size, color).save(file, "PNG")
    return file.getvalue()


def encoded(color: str = "red") -> str:
    return base64.b64encode(picture(color)).decode()


@dataclass
class Album:
    """The pairs of product 412, unless another owner is named."""

    database: Database
    media: Media
    pages: dict[str, Any] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)

    def write(self, action: Callable[[Transaction], Any]) -> Any:
        return self.database.write(action)

    def main(self, value: Any, owner: int = 412) -> bool:
        sent = parse_pair(value).named("main_pair")
        where = Owner("product", owner)
        return self.write(lambda db: save(db, where, MAIN, sent, self.media))

    def more(self, value: Any, owner: int = 412) -> bool:
        sent = parse_pairs(value).named("image_pairs")
        where = Owner("product", owner)
        return self.write(lambda db: save(db, where, ADDITIONAL, sent, self.media))

    def read(self, owner: int = 412) -> dict[str, Any]:
        with self.database.reading() as db:
            return images.load(db, "product", [owner], self.media).get(owner, {})

    def main_pair(self, owner: int = 412) -> dict[str, Any]:
        return next(iter(self.read(owner)["M"].values()))

    def addresses(self, owner: int = 412) -> list[str]:
        pairs = self.read(owner).get("A", {}).values()
        return [pair["detailed"]["image_path"] for pair in pairs]

    def counts(self) -> tuple[int, int, int]:
        """Pairs, images, files."""
        with self.database.reading() as db:
            rows = db.value(COUNT_PAIRS), db.value(COUNT_IMAGES)
        return *rows, len(self.files())

    def files(self) -> list[str]:
        folder = self.media.folder
        return sorted(
            each.relative_to(folder).as_posix()
            for each in folder.rglob("*")
            if each.is_file()
        )


@pytest.fixture(scope="module", params=databases.kinds())
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    with databases.scratch_database(request.param) as text:
        url = normalized(text)
        writer = create_engine(url, **writer_options(url, 2))
        reader = create_engine(url, **reader_options(url, 2))
        set_up(writer, synchronous="NORMAL", writes=True)
        set_up(reader, synchronous="NORMAL", writes=False)
        Base.metadata.create_all(writer, TABLES)
        yield Database(writer, reader)
        writer.dispose()
        reader.dispose()


@pytest.fixture
def album(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Album]:
    album = Album(database, Media.of(Limits(tmp_path / "media"), BASE))
    album.media.folder.mkdir()

    def fetch_image(address: Address, settings: Limits) -> Any:
        album.seen.append(address.url)
        found = album.pages.get(address.url, NoAnswer())
        if isinstance(found, Exception):
            raise found
        return read_image(found, settings.max_image_pixels)

    from storeapi.rules.image_content import read_image

    monkeypatch.setattr("storeapi.rules.image_places.fetch_image", fetch_image)
    yield album
    for table in reversed(TABLES):
        album.write(lambda db, table=table: db.delete(table, {}))


@pytest.fixture
def fetching(album: Album) -> Album:
    album.media.settings.fetch_images = True
    album.pages[f"{CDN}/a.jpg"] = picture("red")
    album.pages[f"{CDN}/b.jpg"] = picture("blue")
    return album


def address(name: str, **more: Any) -> dict[str, Any]:
    return {"detailed": {"image_path": f"{CDN}/{name}", **more}}


# Reading


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


# Addresses that are not fetched


@pytest.mark.parametrize("key", ["image_path", "image_url"])
def test_address_is_kept_when_nothing_is_fetched(album: Album, key: str) -> None:
    assert album.main({"detailed": {key: f"{CDN}/a.jpg"}})
    shown = album.main_pair()["detailed"]
    assert shown["image_path"] == f"{CDN}/a.jpg"
    assert shown["http_image_path"] == "http://cdn.example/a.jpg"
    assert (shown["image_x"], shown["image_y"]) == ("0", "0")
    assert shown["relative_path"] == ""
    assert album.seen == []


def test_address_that_does_not_answer_is_kept(fetching: Album) -> None:
    fetching.main(address("dead.jpg"))
    assert fetching.main_pair()["detailed"]["image_path"] == f"{CDN}/dead.jpg"
    assert fetching.seen == [f"{CDN}/dead.jpg"]


@pytest.mark.parametrize("fetch", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "http://169.254.169.254/",
        "http://localhost/",
        "file:///x",
        "javascript:alert(1)",
    ],
)
def test_unsafe_address_is_refused_by_name(
    album: Album, text: str, fetch: bool
) -> None:
    album.media.settings.fetch_images = fetch
    with pytest.raises(InvalidInput) as caught:
        album.more({"7": {"detailed": {"image_path": text}}})
    names = [error.field for error in caught.value.errors]
    assert names == ["image_pairs.7.detailed.image_path"]
    assert (album.counts(), album.seen) == ((0, 0, 0), [])


def test_private_redirect_is_refused_by_name(fetching: Album) -> None:
    fetching.pages[f"{CDN}/in.jpg"] = UnsafeAddress("leads inside")
    with pytest.raises(InvalidInput) as caught:
        fetching.main(address("in.jpg"))
    names = [error.field for error in caught.value.errors]
    assert names == ["main_pair.detailed.image_path"]
    assert fetching.counts() == (0, 0, 0)


def test_what_is_no_image_is_refused_by_name(fetching: Album) -> None:
    fetching.pages[f"{CDN}/x.html"] = b"<html>"
    with pytest.raises(InvalidInput, match=r"main_pair\.detailed\.image_path"):
        fetching.main(address("x.html"))


def test_guard_is_that_of_the_real_network(tmp_path: Path) -> None:
    assert outgoing.SYSTEM.resolve.__module__ == "storeapi.rules.outgoing"


# Sending again


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


# The main pair


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


# Additional pairs


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


# Sources


@pytest.mark.parametrize("prefix", ["", "data:image/png;base64,"])
def test_data_is_stored(album: Album, prefix: str) -> None:
    album.main({"detailed": {"data": prefix + encoded(), "alt": "Blue Lid"}})
    shown = album.main_pair()["detailed"]
    assert (shown["image_x"], shown["alt"]) == ("8", "Blue Lid")
    assert album.files()[0].endswith("/blue-lid.png")


@pytest.mark.parametrize("data", ["x", "", base64.b64encode(b"text").decode()])
def test_data_that_is_no_image(album: Album, data: str) -> None:
    if not data:
        assert not album.main({"detailed": {"data": data}})
        return
    with pytest.raises(InvalidInput) as caught:
        album.main({"detailed": {"data": data}})
    assert [e.field for e in caught.value.errors] == ["main_pair.detailed.data"]


@pytest.mark.parametrize("key", ["relative_path", "absolute_path", "image_path"])
def test_file_of_the_folder_is_taken(album: Album, key: str) -> None:
    (album.media.folder / "my photos").mkdir()
    (album.media.folder / "my photos" / "a.png").write_bytes(picture())
    text = {
        "relative_path": "my photos/a.png",
        "absolute_path": str(album.media.folder / "my photos/a.png"),
        "image_path": f"{BASE}/images/my%20photos/a.png",
    }[key]
    album.main({"detailed": {key: text}})
    shown = album.main_pair()["detailed"]
    assert shown["relative_path"] == "my photos/a.png"
    assert shown["image_path"] == f"{BASE}/images/my%20photos/a.png"
    assert not album.main({"detailed": {key: text}})
    assert album.main({"delete": "Y"})
    assert album.counts() == (0, 0, 1)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("relative_path", "../secret.png"),
        ("absolute_path", "/etc/passwd"),
        ("relative_path", "missing.png"),
        ("image_path", f"{BASE}/images/../secret.png"),
        ("image_path", f"{BASE}/images/missing.png"),
        ("image_path", f"{BASE}/api/products"),
    ],
)
def test_path_that_leads_nowhere_is_refused(album: Album, key: str, text: str) -> None:
    (album.media.folder.parent / "secret.png").write_bytes(picture())
    with pytest.raises(InvalidInput) as caught:
        album.main({"detailed": {key: text}})
    assert [e.field for e in caught.value.errors] == [f"main_pair.detailed.{key}"]


def test_size_that_is_sent_counts_only_for_an_address(fetching: Album) -> None:
    size = {"image_x": "640", "image_y": 480}
    fetching.main(address("a.jpg", **size))
    shown = fetching.main_pair()["detailed"]
    assert (shown["image_x"], shown["image_y"]) == ("8", "6")
    fetching.main(address("dead.jpg"))
    fetching.main({"detailed": size})
    shown = fetching.main_pair()["detailed"]
    assert (shown["image_x"], shown["image_y"]) == ("640", "480")


# Sharing, files, failures


def test_copy_shares_images_and_files(fetching: Album) -> None:
    fetching.main(address("a.jpg", alt="x"))
    fetching.more([address("b.jpg"), address("dead.jpg")])
    fetching.write(lambda db: images.copy(db, "product", {412: 500, 9: 501}))
    assert fetching.counts() == (6, 3, 2)
    assert fetching.addresses(500) == fetching.addresses()
    fetching.write(
        lambda db: images.remove_all(db, "product", [412], fetching.media.folder)
    )
    assert fetching.counts() == (3, 3, 2)
    fetching.write(
        lambda db: images.remove_all(db, "product", [500, 7], fetching.media.folder)
    )
    assert fetching.counts() == (0, 0, 0)


@pytest.mark.parametrize("name", ["a.jpg", "dead.jpg"])
def test_text_of_a_shared_image_is_changed_for_one_owner(
    fetching: Album, name: str
) -> None:
    fetching.main(address(name, alt="first"))
    fetching.write(lambda db: images.copy(db, "product", {412: 500}))
    assert fetching.main({"detailed": {"alt": "second"}}, owner=500)
    shown = [fetching.main_pair(owner)["detailed"]["alt"] for owner in (412, 500)]
    assert shown == ["first", "second"]
    paths = {fetching.main_pair(o)["detailed"]["relative_path"] for o in (412, 500)}
    assert paths == (set(fetching.files()) or {""})


def test_echo_on_another_owner_shares_the_file(fetching: Album) -> None:
    fetching.main(address("a.jpg", alt="x"))
    assert fetching.main(fetching.main_pair(), owner=500)
    assert fetching.counts() == (2, 1, 1)
    assert fetching.main_pair(500)["detailed"]["alt"] == "x"


def test_failed_write_leaves_no_file(fetching: Album) -> None:
    sent = parse_pair(address("a.jpg"))

    def fail(db: Transaction) -> None:
        save(db, Owner("product", 412), MAIN, sent, fetching.media)
        assert len(fetching.files()) == 1
        raise RuntimeError

    with pytest.raises(RuntimeError):
        fetching.write(fail)
    assert fetching.counts() == (0, 0, 0)


def test_failed_removal_keeps_the_file(fetching: Album) -> None:
    fetching.main(address("a.jpg"))

    def fail(db: Transaction) -> None:
        images.remove_all(db, "product", [412], fetching.media.folder)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        fetching.write(fail)
    assert fetching.counts() == (1, 1, 1)


def test_removal_of_many_owners(album: Album) -> None:
    for owner in (1, 2, 3):
        album.main(address("a.jpg"), owner=owner)
    folder = album.media.folder
    album.write(lambda db: images.remove_all(db, "product", range(5000), folder))
    assert album.counts() == (0, 0, 0)
