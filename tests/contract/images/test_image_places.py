"""Where images are taken from, and what is refused."""

import base64

import pytest

from storeapi.core.errors import InvalidInput
from storeapi.rules.outgoing import UnsafeAddress
from tests.album import BASE, CDN, Album, address, encoded, picture

BIG = 3190457718


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
