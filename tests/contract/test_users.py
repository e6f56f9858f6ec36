"""Users: their values, addresses, and what is unique (spec/entities/users.md)."""

import pytest

from tests.people import found, make
from tests.shop import NOW, Shop

# Creating


def test_post_needs_email_and_type_only(shop: Shop) -> None:
    """Protocol, section 16, row 18."""
    answer = shop.root.post("users", {"email": "a@example.com", "user_type": "C"})
    id = answer.get_json()["user_id"]
    assert answer.status_code == 201
    assert answer.get_json() == {"user_id": id, "profile_id": str(id)}
    assert type(id) is int
    assert answer.headers["Location"] == f"/api/2.0/users/{id}"


def test_post_names_email_and_type_when_they_are_missing(shop: Shop) -> None:
    answer = shop.root.post("users", {"firstname": "Ines"})
    assert answer.status_code == 400
    assert [e["field"] for e in answer.get_json()["errors"]] == ["email", "user_type"]


def test_version_1_answers_with_a_text_as_id(shop: Shop) -> None:
    body = {"email": "a@example.com", "user_type": "C"}
    data = shop.root.post("/api/users", body).get_json()
    assert data == {"user_id": data["profile_id"], "profile_id": data["profile_id"]}
    put = shop.root.put(f"/api/users/{data['user_id']}", {"lastname": "Duarte"})
    assert put.get_json() == data


def test_defaults_of_a_customer(shop: Shop) -> None:
    """Protocol, section 16, rows 18 and 21."""
    id = make(shop)
    record = shop.root.get(f"users/{id}").get_json()
    timestamp = record.pop("timestamp")
    assert int(timestamp) > NOW
    empty = (
        "firstname lastname company phone fax url b_firstname b_lastname b_address"
        " b_address_2 b_city b_county b_state b_country b_zipcode b_phone s_firstname"
        " s_lastname s_address s_address_2 s_city s_county s_state s_country s_zipcode"
        " s_phone s_address_type b_country_descr b_state_descr s_country_descr"
        " s_state_descr"
    )
    assert record == {
        "user_id": str(id), "email": "ines@example.com", "user_type": "C",
        "company_id": str(shop.store), "company_name": "Harbour Shop", "status": "A",
        "user_login": f"user_{id}", "is_root": "N", "points": "0", "lang_code": "en",
        "birthday": "0", "tax_exempt": "N", "last_login": "0", "profile_id": str(id),
        "profile_name": "Main", "profile_type": "P", "usergroups": {},
        "api_access": "N", **dict.fromkeys(empty.split(), ""),
    }  # fmt: skip


def test_administrator_belongs_to_the_whole_installation(shop: Shop) -> None:
    id = make(shop, user_type="A")
    record = shop.root.get(f"users/{id}").get_json()
    assert (record["company_id"], record["company_name"]) == ("0", None)
    assert record["is_root"] == "N"


def test_values_are_kept_as_sent(shop: Shop) -> None:
    values = {
        "email": "Ines@Example.com", "user_login": "Ines", "firstname": "Inês 🌊",
        "lastname": "Duarte", "company": "Duarte Lda", "phone": "+351 21",
        "fax": "1", "url": "example.com", "lang_code": "pt", "birthday": "-86400",
        "tax_exempt": "Y", "timestamp": "1700000001", "profile_name": "Home",
        "s_address_type": "residential", "status": "H",
    }  # fmt: skip
    record = shop.root.get(f"users/{make(shop, **values)}").get_json()
    assert {name: record[name] for name in values} == values


