"""Statuses: letters, parameters, texts, mail per store (spec/entities/statuses.md)."""

from typing import Any

import pytest

from storeapi.models import Order, Status
from storeapi.rules.statuses import hold_status, status_rule
from tests.shop import Caller, Shop

ALL = ("view_order_statuses", "manage_order_statuses", "view_stores")


def make(shop: Shop, name: str = "On hold", **payload: Any) -> int:
    answer = shop.root.post("statuses", {"description": name, **payload})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["status_id"])


def read(shop: Shop, id: int, caller: Caller | None = None, path: str = "") -> Any:
    return (caller or shop.root).get(f"{path}statuses/{id}").get_json()


def letters(shop: Shop, query: str = "") -> str:
    body = shop.root.get(f"statuses?items_per_page=50&{query}").get_json()
    return "".join(record["status"] for record in body["statuses"])


def refused(answer: Any, field: str, code: str | None = None) -> None:
    assert answer.status_code == 400, answer.get_data(as_text=True)
    errors = answer.get_json()["errors"]
    assert field in [error["field"] for error in errors]
    assert code is None or code in [error["code"] for error in errors]


def built_in(shop: Shop, letter: str) -> Any:
    body = shop.root.get(f"statuses?status={letter}").get_json()
    (record,) = body["statuses"]
    return record


def test_every_store_has_the_built_in_ones(shop: Shop) -> None:
    assert letters(shop) == "PCOFDBIY"
    assert built_in(shop, "I") == {
        "status_id": "7", "status": "I", "type": "O", "is_default": "Y",
        "description": "Canceled", "email_subj": "", "email_header": "",
        "lang_code": "en",
        "params": {
            "inventory": "I", "notify": "Y", "notify_department": "N",
            "notify_vendor": "N", "remove_cc_info": "Y", "repay": "N",
            "allow_return": "N", "appearance_type": "O", "color": "#aaaaaa",
        },
    }  # fmt: skip
    assert built_in(shop, "P")["params"]["appearance_type"] == "I"
    assert built_in(shop, "F")["params"]["repay"] == "Y"
    german = shop.root.get("statuses/1?lang_code=de").get_json()
    assert (german["description"], german["lang_code"]) == ("Processed", "de")


@pytest.mark.parametrize(
    "row",
    [
        ("1", "P", "Processed", "D", "N", "Y", "Y", "I", "#97cf4d"),
        ("2", "C", "Complete", "D", "N", "Y", "Y", "I", "#97cf4d"),
        ("3", "O", "Open", "D", "N", "N", "Y", "O", "#f0a030"),
        ("4", "F", "Failed", "I", "Y", "N", "Y", "O", "#d9534f"),
        ("5", "D", "Declined", "I", "Y", "N", "Y", "O", "#b03a2e"),
        ("6", "B", "Backordered", "D", "N", "N", "Y", "O", "#5b9bd5"),
        ("7", "I", "Canceled", "I", "N", "Y", "Y", "O", "#aaaaaa"),
        ("8", "Y", "Awaiting call", "D", "N", "N", "N", "O", "#a0522d"),
    ],
)
def test_the_built_in_ones_are_those_of_the_table(
    shop: Shop, row: tuple[str, ...]
) -> None:
    """Section 2.2."""
    id, letter, name, *params = row
    record = built_in(shop, letter)
    own = [record[field] for field in ("status_id", "status", "description")]
    assert [*own, record["is_default"]] == [id, letter, name, "Y"]
    names = ("inventory", "repay", "remove_cc_info", "notify", "appearance_type")
    assert [record["params"][each] for each in (*names, "color")] == params
    assert shop.root.delete(f"statuses/{id}").status_code == 400


def test_records_and_lists_have_their_shapes(shop: Shop) -> None:
    sent = {"inventory": "D", "notify": True, "color": "#8866aa", "acme_key": 7}
    id = make(
        shop, status="H", email_subj="is on hold", params=sent, email_header="<p>"
    )
    record = read(shop, id)
    assert record["params"] == {
        "inventory": "D", "notify": "Y", "notify_department": "N",
        "notify_vendor": "N", "remove_cc_info": "N", "repay": "N",
        "allow_return": "N", "appearance_type": "D", "color": "#8866aa",
        "acme_key": "7",
    }  # fmt: skip
    assert {k: v for k, v in record.items() if k != "params"} == {
        "status_id": str(id), "status": "H", "type": "O", "is_default": "N",
        "description": "On hold", "email_subj": "is on hold", "email_header": "<p>",
        "lang_code": "en",
    }  # fmt: skip
    first = shop.root.get("/api/statuses?status=H").get_json()
    assert first["statuses"] == {str(id): record}
    assert first["search"]["type"] == "O"
    second = shop.root.get("statuses?status=H").get_json()
    assert second["statuses"] == [record]
    assert second["params"]["total_items"] == "1"


