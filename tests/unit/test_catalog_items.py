"""Placing the members of variation groups: members and features in, places out."""

import pytest

from storeapi.rules.catalog_items import (
    SEPARATE,
    TOGETHER,
    GroupFeature,
    Joined,
    Member,
    Place,
    arrange,
    item_id,
    judge,
    value_key,
)

COLOUR, SIZE = 72, 71
FEATURES = (GroupFeature(COLOUR, SEPARATE), GroupFeature(SIZE, TOGETHER))


def member(id: int, colour: int, size: int, *, leads: bool = False) -> Member:
    return Member(id, 1, {COLOUR: colour, SIZE: size, 99: 5}, leads)


def test_key_holds_the_values_in_the_order_of_the_features() -> None:
    assert value_key(member(1, 331, 311), FEATURES) == "72:331_71:311"


def test_item_is_named_by_group_and_separating_values() -> None:
    assert item_id(5, member(1, 331, 311), FEATURES) == "5_72:331"
    assert item_id(5, member(1, 331, 311), FEATURES[1:]) == "5_"


def test_first_of_an_item_leads_it() -> None:
    members = [member(9, 1, 1), member(3, 1, 2), member(4, 2, 1)]
    assert arrange(5, FEATURES, members) == {
        9: Place(None, "5_72:1", "72:1_71:1"),
        3: Place(9, "5_72:1", "72:1_71:2"),
        4: Place(None, "5_72:2", "72:2_71:1"),
    }


def test_leader_goes_on_leading() -> None:
    places = arrange(5, FEATURES, [member(1, 1, 1), member(2, 1, 2, leads=True)])
    assert (places[1].parent_id, places[2].parent_id) == (2, None)


def test_first_of_two_leaders_leads() -> None:
    members = [member(2, 1, 2, leads=True), member(1, 1, 1, leads=True)]
    places = arrange(5, FEATURES, members)
    assert (places[1].parent_id, places[2].parent_id) == (2, None)


def test_product_type_tells_defaults_from_children() -> None:
    assert (Place(None, "", "").product_type, Place(1, "", "").product_type) == (
        "P",
        "V",
    )


@pytest.mark.parametrize(
    ("candidate", "status"),
    [
        (member(7, 1, 2), Joined.ADDED),
        (member(7, 1, 1), Joined.TAKEN),
        (member(3, 1, 1), Joined.ADDED),
        (Member(7, 2, {COLOUR: 1, SIZE: 2}), Joined.OTHER_COMPANY),
        (Member(7, 1, {COLOUR: 1}), Joined.LACKS_FEATURE),
    ],
    ids=["free", "taken", "itself", "company", "lacks"],
)
def test_who_may_join(candidate: Member, status: Joined) -> None:
    assert judge(candidate, 1, FEATURES, {"72:1_71:1": 3}) is status
