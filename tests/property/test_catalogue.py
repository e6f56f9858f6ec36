"""Random sequences of catalogue writes keep what must always hold."""

from collections import Counter
from typing import Any

from flask import Flask
from hypothesis import given, settings
from hypothesis import strategies as st

from storeapi.app import front_of
from storeapi.core.database import Transaction
from storeapi.counting import counted_tables, differences
from storeapi.models import Model
from storeapi.rules.choice_texts import choice_of
from storeapi.rules.options import offered
from tests.shop import Shop

VERBS = (
    "product", "category", "feature", "option", "combination", "group",
    "place", "value", "join", "leave", "default", "variants", "move",
    "drop product", "drop category", "drop feature", "drop option", "drop group",
)  # fmt: skip
_STEP = st.tuples(st.sampled_from(VERBS), st.integers(0, 9), st.integers(0, 9))
_OWNERS = {
    "product": ("products", "product_id"),
    "category": ("categories", "category_id"),
    "feature_variant": ("feature_variants", "variant_id"),
    "variant_image": ("option_variants", "variant_id"),
    "product_option": ("combinations", "combination_hash"),
}
_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
    "awAAAABJRU5ErkJggg=="
)


class Walk:
    """What a sequence of writes works on; a write that is refused changes nothing."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.ids: dict[str, list[int]] = {"category": [shop.category]}

    def pick(self, kind: str, number: int) -> int:
        """One of the objects of a kind, or an ID that none has."""
        known = self.ids.get(kind, [])
        return known[number % len(known)] if known else 999_999

    def send(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Send a write; anything but a success or a refusal is a fault."""
        answer = self.shop.root.request(method, path, json=body)
        assert answer.status_code < 500, answer.get_data(as_text=True)
        return answer.get_json() if answer.status_code == 201 else {}

    def add(self, kind: str, path: str, key: str, body: Any) -> None:
        """Create an object and remember its ID."""
        made = self.send("POST", path, body)
        if key in made:
            self.ids.setdefault(kind, []).append(int(made[key]))

    def step(self, verb: str, one: int, two: int) -> None:
        """Do one write, on objects chosen by number."""
        if verb.startswith("drop "):
            self._drop(verb.removeprefix("drop "), one)
        elif verb in ("product", "category", "feature", "option"):
            self._add(verb, one, two)
        elif verb in ("group", "combination", "join", "leave", "default"):
            self._tie(verb, one, two)
        else:
            self._change(verb, one, two)

    def _add(self, verb: str, one: int, two: int) -> None:
        if verb == "product":
            image = {"detailed": {"data": _PIXEL}} if one % 2 else None
            body: dict[str, Any] = {"product": f"P{two}", "amount": two}
            body |= {"category_ids": [self.pick("category", one)], "main_pair": image}
            self.add("product", "products", "product_id", body)
        elif verb == "category":
            parent = self.pick("category", one) if two % 2 else 0
            body = {"category": f"C{two}", "parent_id": parent}
            self.add("category", "categories", "category_id", body)
        elif verb == "feature":
            body = {"description": f"F{one}", "feature_type": "S"}
            body["purpose"] = ("group_catalog_item", "group_variation_catalog_item")[
                two % 2
            ]
            body["variants"] = [{"variant": name} for name in "abc"]
            self.add("feature", "features", "feature_id", body)
        else:
            body = {"option_name": f"O{two}", "product_id": self.pick("product", one)}
            body["variants"] = [{"variant_name": name} for name in "xy"]
            self.add("option", "options", "option_id", body)

    def _tie(self, verb: str, one: int, two: int) -> None:
        product = self.pick("product", one)
        if verb == "group":
            body: Any = {"product_ids": [product, self.pick("product", two)]}
            self.add("group", "product_variations_groups", "id", body)
        elif verb == "combination":
            option = self.pick("option", two)
            found = self.shop.root.get(f"options/{option}").get_json()
            variants = list(found.get("variants") or {})[:1]
            owner = product if one % 3 else found.get("product_id", 0)
            choice = {str(option): variants[0] if variants else "0"}
            body = {"product_id": owner, "combination": choice}
            self.send("POST", "combinations", {**body, "amount": one})
            if two % 2:
                self.send("POST", "exceptions", body)
        elif verb == "default":
            path = f"product_variations/{product}/set_default_product_variation"
            self.send("POST", path, {})
        else:
            group = self.pick("group", two) if verb == "join" else 0
            self.send("PUT", f"products/{product}", {"variation_group_id": group})

    def _change(self, verb: str, one: int, two: int) -> None:
        product, feature = self.pick("product", one), self.pick("feature", two)
        if verb == "place":
            ids = [self.pick("category", two), self.pick("category", one)]
            self.send("PUT", f"products/{product}", {"category_ids": ids})
        elif verb == "move":
            body = {"parent_id": self.pick("category", two) if two % 2 else 0}
            self.send("PUT", f"categories/{self.pick('category', one)}", body)
        elif verb == "value":
            found = self.shop.root.get(f"features/{feature}").get_json()
            variants = list(found.get("variants") or {})
            value = variants[one % len(variants)] if variants else None
            body = {"product_features": {str(feature): value}}
            self.send("PUT", f"products/{product}", body)
        else:
            names = [{"variant": name} for name in "abcd"[one % 3 :]]
            self.send("PUT", f"features/{feature}", {"variants": names})

    def _drop(self, kind: str, one: int) -> None:
        id = self.pick(kind, one)
        entity = {"category": "categories", "group": "product_variations_groups"}
        path = entity.get(kind, f"{kind}s")
        answer = self.shop.root.delete(f"{path}/{id}")
        assert answer.status_code in (204, 400, 404)
        if answer.status_code == 204:
            self.ids[kind].remove(id)


