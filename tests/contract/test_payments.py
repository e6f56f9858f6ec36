"""Payment methods: records, secrets, owners (spec/entities/payments.md)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi import Processor
from storeapi.core.errors import InvalidInput
from storeapi.core.registry import RegistryError
from storeapi.models import Payment
from storeapi.rules.buying import Buyer
from storeapi.rules.payments import PaymentMethod, available_payment
from tests.contract.contexts import context_of
from tests.shop import Caller, Shop

PIER = Processor(12, "Pier Pay", "C")
SAME = Processor(12, "Other Pay")
NAMELESS = Processor(13, " ")
PLUGINS = (f"{__name__}:PIER",)
TEMPLATE = "views/orders/components/payments/business_check.tpl"


def make(shop: Shop, name: str = "Card at pickup", **payload: Any) -> int:
    answer = shop.root.post("payments", {"payment": name, **payload})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["payment_id"])


def read(shop: Shop, id: int, caller: Caller | None = None) -> Any:
    return (caller or shop.root).get(f"payments/{id}").get_json()


def names(shop: Shop, query: str = "", caller: Caller | None = None) -> list[str]:
    body = (caller or shop.root).get(f"payments?{query}").get_json()
    return [record["payment"] for record in body["payments"]]


def refused(answer: Any, field: str) -> None:
    assert answer.status_code == 400, answer.get_data(as_text=True)
    assert [e["field"] for e in answer.get_json()["errors"]] == [field]


def test_records_and_lists_have_their_shapes(shop: Shop) -> None:
    tax = shop.make_tax()
    sent = {
        "a_surcharge": 0.3, "p_surcharge": "1", "tax_ids": [tax], "position": 20,
        "payment_category": "tab3", "description": "Pay at the pier",
        "surcharge_title": "Card fee",
    }  # fmt: skip
    id = make(shop, **sent)
    listed = {
        "payment_id": str(id), "company_id": str(shop.store), "usergroup_ids": "0",
        "position": "20", "status": "A", "template": TEMPLATE, "processor_id": "0",
        "processor_params": "", "a_surcharge": "0.300", "p_surcharge": "1.000",
        "tax_ids": str(tax), "localization": "", "payment_category": "tab3",
        "payment": "Card at pickup", "description": "Pay at the pier",
        "instructions": "", "surcharge_title": "Card fee", "lang_code": "en",
    }  # fmt: skip
    more = {"processor": None, "processor_type": None, "image": []}
    assert read(shop, id) == {**listed, "tax_ids": [str(tax)], **more}
    assert shop.root.get("payments").get_json()["payments"] == [listed]
    assert shop.root.get("/api/payments").get_json()["payments"] == {str(id): listed}


@pytest.mark.parametrize(
    "body",
    [
        {"payment": ""}, {"payment": None}, {"status": "X"}, {"position": -1},
        {"payment_category": "tab4"}, {"tax_ids": [99999]}, {"usergroup_ids": "99999"},
        {"processor_id": 7}, {"processor_params": "key"}, {"a_surcharge": "x"},
        {"p_surcharge": -1}, {"a_surcharge": 10**13}, {"template": "x" * 256},
        {"processor_params": {"a": "***"}},
    ],
)  # fmt: skip
def test_bad_values_are_named(shop: Shop, body: Any) -> None:
    id = make(shop)
    before = shop.everything()
    (field,) = body
    for answer in (
        shop.root.post("payments", {"payment": "x", **body}),
        shop.root.put(f"payments/{id}", body),
    ):
        assert answer.status_code == 400
        assert answer.get_json()["errors"][0]["field"].startswith(field)
    assert shop.everything() == before
    refused(shop.root.post("payments", {"status": "A"}), "payment")
    refused(shop.root.post("payments", {"payments": "x"}), "payment")
    refused(
        shop.root.post("payments", {"payment": "x", "company_id": 9999}), "company_id"
    )


def test_surcharges_are_exact(shop: Shop) -> None:
    id = make(shop, a_surcharge=-1, p_surcharge="0.0005")
    found = read(shop, id)
    assert (found["a_surcharge"], found["p_surcharge"]) == ("-1.000", "0.001")


def test_lists_are_cut_and_sorted(shop: Shop) -> None:
    group = shop.group(type="C")
    make(shop, "Bank", position=20, status="D", payment_category="tab2")
    make(shop, "card", position=10, usergroup_ids=[group, 0])
    make(shop, "Acorns", position=20, company_id=0, usergroup_ids=str(group))
    assert names(shop) == ["card", "Bank", "Acorns"]
    assert names(shop, "sort_by=payment") == ["Acorns", "Bank", "card"]
    assert names(shop, "sort_by=payment_id") == ["Bank", "card", "Acorns"]
    assert names(shop, "sort_by=status&sort_order=desc")[0] == "Bank"
    assert names(shop, "status=D") == names(shop, "payment_category=tab2") == ["Bank"]
    assert names(shop, "payment=card") == ["card"]
    assert names(shop, "processor_id=0&company_id=0") == ["Acorns"]
    assert names(shop, f"usergroup_ids={group}") == ["card", "Acorns"]
    assert shop.root.get("payments?usergroup_ids=1,2").status_code == 400
    assert names(shop, "processor_params=") == names(shop)


def test_texts_are_per_language(shop: Shop) -> None:
    id = make(shop, instructions="<b>Come by</b>")
    german = {"payment": "Karte", "lang_code": "de"}
    shop.root.put(f"payments/{id}", german)
    assert read(shop, id)["payment"] == "Card at pickup"
    found = shop.root.get(f"payments/{id}?lang_code=de").get_json()
    assert (found["payment"], found["instructions"]) == ("Karte", "<b>Come by</b>")


def test_secrets_are_for_those_who_manage(shop: Shop) -> None:
    sent = {"merchant": "np", "keys": {"live": "s3cret", "on": True}, "hosts": ["a"]}
    id = make(shop, processor_params=sent)
    shown = {"merchant": "np", "keys": {"live": "s3cret", "on": "Y"}, "hosts": ["a"]}
    hidden = {"merchant": "***", "keys": {"live": "***", "on": "***"}, "hosts": ["***"]}
    manager = shop.caller("view_payments", "manage_payments")
    clerk = shop.caller("view_payments")
    for caller in (shop.root, manager):
        assert read(shop, id, caller)["processor_params"] == shown
    assert read(shop, id, clerk)["processor_params"] == hidden
    sparse = clerk.get(f"payments/{id}?fields=processor_params").get_json()
    assert sparse == {"payment_id": str(id), "processor_params": hidden}
    answers = [clerk.get("payments"), clerk.get("/api/payments")]
    answers += [shop.root.get("payments?processor_params=s3cret")]
    assert all("s3cret" not in answer.get_data(as_text=True) for answer in answers)
    assert answers[-1].headers["X-Ignored-Params"] == "processor_params"


def test_masked_secrets_keep_what_is_stored(shop: Shop) -> None:
    id = make(shop, processor_params={"a": "1", "b": {"c": "2"}, "d": ["3"]})
    sent = {"a": "***", "b": {"c": "***"}, "d": ["***"], "e": "new"}
    shop.root.put(f"payments/{id}", {"processor_params": sent})
    found = {"a": "1", "b": {"c": "2"}, "d": ["3"], "e": "new"}
    assert read(shop, id)["processor_params"] == found
    answer = shop.root.put(f"payments/{id}", {"processor_params": {"x": "***"}})
    refused(answer, "processor_params.x")
    shop.root.put(f"payments/{id}", {"processor_params": {"e": "only"}})
    assert read(shop, id)["processor_params"] == {"e": "only"}
    shop.root.put(f"payments/{id}", {"processor_params": []})
    assert read(shop, id)["processor_params"] == ""


def test_changes_are_told_without_secrets(shop: Shop) -> None:
    told: list[Any] = []
    shop.database.subscribers.append(lambda db, changes: told.extend(changes))
    id = make(shop, processor_params={"key": "s3cret"})
    shop.root.put(f"payments/{id}", {"processor_params": {"key": "s3cret2"}})
    shop.root.delete(f"payments/{id}")
    shop.database.subscribers.pop()
    assert len(told) == 3
    assert "s3cret" not in repr(told)


def test_shared_methods_are_read_by_all_and_written_by_root(shop: Shop) -> None:
    shared = make(shop, "Shared", company_id=0, processor_params={"key": "s3cret"})
    other = make(shop, "Other", company_id=shop.other_store)
    clerk = shop.caller(
        "view_payments", "manage_payments", "view_stores", company_id=shop.store
    )
    made = clerk.post("payments", {"payment": "Own", "company_id": shop.other_store})
    own = int(made.get_json()["payment_id"])
    assert read(shop, own)["company_id"] == str(shop.store)
    assert sorted(names(shop, caller=clerk)) == ["Own", "Shared"]
    assert names(shop, f"company_id={shop.other_store}", clerk) == []
    assert read(shop, shared, clerk)["processor_params"] == {"key": "***"}
    before = shop.everything()
    for id, status in ((shared, 403), (other, 404)):
        assert clerk.put(f"payments/{id}", {"status": "D"}).status_code == status
        assert clerk.delete(f"payments/{id}").status_code == status
    assert clerk.get(f"payments/{other}").status_code == 404
    assert shop.everything() == before
    shop.root.put(f"payments/{own}", {"company_id": 0})
    assert read(shop, own)["company_id"] == str(shop.store)


def test_methods_stand_below_their_companies(shop: Shop) -> None:
    path = f"stores/{shop.other_store}/payments"
    body = {"payment": "Here", "company_id": shop.store}
    id = shop.root.post(path, body).get_json()["payment_id"]
    assert read(shop, id)["company_id"] == str(shop.other_store)
    listed = shop.root.get(path).get_json()["payments"]
    assert [record["payment_id"] for record in listed] == [str(id)]
    assert shop.root.get(f"stores/{shop.store}/payments/{id}").status_code == 404
    assert shop.root.put(f"{path}/{id}", {"status": "D"}).status_code == 200
    vendor = shop.root.post(f"vendors/{shop.vendor}/payments", {"payment": "Nets"})
    assert vendor.status_code == 201
    assert shop.root.delete(f"{path}/{id}").status_code == 204


def test_processors_come_with_plugins(make_app: Callable[..., Flask]) -> None:
    shop = Shop(make_app(plugins=PLUGINS))
    id = make(shop, processor_id=12)
    found = read(shop, id)
    assert (found["processor"], found["processor_type"]) == ("Pier Pay", "C")
    sparse = shop.root.get(f"payments/{id}?fields=processor").get_json()
    assert sparse == {"payment_id": str(id), "processor": "Pier Pay"}
    query = "payments?detailed_params=Y"
    assert shop.root.get(query).get_json()["payments"] == [found]
    assert shop.root.get(f"{query}&fields=processor").get_json()["payments"] == [sparse]
    shop.change(Payment, {"payment_id": id}, {"processor_id": 99})
    assert read(shop, id)["processor"] is None
    assert shop.root.put(f"payments/{id}", {"processor_id": 99}).status_code == 200
    refused(shop.root.put(f"payments/{id}", {"processor_id": 98}), "processor_id")


@pytest.mark.parametrize(("name", "text"), [("SAME", "clashes"), ("NAMELESS", "name")])
def test_unsound_processors_stop_the_start(
    make_app: Callable[..., Flask], name: str, text: str
) -> None:
    with pytest.raises(RegistryError, match=text):
        make_app(plugins=(*PLUGINS, f"{__name__}:{name}"))


def test_a_deleted_group_leaves_methods(shop: Shop) -> None:
    group, other = shop.group(type="C"), shop.group(type="C")
    both = make(shop, usergroup_ids=f"{group},{other}")
    alone = make(shop, usergroup_ids=[group])
    assert shop.root.delete(f"usergroups/{group}").status_code == 204
    found = [read(shop, id) for id in (both, alone)]
    assert [record["usergroup_ids"] for record in found] == [str(other), "0"]
    assert [record["status"] for record in found] == ["A", "H"]


def available(shop: Shop, id: int, **changes: Any) -> PaymentMethod | None:
    known = {"company_ids": {shop.store}, "usergroup_ids": {0, 1}, **changes}
    sets = {n: frozenset(v) if isinstance(v, set) else v for n, v in known.items()}
    try:
        return shop.database.read(
            lambda db: available_payment(db, id, Buyer(**sets), context_of(shop))
        )
    except InvalidInput:
        return None


def test_orders_use_what_is_open_to_them(shop: Shop) -> None:
    group = shop.group(type="C")
    id = make(shop, p_surcharge=1, a_surcharge="-0.3", processor_params={"k": "s3cret"})
    found = available(shop, id)
    assert found is not None
    assert (found.a_surcharge, found.p_surcharge, found.tax_ids) == (-300, 1000, ())
    expected = {**read(shop, id), "processor_params": "", "processor_status": None}
    assert found.record == expected
    assert available(shop, make(shop, company_id=0)) is not None
    hidden = make(shop, status="H")
    assert available(shop, hidden) is not None
    assert available(shop, hidden, administrator=False) is None
    assert available(shop, make(shop, status="D")) is None
    assert available(shop, make(shop, company_id=shop.other_store)) is None
    limited = make(shop, usergroup_ids=[group])
    assert available(shop, limited) is None
    assert available(shop, limited, usergroup_ids={0, group}) is not None
    assert available(shop, 99999) is None
