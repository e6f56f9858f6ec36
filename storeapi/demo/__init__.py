"""A demo store: believable companies, categories, products and people."""

from storeapi.demo.filling import Filling, is_empty

__all__ = ["Filling", "is_empty"]
