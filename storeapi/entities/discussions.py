"""Discussions: reviews and comments on objects and companies."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import and_, or_

from storeapi import (
    Choice,
    Condition,
    Contains,
    Fields,
    Forbidden,
    Id,
    Integer,
    InvalidInput,
    Key,
    Listing,
    Params,
    Period,
    Record,
    Refused,
    Result,
    TableEntity,
    Text,
    Timestamp,
    allow,
    equals,
)
from storeapi.core.folding import folded
from storeapi.core.reading import read_sparse
from storeapi.core.writing import Values
from storeapi.models import DiscussionPost
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.discussions import (
    APPROVED,
    BY_ENTITY,
    COMPANIES,
    DISABLED,
    ORDERS,
    PRODUCTS,
    SUBJECTS,
    Thread,
    Topic,
    add_ratings,
    approves,
    check_fit,
    first_type,
    hold_thread,
    hold_thread_of_post,
    open_thread,
    rated,
    read_thread,
    settle,
    topic_of,
)
from storeapi.rules.people import full_name
from storeapi.rules.shown import of_shown
from storeapi.rules.touching import note_change

_TYPE = DiscussionPost.__table__.c.type
_OBJECT_TYPE = DiscussionPost.__table__.c.object_type
_STAFF_ONLY = ("timestamp", "status")
_HIDDEN = {"user_id": "0", "ip_address": ""}
"""What customers and visitors are shown instead of the author's data."""


class DiscussionFields(Fields):
    """The fields of a post."""

    post_id = Id(dump_only=True, listed=True)
    thread_id = Id(create_only=True, listed=True)
    object_type = Choice("P", "C", "A", "O", "E", "M", create_only=True, listed=True)
    object_id = Id(zero=True, create_only=True, listed=True)
    name = Text(listed=True)
    message = Text(listed=True)
    rating_value = Integer(maximum=5, listed=True)
    timestamp = Timestamp(listed=True)
    status = Choice("A", "D", listed=True)
    user_id = Id(zero=True, dump_only=True, listed=True, internal=True)
    ip_address = Text(dump_only=True, listed=True, internal=True)
    type = Choice("C", "R", "B", dump_only=True, listed=True)
    company_id = Id(zero=True, dump_only=True, listed=True)


