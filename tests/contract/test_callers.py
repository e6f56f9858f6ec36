"""Who may call, and that each change of it counts on the very next request."""

import base64
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from storeapi.app import front_of
from storeapi.core.access import Caller as Found
from storeapi.core.access import Credentials
from storeapi.core.database import Transaction
from storeapi.core.errors import Unavailable
from storeapi.core.rows import table_of
from storeapi.models import ApiKey, Company
from storeapi.rules.api_keys import grant_key
from storeapi.rules.callers import VENDOR_PRIVILEGES, Callers
from tests.shop import Caller, Shop


def change(shop: Shop, model: type[Any], where: dict[str, Any], **values: Any) -> None:
    """Change rows behind the API's back."""
    shop.database.write(lambda db: db.update(table_of(model), where, values))


def found(shop: Shop, caller: Caller, **settings: Any) -> Found:
    """What the server takes a client for."""
    callers = Callers(replace(shop.settings, **settings))
    with shop.database.reading() as db:
        who, _ = callers.find(db, Credentials(caller.login, caller.key))
    assert who is not None
    return who


def used_at(shop: Shop, caller: Caller) -> int | None:
    """When a key was used."""

    def action(db: Transaction) -> Any:
        table = table_of(ApiKey)
        statement = select(table.c.last_used_at).where(
            table.c.user_id == caller.user_id
        )
        return db.execute(statement).scalar()

    used: int | None = shop.database.write(action)
    return used


# Credentials


def test_login_matches_in_any_case_and_between_blanks(shop: Shop) -> None:
    caller = shop.caller("view_languages")
    caller.login = f"  {caller.login.upper()} "
    assert caller.get("languages").status_code == 200


@pytest.mark.parametrize("scheme", ["Basic", "basic", "BASIC"])
def test_scheme_is_read_in_any_case(shop: Shop, scheme: str) -> None:
    caller = shop.caller("view_languages")
    pair = base64.b64encode(f"{caller.login}:{caller.key}".encode()).decode()
    headers = {"Authorization": f"{scheme} {pair}"}
    answer = shop.anonymous.get("languages", headers=headers)
    assert answer.status_code == 200


def test_every_failure_is_the_same_401(shop: Shop) -> None:
    good, disabled = shop.caller("view_languages"), shop.caller(status="D")
    no_key = shop.caller("view_languages")
    shop.root.put(f"users/{no_key.user_id}", {"api_access": "N"})
    wrong = [
        Caller(shop.client, 0, "nobody@example.com", good.key),
        Caller(shop.client, 0, good.login, "x" * 40),
        Caller(shop.client, 0, good.login, shop.root.key),
        Caller(shop.client, 0, good.login, good.key.swapcase()),
        disabled,
        no_key,
    ]
    answers = [caller.get("languages") for caller in wrong]
    assert {answer.status_code for answer in answers} == {401}
    assert {answer.get_json()["message"] for answer in answers} == {"Unauthorized"}
    assert answers[0].headers["WWW-Authenticate"] == 'Basic realm="API"'


def test_wrong_credentials_are_401_for_unknown_entities_too(shop: Shop) -> None:
    caller = Caller(shop.client, 0, "nobody@example.com", "x" * 40)
    assert caller.get("nosuch").status_code == 401


def test_wrong_credentials_are_401_where_anybody_may_read(make_app: Any) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    assert shop.anonymous.get("languages").status_code == 200
    caller = Caller(shop.client, 0, "nobody@example.com", "x" * 40)
    assert caller.get("languages").status_code == 401


# What counts on the very next request


@pytest.mark.parametrize("status", ["D", "H"])
def test_disabled_user_is_out_at_once(shop: Shop, status: str) -> None:
    caller = shop.caller("view_languages")
    assert caller.get("languages").status_code == 200
    shop.root.put(f"users/{caller.user_id}", {"status": status})
    assert caller.get("languages").status_code == 401
    shop.root.put(f"users/{caller.user_id}", {"status": "A"})
    assert caller.get("languages").status_code == 200


def test_revoked_key_is_out_at_once(shop: Shop) -> None:
    caller = shop.caller("view_languages")
    where = {"user_id": caller.user_id}
    assert caller.get("languages").status_code == 200
    shop.database.write(lambda db: db.delete(table_of(ApiKey), where))
    assert caller.get("languages").status_code == 401


def test_second_key_works_beside_the_first(shop: Shop) -> None:
    caller = shop.caller("view_languages")
    secret = shop.settings.secret_key
    key = shop.database.write(lambda db: grant_key(db, secret, caller.user_id, 1))
    second = Caller(shop.client, caller.user_id, caller.login, key)
    assert caller.get("languages").status_code == 200
    assert second.get("languages").status_code == 200


Act = Callable[[Shop, int, int], None]


