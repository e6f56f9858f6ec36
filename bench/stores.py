"""The demo stores that are measured: made once, kept under var/bench."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import bindparam, create_engine, func, make_url, select, text

from bench.cases import Subject
from bench.orders import sell
from config.settings import Settings
from storeapi.app import create_app, front_of
from storeapi.core.statement import query
from storeapi.models import Feature, FeatureVariant, Product, ProductCategory

FOLDER = Path("var/bench")
SECRET = "benchmark benchmark benchmark benchmark"
EMAIL = "bench@example.com"
_POSTGRESQL = "postgresql+psycopg://postgres@127.0.0.1:5432/postgres"

_ANY = query(
    select(ProductCategory.product_id, ProductCategory.category_id)
    .join(Product, Product.product_id == ProductCategory.product_id)
    .where(
        ProductCategory.product_id >= bindparam("least", required=True),
        Product.company_id == 1,
        Product.status == "A",
    )
    .order_by(ProductCategory.product_id)
    .limit(1)
)
_FEATURES = query(
    select(
        Feature.feature_id,
        Feature.feature_type,
        func.min(FeatureVariant.variant_id),
    )
    .join(FeatureVariant, FeatureVariant.feature_id == Feature.feature_id, isouter=True)
    .where(Feature.feature_type != "G", Feature.feature_code != "size")
    .group_by(Feature.feature_id, Feature.feature_type)
    .order_by(Feature.feature_id)
)
# What is sent for a feature without variants, by its type.
_PLAIN: Mapping[str, object] = {
    "O": {"value_int": "12.5"},
    "D": {"value_int": "1700000000"},
    "C": {"value": "Y"},
    "T": {"value": "Measured as {n}"},
}
_NUMBER = query(select(func.count()).select_from(Product))


@dataclass(frozen=True, slots=True)
class DemoStore:
    """A database with a number of products, and a key to read it with."""

    kind: str
    url: str
    key: str
    subject: Subject

    @property
    def settings(self) -> Settings:
        """The settings under which every line serves it."""
        return Settings.from_environment(self.environment)

    @property
    def environment(self) -> dict[str, str]:
        """The same as variables."""
        return {
            "STOREAPI_ENVIRONMENT": "production",
            "STOREAPI_DATABASE_URL": self.url,
            "STOREAPI_SECRET_KEY": SECRET,
            "STOREAPI_MEDIA_FOLDER": str(FOLDER / "media"),
            "STOREAPI_LOG_LEVEL": "WARNING",
        }


def prepared(kind: str, products: int, orders: int = 0) -> DemoStore:
    """Make the store if it is not there yet, and a fresh key for it.

    Shapes: without `orders` there are those of the demo.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    url = _address(kind, f"{products}_{orders}" if orders else f"{products}")
    store = DemoStore(kind, url, "", Subject(0, 0))
    _command(store, "init")
    app = create_app(store.settings)
    database = front_of(app).database
    if not database.read(lambda db: db.value(_NUMBER)):
        _command(store, "demo", "--products", str(products), "--seed", "1")
        _command(store, "user", "create-root", EMAIL)
        # A first part, so that the planner knows the tables while the others are sold.
        for number in (0, orders // 50, orders):
            sell(database, store.settings, number)
            database.analyze()
    key = _command(store, "user", "grant-api", EMAIL).splitlines()[-1]
    row = database.read(lambda db: db.row(_ANY, least=products // 2))
    assert row is not None
    features = database.read(lambda db: db.rows(_FEATURES))
    sale = sell(database, store.settings, orders)
    database.close()
    values = {
        str(id): _PLAIN.get(type, {"variant_id": str(variant)})
        for id, type, variant in features
    }
    return DemoStore(kind, url, key, Subject(row[0], row[1], values, sale))


def _address(kind: str, store: str) -> str:
    if kind == "sqlite":
        return f"sqlite:///{(FOLDER / f'{store}.db').absolute()}"
    server = make_url(os.environ.get("STOREAPI_TEST_POSTGRESQL_URL", _POSTGRESQL))
    name = f"storeapi_bench_{store}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as link:
        known = link.scalar(
            text("SELECT 1 FROM pg_database WHERE datname = :name"), {"name": name}
        )
        if not known:
            link.execute(text(f'CREATE DATABASE "{name}"'))
    engine.dispose()
    return server.set(database=name).render_as_string(hide_password=False)


def _command(store: DemoStore, *words: str) -> str:
    command = [str(Path(sys.executable).with_name("storeapi")), *words]
    done = subprocess.run(
        command,
        env={**os.environ, **store.environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout
