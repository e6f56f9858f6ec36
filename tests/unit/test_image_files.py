"""The media folder."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from storeapi.rules import image_files
from storeapi.rules.image_content import ImageContent, NotAnImage, read_image
from storeapi.rules.image_files import remove, store, take


def picture(color: str = "red") -> ImageContent:
    file = BytesIO()
    Image.new("RGB", (8, 6), color).save(file, "PNG")
    return read_image(file.getvalue(), 100)


def files(folder: Path) -> list[str]:
    return sorted(
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.is_file()
    )


def test_image_is_stored_by_name_and_real_format(tmp_path: Path) -> None:
    content = picture()
    stored = store(tmp_path, content, "detailed", "https://x.example/a/Mug%20Ä.JPG?v=1")
    number = int(content.digest[:8], 16) % 1000
    assert stored.relative_path == f"detailed/{number}/mug-a.png"
    assert (stored.width, stored.height, stored.digest) == (8, 6, content.digest)
    assert (tmp_path / stored.relative_path).read_bytes() == content.data
    assert files(tmp_path) == [stored.relative_path]


@pytest.mark.parametrize("name", ["", "https://x.example/", "../..", "日本?x"])
def test_any_name_makes_a_file(tmp_path: Path, name: str) -> None:
    stored = store(tmp_path, picture(), "detailed", name)
    assert files(tmp_path) == [stored.relative_path]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    names = {
        store(tmp_path, picture(), "detailed", "a.png").relative_path for _ in range(25)
    }
    assert len(names) == 25
    assert files(tmp_path) == sorted(names)


def test_failed_write_leaves_nothing(tmp_path: Path, monkeypatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError("no space")

    monkeypatch.setattr(image_files.os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        store(tmp_path, picture(), "detailed", "a.png")
    assert files(tmp_path) == []


def test_file_is_taken_by_either_path(tmp_path: Path) -> None:
    stored = store(tmp_path, picture(), "detailed", "a.png")
    relative = stored.relative_path
    found = (stored, picture())
    assert take(tmp_path, relative, 10_000, 100) == found
    assert take(tmp_path, str(tmp_path / relative), 10_000, 100) == found


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "missing.png",
        "../outside.png",
        "detailed/../../outside.png",
        "/etc/passwd",
        "link.png",
        "folder/outside.png",
        "a\0b",
        "..\\outside.png",
        ".hidden.png",
        "detailed",
        "text.png",
        "loop.png",
        "x" * 5000,
    ],
)
def test_path_that_is_no_image_inside_is_refused(tmp_path: Path, path: str) -> None:
    media = tmp_path / "media"
    (media / "detailed").mkdir(parents=True)
    for outside in (tmp_path / "outside.png", media / ".hidden.png"):
        outside.write_bytes(picture().data)
    (media / "link.png").symlink_to(tmp_path / "outside.png")
    (media / "folder").symlink_to(tmp_path)
    (media / "loop.png").symlink_to(media / "loop.png")
    (media / "text.png").write_text("no image")
    with pytest.raises(NotAnImage):
        take(media, path, 10_000, 100)


def test_link_inside_is_taken_as_what_it_points_to(tmp_path: Path) -> None:
    stored = store(tmp_path, picture(), "detailed", "a.png")
    (tmp_path / "b.png").symlink_to(tmp_path / stored.relative_path)
    found, _ = take(tmp_path, "b.png", 10_000, 100)
    assert found.relative_path == stored.relative_path


def test_large_file_is_refused_unread(tmp_path: Path) -> None:
    stored = store(tmp_path, picture(), "detailed", "a.png")
    with pytest.raises(NotAnImage, match="more than 10 bytes"):
        take(tmp_path, stored.relative_path, 10, 100)


def test_own_file_is_removed_and_a_missing_one_is_fine(tmp_path: Path) -> None:
    stored = store(tmp_path, picture(), "variant_image", "a.png")
    for _ in range(2):
        remove(tmp_path, stored.relative_path)
    assert files(tmp_path) == []


@pytest.mark.parametrize("path", ["logo.png", "logos/x.png", "../x/1/a.png"])
def test_foreign_file_stays(tmp_path: Path, path: str) -> None:
    media = tmp_path / "media"
    file = media / path
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x")
    remove(media, path)
    assert file.exists()