def _disable_group(shop: Shop, user: int, group: int) -> None:
    assert shop.root.put(f"usergroups/{group}", {"status": "D"}).status_code == 200


def _empty_group(shop: Shop, user: int, group: int) -> None:
    assert shop.root.put(f"usergroups/{group}", {"privileges": []}).status_code == 200


def _delete_group(shop: Shop, user: int, group: int) -> None:
    assert shop.root.delete(f"usergroups/{group}").status_code == 204


def _leave_group(shop: Shop, user: int, group: int) -> None:
    path = f"users/{user}/usergroups/{group}"
    assert shop.root.delete(path).status_code == 204


def _suspend_link(shop: Shop, user: int, group: int) -> None:
    path = f"users/{user}/usergroups/{group}"
    assert shop.root.put(path, {"status": "P"}).status_code == 200


@pytest.mark.parametrize(
    "act", [_disable_group, _empty_group, _delete_group, _leave_group, _suspend_link]
)
def test_loss_of_a_group_counts_at_once(shop: Shop, act: Act) -> None:
    caller, group = shop.caller(), shop.group("view_languages")
    shop.join(caller.user_id, group)
    assert caller.get("languages").status_code == 200
    act(shop, caller.user_id, group)
    assert caller.get("languages").status_code == 403


def test_gain_of_a_group_counts_at_once(shop: Shop) -> None:
    caller, group = shop.caller(), shop.group("view_languages")
    assert caller.get("languages").status_code == 403
    path = f"users/{caller.user_id}/usergroups/{group}"
    shop.root.put(path, {"status": "A"})
    assert caller.get("languages").status_code == 200


# Ranks and privileges


def test_root_needs_no_group(shop: Shop) -> None:
    who = found(shop, shop.root)
    assert (who.is_root, who.unlimited, who.privileges) == (True, True, frozenset())


@pytest.mark.parametrize("user_type", ["A", "V", "C"])
def test_root_flag_means_nothing_in_a_company(shop: Shop, user_type: str) -> None:
    values = {"user_type": user_type, "company_id": shop.vendor}
    who = found(shop, shop.caller(is_root="Y", **values))
    assert (who.is_root, who.unlimited) == (False, False)


def test_privileges_are_the_union_of_the_groups(shop: Shop) -> None:
    caller = shop.caller("view_users")
    shop.join(caller.user_id, shop.group("view_orders", "view_users"))
    shop.join(caller.user_id, shop.group("view_taxes", status="D"))
    shop.join(caller.user_id, shop.group("view_pages", type="C"))
    shop.join(caller.user_id, shop.group("view_stores"), status="P")
    shop.join(caller.user_id, shop.group("view_vendors", status="H"))
    names = {"view_users", "view_orders", "view_vendors"}
    assert found(shop, caller).privileges == names


def test_manage_orders_is_short_for_four(shop: Shop) -> None:
    assert found(shop, shop.caller("manage_orders")).privileges == {
        "manage_orders", "create_order", "edit_order", "delete_orders",
        "change_order_status",
    }  # fmt: skip


def test_administrator_in_no_group_may_do_nothing(shop: Shop) -> None:
    caller = shop.caller()
    assert caller.get("languages").status_code == 403
    assert found(shop, caller).unlimited is False


def test_setting_lets_administrators_without_groups_do_all(shop: Shop) -> None:
    caller, grouped = shop.caller(), shop.caller()
    shop.join(grouped.user_id, shop.group("view_users", status="D"))
    who = found(shop, caller, admin_without_groups="all")
    assert (who.unlimited, who.is_root) == (True, False)
    who = found(shop, grouped, admin_without_groups="all")
    assert (who.unlimited, who.privileges) == (False, frozenset())


def test_vendor_holds_the_set_of_vendors(shop: Shop) -> None:
    caller = shop.caller(user_type="V", company_id=shop.vendor)
    who = found(shop, caller, admin_without_groups="all")
    assert (who.unlimited, who.privileges) == (False, VENDOR_PRIVILEGES)


def test_the_set_of_vendors_is_in_the_docs() -> None:
    page = Path(__file__).parents[2].joinpath("docs/privileges.md").read_text("utf-8")
    (told,) = [part for part in page.split("\n\n") if part.startswith("The set of")]
    assert set(re.findall(r"`(\w+)`", told)) == VENDOR_PRIVILEGES


def test_groups_give_a_vendor_nothing_beyond_the_set(shop: Shop) -> None:
    caller = shop.caller(
        "view_users", "manage_users", user_type="V", company_id=shop.vendor
    )
    assert found(shop, caller).privileges == {"view_users"}
    assert caller.get("users").status_code == 200
    assert caller.delete("users/99999").status_code == 403


@pytest.mark.parametrize("user_type", ["C", "P"])
def test_affiliates_are_customers(shop: Shop, user_type: str) -> None:
    caller = shop.caller("view_languages", user_type=user_type, company_id=shop.store)
    who = found(shop, caller)
    assert (who.is_customer, who.privileges) == (True, frozenset())
    assert caller.get("languages").status_code == 403