class ObjectDiscussions(TableEntity[DiscussionPost]):
    """Reviews and comments on products, categories, pages, orders and companies."""

    name = "discussions"
    id_key = "post_id"
    model = DiscussionPost
    fields = DiscussionFields
    filters = (
        Contains(folded=True, name=DiscussionPost.name_key),
        Contains(message=DiscussionPost.message),
        Period(DiscussionPost.timestamp),
    )
    sortings = {
        "timestamp": DiscussionPost.timestamp,
        "name": DiscussionPost.name_key,
        "ip_address": DiscussionPost.ip_address,
        "status": DiscussionPost.status,
        "rating_value": DiscussionPost.rating_value,
    }
    default_sort = "timestamp"
    default_descending = True
    privileges = allow(view="view_discussions", manage="manage_discussions")
    privileges_customer = {"index": True, "create": True}
    parents = {
        "products": "object_id",
        "categories": "object_id",
        "pages": "object_id",
        "orders": "object_id",
        "stores": "company_id",
        "vendors": "company_id",
    }

    # Reading

    def scope(self) -> Iterable[Condition]:
        """Posts below an object are about it; what is switched off is not shown.

        Customers read of what they see; what is said about an order is for its
        customer, who may read that.
        """
        yield from super().scope()
        yield Condition("switched on", lambda: _TYPE != DISABLED)
        parent = self.context.parent
        if parent is not None and parent.name not in COMPANIES:
            letter = BY_ENTITY[parent.name].letter
            yield equals(_OBJECT_TYPE, letter, role="parent")
        elif self.caller.is_customer:
            yield self._of_shown_objects()

    def _of_shown_objects(self) -> Condition:
        """Posts about objects that the caller sees, whoever wrote them."""
        posts = DiscussionPost.__table__.c
        found: dict[str, Condition] = {}
        for subject in SUBJECTS.values():
            if subject.entity != ORDERS:
                of_company = subject.entity in COMPANIES
                key = posts.company_id if of_company else posts.object_id
                shown = of_shown(self.context, self.reader, subject.entity, key)
                found[subject.letter] = shown
        values: dict[str, Any] = {}
        for each in found.values():
            values |= each.values
        return Condition(
            ("of shown", *[each.key for each in found.values()]),
            lambda: or_(
                *[and_(posts.object_type == k, c.build()) for k, c in found.items()]
            ),
            values,
        )

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one post or a page; customers are not told who wrote it.

        Source: spec/entities/discussions.md, rule 10.
        """
        result = super().index(id, params)
        if self.caller.is_customer:
            sparse = read_sparse(params, self.declaration)
            blank = {
                name: value
                for name, value in _HIDDEN.items()
                if sparse is None or name in sparse
            }
            data = result.data
            records: Sequence[Any] = (
                data.records if isinstance(data, Listing) else [data]
            )
            for record in records:
                record.update(blank)
        return result

    # Writing

    def load(self, params: Params, *, partial: bool) -> Values:
        """Read a payload; customers decide neither the time nor the approval."""
        if self.caller.is_customer:
            params = self.context.without(params, _STAFF_ONLY)
        return super().load(params, partial=partial)

    def place(self, values: Values) -> None:
        """Find the thread; it says what the post is about, and whose it is.

        Raises: `InvalidInput`, `Refused`.
        Source: spec/entities/discussions.md, rules 1 to 3.
        """
        thread = self._thread(values)
        if self.caller.is_scoped and thread.company_id != self.caller.company_id:
            raise Forbidden("the object belongs to the whole installation")
        if thread.type == DISABLED:
            raise Refused("the discussion of this object is switched off")
        values.update(
            thread_id=thread.thread_id,
            object_type=thread.object_type,
            object_id=thread.object_id,
            company_id=thread.company_id,
            type=thread.type,
        )

    def _thread(self, values: Values) -> Thread:
        topic = self._topic_of_path(values)
        thread_id = values.get("thread_id")
        if thread_id is None:
            topic = topic or self._topic_sent(values)
            return self._held(topic)
        thread = read_thread(self.db, thread_id)
        if thread is None or not self._sees(thread.topic):
            raise InvalidInput.of("thread_id", f"{thread_id} does not exist", "unknown")
        if topic is not None and topic != thread.topic:
            text = "is not that of the object in the path"
            raise InvalidInput.of("thread_id", text, "contradiction")
        check_fit(values, thread)
        return self._held(thread.topic)

    def _sees(self, topic: Topic) -> bool:
        """Whether the caller sees an object, below the company of the path if any."""
        parent = self.context.parent
        if (
            parent is not None
            and parent.name in COMPANIES
            and topic.company_id != parent.id
        ):
            return False
        try:
            topic_of(self.context, self.db, topic.subject.letter, topic.id)
        except InvalidInput:
            return False
        return True

    def _topic_of_path(self, values: Values) -> Topic | None:
        """The object that the path names, whatever the body says."""
        parent = self.context.parent
        if parent is None:
            return None
        subject = BY_ENTITY[parent.name]
        if parent.name not in COMPANIES:
            values["object_type"] = subject.letter
            company_id = int(parent.data["company_id"])
            return Topic(subject, int(parent.id), company_id)
        if values.keys() & {"thread_id", "object_type"}:
            return None
        return Topic(subject, int(parent.id), int(parent.id))

    def _topic_sent(self, values: Values) -> Topic:
        """The object that the body names."""
        letter, id = values.get("object_type"), values.get("object_id")
        if letter is None:
            text = "is required, unless thread_id is sent"
            raise InvalidInput.of("object_type", text, "required")
        if letter == "E" and not id:
            id = self._own_store()
        elif id is None or letter == "E":
            code = "required" if id is None else "unknown"
            raise InvalidInput.of("object_id", "is not that of an object", code)
        topic = topic_of(self.context, self.db, letter, id)
        parent = self.context.parent
        if parent is not None and topic.company_id != parent.id:
            text = f"{SUBJECTS[letter].entity} {id} does not exist"
            raise InvalidInput.of("object_id", text, "unknown")
        return topic

    def _own_store(self) -> int:
        """The store that a post on the home page is about."""
        parent = self.context.parent
        if parent is not None:
            return int(parent.id)
        installation = self.context.installation
        return self.caller.company_id or installation.default_company

    def _held(self, topic: Topic) -> Thread:
        thread = hold_thread(self.db, topic)
        if thread is not None:
            return thread
        first = first_type(self.db, self.context, topic)
        thread = open_thread(self.db, topic, first)
        self._touch(topic.subject.letter, topic.id)
        return thread

    def _touch(self, object_type: str, object_id: int) -> None:
        """Note that a product shows another thread, or another mean."""
        if SUBJECTS[object_type].entity == PRODUCTS:
            user_id = self.caller.user_id
            note_change(self.db, [object_id], self.context.now, user_id)

    def check(self, values: Values, row: Record | None) -> None:
        """Complete the author, the time and the status; judge what is said."""
        if row is None:
            self._sign(values)
        settle(values, row, values["type"] if row is None else row["type"])
        if not values.get("timestamp") and (row is None or "timestamp" in values):
            values["timestamp"] = self.context.now
        if "name" in values:
            values["name_key"] = folded(values["name"])[:KEY_LENGTH]

    def _sign(self, values: Values) -> None:
        """Note who writes, if it is not the staff.

        Source: spec/entities/discussions.md, Fields and rule 8.
        """
        if not self.caller.is_customer:
            values.setdefault("status", APPROVED)
            return
        user_id = self.caller.user_id
        values["user_id"] = user_id
        values["ip_address"] = self.context.remote_address
        values["status"] = approves(self.reader, self.context, values["company_id"])
        if not values.get("name"):
            values["name"] = full_name(self.reader, user_id)

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the post, and count its rating."""
        id = super().insert(values, languages)
        self._count(values, (0, 0), rated({"rating_value": 0, **values}))
        return id

    def locked_row(self, id: Key) -> Record:
        """Hold the thread before the post, as all who write posts do."""
        hold_thread_of_post(self.db, int(id))
        return super().locked_row(id)

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change the post, and what its rating counts for."""
        changed = super().change(id, row, values, languages)
        self._count(row, rated(row), rated({**row, **values}))
        return changed

    def remove(self, id: Key, row: Record) -> None:
        """Delete the post; its rating no longer counts."""
        super().remove(id, row)
        self._count(row, rated(row), (0, 0))

    def _count(
        self, post: Record, before: tuple[int, int], after: tuple[int, int]
    ) -> None:
        if add_ratings(self.db, post["thread_id"], before, after):
            self._touch(post["object_type"], post["object_id"])


class Discussions(ObjectDiscussions):
    """Reviews and comments on products, categories, pages, orders and companies."""

    under = {"products": ObjectDiscussions}

    def permits(self, operation: str, id: Key | None) -> bool:
        """Vendors reach discussions below their products only.

        Source: spec/entities/discussions.md, rule 4.
        """
        if self.caller.user_type == "V":
            return False
        return super().permits(operation, id)
