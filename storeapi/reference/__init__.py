"""Documents that are made from the declarations, so that they stay true."""

from storeapi.reference.blocks import BEGIN
from storeapi.reference.pages import Reference

__all__ = ["BEGIN", "Reference"]
