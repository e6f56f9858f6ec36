"""The route of the stored images."""

import hashlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from PIL import Image

from config.settings import Settings
from storeapi.app import create_app, front_of
from storeapi.rules.image_content import read_image
from storeapi.rules.image_files import store
from tests.shop import SECRET


class Buffered(FlaskClient):
    """Reads each response whole, which closes the file."""

    def open(self, *args: Any, **options: Any) -> Any:
        return super().open(*args, buffered=True, **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "media"
    folder.mkdir()
    return folder


@pytest.fixture
def client(folder: Path) -> Iterator[FlaskClient]:
    settings = Settings(
        environment="test",
        database_url=f"sqlite:///{folder.parent}/store.db",
        secret_key=SECRET,
        media_folder=folder,
    )
    app = create_app(settings)
    app.test_client_class = Buffered
    yield app.test_client()
    front_of(app).database.writer.dispose()
    front_of(app).database.reader.dispose()


def picture(color: str = "red") -> bytes:
    file = BytesIO()
    Image.new("RGB", (8, 6), color).save(file, "PNG")
    return file.getvalue()


def stored(folder: Path) -> str:
    content = read_image(picture(), 100)
    return store(folder, content, "detailed", "Mug.png").relative_path


def test_own_image_is_served_for_a_year(client: FlaskClient, folder: Path) -> None:
    response = client.get(f"/images/{stored(folder)}")
    assert (response.status_code, response.data) == (200, picture())
    assert response.headers["Content-Type"] == "image/png"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.headers["Content-Length"] == str(len(picture()))
    assert "Set-Cookie" not in response.headers


def test_head_has_the_same_headers(client: FlaskClient, folder: Path) -> None:
    path = f"/images/{stored(folder)}"
    seen, head = client.get(path), client.head(path)
    assert (head.status_code, head.data) == (200, b"")
    names = ("Content-Type", "Content-Length", "Cache-Control", "ETag")
    assert [head.headers[name] for name in names] == [
        seen.headers[name] for name in names
    ]


def test_known_tag_is_answered_by_304(client: FlaskClient, folder: Path) -> None:
    path = f"/images/{stored(folder)}"
    tag = client.get(path).headers["ETag"]
    response = client.get(path, headers={"If-None-Match": tag})
    assert (response.status_code, response.data) == (304, b"")
    assert response.headers["ETag"] == tag
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_part_of_an_image_is_served(client: FlaskClient, folder: Path) -> None:
    path = f"/images/{stored(folder)}"
    response = client.get(path, headers={"Range": "bytes=0-3"})
    assert (response.status_code, response.data) == (206, picture()[:4])


def test_image_of_the_operator_is_asked_for_again(
    client: FlaskClient, folder: Path
) -> None:
    (folder / "my photos").mkdir()
    (folder / "my photos" / "Ä 1.PNG").write_bytes(picture())
    response = client.get("/images/my%20photos/%C3%84%201.PNG")
    assert (response.status_code, response.data) == (200, picture())
    assert response.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    ("extension", "kind"),
    [
        ("jpg", "image/jpeg"),
        ("jpeg", "image/jpeg"),
        ("gif", "image/gif"),
        ("webp", "image/webp"),
        ("avif", "image/avif"),
    ],
)
def test_type_follows_the_extension(
    client: FlaskClient, folder: Path, extension: str, kind: str
) -> None:
    (folder / f"a.{extension}").write_bytes(b"x")
    assert client.get(f"/images/a.{extension}").headers["Content-Type"] == kind


@pytest.mark.parametrize(
    "path",
    [
        "missing.png",
        "../secret.png",
        "%2e%2e/secret.png",
        "a/../../secret.png",
        "..%5csecret.png",
        "%2Fetc/passwd.png",
        ".hidden.png",
        ".git/a.png",
        "page.html",
        "script.svg",
        "a.png.php",
        "folder.png",
        "a%00.png",
        ".png",
        "x" * 5000 + ".png",
    ],
)
def test_anything_else_is_not_found(
    client: FlaskClient, folder: Path, path: str
) -> None:
    (folder / "folder.png").mkdir()
    (folder / ".git").mkdir()
    names = (".hidden.png", ".git/a.png", "page.html", "script.svg", "a.png.php")
    for name in (*names, ".png", "../secret.png"):
        (folder / name).write_bytes(picture())
    response = client.get(f"/images/{path}", headers={"X-Request-ID": "r-1"})
    assert response.status_code == 404
    assert response.headers["Content-Type"].startswith("application/json")
    assert response.headers["X-Request-ID"] == "r-1"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    body = response.get_json()
    assert (body["status"], body["message"][:9]) == (404, "Not Found")


def test_nothing_is_written(client: FlaskClient, folder: Path) -> None:
    path = f"/images/{stored(folder)}"
    before = hashlib.sha256((folder / path[8:]).read_bytes()).digest()
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert client.open(path, method=method).status_code == 405
    assert hashlib.sha256((folder / path[8:]).read_bytes()).digest() == before
