"""Settings and language variables under requests that arrive together."""

from tests.serving import Server, together
from tests.shop import Caller, Shop

_DEFAULT = "settings?name=backend_default_language"


def roots(shop: Shop, number: int) -> list[Caller]:
    root = shop.root
    return [
        Caller(shop.app.test_client(), root.user_id, root.login, root.key)
        for _ in range(number)
    ]


def test_a_setting_has_one_number(shop: Shop) -> None:
    """The first requests ever, in many processes: all of them tell the same."""
    query = "settings?items_per_page=0"
    answers = together([lambda r=r: r.get(query) for r in roots(shop, 6)])
    assert [answer.status_code for answer in answers] == [200] * 6
    found = [answer.get_json()["settings"] for answer in answers]
    assert all(each == found[0] for each in found)
    assert len({each["object_id"] for each in found[0]}) == len(found[0])


def test_a_setting_has_one_value(shop: Shop) -> None:
    """All first values of one setting at once: the last one stays, none is lost."""
    (setting,) = shop.root.get("settings?name=date_format").get_json()["settings"]
    path = f"settings/{setting['object_id']}"
    values = ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y"] * 2
    pairs = zip(roots(shop, 6), values, strict=True)
    answers = together([lambda r=r, v=v: r.put(path, {"value": v}) for r, v in pairs])
    assert [answer.status_code for answer in answers] == [200] * 6
    assert shop.root.get(path).get_json()["value"] in values
    assert len(shop.everything()["setting_values"]) == 1


def test_one_of_two_that_read_the_same_value_wins(shop: Shop) -> None:
    (setting,) = shop.root.get("settings?name=date_format").get_json()["settings"]
    path = f"settings/{setting['object_id']}"
    headers = {"If-Match": shop.root.get(path).headers["ETag"]}
    pairs = zip(roots(shop, 2), ["%d/%m/%Y", "%m/%d/%Y"], strict=True)
    answers = together(
        [lambda r=r, v=v: r.put(path, {"value": v}, headers=headers) for r, v in pairs]
    )
    assert sorted(answer.status_code for answer in answers) == [200, 412]


def test_the_default_language_never_goes(shop: Shop) -> None:
    """One becomes the default while it is deleted: one of the two is refused."""
    (setting,) = shop.root.get(_DEFAULT).get_json()["settings"]
    path = f"settings/{setting['object_id']}"
    for _ in range(4):
        shop.root.post("languages", {"lang_code": "fr", "name": "French"})
        one, other = roots(shop, 2)
        put, gone = together(
            [
                lambda one=one: one.put(path, {"value": "fr"}),
                lambda other=other: other.delete("languages/fr"),
            ]
        )
        assert (put.status_code, gone.status_code) in ((200, 400), (400, 204))
        assert shop.root.put(path, {"value": None}).status_code == 200
        shop.root.delete("languages/fr")


def test_a_variable_is_made_once(shop: Shop) -> None:
    bodies = [{"name": "hint", "value": str(n)} for n in range(6)]
    pairs = zip(roots(shop, 6), bodies, strict=True)
    answers = together([lambda r=r, b=b: r.post("langvars", b) for r, b in pairs])
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [201, 400, 400, 400, 400, 400]
    pairs = zip(roots(shop, 4), bodies[:4], strict=True)
    answers = together([lambda r=r, b=b: r.put("langvars/late", b) for r, b in pairs])
    assert [answer.status_code for answer in answers] == [200] * 4
    texts = shop.everything()["langvar_texts"]
    assert len(texts) == 4


def test_a_language_that_comes_lacks_no_variable(shop: Shop) -> None:
    one, *others = roots(shop, 5)
    calls = [
        lambda r=r, n=n: r.put(f"langvars/name_{n}", {"value": "x"})
        for n, r in enumerate(others)
    ]
    french = {"lang_code": "fr", "name": "French"}
    answers = together([lambda: one.post("languages", french), *calls])
    assert sorted(answer.status_code for answer in answers) == [200] * 4 + [201]
    codes = [row[1] for row in shop.everything()["langvar_texts"]]
    assert sorted(codes) == ["de"] * 4 + ["en"] * 4 + ["fr"] * 4


def test_a_setting_acts_in_every_worker(shop: Shop, server: Server) -> None:
    """Whichever process answers the next request."""
    (setting,) = shop.root.get("settings?name=admin_elements_per_page").get_json()[
        "settings"
    ]
    path = f"settings/{setting['object_id']}"
    for size in (3, 4, 5):
        written = server.send(shop.root, "PUT", path, {"value": size})
        assert written.status == 200
        replies = together([lambda: server.send(shop.root, "GET", "languages")] * 12)
        sizes = {reply.json()["params"]["items_per_page"] for reply in replies}
        assert sizes == {size}
