"""The usual line: the same record as it is commonly written.

Flask-SQLAlchemy mapped classes with relationships that load at once, a marshmallow
schema that dumps them, and Flask's own JSON. It has no scope, no versions, no
conditional requests; it authenticates by the ORM.
"""

import base64
import os
from typing import Any

from flask import Flask, Response, jsonify, request
from flask_sqlalchemy import SQLAlchemy
from marshmallow import Schema, fields
from sqlalchemy import select
from sqlalchemy.orm import foreign, relationship, selectinload

from storeapi.models import (
    ApiKey,
    Category,
    Feature,
    FeatureText,
    FeatureVariant,
    FeatureVariantText,
    Product,
    ProductCategory,
    ProductFeatureValue,
    ProductText,
    User,
)
from storeapi.rules.api_keys import digest

app = Flask(__name__, static_folder=None)
app.config["SQLALCHEMY_DATABASE_URI"] = os.environ["BENCH_URL"]
app.json.sort_keys = False
db = SQLAlchemy()
db.init_app(app)


def _related(own: Any, other: Any) -> Any:
    many = other.class_ not in (Category, Feature, FeatureVariant)
    join = own == foreign(other) if many else foreign(own) == other
    return relationship(other.class_, primaryjoin=join, viewonly=True, uselist=many)


_RELATED: Any = {
    (Product, "bench_texts"): _related(Product.product_id, ProductText.product_id),
    (Product, "bench_links"): _related(Product.product_id, ProductCategory.product_id),
    (Product, "bench_values"): _related(
        Product.product_id, ProductFeatureValue.product_id
    ),
    (Product, "bench_category"): _related(Product.main_category, Category.category_id),
    (ProductFeatureValue, "bench_feature"): _related(
        ProductFeatureValue.feature_id, Feature.feature_id
    ),
    (ProductFeatureValue, "bench_variant"): _related(
        ProductFeatureValue.variant_id, FeatureVariant.variant_id
    ),
    (Feature, "bench_texts"): _related(Feature.feature_id, FeatureText.feature_id),
    (FeatureVariant, "bench_texts"): _related(
        FeatureVariant.variant_id, FeatureVariantText.variant_id
    ),
}
for (_model, _name), _value in _RELATED.items():
    setattr(_model, _name, _value)

_TEXTS = (
    "product", "short_description", "full_description", "promo_text",
    "meta_description", "meta_keywords", "page_title", "search_words",
    "age_warning_message",
)  # fmt: skip
_MONEY = ("price", "list_price", "shipping_freight")
_SHOWN = [
    column.name
    for column in Product.__table__.columns
    if not column.name.startswith("variation") and column.name != "point_price"
]


def _english(row: Any, name: str) -> Any:
    return next(getattr(t, name) for t in row.bench_texts if t.lang_code == "en")


class ValueSchema(Schema):
    """A value of a feature."""

    feature_id = fields.String()
    feature_type = fields.String(attribute="bench_feature.feature_type")
    description = fields.Function(lambda v: _english(v.bench_feature, "description"))
    value = fields.String()
    value_int = fields.Integer()
    variant_id = fields.String()
    variant = fields.Function(
        lambda v: _english(v.bench_variant, "variant") if v.bench_variant else ""
    )


class ProductSchema(Schema):
    """The record, a field a column."""

    product_features = fields.List(fields.Nested(ValueSchema), attribute="bench_values")

    category_ids = fields.Method("links")
    seo_path = fields.Method("path")
    list_discount = fields.Method("discount")

    def links(self, product: Any) -> list[int]:
        """The categories, the main one first."""
        ids = [link.category_id for link in product.bench_links]
        return sorted(ids, key=lambda id: id != product.main_category)

    def path(self, product: Any) -> str:
        """The chain of the main category."""
        return product.bench_category.id_path if product.bench_category else ""

    def discount(self, product: Any) -> float:
        """How far the price lies under the list price."""
        reduced: int = max(0, product.list_price - product.price)
        return reduced / 100


def _field(name: str) -> Any:
    if name in _MONEY:
        return fields.Function(lambda product: f"{getattr(product, name) / 100:.2f}")
    if name in _TEXTS:
        return fields.Function(lambda product: _english(product, name))
    return fields.String()


_Record = type(
    "Record", (ProductSchema,), {name: _field(name) for name in [*_SHOWN, *_TEXTS]}
)
_one = _Record()
_many = _Record(many=True)


def _caller() -> User | None:
    text = request.headers.get("Authorization", "").partition(" ")[2]
    login, _, key = base64.b64decode(text).decode().partition(":")
    mark = digest(os.environ["STOREAPI_SECRET_KEY"], key)
    return db.session.scalars(
        select(User)
        .join(ApiKey, ApiKey.user_id == User.user_id)
        .where(ApiKey.digest == mark, User.email_key == login.lower())
    ).first()


@app.before_request
def authenticate() -> Any:
    """Refuse who has no key."""
    return None if _caller() else (jsonify(message="Unauthorized"), 401)


def _loading() -> Any:
    product: Any = Product
    value: Any = ProductFeatureValue
    variant: Any = FeatureVariant
    feature: Any = Feature
    values = selectinload(product.bench_values)
    return (
        selectinload(product.bench_texts),
        selectinload(product.bench_links),
        selectinload(product.bench_category),
        values.selectinload(value.bench_feature).selectinload(feature.bench_texts),
        values.selectinload(value.bench_variant).selectinload(variant.bench_texts),
    )


@app.get("/usual/products/<int:id>")
def read_one(id: int) -> Response:
    """One record."""
    query = select(Product).options(*_loading()).where(Product.product_id == id)
    return jsonify(_one.dump(db.session.scalars(query).one()))


@app.get("/usual/products")
def read_page() -> Response:
    """A page of records with the total."""
    query = (
        select(Product)
        .join(ProductText, ProductText.product_id == Product.product_id)
        .where(ProductText.lang_code == "en")
        .order_by(ProductText.product_key, Product.product_id)
        .options(*_loading())
    )
    size = int(request.args.get("items_per_page", 10))
    page = db.paginate(query, page=1, per_page=size, max_per_page=1000)
    return jsonify(products=_many.dump(page.items), params={"total_items": page.total})


@app.post("/usual/products")
def create() -> Any:
    """A new product with its texts and links."""
    body = request.get_json()
    product = Product(
        company_id=1,
        product_code=body["product_code"],
        price=round(float(body["price"]) * 100),
        amount=body["amount"],
        seo_name=body["product"].lower().replace(" ", "-"),
        main_category=body["category_ids"][0],
    )
    db.session.add(product)
    db.session.flush()
    for code in ("en", "de"):
        db.session.add(
            ProductText(
                product_id=product.product_id,
                lang_code=code,
                product=body["product"],
                product_key=body["product"].lower(),
            )
        )
    for category_id in body["category_ids"]:
        db.session.add(
            ProductCategory(product_id=product.product_id, category_id=category_id)
        )
    db.session.commit()
    return jsonify(product_id=product.product_id), 201


@app.put("/usual/products/<int:id>")
def update(id: int) -> Response:
    """Another stock and text."""
    body = request.get_json()
    product = db.session.get(Product, id)
    assert product is not None
    product.amount = int(body["amount"]) % 1_000_000
    text = db.session.get(ProductText, (id, "en"))
    assert text is not None
    text.short_description = body["short_description"]
    db.session.commit()
    return jsonify(product_id=id)
