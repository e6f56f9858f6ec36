"""Products to group: mugs that differ in colour and size."""

from typing import Any

from werkzeug.test import TestResponse

from storeapi.core.rows import table_of
from storeapi.models import Product
from tests.shop import NOW, Shop

COLOURS = ("green", "blue", "red")
SIZES = ("small", "large", "huge")
CODES = {"added": 1, "unchanged": 0, "company": 253, "taken": 254, "lacks": 255}


class Mugs:
    """A shop with two features; `colour` makes catalog items, `size` a choice.

    Shapes: variants are known by their names.
    """

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.colour = self.feature("Colour", "group_catalog_item", COLOURS)
        self.size = self.feature("Size", "group_variation_catalog_item", SIZES)
        self.variants = self.variants_of(self.colour) | self.variants_of(self.size)

    def feature(self, name: str, purpose: str, values: tuple[str, ...] = ()) -> int:
        """A feature of type S."""
        body = {
            "description": name,
            "feature_type": "S",
            "purpose": purpose,
            "variants": [{"variant": value} for value in values],
        }
        answer = self.shop.root.post("features", body)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        return int(answer.get_json()["feature_id"])

    def variants_of(self, feature: int) -> dict[str, int]:
        """The variants of a feature, by their names."""
        record = self.shop.root.get(f"features/{feature}").get_json()
        return {v["variant"]: int(id) for id, v in record["variants"].items()}

    def values(self, *names: str) -> dict[str, int]:
        """Feature values of a product: a colour, a size, or both."""
        feature = dict.fromkeys(COLOURS, self.colour)
        feature |= dict.fromkeys(SIZES, self.size)
        return {str(feature[name]): self.variants[name] for name in names}

    def mug(self, *names: str, **payload: Any) -> int:
        """A product with these values."""
        name = payload.pop("product", " ".join(("Mug", *names)))
        return self.shop.make_product(
            name, product_features=self.values(*names), **payload
        )

    def post_group(self, *ids: int, **payload: Any) -> TestResponse:
        """The answer to a POST of a group."""
        body = {"product_ids": list(ids), **payload}
        return self.shop.root.post("product_variations_groups", body)

    def group(self, *ids: int, **payload: Any) -> int:
        """A group of products, all of which must join."""
        answer = self.post_group(*ids, **payload)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        assert answer.get_json()["products_status"] == {str(id): 1 for id in ids}
        return int(answer.get_json()["id"])

    def product(self, id: int) -> dict[str, Any]:
        """The full record of a product."""
        found: dict[str, Any] = self.shop.root.get(f"products/{id}").get_json()
        return found

    def place(self, id: int) -> tuple[str, str, str | None]:
        """Type, parent and group of a product."""
        found = self.product(id)
        return (
            found["product_type"],
            found["parent_product_id"],
            found["variation_group_id"],
        )

    def members(self, group: int | str) -> list[int]:
        """The products of a group."""
        answer = self.shop.root.get(f"product_variations_groups/{group}")
        return [product["product_id"] for product in answer.get_json()["products"]]

    def age(self) -> None:
        """Make every product one that nobody changed for long."""

        def action(db: Any) -> None:
            db.execute(table_of(Product).update().values(updated_timestamp=NOW))

        self.shop.database.write(action)
