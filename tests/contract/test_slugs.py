"""Slugs that are taken, looked up on every database."""

from collections.abc import Iterator

import pytest
from sqlalchemy import create_engine

from storeapi.core.database import Database
from storeapi.core.engines import normalized, reader_options, set_up, writer_options
from storeapi.models.media import Image
from storeapi.rules.slugs import slugs_like, taken_slugs, unique_slug
from tests import databases

# Any column of text serves: one that is unique, as those of slugs are.
TAKEN = ["mug", "mug-2", "mug-x", "Mug-3", "mugs", "mu_g", "muxg-2", "50%", "500-2"]
SLUG = Image.path
LIKE = slugs_like(SLUG, Image.width == 0)


@pytest.fixture(scope="module", params=databases.kinds())
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    with databases.scratch_database(request.param) as text:
        url = normalized(text)
        writer = create_engine(url, **writer_options(url, 2))
        reader = create_engine(url, **reader_options(url, 2))
        set_up(writer, synchronous="NORMAL", writes=True)
        set_up(reader, synchronous="NORMAL", writes=False)
        Image.__table__.create(writer)
        database = Database(writer, reader)
        rows = [{"path": slug, "width": 0} for slug in TAKEN]
        rows.append({"path": "elsewhere", "width": 1})
        database.write(lambda db: db.insert_many(Image.__table__, rows))
        yield database
        writer.dispose()
        reader.dispose()


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("mug", "mug-3"),
        ("mu_g", "mu_g-2"),
        ("500", "500"),
        ("cup", "cup"),
        ("elsewhere", "elsewhere"),
    ],
)
def test_first_free_slug_is_found(database: Database, base: str, expected: str) -> None:
    with database.reading() as db:
        assert unique_slug(base, taken_slugs(db, LIKE)) == expected


def test_only_slugs_that_could_clash_are_read(database: Database) -> None:
    with database.reading() as db:
        taken = taken_slugs(db, LIKE)
        found = {base: set(taken(base)) for base in ("mug", "mu_g")}
    # SQLite's LIKE takes either case of ASCII letters; more than needed is harmless.
    assert found["mug"] - {"Mug-3"} == {"mug", "mug-2", "mug-x"}
    assert found["mu_g"] == {"mu_g"}
