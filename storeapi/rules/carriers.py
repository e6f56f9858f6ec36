"""Carriers that tell prices at the time of an order; plug-ins bring them.

Source: spec/entities/shippings.md, section 5.1 and rule 5.3.3.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from storeapi.core.extensions import Extension
from storeapi.rules.destinations import Address


@dataclass(frozen=True, slots=True)
class Consignment:
    """What a carrier is asked to deliver.

    Units: `cost` in minor units of `currency`, `weight` in thousandths.
    Shapes: `params` are the settings of the method, with the carrier's account.
    """

    address: Address
    cost: int
    weight: int
    items: int
    currency: str
    params: Mapping[str, Any] = field(repr=False, default_factory=dict)


class Carrier(Extension):
    """A service of a carrier; a plug-in derives from it and registers one object.

    Shapes: `service_id` is what shipping methods name, `service_code` and `module`
    what orders show of it.
    """

    kind: ClassVar[str] = "carrier"

    service_id: int
    service: str = ""
    service_code: str = ""
    module: str = ""

    @property
    def key(self) -> int:
        """The ID of the service."""
        return self.service_id

    def fault(self) -> str | None:
        """Want a name, and prices."""
        if type(self).price is Carrier.price:
            return "price must be a method of its own"
        return None if self.service.strip() else "service must be a name"

    def price(self, consignment: Consignment) -> int | None:
        """The price of a delivery in minor units, or `None` for none.

        It runs outside of any transaction, so it may ask another service; it should
        give up within seconds: `OSError` and `Unavailable` mean that there is no price.
        """
        return None
