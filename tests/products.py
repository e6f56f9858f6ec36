"""Products as tests read, change and count them."""

from typing import Any

from sqlalchemy import func, select

from storeapi.core.rows import table_of
from storeapi.models import ObjectCount, Product
from tests.shop import Shop


def read(shop: Shop, id: int, query: str = "") -> Any:
    """The full record of a product."""
    return shop.root.get(f"products/{id}{query}").get_json()


def put(shop: Shop, id: int, **payload: Any) -> None:
    """Change a product."""
    answer = shop.root.put(f"products/{id}", payload)
    assert answer.status_code == 200, answer.get_data(as_text=True)


def refused(answer: Any, *fields: str) -> None:
    """Assert that just these fields were refused."""
    assert answer.status_code == 400, answer.get_data(as_text=True)
    assert [error["field"] for error in answer.get_json()["errors"]] == list(fields)


def age(shop: Shop, id: int) -> None:
    """Make a product look as if it was changed long ago."""
    shop.database.write(
        lambda db: db.update(
            table_of(Product), {"product_id": id}, {"updated_timestamp": 1000}
        )
    )


def check_counts(shop: Shop) -> None:
    """The kept numbers are those that a count gives."""
    kept, own = table_of(ObjectCount).c, table_of(Product).c

    def action(db: Any) -> tuple[Any, Any]:
        stored = select(kept.company_id, kept.status, func.sum(kept.n))
        stored = stored.where(kept.entity == "products")
        stored = stored.group_by(kept.company_id, kept.status)
        counted = select(own.company_id, own.status, func.count())
        counted = counted.group_by(own.company_id, own.status)
        rows = [(c, s, int(n)) for c, s, n in db.execute(stored) if n]
        return sorted(rows), sorted(map(tuple, db.execute(counted)))

    stored, counted = shop.database.write(action)
    assert stored == counted
