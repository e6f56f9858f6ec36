"""Who buys, and whether a payment or shipping method is open to such a buyer.

Source: spec/entities/payments.md, rule 2; spec/entities/shippings.md, section 5.1.
"""

from dataclasses import dataclass

from storeapi.rules.id_lists import ids_in

ANYBODY = 0


@dataclass(frozen=True, slots=True)
class Buyer:
    """Who buys, where, and in which language.

    Shapes: `company_ids` are those that sell; what belongs to company 0 is open to
    all of them. `administrator` tells that one acts for the buyer, who may also use
    what is hidden.
    """

    company_ids: frozenset[int]
    usergroup_ids: frozenset[int]
    administrator: bool = True
    lang_code: str = "en"

    def may_use(self, company_id: int, status: str, usergroup_ids: str) -> bool:
        """Whether a method with these columns is open to the buyer."""
        if company_id and company_id not in self.company_ids:
            return False
        if status != "A" and not (status == "H" and self.administrator):
            return False
        groups = frozenset(ids_in(usergroup_ids)) or frozenset({ANYBODY})
        return ANYBODY in groups or not groups.isdisjoint(self.usergroup_ids)