def test_unknown_company_is_refused(shop: Shop) -> None:
    body = {"email": "a@example.com", "user_type": "C", "company_id": 99999}
    answer = shop.root.post("users", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "company_id"


@pytest.mark.parametrize(
    ("field", "value"),
    [("email", "no address"), ("email", ""), ("user_type", "P"), ("status", "Z")],
)
def test_bad_value_is_refused_by_name(shop: Shop, field: str, value: str) -> None:
    body = {"email": "a@example.com", "user_type": "C", field: value}
    answer = shop.root.post("users", body)
    assert answer.status_code == 400
    assert [e["field"] for e in answer.get_json()["errors"]] == [field]


@pytest.mark.parametrize(
    ("field", "longest"),
    [("email", "a" * 116 + "@example.com"), ("user_login", "x" * 255)],
)
def test_what_is_too_long_is_refused_by_name(
    shop: Shop, field: str, longest: str
) -> None:
    body = {"email": "b@example.com", "user_type": "C", field: f"a{longest}"}
    answer = shop.root.post("users", body)
    assert answer.status_code == 400
    assert [e["field"] for e in answer.get_json()["errors"]] == [field]
    assert make(shop, **{"email": "b@example.com", field: longest})


# Uniqueness


@pytest.mark.parametrize("again", ["ann@example.com", "Ann@Example.COM"])
def test_email_is_unique_in_any_case(shop: Shop, again: str) -> None:
    make(shop, "Ann@Example.com")
    answer = shop.root.post("users", {"email": again, "user_type": "C"})
    assert answer.status_code == 400
    errors = answer.get_json()["errors"]
    assert [(e["field"], e["code"]) for e in errors] == [("email", "taken")]
    assert found(shop.root, "email=ann@example") == ["Ann@Example.com"]


def test_login_is_unique_in_any_case(shop: Shop) -> None:
    make(shop, user_login="Ines")
    body = {"email": "b@example.com", "user_type": "C", "user_login": "INES"}
    answer = shop.root.post("users", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "user_login"


def test_put_of_another_users_address_is_refused(shop: Shop) -> None:
    make(shop, "ann@example.com")
    id = make(shop, "ben@example.com")
    answer = shop.root.put(f"users/{id}", {"email": "ANN@example.com"})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "email"


def test_put_of_the_own_address_is_no_clash(shop: Shop) -> None:
    id = make(shop, "ann@example.com")
    assert shop.root.put(f"users/{id}", {"email": "ann@example.com"}).status_code == 200
    assert shop.root.put(f"users/{id}", {"email": "Ann@example.com"}).status_code == 200
    assert shop.root.get(f"users/{id}").get_json()["email"] == "Ann@example.com"


def test_default_login_gives_way_to_a_chosen_one(shop: Shop) -> None:
    first = make(shop, "a@example.com")
    taken = f"User_{first + 2}"
    make(shop, "b@example.com", user_login=taken)
    id = make(shop, "c@example.com")
    login = shop.root.get(f"users/{id}").get_json()["user_login"]
    assert (id, login) == (first + 2, f"user_{id}_2")


def test_empty_login_becomes_the_default_again(shop: Shop) -> None:
    id = make(shop, user_login="ines")
    shop.root.put(f"users/{id}", {"user_login": ""})
    assert shop.root.get(f"users/{id}").get_json()["user_login"] == f"user_{id}"


# Addresses


def test_shipping_copies_billing_where_it_is_left_out(shop: Shop) -> None:
    sent = {"b_city": "Porto", "b_zipcode": "4000", "s_city": "Lisboa"}
    record = shop.root.get(f"users/{make(shop, **sent)}").get_json()
    assert (record["s_city"], record["s_zipcode"]) == ("Lisboa", "4000")
    assert record["b_city"] == "Porto"


def test_billing_copies_shipping_if_only_that_is_sent(shop: Shop) -> None:
    record = shop.root.get(f"users/{make(shop, s_city='Lisboa')}").get_json()
    assert (record["b_city"], record["s_city"]) == ("Lisboa", "Lisboa")


def test_put_changes_one_part_of_one_address(shop: Shop) -> None:
    id = make(shop, b_city="Porto", b_zipcode="4000")
    shop.root.put(f"users/{id}", {"b_city": "Braga"})
    record = shop.root.get(f"users/{id}").get_json()
    assert (record["b_city"], record["b_zipcode"]) == ("Braga", "4000")
    assert (record["s_city"], record["s_zipcode"]) == ("Porto", "4000")


def test_codes_of_places_have_names(shop: Shop) -> None:
    id = make(shop, b_country="us", b_state="CA", s_country="PT", s_state="Minho")
    record = shop.root.get(f"users/{id}").get_json()
    assert (record["b_country"], record["b_country_descr"]) == ("US", "United States")
    assert (record["b_state"], record["b_state_descr"]) == ("CA", "California")
    assert (record["s_country_descr"], record["s_state_descr"]) == ("Portugal", "")


# The rest


def test_read_only_and_unknown_fields_are_ignored(shop: Shop) -> None:
    id = make(shop)
    before = shop.root.get(f"users/{id}").get_json()
    body = {"points": 5, "user_id": 9, "timestamp": 5, "usergroups": {}, "colour": "x"}
    answer = shop.root.put(f"users/{id}", body)
    assert answer.status_code == 200
    assert answer.headers["X-Ignored-Fields"] == "colour"
    assert shop.root.get(f"users/{id}").get_json() == before


@pytest.mark.parametrize("field", ["email", "user_type", "status"])
def test_required_value_is_not_emptied(shop: Shop, field: str) -> None:
    id = make(shop)
    for value in ("", None):
        if (field, value) == ("status", None):
            continue
        answer = shop.root.put(f"users/{id}", {field: value})
        assert answer.status_code == 400
        assert answer.get_json()["errors"][0]["field"] == field


def test_null_access_changes_nothing(shop: Shop) -> None:
    caller = shop.caller("view_users")
    path = f"users/{caller.user_id}"
    assert shop.root.put(path, {"api_access": None}).status_code == 200
    assert shop.root.get(path).get_json()["api_access"] == "Y"


@pytest.mark.parametrize(
    "address",
    [
        "\uff49nes@example.com", "ines@\uff45xample.com", "in\u200bes@example.com",
        "in\u00ades@example.com", "\u202eines@example.com", "\ufb01nes@example.com",
    ],
)  # fmt: skip
def test_address_that_looks_like_another_is_refused(shop: Shop, address: str) -> None:
    id = make(shop)
    body = {"email": address, "user_type": "C"}
    answers = [
        shop.root.post("users", body),
        shop.root.put(f"users/{id}", {"email": address}),
        shop.root.post("vendors", {"company": "Nets", "email": address}),
        shop.root.put(f"stores/{shop.store}", {"company_orders_department": address}),
    ]
    assert [answer.status_code for answer in answers] == [400] * 4


@pytest.mark.parametrize("address", ["jos\u00e9@example.com", "ines@\u4f8b\u3048.jp"])
def test_address_in_any_script_is_taken(shop: Shop, address: str) -> None:
    id = make(shop, address)
    assert shop.root.get(f"users/{id}").get_json()["email"] == address
