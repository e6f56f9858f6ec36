"""An album on each database, and a network that is only played."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from storeapi.core.database import Database
from storeapi.core.engines import normalized, reader_options, set_up, writer_options
from storeapi.models.base import Base
from storeapi.models.media import Image, ImagePair
from storeapi.rules.image_content import read_image
from storeapi.rules.images import Media
from storeapi.rules.outgoing import Address, NoAnswer
from tests import databases
from tests.album import BASE, CDN, Album, Limits, picture

TABLES = [Image.__table__, ImagePair.__table__]


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
