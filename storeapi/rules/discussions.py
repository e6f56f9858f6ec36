"""Discussions: what is said about which objects, and the ratings they add up to.

The posts about one object form a thread, which goes with the object. Whoever writes
posts holds the thread, so that its sums and the copies in its posts stay true.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import (
    Integer,
    bindparam,
    cast,
    func,
    select,
    update,
)

from storeapi.core.changes import Change
from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import InvalidInput, NotFound
from storeapi.core.failures import Again, Violation
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import Company, DiscussionPost, DiscussionThread, Product
from storeapi.rules.setting_values import setting_value
from storeapi.rules.store_settings import (
    APPROVE_AUTOMATICALLY,
    PRODUCT_COMMENT_TYPE,
)

COMMENTS, RATINGS, BOTH, DISABLED = "C", "R", "B", "D"
APPROVED, DISAPPROVED = "A", "D"

Values = dict[str, Any]

_THREADS = table_of(DiscussionThread)
_POSTS = table_of(DiscussionPost)
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Subject:
    """A kind of object that is discussed.

    Shapes: `entity` shows such objects; `column` names one in its thread;
    `type` is that of a thread that nobody chose one for.
    """

    letter: str
    entity: str
    column: str
    type: str


SUBJECTS: Mapping[str, Subject] = {
    each.letter: each
    for each in (
        Subject("P", "products", "product_id", BOTH),
        Subject("C", "categories", "category_id", COMMENTS),
        Subject("A", "pages", "page_id", COMMENTS),
        Subject("O", "orders", "order_id", COMMENTS),
        Subject("E", "stores", "owner_id", BOTH),
        Subject("M", "vendors", "owner_id", BOTH),
    )
}
"""The kinds of objects, by their letter on the wire.

Source: spec/entities/discussions.md, Fields and rules 1 and 6.
"""

BY_ENTITY: Mapping[str, Subject] = {each.entity: each for each in SUBJECTS.values()}

STORE = "E"
PRODUCTS, ORDERS = "products", "orders"
COMPANIES = frozenset({"stores", "vendors"})
"""Entities below which all that belongs to a company is found."""


@dataclass(frozen=True, slots=True)
class Topic:
    """An object that is discussed. Shapes: the wire shows a store as number 0."""

    subject: Subject
    id: int
    company_id: int

    @property
    def shown_id(self) -> int:
        """The number by which the wire names the object."""
        return 0 if self.subject.letter == STORE else self.id


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread as it is stored."""

    thread_id: int
    object_type: str
    object_id: int
    company_id: int
    type: str

    @property
    def topic(self) -> Topic:
        """The object that it is about."""
        subject = SUBJECTS[self.object_type]
        of_company = subject.entity in COMPANIES
        id = self.company_id if of_company else self.object_id
        return Topic(subject, id, self.company_id)


_COLUMNS = (
    DiscussionThread.thread_id,
    DiscussionThread.object_type,
    DiscussionThread.object_id,
    DiscussionThread.company_id,
    DiscussionThread.type,
)
_THREAD = query(
    select(*_COLUMNS).where(
        DiscussionThread.thread_id == bindparam("id", required=True)
    )
)
_THREAD_OF = {
    column: query(
        select(*_COLUMNS)
        .where(_THREADS.c[column] == bindparam("id", required=True))
        .with_for_update()
    )
    for column in {each.column for each in SUBJECTS.values()}
}
_THREAD_OF_POST = query(
    select(*_COLUMNS)
    .join(DiscussionPost, DiscussionPost.thread_id == DiscussionThread.thread_id)
    .where(DiscussionPost.post_id == bindparam("id", required=True))
)
_THREADS_OF = {
    column: query(
        select(DiscussionThread.thread_id)
        .where(_THREADS.c[column].in_(bindparam("ids", expanding=True)))
        .order_by(DiscussionThread.thread_id)
        .with_for_update()
    )
    for column in ("company_id", *_THREAD_OF)
}
_SOME_POSTS = query(
    select(_POSTS)
    .where(DiscussionPost.thread_id.in_(bindparam("ids", expanding=True)))
    .order_by(DiscussionPost.post_id)
    .limit(_BATCH)
)
_PRODUCT = query(
    select(Product.product_id)
    .where(Product.product_id == bindparam("id", required=True))
    .with_for_update(key_share=True)
)
_ADD = query(
    update(_THREADS)
    .where(_THREADS.c.thread_id == bindparam("id", required=True))
    .values(
        rating_sum=_THREADS.c.rating_sum + bindparam("by", required=True),
        rating_count=_THREADS.c.rating_count + bindparam("n", required=True),
    )
)


