"""User groups, and below a user the links to them."""

from storeapi.entities.usergroups.groups import Usergroups
from storeapi.entities.usergroups.memberships import Memberships

__all__ = ["Memberships", "Usergroups"]
