"""Which products of a variation group are one catalog item, and which leads it.

Pure: members and features in, places out.
Source: spec/entities/product_variations.md, sections 1, 2 and rules 5.2 to 5.7.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

SEPARATE = "group_catalog_item"
TOGETHER = "group_variation_catalog_item"
PURPOSES = (SEPARATE, TOGETHER)
MOST_FEATURES = 10
"""On how many features a group can be based: each product is keyed by all."""


class Joined(IntEnum):
    """What became of a product that was to join a group."""

    UNCHANGED = 0
    ADDED = 1
    UPDATED = 2
    UNKNOWN_ERROR = 200
    OTHER_COMPANY = 253
    TAKEN = 254
    LACKS_FEATURE = 255


REASONS = {
    Joined.UNKNOWN_ERROR: "an offer has no variations of its own",
    Joined.OTHER_COMPANY: "its company differs from that of the group",
    Joined.TAKEN: "this combination of variants is already in the group",
    Joined.LACKS_FEATURE: "it lacks a value for a feature of the group",
}


@dataclass(frozen=True, slots=True)
class GroupFeature:
    """A feature that a group is based on."""

    feature_id: int
    purpose: str


@dataclass(frozen=True, slots=True)
class Member:
    """A product of a group. Shapes: `values` maps feature IDs to variant IDs.

    One that is `offered` has texts, options and values of a common product, so it
    can follow no other.
    """

    product_id: int
    company_id: int
    values: Mapping[int, int]
    leads: bool = False
    offered: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a member stands: its leader (`None` for itself), item, and values."""

    parent_id: int | None
    sub_group_id: str
    key: str

    @property
    def product_type(self) -> str:
        """`P` for the default of a catalog item, `V` for a child variation."""
        return "P" if self.parent_id is None else "V"


def judge(
    member: Member,
    company_id: int,
    features: Sequence[GroupFeature],
    taken: Mapping[str, int],
) -> Joined:
    """Whether a product may join. Shapes: `taken` maps value keys to product IDs."""
    if member.offered:
        return Joined.UNKNOWN_ERROR
    if member.company_id != company_id:
        return Joined.OTHER_COMPANY
    if any(feature.feature_id not in member.values for feature in features):
        return Joined.LACKS_FEATURE
    if taken.get(value_key(member, features), member.product_id) != member.product_id:
        return Joined.TAKEN
    return Joined.ADDED


def value_key(member: Member, features: Sequence[GroupFeature]) -> str:
    """The values that make a member unique in its group, as one text."""
    return "_".join(f"{f.feature_id}:{member.values[f.feature_id]}" for f in features)


def item_id(group_id: int, member: Member, features: Sequence[GroupFeature]) -> str:
    """The catalog item of a member: the group and its separating values."""
    separate = [f for f in features if f.purpose == SEPARATE]
    return f"{group_id}_{value_key(member, separate)}"


def arrange(
    group_id: int, features: Sequence[GroupFeature], members: Sequence[Member]
) -> dict[int, Place]:
    """Place members, given in the order in which they joined.

    A member that led its catalog item goes on leading it; else the first one does.
    """
    leaders: dict[str, int] = {}
    for member in [*[m for m in members if m.leads], *members]:
        leaders.setdefault(item_id(group_id, member, features), member.product_id)
    places = {}
    for member in members:
        item = item_id(group_id, member, features)
        leader = leaders[item]
        places[member.product_id] = Place(
            None if leader == member.product_id else leader,
            item,
            value_key(member, features),
        )
    return places
