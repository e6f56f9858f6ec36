"""Who calls: the user of an API key, found by one statement."""

import hmac
import logging
import time
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Select, and_, bindparam, func, or_, select, update

from config.settings import Settings
from storeapi.core.access import (
    ANONYMOUS,
    CUSTOMER_TYPES,
    Caller,
    Credentials,
    Installation,
)
from storeapi.core.database import Connection, Database
from storeapi.core.errors import Fault
from storeapi.core.folding import folded
from storeapi.core.statement import query
from storeapi.models import (
    ApiKey,
    Company,
    Language,
    User,
    Usergroup,
    UsergroupLink,
    UsergroupPrivilege,
)
from storeapi.rules.api_keys import digest
from storeapi.rules.setting_values import WHOLE_SHOP, everyday, installation

USED_EVERY_S = 60

_log = logging.getLogger("storeapi.callers")

VENDOR_PRIVILEGES = frozenset(
    {
        "change_order_status", "edit_order", "manage_catalog", "manage_pages",
        "manage_shipping", "manage_vendors", "view_call_requests", "view_catalog",
        "view_discussions", "view_languages", "view_order_statuses", "view_orders",
        "view_pages", "view_payments", "view_shipping", "view_taxes", "view_users",
        "view_vendors",
    }
)  # fmt: skip
"""What a vendor's administrator may do in no group, and at most in any.

Source: spec/protocol.md, section 11.
"""

KNOWN_PRIVILEGES = {
    "manage_orders": "the same as the four privileges that write orders",
    **dict.fromkeys(
        (
            "backup_restore", "exim_access", "manage_currencies", "manage_locations",
            "manage_promotions", "manage_static_data", "manage_storage",
            "upgrade_store", "view_currencies", "view_locations", "view_logs",
            "view_promotions", "view_reports",
        ),
        "nothing here; a group may hold it",
    ),
}  # fmt: skip
"""Privileges that a group may hold although no entity names them: what each opens.

Source: spec/protocol.md, section 11.
"""

_ORDER_PRIVILEGES = frozenset(
    {"create_order", "edit_order", "delete_orders", "change_order_status"}
)

# A disabled language is installed: its texts are kept complete.
_languages = select(func.aggregate_strings(Language.lang_code, ",")).scalar_subquery()
_default_company = (
    select(func.min(Company.company_id))
    .where(Company.kind == "S", Company.status == "A")
    .scalar_subquery()
)
_links = (
    select(UsergroupLink.usergroup_id)
    .join(Usergroup, Usergroup.usergroup_id == UsergroupLink.usergroup_id)
    .where(
        UsergroupLink.user_id == User.user_id,
        UsergroupLink.status == "A",
        Usergroup.type == "A",
    )
    .correlate(User)
)
_group_count = _links.with_only_columns(func.count()).correlate(User).scalar_subquery()
_privileges = (
    select(func.aggregate_strings(UsergroupPrivilege.privilege, ","))
    .join(Usergroup, Usergroup.usergroup_id == UsergroupPrivilege.usergroup_id)
    .join(UsergroupLink, UsergroupLink.usergroup_id == Usergroup.usergroup_id)
    .where(
        UsergroupLink.user_id == User.user_id,
        UsergroupLink.status == "A",
        Usergroup.type == "A",
        Usergroup.status.in_(["A", "H"]),
    )
    .correlate(User)
    .scalar_subquery()
)


