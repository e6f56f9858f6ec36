"""Contexts for calling rules without a request."""

from storeapi.core.access import Caller, Installation
from storeapi.core.entity import Context
from tests.shop import NOW, Shop


def context_of(shop: Shop) -> Context:
    """What a request of root would know."""
    return Context(
        Caller(user_id=shop.root.user_id, is_root=True, unlimited=True),
        Installation(("en", "de"), shop.store),
        shop.settings,
        base_url="http://localhost",
        now=NOW,
        registry=shop.registry,
    )