def test_setting_lets_root_alone_call(shop: Shop, make_app: Any) -> None:
    strict = Shop(make_app(api_root_only=True))
    other = strict.caller("view_languages")
    assert strict.root.get("languages").status_code == 200
    assert other.get("languages").status_code == 401


def test_company_decides_scope_and_language(shop: Shop) -> None:
    change(shop, Company, {"company_id": shop.store}, lang_code="de")
    who = found(shop, shop.caller("view_users", company_id=shop.store))
    assert (who.is_scoped, who.company_id, who.lang_code) == (True, shop.store, "de")


# Keys


def test_key_ends_when_it_expires(shop: Shop) -> None:
    caller = shop.caller("view_languages")
    where, now = {"user_id": caller.user_id}, int(time.time())
    change(shop, ApiKey, where, expires_at=now + 60)
    assert caller.get("languages").status_code == 200
    change(shop, ApiKey, where, expires_at=now)
    assert caller.get("languages").status_code == 401


def test_key_grants_no_more_than_its_user_has(shop: Shop) -> None:
    caller = shop.caller("view_languages", "view_users")
    where = {"user_id": caller.user_id}
    change(shop, ApiKey, where, privileges="view_languages,manage_users")
    assert found(shop, caller).privileges == {"view_languages"}
    assert caller.get("languages").status_code == 200
    assert caller.get("users").status_code == 403
    change(shop, ApiKey, where, privileges="")
    assert caller.get("languages").status_code == 403


def test_limited_key_of_root_does_not_act_as_root(shop: Shop) -> None:
    where = {"user_id": shop.root.user_id}
    change(shop, ApiKey, where, privileges="view_users,manage_users,manage_orders")
    who = found(shop, shop.root)
    assert (who.is_root, who.unlimited) == (False, False)
    assert who.allows("create_order")
    body = {"email": "a@example.com", "user_type": "A", "is_root": "Y"}
    assert shop.root.post("users", body).status_code == 403
    assert shop.root.get("languages").status_code == 403


def test_limited_key_of_root_still_calls_where_root_alone_may(make_app: Any) -> None:
    shop = Shop(make_app(api_root_only=True))
    where = {"user_id": shop.root.user_id}
    change(shop, ApiKey, where, privileges="view_languages")
    assert shop.root.get("languages").status_code == 200


def test_use_of_a_key_is_noted_once_a_minute(shop: Shop) -> None:
    caller = shop.caller("view_languages")
    where, now = {"user_id": caller.user_id}, int(time.time())
    change(shop, ApiKey, where, last_used_at=None)
    caller.get("languages").close()
    first = used_at(shop, caller)
    assert first is not None
    assert 0 <= first - now < 60
    change(shop, ApiKey, where, last_used_at=now - 30)
    caller.get("languages").close()
    assert used_at(shop, caller) == now - 30
    change(shop, ApiKey, where, last_used_at=now - 61)
    caller.get("languages").close()
    assert used_at(shop, caller) != now - 61


def test_use_is_noted_after_the_answer(shop: Shop) -> None:
    caller = shop.caller("view_languages")
    change(shop, ApiKey, {"user_id": caller.user_id}, last_used_at=None)
    answer = caller.get("languages")
    assert (answer.status_code, used_at(shop, caller)) == (200, None)
    answer.close()
    assert used_at(shop, caller) is not None


def test_second_note_within_a_minute_writes_nothing(shop: Shop, app: Flask) -> None:
    caller = shop.caller("view_languages")
    change(shop, ApiKey, {"user_id": caller.user_id}, last_used_at=5)
    who = found(shop, caller)
    change(shop, ApiKey, {"user_id": caller.user_id}, last_used_at=2**31)
    Callers(shop.settings).seen(front_of(app).database, who)
    assert used_at(shop, caller) == 2**31


def test_one_statement_finds_the_caller(shop: Shop) -> None:
    caller = shop.caller("view_languages")
    texts: list[str] = []
    shop.database.observer = texts.append
    try:
        caller.get("languages?items_per_page=0")
    finally:
        shop.database.observer = None
    assert len(texts) == 2


def test_busy_database_loses_the_note_and_no_more(
    shop: Shop, monkeypatch: Any, caplog: Any
) -> None:
    caller = shop.caller("view_languages")
    change(shop, ApiKey, {"user_id": caller.user_id}, last_used_at=5)
    who = found(shop, caller)

    def busy(action: Any) -> None:
        raise Unavailable("the database is busy")

    monkeypatch.setattr(shop.database, "write", busy)
    Callers(shop.settings).seen(shop.database, who)
    assert caplog.messages == [
        f"use of key {who.key_id} not noted: the database is busy"
    ]