def test_a_status_gets_the_first_free_letter(shop: Shop) -> None:
    wanted = "AEGHJKLMQRSUVWXZ0123456789"
    for letter in wanted[:3]:
        assert read(shop, make(shop))["status"] == letter
    make(shop, status="b")
    make(shop, status="J")
    found = "".join(read(shop, make(shop))["status"] for _ in wanted[4:])
    assert found == "H" + wanted[5:]
    refused(shop.root.post("statuses", {"description": "x"}), "status", "taken")


@pytest.mark.parametrize("letter", ["P", "N", "T", 8, "?", "AB", "Ä", ["A"]])
def test_a_letter_must_be_free_and_one(shop: Shop, letter: Any) -> None:
    make(shop, status="8")
    answer = shop.root.post("statuses", {"description": "x", "status": letter})
    refused(answer, "status")


def test_types_have_letters_of_their_own(shop: Shop) -> None:
    id = make(shop, "Lost", type="S", status="O")
    assert letters(shop, "type=S") == "O"
    assert letters(shop).count("O") == 1
    assert read(shop, make(shop, "Late", type="S"))["status"] == "B"
    for fixed in "PAS":
        body = {"description": "x", "type": "S", "status": fixed}
        refused(shop.root.post("statuses", body), "status", "taken")
    assert shop.root.delete(f"statuses/{id}").status_code == 204
    refused(shop.root.post("statuses", {"description": "x", "type": "X"}), "type")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "description"),
        ({"description": ""}, "description"),
        ({"description": "x", "params": {"inventory": "X"}}, "params.inventory"),
        ({"description": "x", "params": {"notify": "maybe"}}, "params.notify"),
        ({"description": "x", "params": {"color": "red"}}, "params.color"),
        ({"description": "x", "params": {"appearance_type": "Z"}}, "params"),
        ({"description": "x", "params": {"gift_cert_status": "AB"}}, "params"),
        ({"description": "x", "params": {"a": ["b"]}}, "params.a"),
        ({"description": "x", "params": {"a": "b" * 1001}}, "params.a"),
        ({"description": "x", "params": "notify"}, "params"),
        ({"description": "x", "is_default": "maybe"}, "is_default"),
    ],
)
def test_bad_values_are_named(shop: Shop, body: Any, field: str) -> None:
    before = shop.everything()
    answer = shop.root.post("statuses", {"email_subj": "x", **body})
    assert answer.status_code == 400
    found = [error["field"] for error in answer.get_json()["errors"]]
    assert any(each.startswith(field) for each in found)
    assert shop.everything() == before


def test_params_are_merged_and_null_removes(shop: Shop) -> None:
    id = make(shop, params={"inventory": "I", "acme": "1"})
    body = {"params": {"color": "#334455", "acme": None}, "status": "Z", "type": "S"}
    assert shop.root.put(f"statuses/{id}", body).get_json() == {"status_id": str(id)}
    record = read(shop, id)
    assert (record["status"], record["type"]) == ("A", "O")
    assert record["params"]["inventory"] == "I"
    assert record["params"]["color"] == "#334455"
    assert "acme" not in record["params"]
    shop.root.put(f"statuses/{id}", {"params": []})
    assert read(shop, id) == record


def test_letters_are_no_ids_but_a_filter(shop: Shop) -> None:
    assert shop.root.get("statuses/P").status_code == 404
    assert letters(shop, "status=P,I") == "PI"
    assert letters(shop, "is_default=N") == ""
    assert letters(shop, "sort_by=status&sort_order=desc") == "YPOIFDCB"
    assert letters(shop, "sort_by=description&items_per_page=2") == "YB"
    assert letters(shop, "sort_by=position&items_per_page=2") == "PC"


def test_texts_are_per_language(shop: Shop) -> None:
    id = make(shop)
    shop.root.put(f"statuses/{id}", {"description": "Angehalten", "lang_code": "de"})
    assert read(shop, id)["description"] == "On hold"
    german = shop.root.get(f"statuses/{id}?lang_code=DE").get_json()
    assert german["description"] == "Angehalten"


def test_built_in_ones_stay(shop: Shop) -> None:
    assert shop.root.delete("statuses/1").status_code == 400
    clerk = shop.caller(*ALL)
    body = {"is_default": "N"}
    assert clerk.put("statuses/1", body).status_code == 403
    assert clerk.put("statuses/1", {"description": "Paid"}).status_code == 200
    assert shop.root.put("statuses/1", body).status_code == 200
    assert clerk.delete("statuses/1").status_code == 204
    shop.root.put("statuses/3", body)
    assert shop.root.delete("statuses/3").status_code == 400


