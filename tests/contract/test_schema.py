"""The tables: models and changes agree, on every database."""

import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    ForeignKeyConstraint,
    Inspector,
    Integer,
    String,
    Table,
    UniqueConstraint,
    create_engine,
    func,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import NullPool

from storeapi import schema
from storeapi.core import engines
from storeapi.models import db
from storeapi.schema import Branch, SchemaError
from tests import databases

TABLES = [pytest.param(table, id=table.name) for table in db.metadata.sorted_tables]

CHANGE = """
from alembic import op
from sqlalchemy import Integer, ForeignKey, Column
from storeapi.migrations.tables import create_table, link, serial

revision = "{revision}"
down_revision = {down}
branch_labels = {labels}
depends_on = {needs}


def upgrade():
    create_table("{table}", serial("id"), link("company_id", "companies.company_id"))
"""


@pytest.fixture(params=databases.kinds())
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    with databases.scratch_database(request.param) as url:
        yield url


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    """An engine as the server sets it up."""
    engine = create_engine(engines.normalized(url))
    engines.set_up(engine, synchronous="OFF", writes=True)
    yield engine
    engine.dispose()


@pytest.fixture
def plug_in(tmp_path: Path) -> Branch:
    """A branch whose first change needs the server's tables."""
    branch = Branch("acme", tmp_path / "acme")
    branch.folder.mkdir()
    add_change(branch, 1, needs=max(schema.expected_heads()))
    return branch


def add_change(branch: Branch, number: int, needs: str | None = None) -> None:
    label = branch.label
    source = CHANGE.format(
        revision=f"{label}_{number}",
        down=repr(f"{label}_{number - 1}") if number > 1 else None,
        labels=(label,) if number == 1 else None,
        needs=repr(needs),
        table=f"{label}_things_{number}",
    )
    (branch.folder / f"{number}.py").write_text(source)


def is_full_text(name: str | None) -> bool:
    """Whether a thing belongs to the index that models cannot tell of."""
    return name is not None and name.startswith("product_search_fts")


def reflected(engine: Engine) -> dict[str, Any]:
    """What a database says of its tables, in its own words."""
    with engine.connect() as connection:
        inspector = inspect(connection)
        names = {
            name
            for name in inspector.get_table_names()
            if name != "alembic_version" and not is_full_text(name)
        }
        return {name: described(inspector, name) for name in names}


def described(inspector: Inspector, name: str) -> dict[str, Any]:
    columns = [
        {**column, "type": column["type"].compile(inspector.dialect)}
        for column in inspector.get_columns(name)
    ]
    return {
        "columns": columns,
        "key": inspector.get_pk_constraint(name),
        "references": by_name(inspector.get_foreign_keys(name)),
        "unique": by_name(inspector.get_unique_constraints(name)),
        "indexes": by_name(
            [
                {**each, "dialect_options": str_of(each.get("dialect_options", {}))}
                for each in inspector.get_indexes(name)
                if not is_full_text(each["name"])
            ]
        ),
        "options": inspector.get_table_options(name),
    }


def str_of(options: Any) -> dict[str, str]:
    """The options of an index, whose conditions are not equal as objects."""
    return {name: str(value) for name, value in options.items()}


def by_name(items: list[Any]) -> list[Any]:
    return sorted(items, key=lambda item: str(item["name"]))


def test_changes_make_the_tables_of_the_models(engine: Engine) -> None:
    schema.upgrade(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"include_name": lambda name, *_: not is_full_text(name)},
        )
        assert compare_metadata(context, db.metadata) == []
    with databases.scratch_database(engine.dialect.name) as other:
        made = create_engine(other, poolclass=NullPool)
        db.metadata.create_all(made)
        assert reflected(engine) == reflected(made)


def test_upgrading_again_changes_nothing(engine: Engine) -> None:
    assert not schema.is_at_head(engine)
    assert schema.current_heads(engine) == frozenset()
    schema.upgrade(engine)
    before = reflected(engine)
    schema.upgrade(engine)
    assert reflected(engine) == before
    assert schema.current_heads(engine) == schema.expected_heads()
    assert schema.is_at_head(engine)


