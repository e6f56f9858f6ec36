"""Objects of a company that name each other, and objects of others that name them."""

from typing import Any

from storeapi.models import Option
from tests.album import encoded
from tests.contract.world import Branch

PICTURE = {"detailed": {"data": encoded()}}
ICON = {"icon": {"image_path": {"1": "https://cdn.example/b.png"}}}


def put(branch: Branch, path: str, body: dict[str, Any]) -> None:
    """A change that root makes."""
    answer = branch.root.put(path, body)
    assert answer.status_code == 200, (path, answer.get_data(as_text=True))


def variants(branch: Branch, path: str) -> list[int]:
    """The variants of a feature or an option."""
    return [int(id) for id in branch.root.get(path).get_json()["variants"]]


class Furniture:
    """Trees, features in a group, options, choices and variations of a company.

    Attributes: `feature` has variants, lies in the feature group `frame` and is for
    `category`; `option` is global; `products` are a variation group.
    """

    def __init__(self, branch: Branch, tax_id: int, usergroup_id: int) -> None:
        self.branch = branch
        self.own = {"company_id": branch.company_id}
        self.limits = {"tax_ids": [tax_id], "usergroup_ids": str(usergroup_id)}
        self.price = {"lower_limit": 2, "usergroup_id": usergroup_id, "price": "1.00"}
        self._make_trees()
        self._make_feature()
        some = {"1": {"variant_name": "Oak"}, "2": {"variant_name": "Tin"}}
        lid = {"product_id": 0, "option_name": "Lid", "variants": some}
        self.option = branch.root.make("options", **lid, main_pair=ICON)
        # As its own administrator makes it; root makes one of the default company.
        branch.change(Option, {"option_id": self.option}, self.own)
        self.products = [self._make_product(id) for id in self.variants]
        branch.root.make("product_variations_groups", product_ids=self.products)

    def _make_trees(self) -> None:
        place = {"parent_id": self.branch.category, **self.own}
        self.category = self.branch.root.make("categories", category="A", **place)
        page = {"page_type": "T", "page": "House", **self.own}
        above = self.branch.root.make("pages", **page)
        self.branch.root.make("pages", **page, parent_id=above)

    def _make_feature(self) -> None:
        frame = {"description": "Frame", "feature_type": "G", "position": 7}
        self.frame = self.branch.root.make("features", **frame, **self.own)
        body = {
            "description": "Wood",
            "feature_type": "S",
            "purpose": "group_catalog_item",
            "parent_id": self.frame,
            "categories_path": str(self.category),
            "variants": [{"variant": "oak", "image_pair": PICTURE}, {"variant": "ash"}],
        }
        self.feature = self.branch.root.make("features", **body, **self.own)
        self.variants = variants(self.branch, f"features/{self.feature}")

    def _make_product(self, variant: int) -> int:
        id = self.branch.make_product(
            category_ids=[self.category, self.branch.category],
            product_features={str(self.feature): variant},
            main_pair=PICTURE,
            prices=[self.price],
            **self.limits,
        )
        self.choose(id)
        return id

    def choose(self, product_id: int) -> None:
        """Link the option to a product, with a combination and an exception of it."""
        self.branch.root.make(f"products/{product_id}/options", option_id=self.option)
        first, second = variants(self.branch, f"options/{self.option}")
        choice = {"product_id": product_id, "combination": {str(self.option): first}}
        key = self.branch.root.make("combinations", **choice)
        put(self.branch, f"combinations/{key}", {"image_pairs": PICTURE})
        choice["combination"] = {str(self.option): second}
        self.branch.root.make("exceptions", **choice)


class Outsiders:
    """A product, a feature and a vendor of others, which may name a company's."""

    def __init__(self, branch: Branch, vendor: int) -> None:
        self.branch = branch
        self.product = branch.make_product("Jar", category_ids=[branch.category])
        body = {"description": "Scent", "feature_type": "T", "position": 1}
        own = {"company_id": branch.company_id}
        self.feature = branch.root.make("features", **body, **own)
        self.vendor = f"vendors/{vendor}"
        put(branch, self.vendor, {"categories": [branch.category]})

    def tie(self, furniture: Furniture) -> None:
        """Let them name what the company has."""
        branch, category = self.branch, furniture.category
        places = [branch.category, category]
        path = f"products/{self.product}"
        put(branch, path, {"category_ids": places})
        value = {str(furniture.feature): furniture.variants[0]}
        put(branch, path, {"product_features": value})
        furniture.choose(self.product)
        put(branch, f"features/{self.feature}", {"parent_id": furniture.frame})
        put(branch, self.vendor, {"categories": places})

    def records(self) -> list[dict[str, Any]]:
        """What is seen of them, but for the time of the last change."""
        paths = (f"products/{self.product}", f"features/{self.feature}")
        found = [self.branch.root.get(path).get_json() for path in paths]
        found[0].pop("updated_timestamp")
        vendor = self.branch.root.get(f"{self.vendor}?full=Y").get_json()
        return [*found, vendor]