def test_a_status_that_orders_have_stays(shop: Shop) -> None:
    id = make(shop, status="H")
    shop.insert(
        Order, company_id=shop.store, status="H", timestamp=1, total=0, firstname="A"
    )
    answer = shop.root.delete(f"statuses/{id}")
    assert answer.status_code == 400
    assert "orders" in answer.get_json()["message"]


def test_stores_word_the_mail_themselves(shop: Shop) -> None:
    id = make(shop, email_subj="on hold", email_header="<p>Soon.</p>")
    path = f"stores/{shop.store}/statuses/{id}"
    body = {"email_subj": "at the pier", "description": "Pier", "params": {"repay": 1}}
    assert shop.root.put(path, body).get_json() == {"status_id": str(id)}
    common = read(shop, id)
    assert common["email_subj"] == "on hold"
    assert (common["description"], common["params"]["repay"]) == ("On hold", "N")
    assert shop.root.get(path).get_json() == {**common, "email_subj": "at the pier"}
    listed = shop.root.get(f"stores/{shop.store}/statuses?status=A").get_json()
    assert [r["email_subj"] for r in listed["statuses"]] == ["at the pier"]
    other = f"stores/{shop.other_store}/"
    assert read(shop, id, path=other) == common
    german = shop.root.get(f"{path}?lang_code=de").get_json()
    assert german["email_subj"] == "on hold"
    sparse = shop.root.get(f"{path}?fields=description").get_json()
    assert "email_subj" not in sparse
    rule = shop.database.read(
        lambda db: status_rule(db, "A", company_id=shop.store, lang_code="en")
    )
    assert (rule.email_subj, rule.email_header) == ("at the pier", "<p>Soon.</p>")
    shop.root.put(path, {"email_subj": None})
    assert shop.root.get(path).get_json() == common
    shop.root.put(path, {"email_header": ""})
    assert shop.root.get(path).get_json() == {**common, "email_header": ""}
    vendor = f"vendors/{shop.vendor}/statuses/{id}"
    assert shop.root.put(vendor, {"email_subj": "nets"}).status_code == 200
    assert shop.root.get(vendor).get_json()["email_subj"] == "nets"


def test_below_a_store_nothing_else_is_written(shop: Shop) -> None:
    path = f"stores/{shop.store}/statuses"
    assert shop.root.post(path, {"description": "x"}).status_code == 405
    assert shop.root.delete(f"{path}/1").status_code == 405
    assert shop.root.put(f"{path}/999", {"email_subj": "x"}).status_code == 404
    answer = shop.root.put(f"{path}/1", {"email_subj": "x", "lang_code": "fr"})
    refused(answer, "lang_code")
    refused(shop.root.put(f"{path}/1", {"email_subj": ["x"]}), "email_subj")


def test_an_administrator_of_one_store_writes_its_mail_only(shop: Shop) -> None:
    clerk = shop.caller(*ALL, company_id=shop.store)
    assert clerk.get("statuses").status_code == 200
    before = shop.everything()
    assert clerk.post("statuses", {"description": "x"}).status_code == 403
    assert clerk.put("statuses/1", {"email_subj": "x"}).status_code == 403
    assert clerk.delete("statuses/1").status_code == 403
    own, other = f"stores/{shop.store}", f"stores/{shop.other_store}"
    body = {"email_subj": "x", "description": "y"}
    assert clerk.put(f"{own}/statuses/1", body).status_code == 403
    assert clerk.put(f"{other}/statuses/1", {"email_subj": "x"}).status_code == 404
    assert shop.everything() == before
    assert clerk.put(f"{own}/statuses/1", {"email_subj": "x"}).status_code == 200
    assert read(shop, 1, clerk, f"{own}/")["email_subj"] == "x"


def test_readers_of_orders_read_statuses(shop: Shop) -> None:
    assert shop.caller("view_orders").get("statuses/1").status_code == 200
    assert shop.caller("view_orders").put("statuses/1", {"a": 1}).status_code == 403
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    assert vendor.get("statuses").status_code == 200


def test_orders_hold_the_status_they_get(shop: Shop) -> None:
    rule = shop.database.write(lambda db: hold_status(db, "I"))
    assert (rule.takes_stock, rule.removes_cc_info, rule.appearance) == (
        False, True, "O",
    )  # fmt: skip
    for letter in ("N", "T", "Z", ""):
        with pytest.raises(Exception, match="status") as fault:
            shop.database.write(lambda db, letter=letter: hold_status(db, letter))
        assert fault.value.errors[0].field == "status"
    strange = shop.database.read(lambda db: status_rule(db, "I", lang_code=""))
    assert (strange.takes_stock, strange.description) == (False, "")
    shop.change(Status, {"status": "I"}, {"params": "{}"})
    gone = shop.database.read(lambda db: status_rule(db, "I"))
    assert (gone.takes_stock, gone.appearance) == (True, "D")