def test_company_0_is_there_and_the_first_store_is_1(engine: Engine) -> None:
    schema.upgrade(engine)
    companies = db.metadata.tables["companies"]
    row = row_of(companies)
    del row["company_id"]
    with engine.begin() as connection:
        assert connection.execute(
            text("SELECT company_id, kind, company FROM companies")
        ).all() == [(0, "O", "")]
        made = connection.execute(companies.insert(), row)
        assert made.inserted_primary_key == (1,)


def test_texts_compare_and_sort_by_code_point(engine: Engine) -> None:
    schema.upgrade(engine)
    names = ["b", "B", "a", "ä", "a ", "é", "Z", "\U0001f600", "\uffee"]
    with engine.begin() as connection:
        for name in names:
            connection.execute(
                text("INSERT INTO usergroup_privileges VALUES (:id, :name)"),
                {"id": group(connection), "name": name},
            )
        found = connection.execute(
            text("SELECT privilege FROM usergroup_privileges ORDER BY privilege")
        )
        assert found.scalars().all() == sorted(names)
        same = text("SELECT count(*) FROM usergroup_privileges WHERE privilege = 'A'")
        assert connection.scalar(same) == 0


def group(connection: Any) -> int:
    groups = db.metadata.tables["usergroups"]
    row = {"company_id": 0, "type": "A", "status": "A"}
    made = connection.execute(groups.insert(), row)
    return int(made.inserted_primary_key[0])


def test_every_text_has_the_order_of_its_bytes(engine: Engine) -> None:
    schema.upgrade(engine)
    queries = {
        "postgresql": "SELECT DISTINCT collation_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name <> 'alembic_version'"
        " AND data_type IN ('text', 'character varying')",
        "mariadb": "SELECT DISTINCT collation_name FROM information_schema.columns"
        " WHERE table_schema = DATABASE() AND table_name <> 'alembic_version'"
        " AND collation_name IS NOT NULL",
        "sqlite": "SELECT 'BINARY' WHERE NOT EXISTS"
        " (SELECT 1 FROM sqlite_master WHERE sql LIKE '%COLLATE%')",
    }
    expected = {"postgresql": "C", "mariadb": "utf8mb4_nopad_bin", "sqlite": "BINARY"}
    with engine.connect() as connection:
        found = connection.scalars(text(queries[engine.dialect.name])).all()
    assert found == [expected[engine.dialect.name]]


def test_numbers_of_deleted_rows_do_not_come_back(engine: Engine) -> None:
    schema.upgrade(engine)
    with engine.begin() as connection:
        first, second = group(connection), group(connection)
        connection.execute(
            text("DELETE FROM usergroups WHERE usergroup_id = :id"), {"id": second}
        )
        assert group(connection) == second + 1 == first + 2


def test_a_product_takes_its_parts_along(engine: Engine) -> None:
    schema.upgrade(engine)
    with engine.begin() as connection:
        fill(connection)
        connection.execute(text("DELETE FROM products"))
        emptied = {
            table.name
            for table in db.metadata.sorted_tables
            if connection.scalar(select(func.count()).select_from(table)) == 0
        }
    assert emptied == {"products", *parts_of("products")}
    assert {"combination_variants", "option_variant_texts"} < emptied


@pytest.mark.parametrize("name", ["companies", "features"])
def test_what_is_in_use_stays(engine: Engine, name: str) -> None:
    schema.upgrade(engine)
    table = db.metadata.tables[name]
    with engine.begin() as connection:
        fill(connection)
    (key,) = table.primary_key
    with engine.begin() as connection, pytest.raises(IntegrityError):
        connection.execute(table.delete().where(key == 1))


def fill(connection: Connection) -> None:
    """Put row 1 into every table; it refers to row 1 of the others."""
    for table in db.metadata.sorted_tables:
        connection.execute(table.insert(), row_of(table))


def row_of(table: Table) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for column in table.columns:
        targets = {key.column.table for key in column.foreign_keys}
        if table in targets:
            row[column.name] = None
        elif targets or column.primary_key or is_needed(column):
            row[column.name] = "x" if isinstance(column.type, String) else 1
    return row


def is_needed(column: Column[Any]) -> bool:
    return not column.nullable and column.default is None


