"""What one write of a product says of its discussion."""

from dataclasses import dataclass
from typing import Any

from storeapi import Params, Record
from storeapi.rules.discussions import (
    DISABLED,
    SUBJECTS,
    Topic,
    follow_company,
    hold_thread,
    open_thread,
    set_type,
)
from storeapi.rules.sharing import Work
from storeapi.rules.touching import note_change


@dataclass(frozen=True, slots=True)
class Discussing:
    """The type of discussion that was sent, if any.

    `echoed` tells that the number of the thread came along: a record that is sent
    back says "no thread, so nothing is discussed", which switches nothing off.
    """

    type: str | None = None
    echoed: bool = False

    @classmethod
    def take(cls, values: dict[str, Any], params: Params) -> "Discussing":
        """Take the type out of the values."""
        sent = values.pop("discussion_type", None)
        return cls(sent, "discussion_thread_id" in params)

    def write(self, work: Work, product: Record, row: Record | None = None) -> bool:
        """Give the product's thread the type, and its company; tells of a new type.

        Shapes: `product` is the row as it is now, `row` as it was before.
        """
        topic = Topic(SUBJECTS["P"], product["product_id"], product["company_id"])
        if row is not None and row["company_id"] != topic.company_id:
            follow_company(work.db, topic)
        if self.type is None:
            return False
        thread = None if row is None else hold_thread(work.db, topic)
        if thread is None:
            if self.type == DISABLED and self.echoed:
                return False
            open_thread(work.db, topic, self.type)
        elif not set_type(work.db, thread, self.type):
            return False
        if row is not None:
            caller = work.context.caller
            note_change(work.db, [topic.id], work.context.now, caller.user_id)
        return True