def topic_of(context: Context, db: Connection, letter: str, id: int) -> Topic:
    """The object that a caller wants to talk about, as far as the caller sees it.

    Raises: `InvalidInput` for one that does not exist for the caller.
    """
    subject, registry = SUBJECTS.get(letter), context.registry
    entity = None
    if subject is not None and registry is not None:
        entity = registry.get(subject.entity)
    if subject is None or entity is None:
        raise InvalidInput.of("object_type", "cannot be discussed here", "unknown")
    try:
        seen = entity(replace(context, parent=None), db).read_parent(id)
    except NotFound:
        text = f"{subject.entity} {id} does not exist"
        raise InvalidInput.of("object_id", text, "unknown") from None
    return Topic(subject, id, int(seen["company_id"]))


def approves(db: Connection, context: Context, company_id: int) -> str:
    """The status that a new post of a customer or a visitor begins with.

    Source: spec/entities/discussions.md, rule 8.
    """
    environment = context.settings
    chosen = setting_value(db, environment, APPROVE_AUTOMATICALLY, company_id)
    return APPROVED if chosen == "Y" else DISAPPROVED


def first_type(db: Connection, context: Context, topic: Topic) -> str:
    """What the thread of an object takes while nobody has chosen anything else.

    Source: spec/entities/discussions.md, rule 1 (the store's default type).
    """
    if topic.subject.entity != PRODUCTS:
        return topic.subject.type
    company_id = topic.company_id
    return setting_value(db, context.settings, PRODUCT_COMMENT_TYPE, company_id)


def read_thread(db: Connection, thread_id: int) -> Thread | None:
    """Find a thread by its number."""
    row = db.row(_THREAD, id=thread_id)
    return None if row is None else Thread(*row)


def hold_thread(db: Transaction, topic: Topic) -> Thread | None:
    """Hold the thread of an object, if it has one.

    A product is held before: it shows its thread, and is changed by who changes that.
    """
    if topic.subject.entity == PRODUCTS:
        db.row(_PRODUCT, id=topic.id)
    row = db.row(_THREAD_OF[topic.subject.column], id=topic.id)
    return None if row is None else Thread(*row)


def hold_thread_of_post(db: Transaction, post_id: int) -> None:
    """Hold the thread of a post, before the post itself is held."""
    row = db.row(_THREAD_OF_POST, id=post_id)
    if row is not None:
        hold_thread(db, Thread(*row).topic)


def open_thread(db: Transaction, topic: Topic, thread_type: str) -> Thread:
    """Make the thread of an object.

    Raises: `Again` if another writer made it first, or removed the object.
    """
    row = {
        "object_type": topic.subject.letter,
        "object_id": topic.shown_id,
        "company_id": topic.company_id,
        "type": thread_type,
        "rating_sum": 0,
        "rating_count": 0,
        topic.subject.column: topic.id,
    }
    try:
        id = db.insert(_THREADS, row)
    except Violation as error:
        raise Again("another writer changed the discussion") from error
    letter, company_id = topic.subject.letter, topic.company_id
    return Thread(id, letter, topic.shown_id, company_id, thread_type)


def check_fit(values: Mapping[str, Any], thread: Thread) -> None:
    """Refuse an object that is sent beside the thread of another one.

    Raises: `InvalidInput`.
    Source: spec/entities/discussions.md, rule 2.
    """
    named = {"object_type": thread.object_type, "object_id": thread.object_id}
    for name, value in named.items():
        if values.get(name, value) != value:
            text = f"is not that of thread {thread.thread_id}"
            raise InvalidInput.of(name, text, "contradiction")