def parts_of(name: str) -> set[str]:
    """The tables whose rows go with those of a table."""
    found: set[str] = set()
    for table in db.metadata.sorted_tables:
        owned = any(
            key.ondelete == "CASCADE" and key.referred_table.name in {name, *found}
            for key in table.foreign_key_constraints
        )
        found |= {table.name} if owned else set()
    return found - {name}


def test_processes_that_start_at_once_take_turns(url: str) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(3) as pool:
        assert pool.map(upgraded, [url] * 3, chunksize=1) == [True] * 3


def upgraded(url: str) -> bool:
    engine = create_engine(url, poolclass=NullPool)
    schema.upgrade(engine)
    return schema.is_at_head(engine)


def test_a_database_that_stays_locked_is_an_error(
    url: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "LOCK_TIMEOUT_S", 1)
    waiting = engine
    if engine.dialect.name == "sqlite":
        waiting = create_engine(url, poolclass=NullPool, connect_args={"timeout": 0.1})
    with (
        schema._alone(engine),
        pytest.raises(SchemaError, match=r"the database is busy|another process"),
    ):
        schema.upgrade(waiting)
    assert schema.current_heads(engine) == frozenset()


@pytest.mark.skipif("mariadb" not in databases.kinds(), reason="no MariaDB")
def test_mariadb_is_addressed_by_its_name() -> None:
    with databases.scratch_database("mariadb") as url:
        engine = create_engine(url.replace("mariadb", "mysql", 1), poolclass=NullPool)
        with pytest.raises(SchemaError, match="mariadb://"):
            schema.upgrade(engine)


def test_lines_that_hold_pieces_learn_where_these_came_from(engine: Engine) -> None:
    """They hold as products count when the column is added."""
    schema.upgrade(engine)
    lines = [(2, "", "B"), (3, "", None), (4, "4_1", "B"), (5, "5_1", "O"),
             (5, "5_2", None), (6, "", None)]  # fmt: skip
    with engine.begin() as connection:
        fill(connection)
        for id, letter in enumerate("BDOO", 2):
            put(
                connection, "products", product_id=id, seo_name=str(id), tracking=letter
            )
        part = {"combination_hash": 2, "product_id": 5, "choice": "5_1"}
        put(connection, "combinations", **part)
        for order_id, taken in ((2, "Y"), (3, "N")):
            put(connection, "orders", order_id=order_id, stock_taken=taken)
            for number, (id, choice, _) in enumerate(lines):
                line = {"order_id": order_id, "item_id": number, "product_id": id}
                put(connection, "order_items", **line, stocked=choice)
        connection.execute(text("ALTER TABLE order_items DROP COLUMN taken_from"))
        for name in ("shipping_ids", "need_shipping"):
            column = f"ALTER TABLE orders ADD COLUMN {name} VARCHAR(255)"
            connection.execute(text(column))
        before = "UPDATE alembic_version SET version_num = 'storeapi_0012'"
        connection.execute(text(before))
    schema.upgrade(engine)
    table = db.metadata.tables["order_items"]
    found = select(table.c.taken_from).where(table.c.order_id > 1)
    with engine.connect() as connection:
        sources = connection.scalars(found.order_by("order_id", "item_id")).all()
    assert sources == [each[2] for each in lines] + [None] * len(lines)


def put(connection: Connection, name: str, **values: Any) -> None:
    """Add a row like the first one, which another differs from in these values."""
    table = db.metadata.tables[name]
    connection.execute(table.insert(), row_of(table) | values)


def test_references_are_watched_after_an_upgrade(engine: Engine) -> None:
    schema.upgrade(engine)
    broken = text("INSERT INTO company_countries VALUES (7, 'PT')")
    with engine.begin() as connection, pytest.raises(IntegrityError):
        connection.execute(broken)


def test_a_plug_in_has_a_head_of_its_own(engine: Engine, plug_in: Branch) -> None:
    schema.upgrade(engine)
    assert schema.is_at_head(engine)
    assert not schema.is_at_head(engine, [plug_in])
    schema.upgrade(engine, [plug_in])
    heads = schema.expected_heads() | {"acme_1"}
    assert schema.current_heads(engine) == heads == schema.expected_heads([plug_in])
    assert schema.is_at_head(engine, [plug_in])
    add_change(plug_in, 2, needs=max(schema.expected_heads()))
    assert not schema.is_at_head(engine, [plug_in])
    schema.upgrade(engine, [plug_in])
    assert schema.is_at_head(engine, [plug_in])
    assert inspect(engine).has_table("acme_things_2")


