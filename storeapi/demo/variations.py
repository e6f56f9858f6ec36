"""The variation group of a demo store: one piece of clothing in all its sizes."""

from collections.abc import Sequence
from typing import Any

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.demo.goods import Goods, in_place
from storeapi.demo.properties import Properties
from storeapi.models import Product, VariationGroup, VariationGroupFeature
from storeapi.rules.catalog_items import TOGETHER, GroupFeature, Member, arrange

Row = dict[str, Any]


def in_all_sizes(
    goods: Sequence[Goods], known: Properties
) -> tuple[list[Goods], list[Member]]:
    """Make the first pieces of clothing of one store the same one in all sizes.

    Shapes: the goods in their order, and those that are to be a group.
    """
    feature, sizes = known.features["size"], known.variants["size"]
    found = list(goods)
    worn = [n for n, each in enumerate(goods) if _size_row(each, feature)]
    company_id = goods[worn[0]].product["company_id"] if worn else 0
    places = [n for n in worn if goods[n].product["company_id"] == company_id]
    members = []
    for n, size in zip(places, sizes, strict=False):
        found[n] = _in_size(goods[places[0]], goods[n], feature, size)
        id = found[n].product["product_id"]
        members.append(Member(id, company_id, {feature: size}))
    return found, members


def _size_row(goods: Goods, feature: int) -> bool:
    return any(row["feature_id"] == feature for row in goods.values)


def _in_size(like: Goods, own: Goods, feature: int, size: int) -> Goods:
    """A product in a size, in the place of another one."""
    found = in_place(like, own)
    for row in found.values:
        if row["feature_id"] == feature:
            row["slot"] = row["variant_id"] = size
    return found


def write_group(
    db: Transaction, members: Sequence[Member], known: Properties, now: int
) -> None:
    """Write the group, and what it says at its members."""
    if len(members) < 2:
        return
    feature = GroupFeature(known.features["size"], TOGETHER)
    row = {"company_id": members[0].company_id, "code": "PV-SIZES"}
    group_id = db.insert(
        table_of(VariationGroup), {**row, "created_at": now, "updated_at": now}
    )
    base = {"group_id": group_id, "feature_id": feature.feature_id}
    db.insert(table_of(VariationGroupFeature), {**base, "purpose": feature.purpose})
    for id, place in arrange(group_id, [feature], members).items():
        values = {
            "variation_group_id": group_id,
            "parent_product_id": place.parent_id,
            "product_type": place.product_type,
            "variation_sub_group_id": place.sub_group_id,
            "variation_key": place.key,
        }
        db.update(table_of(Product), {"product_id": id}, values)
