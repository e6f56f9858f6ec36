"""Memberships: the links of one user to groups, below the user."""

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError
from sqlalchemy import bindparam, select

from storeapi import (
    Choice,
    Entity,
    FieldError,
    Forbidden,
    Id,
    InvalidInput,
    Key,
    Listing,
    NotFound,
    Params,
    Result,
    query,
)
from storeapi.core.changes import Change, Operation
from storeapi.core.entity import OPERATIONS, STATUS_NO_CONTENT, STATUS_OK
from storeapi.core.filters import read_equalities
from storeapi.core.kinds import Kind, errors_of
from storeapi.core.paging import read_page
from storeapi.core.rows import table_of
from storeapi.models import User, Usergroup, UsergroupLink

_links = (
    select(
        UsergroupLink.link_id,
        UsergroupLink.usergroup_id,
        UsergroupLink.status,
        Usergroup.type,
    )
    .join(Usergroup, Usergroup.usergroup_id == UsergroupLink.usergroup_id)
    .where(
        UsergroupLink.user_id == bindparam("user_id", required=True),
        UsergroupLink.status != "F",
    )
)
_LINKS = query(_links.order_by(UsergroupLink.usergroup_id))
_LINK = query(
    _links.where(UsergroupLink.usergroup_id == bindparam("id", required=True))
)
_USER = query(
    select(User.user_type, User.company_id)
    .where(User.user_id == bindparam("id", required=True))
    .with_for_update()
)
_GROUP = query(
    select(Usergroup.type)
    .where(Usergroup.usergroup_id == bindparam("id", required=True))
    .with_for_update()
)
_STATUS = Choice("A", "P", "D", "F")
_ENDED = "F"
_FILTERS: Mapping[str, Kind] = {
    "link_id": Id(),
    "usergroup_id": Id(),
    "status": _STATUS,
    "type": Choice("A", "C"),
}
"""The columns of a link in their order, and how a filter by one is read."""

_PLACES = {name: place for place, name in enumerate(_FILTERS)}


class Memberships(Entity):
    """The groups of the user in the path; the ID is that of the group."""

    name = "usergroups"
    id_key = "usergroup_id"
    shapes = {"1.0": "bare_map", "2.0": "bare_map"}
    privileges = {
        "index": "view_usergroups",
        "update": "manage_usergroups",
        "delete": "manage_usergroups",
    }
    closed_to_companies = OPERATIONS

    def known_params(self, *, listing: bool) -> frozenset[str]:
        """The filters of the list."""
        return frozenset(_FILTERS if listing else ())

    @property
    def user_id(self) -> int:
        """The user in the path, whom the caller may see."""
        assert self.context.parent is not None
        return int(self.context.parent.id)

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one link, or all."""
        if id is None:
            return Result(STATUS_OK, self._list(params))
        row = self.reader.row(_LINK, user_id=self.user_id, id=id)
        if row is None:
            raise NotFound(f"user {self.user_id} is not in group {id}")
        return Result(STATUS_OK, {**_record(row), "user_id": str(self.user_id)})

    def _list(self, params: Params) -> Listing:
        """All links; `type` is that of the group, `status` that of the link."""
        settings = self.context.settings
        page = read_page(
            params,
            default=self.context.items_per_page,
            maximum=settings.max_items_per_page,
            optional=True,
        )
        wanted = read_equalities(_FILTERS, params, {})
        rows = [
            row
            for row in self.reader.rows(_LINKS, user_id=self.user_id)
            if all(row[_PLACES[name]] in values for name, values in wanted.items())
        ]
        end = None if page.size is None else page.offset + page.size
        shown = rows[page.offset if page.size is not None else 0 : end]
        listing = Listing(
            [row[1] for row in shown], [_record(row) for row in shown], len(rows)
        )
        listing.page, listing.items_per_page = page.number, page.size
        return listing

    def update(self, id: Key, params: Params) -> Result:
        """Set the status of a link; make it if there is none; `F` ends it.

        Source: spec/entities/usergroups.md, rules 3, 4 and 7.
        """
        status = self._status(params)
        user_type, company_id, group_type = self._locked(id)
        link = self.db.row(_LINK, user_id=self.user_id, id=id)
        if status is None and link is None:
            raise InvalidInput.of("status", "is required", "required")
        if status not in (None, _ENDED):
            self._judge(user_type, group_type)
        if status is not None:
            self._set(id, link, None if status == _ENDED else status, company_id)
        return Result(
            STATUS_OK, {"message": "Status has been changed", "usergroup_id": id}
        )

    def delete(self, id: Key) -> Result:
        """End the membership, if there is one."""
        _, company_id, _ = self._locked(id)
        link = self.db.row(_LINK, user_id=self.user_id, id=id)
        self._set(id, link, None, company_id)
        return Result(STATUS_NO_CONTENT)

    def lock(self, id: Key) -> None:
        """Hold user and group."""
        self._locked(id)

    def _status(self, params: Params) -> str | None:
        known = {"status", "usergroup_id", "user_id", "link_id"}
        unknown = [name for name in params if name not in known]
        self.context.ignored_fields.extend(unknown)
        errors = []
        if self.context.strict:
            errors = [FieldError(name, "is unknown", "unknown") for name in unknown]
        status: str | None = None
        try:
            if "status" in params:
                status = _STATUS.read(params["status"])
        except ValidationError as error:
            error.field_name = "status"
            errors += errors_of(error)
        if errors:
            raise InvalidInput(errors=errors)
        return status

    def _locked(self, id: Key) -> tuple[str, int, str]:
        """Hold user and group, so that neither changes its type meanwhile.

        Raises: `NotFound` without the user, `InvalidInput` without the group,
        `Forbidden` if only root may put somebody into the group.
        """
        user = self.db.row(_USER, id=self.user_id)
        if user is None:
            raise NotFound(f"users {self.user_id} does not exist")
        group = self.db.row(_GROUP, id=id)
        if group is None:
            text = f"{id} does not exist"
            raise InvalidInput.of("usergroup_id", text, "unknown")
        if group[0] == "A" and not self.caller.is_root:
            raise Forbidden("only root assigns groups of administrators")
        return user[0], user[1], group[0]

    def _judge(self, user_type: str, group_type: str) -> None:
        if group_type == "A" and user_type not in ("A", "V"):
            text = "is a group of administrators, the user is a customer"
            raise InvalidInput.of("usergroup_id", text)

    def _set(self, id: Key, link: Any, status: str | None, company_id: int) -> None:
        """Write the link, or delete it, and record the change of the user."""
        before = None if link is None else link[2]
        if before == status:
            return
        table = table_of(UsergroupLink)
        where = {"user_id": self.user_id, "usergroup_id": id}
        if status is None:
            self.db.delete(table, where)
        elif link is None:
            self.db.insert(table, {**where, "status": status})
        else:
            self.db.update(table, where, {"status": status})
        change = Change(
            "users", Operation.UPDATE, self.user_id, company_id, self.caller.user_id,
            {"usergroups": {str(id): before}}, {"usergroups": {str(id): status}},
            User.__tablename__,
        )  # fmt: skip
        self.db.record(change)


def _record(row: Any) -> dict[str, str]:
    link_id, usergroup_id, status, _ = row
    return {
        "link_id": str(link_id),
        "usergroup_id": str(usergroup_id),
        "status": status,
    }
