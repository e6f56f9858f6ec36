"""Images that several pairs show, and their files."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from storeapi.core.database import Transaction
from storeapi.core.errors import InvalidInput
from storeapi.rules import images
from storeapi.rules.image_owned import Owner
from storeapi.rules.image_saving import save
from storeapi.rules.image_sent import parse_pair
from storeapi.rules.images import MAIN
from tests.album import CDN, Album, address, encoded, picture

BIG = 3190457718


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


def test_icon_that_is_the_full_image_has_its_own_text(album: Album) -> None:
    (album.media.folder / "a.png").write_bytes(picture())
    image = {"relative_path": "a.png"}
    album.main({"icon": image | {"alt": "small"}, "detailed": image | {"alt": "x"}})
    pair = album.main_pair()
    assert (pair["icon"]["alt"], pair["detailed"]["alt"]) == ("small", "x")
    assert not album.main(pair)


def test_text_of_a_shared_image_whose_file_is_gone(fetching: Album) -> None:
    fetching.main(address("a.jpg", alt="first"))
    fetching.write(lambda db: images.copy(db, "product", {412: 500}))
    (fetching.media.folder / fetching.files()[0]).unlink()
    fetching.main({"detailed": {"alt": "second"}}, owner=500)
    shown = fetching.main_pair(500)["detailed"]
    assert (shown["alt"], shown["image_path"]) == ("second", f"{CDN}/a.jpg")


def test_image_that_another_owner_begins_to_show_stays(fetching: Album) -> None:
    fetching.main(address("a.jpg"))
    fetching.write(lambda db: images.copy(db, "product", {412: 500}))
    fetching.main(address("b.jpg"))
    assert fetching.counts() == (2, 2, 2)
    assert fetching.main_pair(500)["detailed"]["relative_path"] in fetching.files()


def test_images_that_change_places_keep_their_files(fetching: Album) -> None:
    fetching.main({"detailed": {"data": encoded("red")}})
    fetching.more([{"detailed": {"data": encoded("green")}}])
    main = fetching.main_pair()["detailed"]["relative_path"]
    [(id, other)] = fetching.read()["A"].items()
    wanted = [
        {"detailed": {"relative_path": other["detailed"]["relative_path"]}},
        {id: {"detailed": {"relative_path": main}}},
    ]

    def swap(db: Transaction) -> None:
        for sent in fetching.sent(*wanted):
            save(db, *sent, fetching.media)

    fetching.write(swap)
    [pair] = fetching.read()["A"].values()
    shown = [fetching.main_pair(), pair]
    paths = [each["detailed"]["relative_path"] for each in shown]
    bytes_shown = [(fetching.media.folder / path).read_bytes() for path in paths]
    assert bytes_shown == [picture("green"), picture("red")]
    assert sorted(paths) == fetching.files()


def test_file_that_is_about_to_go_is_copied(album: Album) -> None:
    """Its row is gone by then, and whoever removed that removes the file now."""
    album.main({"detailed": {"data": encoded("red")}})
    path = album.main_pair()["detailed"]["relative_path"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(images.image_files, "remove", lambda *_: None)
        album.main({"delete": "Y"})
    assert album.main({"detailed": {"relative_path": path}}, owner=500)
    images.image_files.remove(album.media.folder, path)
    assert album.main_pair(500)["detailed"]["relative_path"] in album.files()
    assert album.counts() == (1, 1, 1)


@pytest.mark.parametrize("removed", [True, False])
def test_image_that_is_removed_meanwhile(album: Album, removed: bool) -> None:
    album.main({"detailed": {"data": encoded("red")}})
    path = album.main_pair()["detailed"]["relative_path"]
    begun, taken = Event(), Event()

    def remove(db: Transaction) -> None:
        images.remove_all(db, "product", [412], album.media.folder)
        begun.set()
        taken.wait(0.3)
        if not removed:
            raise RuntimeError

    def take() -> None:
        begun.wait(5)
        try:
            album.main({"detailed": {"relative_path": path}}, owner=500)
        except InvalidInput:
            assert removed
        finally:
            taken.set()

    with ThreadPoolExecutor(2) as pool:
        taking = pool.submit(take)
        removing = pool.submit(album.write, remove)
        taking.result()
        assert (removing.exception() is None) is removed
    shown = [
        each["detailed"]["relative_path"]
        for owner in (412, 500)
        for each in album.read(owner).get("M", {}).values()
    ]
    assert set(shown) == set(album.files())


def test_name_of_a_row_whose_file_is_missing_is_not_given_again(album: Album) -> None:
    album.main({"detailed": {"data": encoded("red")}})
    (path,) = album.files()
    (album.media.folder / path).unlink()
    assert album.main({"detailed": {"data": encoded("red")}}, owner=500)
    other = album.main_pair(500)["detailed"]["relative_path"]
    assert other != path
    assert album.files() == [other]
    assert album.main_pair()["detailed"]["relative_path"] == path
