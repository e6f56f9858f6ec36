"""What customers of the demo wrote: reviews, and requests to be called back."""

import random
from collections.abc import Sequence
from typing import Any

from storeapi.core.database import Transaction
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.demo.chance import chance_of
from storeapi.demo.goods import Goods
from storeapi.demo.words import FIRST_NAMES
from storeapi.models import CallRequest, DiscussionPost, DiscussionThread
from storeapi.rules.call_requests import digits_of
from storeapi.rules.discussions import BOTH, rated

Row = dict[str, Any]

_DAY_S = 24 * 3600
_SPAN_S = 200 * _DAY_S
_MOST = 4
_OPINIONS = (
    (5, "Exactly as described, and well packed."),
    (5, "A present for my sister, who loves it."),
    (5, "Second one we bought. Would buy again."),
    (4, "Sturdy. The colour is a little darker than in the picture."),
    (4, "Good quality, delivery took a week."),
    (4, ""),
    (3, "It does what it should, no more."),
    (2, "Smaller than I thought."),
    (1, "Arrived with a scratch."),
    (0, "Does it go into the dishwasher?"),
)
_HOURS = (("9:00", "12:00"), ("14:00", "18:00"), ("", ""))
_STATES = ("new", "new", "in_progress", "completed", "no_answer")
_REQUESTS = 12
_STATUSES = ("A",) * 7 + ("D",)


def review(db: Transaction, goods: Sequence[Goods], seed: int, now: int) -> None:
    """Write reviews of every other product; the same seed gives the same ones."""
    chance = chance_of(f"{seed} reviews")
    posts: list[list[Row]] = []
    threads: list[Row] = []
    for each in goods[::2]:
        written = [
            _post(each.product, chance, now) for _ in range(chance.randint(1, _MOST))
        ]
        ratings = [rated(post) for post in written]
        posts.append(written)
        threads.append(
            {
                **_about(each.product),
                "product_id": each.product["product_id"],
                "rating_sum": sum(stars for stars, _ in ratings),
                "rating_count": sum(number for _, number in ratings),
            }
        )
    ids = db.insert_numbered(table_of(DiscussionThread), threads)
    rows = [
        {"thread_id": id, **post}
        for id, written in zip(ids, posts, strict=True)
        for post in written
    ]
    db.insert_many(table_of(DiscussionPost), rows)


def _about(product: Row) -> Row:
    return {
        "object_type": "P",
        "object_id": product["product_id"],
        "company_id": product["company_id"],
        "type": BOTH,
    }


def _post(product: Row, chance: random.Random, now: int) -> Row:
    stars, message = chance.choice(_OPINIONS)
    name = chance.choice(FIRST_NAMES)
    return {
        **_about(product),
        "name": name,
        "name_key": folded(name),
        "message": message,
        "rating_value": stars,
        "timestamp": now - chance.randrange(_SPAN_S),
        "status": chance.choice(_STATUSES),
        "ip_address": f"192.0.2.{chance.randrange(1, 255)}",
    }


def ask_back(db: Transaction, goods: Sequence[Goods], seed: int, now: int) -> None:
    """Write call requests about some products; the same seed gives the same ones."""
    chance = chance_of(f"{seed} calls")
    db.insert_many(
        table_of(CallRequest),
        [_request(each.product, chance, now) for each in goods[:_REQUESTS]],
    )


def _request(product: Row, chance: random.Random, now: int) -> Row:
    name = chance.choice(FIRST_NAMES)
    phone = f"+44 20 7946 0{chance.randrange(1000):03d}"
    start, end = chance.choice(_HOURS)
    state = chance.choice(_STATES)
    return {
        "company_id": product["company_id"],
        "phone": phone,
        "phone_key": digits_of(phone),
        "name": name,
        "name_key": folded(name),
        "time_from": start,
        "time_to": end,
        "status": state,
        "notes": "Wants to know when it is back." if state != "new" else None,
        "product_id": product["product_id"],
        "timestamp": now - chance.randrange(_SPAN_S),
    }
