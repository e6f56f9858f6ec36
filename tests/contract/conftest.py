"""Fixtures that several tests of the contract use."""

from collections.abc import Iterator

import pytest
from flask import Flask

from tests.contract.world import World, number_from
from tests.shop import Shop


@pytest.fixture(scope="module")
def world(app: Flask) -> Iterator[World]:
    """Objects of every entity in two stores, a vendor and company 0."""
    shop = Shop(app)
    yield World(shop)
    shop.empty()
    number_from(shop, 1)