def test_an_empty_database_takes_all_branches(
    engine: Engine, plug_in: Branch, tmp_path: Path
) -> None:
    other = Branch("zeta", tmp_path / "zeta")
    other.folder.mkdir()
    add_change(other, 1)
    schema.upgrade(engine, [other, plug_in])
    heads = schema.expected_heads() | {"acme_1", "zeta_1"}
    assert schema.current_heads(engine) == heads


def test_a_removed_plug_in_stops_nothing(
    engine: Engine, plug_in: Branch, tmp_path: Path
) -> None:
    schema.upgrade(engine, [plug_in])
    assert schema.is_at_head(engine)
    other = Branch("zeta", tmp_path / "zeta")
    other.folder.mkdir()
    add_change(other, 1, needs=max(schema.expected_heads()))
    schema.upgrade(engine, [other])
    assert schema.is_at_head(engine, [plug_in, other])


def test_a_newer_database_is_left_alone(
    engine: Engine, plug_in: Branch, tmp_path: Path
) -> None:
    schema.upgrade(engine)
    newer = text("UPDATE alembic_version SET version_num = 'storeapi_9999'")
    with engine.begin() as connection:
        connection.execute(newer)
    assert schema.is_at_head(engine)
    assert not schema.is_at_head(engine, [plug_in])
    with pytest.raises(SchemaError, match="newer than this program: storeapi_9999"):
        schema.upgrade(engine)


def test_a_revision_is_named_as_its_branch(tmp_path: Path) -> None:
    branch = Branch("other", tmp_path)
    add_change(Branch("acme", tmp_path), 1)
    with pytest.raises(SchemaError, match=r"'acme_1' .* must be named as its branch"):
        schema.expected_heads([branch])


def test_a_branch_without_changes_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="changes of 'acme'"):
        schema.expected_heads([Branch("acme", tmp_path)])


def test_a_change_that_cannot_be_placed_is_named(tmp_path: Path) -> None:
    branch = Branch("acme", tmp_path)
    add_change(branch, 1, needs="storeapi_9999")
    with pytest.raises(SchemaError, match="names 'storeapi_9999', which is not there"):
        schema.expected_heads([branch])
    (tmp_path / "1.py").unlink()
    (tmp_path / "first.py").write_text("down_revision = None\n", "utf-8")
    with pytest.raises(SchemaError, match="Could not determine revision id"):
        schema.expected_heads([branch])
    with pytest.raises(SchemaError, match="changes of 'acme': No module named"):
        Branch.of_package("acme", "acme_gone.migrations")


def test_a_branch_can_lie_in_a_package() -> None:
    branch = Branch.of_package("storeapi", "storeapi.migrations")
    assert branch.folder / "versions" == schema.STOREAPI.folder


@pytest.mark.parametrize("table", TABLES)
def test_names_are_short_and_by_the_convention(table: Table) -> None:
    prefixes = ("pk_", "fk_", "uq_", "ix_")
    for item in (*table.constraints, *table.indexes):
        assert isinstance(item.name, str)
        assert item.name.startswith(tuple(p + table.name for p in prefixes))
        assert len(item.name) < 60


@pytest.mark.parametrize("table", TABLES)
def test_every_reference_has_an_index(table: Table) -> None:
    indexed = {tuple(index.columns.keys()) for index in table.indexes}
    indexed.add(tuple(table.primary_key.columns.keys()))
    for item in table.constraints:
        if isinstance(item, UniqueConstraint):
            indexed.add(tuple(item.columns.keys()))
    for item in table.constraints:
        if isinstance(item, ForeignKeyConstraint):
            keys = tuple(item.columns.keys())
            assert any(names[: len(keys)] == keys for names in indexed), item.name


@pytest.mark.parametrize("table", TABLES)
def test_columns_hold_integers_and_texts(table: Table) -> None:
    for column in table.columns:
        assert isinstance(column.type, Integer | String)
        assert column.server_default is None
        default = column.default
        assert default is None or default.is_scalar