def rows(db: Transaction, table: str) -> list[dict[str, Any]]:
    found = db.execute(Model.metadata.tables[table].select())
    return [dict(row._mapping) for row in found]


def check_products(db: Transaction) -> None:
    """The main category is one of the categories; each catalog item has one leader."""
    links = {
        (r["product_id"], r["category_id"]) for r in rows(db, "product_categories")
    }
    leaders: Counter[str] = Counter()
    products = {row["product_id"]: row for row in rows(db, "products")}
    for row in products.values():
        if row["main_category"] is not None:
            assert (row["product_id"], row["main_category"]) in links
        elif row["status"] != "D":
            assert not [link for link in links if link[0] == row["product_id"]]
        leads = row["parent_product_id"] is None
        assert row["product_type"] == ("P" if leads else "V")
        if row["variation_group_id"] is not None:
            leaders[row["variation_sub_group_id"]] += leads
        elif not leads:
            raise AssertionError("a variation is in no group")
        if not leads:
            parent = products[row["parent_product_id"]]
            assert parent["variation_sub_group_id"] == row["variation_sub_group_id"]
    assert set(leaders.values()) <= {1}


def check_rows(db: Transaction) -> None:
    """No text is missing in a language, and no row is left without its owner."""
    languages = {row["lang_code"] for row in rows(db, "languages")}
    for table in Model.metadata.sorted_tables:
        keys = [column.name for column in table.primary_key.columns]
        if len(keys) == 2 and keys[1] == "lang_code":
            (reference,) = table.c[keys[0]].foreign_keys
            owners = rows(db, reference.column.table.name)
            wanted = {(o[reference.column.name], c) for o in owners for c in languages}
            found = {(row[keys[0]], row["lang_code"]) for row in rows(db, table.name)}
            assert found == wanted, table.name
    shown = set()
    for pair in rows(db, "image_pairs"):
        table, key = _OWNERS[pair["object_type"]]
        assert pair["object_id"] in {row[key] for row in rows(db, table)}
        shown |= {pair["image_id"], pair["detailed_id"]}
    assert {row["image_id"] for row in rows(db, "images")} == shown - {None}
    hashes = {row["combination_hash"] for row in rows(db, "combination_variants")}
    assert hashes == {row["combination_hash"] for row in rows(db, "combinations")}
    members = {row["variation_group_id"] for row in rows(db, "products")}
    assert {row["id"] for row in rows(db, "variation_groups")} == members - {None}


def check_choices(db: Transaction) -> None:
    """Combinations and exceptions name options that their products have."""
    ids = [row["product_id"] for row in rows(db, "products")]
    options = offered(db, ids) if ids else {}
    variants = {r["variant_id"]: r["option_id"] for r in rows(db, "option_variants")}
    for table in ("combinations", "exceptions"):
        for row in rows(db, table):
            choice = choice_of(row["choice"])
            assert set(choice) <= set(options[row["product_id"]])
            assert all(variants[v] == o for o, v in choice.items())


@settings(max_examples=12, deadline=None)
@given(steps=st.lists(_STEP, min_size=5, max_size=30))
def test_the_catalogue_keeps_its_shape(
    app: Flask, steps: list[tuple[str, int, int]]
) -> None:
    shop = Shop(app)
    walk = Walk(shop)
    for step in steps:
        walk.step(*step)

    def check(db: Transaction) -> None:
        check_products(db)
        check_rows(db)
        check_choices(db)
        assert differences(db, counted_tables(front_of(app).registry)) == []

    shop.database.write(check)
