"""For whom an object is: its `usergroup_ids` name the groups that may see it."""

from typing import Any

from sqlalchemy import String, cast, literal, or_

from storeapi.core.access import Caller
from storeapi.core.conditions import Condition
from storeapi.models import UsergroupLink
from storeapi.rules.groups import EVERYBODY, GUESTS, JOINED, REGISTERED


def for_reader(listed: Any, caller: Caller) -> Condition:
    """The condition that an object is for a customer, or for a visitor.

    Shapes: `listed` is the column of its groups, a text like "0,5".
    Source: spec/entities/pages.md, rule 6; spec/entities/usergroups.md, purpose.
    """
    everybody = listed == EVERYBODY
    if caller.user_id is None:
        return Condition(
            "for visitors", lambda: or_(everybody, *_names_any(listed, GUESTS))
        )
    return Condition(
        "for own groups",
        lambda: or_(everybody, *_names_any(listed, REGISTERED), _names_own(listed)),
        {"member_id": caller.user_id},
    )


def _names_any(listed: Any, group: int) -> list[Any]:
    return [_names(listed, literal(EVERYBODY)), _names(listed, literal(str(group)))]


def _names(listed: Any, number: Any) -> Any:
    """The condition that the list names one group."""
    within = literal(",").concat(listed).concat(",")
    return within.like(literal("%,").concat(number).concat(",%"))


def _names_own(listed: Any) -> Any:
    named = _names(listed, cast(UsergroupLink.usergroup_id, String))
    return JOINED.where(named).exists()
