"""A demo store: believable companies, categories, products and people."""

from storeapi.demo.filling import Filling, check_empty, is_empty

__all__ = ["Filling", "check_empty", "is_empty"]