def settle(values: Values, row: Mapping[str, Any] | None, thread_type: str) -> None:
    """Leave out what a thread does not take, and refuse a post that says nothing.

    Raises: `InvalidInput`.
    Source: spec/entities/discussions.md, rule 7.
    """
    if thread_type == COMMENTS:
        values.pop("rating_value", None)
    if thread_type == RATINGS:
        values.pop("message", None)
    said = {"message", "rating_value"}
    if row is not None and said.isdisjoint(values):
        return
    merged = {"message": "", "rating_value": 0, **(row or {}), **values}
    if not merged["message"].strip() and not merged["rating_value"]:
        name = "rating_value" if thread_type == RATINGS else "message"
        raise InvalidInput.of(name, "is required", "required")


def rated(post: Mapping[str, Any]) -> tuple[int, int]:
    """What a post adds to the sum and the number of its thread's ratings."""
    if post["status"] != APPROVED or not post["rating_value"]:
        return 0, 0
    return post["rating_value"], 1


def add_ratings(
    db: Transaction, thread_id: int, before: tuple[int, int], after: tuple[int, int]
) -> bool:
    """Change the sums of a thread by what a post adds now and added before.

    Source: spec/entities/discussions.md, rule 6.
    """
    if before == after:
        return False
    by, n = after[0] - before[0], after[1] - before[1]
    return bool(db.run(_ADD, id=thread_id, by=by, n=n))


def set_type(db: Transaction, thread: Thread, thread_type: str) -> bool:
    """Change what a thread takes; its posts show it, or are hidden when it is off."""
    if thread.type == thread_type:
        return False
    where = {"thread_id": thread.thread_id}
    db.update(_THREADS, where, {"type": thread_type})
    db.update(_POSTS, where, {"type": thread_type})
    return True


def drop_threads(
    db: Transaction, column: str, ids: Sequence[int], caller_id: int | None
) -> None:
    """Delete what is said about objects that are about to go, and record each post.

    Shapes: `column` names the objects in their threads, or the company of threads.
    Source: spec/entities/discussions.md, rule 9.
    """
    for batch in batches(ids):
        threads = [row[0] for row in db.rows(_THREADS_OF[column], ids=batch)]
        for some in batches(threads):
            while rows := db.rows(_SOME_POSTS, ids=some):
                _drop_posts(db, rows, caller_id)
        db.delete(_THREADS, {"thread_id": threads})


def _drop_posts(
    db: Transaction, rows: Sequence[Sequence[Any]], caller_id: int | None
) -> None:
    posts = [dict(zip(_POSTS.columns.keys(), row, strict=True)) for row in rows]
    db.delete(_POSTS, {"post_id": [post["post_id"] for post in posts]})
    db.record(
        *[
            Change.deletion(
                "discussions",
                post["post_id"],
                row=post,
                table=_POSTS.name,
                caller_id=caller_id,
            )
            for post in posts
        ]
    )


def follow_company(db: Transaction, product: Topic) -> None:
    """Let the thread of a product, and its posts, belong to its new company."""
    thread = hold_thread(db, product)
    if thread is not None:
        where = {"thread_id": thread.thread_id}
        written = {"company_id": product.company_id}
        db.update(_THREADS, where, written)
        db.update(_POSTS, where, written)


# What other records show


def shown_by(column: Any, id: Any, value: Any, default: Any = None) -> Any:
    """A value of the thread that names an object, or the default without one."""
    found = select(value).where(column == id).scalar_subquery()
    return found if default is None else func.coalesce(found, default)


def average_rating(column: Any, id: Any) -> Any:
    """The mean of the approved ratings of an object, null without any.

    Units: hundredths, rounded half up.
    """
    total, number = _THREADS.c.rating_sum, _THREADS.c.rating_count
    mean = (total * 200 + number) // func.nullif(number * 2, 0, type_=Integer())
    return shown_by(column, id, cast(mean, Integer))


PRODUCT_TYPE = shown_by(
    DiscussionThread.product_id, Product.product_id, DiscussionThread.type, DISABLED
)
PRODUCT_THREAD = shown_by(
    DiscussionThread.product_id, Product.product_id, DiscussionThread.thread_id, 0
)
PRODUCT_RATING = average_rating(DiscussionThread.product_id, Product.product_id)
COMPANY_THREAD = shown_by(
    DiscussionThread.owner_id, Company.company_id, DiscussionThread.thread_id, 0
)
COMPANY_RATING = average_rating(DiscussionThread.owner_id, Company.company_id)