def _find() -> Select[Any]:
    shop = select(
        _languages.label("languages"),
        _default_company.label("company"),
        everyday(WHOLE_SHOP).label("stored"),
    ).subquery()
    known = and_(
        User.user_id == ApiKey.user_id,
        User.email_key == bindparam("email_key", required=True),
        User.status == "A",
    )
    return (
        select(
            shop.c.languages, shop.c.company, ApiKey.digest, ApiKey.key_id,
            ApiKey.privileges, ApiKey.last_used_at, User.user_id, User.user_type,
            User.is_root, User.company_id, Company.lang_code, _group_count, _privileges,
            shop.c.stored, everyday(User.company_id),
        )
        .select_from(shop)
        .outerjoin(
            ApiKey,
            and_(
                ApiKey.digest == bindparam("digest", required=True),
                or_(
                    ApiKey.expires_at.is_(None),
                    ApiKey.expires_at > bindparam("now", required=True),
                ),
            ),
        )
        .outerjoin(User, known)
        .outerjoin(Company, Company.company_id == User.company_id)
    )  # fmt: skip


_FIND = query(_find())
_SEEN = query(
    update(ApiKey)
    .where(
        ApiKey.key_id == bindparam("id", required=True),
        func.coalesce(ApiKey.last_used_at, 0) <= bindparam("before", required=True),
    )
    .values(last_used_at=bindparam("now", required=True))
)


def expanded(names: Iterable[str]) -> frozenset[str]:
    """Privileges with those that a short name stands for.

    Source: spec/protocol.md, section 11 (`manage_orders`).
    """
    found = frozenset(names) - {""}
    return found | _ORDER_PRIVILEGES if "manage_orders" in found else found


class Callers:
    """Finds callers by their credentials, and notes when a key was used."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def find(
        self, db: Connection, credentials: Credentials | None
    ) -> tuple[Caller | None, Installation]:
        """Find the caller; `None` if the credentials are wrong in any way."""
        asked = credentials or Credentials("", "")
        mark = digest(self._settings.secret_key, asked.key) if credentials else ""
        now = int(time.time())
        row = db.row(_FIND, digest=mark, email_key=folded(asked.login), now=now)
        assert row is not None, "the shop itself is always found"
        default = self._settings.default_language
        shop = installation(default, row[0], row[1], *row[-2:])
        if credentials is None:
            return ANONYMOUS, shop
        if row[6] is None or not hmac.compare_digest(row[2], mark):
            return None, shop
        if self._settings.api_root_only and not _is_root(row[7], row[8], row[9]):
            return None, shop
        return self._caller(row), shop

    def _caller(self, row: tuple[Any, ...]) -> Caller:
        """The caller of a found row.

        A key that is limited does not act as root, whoever holds it: it could
        otherwise make itself another one without limits.
        """
        (_, _, _, key_id, limit, used_at, user_id, user_type, is_root, company_id,
         lang_code, groups, granted, *_) = row  # fmt: skip
        root = _is_root(user_type, is_root, company_id)
        privileges = expanded((granted or "").split(","))
        if user_type in CUSTOMER_TYPES:
            privileges = frozenset()
        elif user_type == "V":
            privileges = VENDOR_PRIVILEGES & privileges if groups else VENDOR_PRIVILEGES
        unlimited = root or (
            user_type == "A"
            and not groups
            and self._settings.admin_without_groups == "all"
        )
        if limit is not None:
            named = expanded(limit.split(","))
            privileges = named if unlimited else privileges & named
            root = unlimited = False
        return Caller(
            user_id, user_type, root, company_id, lang_code or None, privileges,
            unlimited, key_id, used_at or 0, limit is not None,
        )  # fmt: skip

    def seen(self, database: Database, caller: Caller) -> None:
        """Note that a key was used, at most once a minute, after the answer left.

        A database that is too busy for it loses the note, not the answer.
        """
        now = int(time.time())
        before = now - USED_EVERY_S
        if caller.key_id is None or caller.key_used_at > before:
            return
        id = caller.key_id
        try:
            database.write(lambda db: db.run(_SEEN, id=id, before=before, now=now))
        except Fault as fault:
            _log.warning("use of key %s not noted: %s", id, fault.detail)


def _is_root(user_type: str, is_root: str, company_id: int) -> bool:
    """Whether a user is a root administrator.

    Source: spec/protocol.md, section 10, rule 1.
    """
    return user_type == "A" and is_root == "Y" and company_id == 0
