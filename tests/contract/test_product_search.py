"""Search: the same products are found on every database (products.md, 3.1)."""

from urllib.parse import quote

import pytest

from tests.shop import Shop

NAMES = [
    "100% wool",
    "100 wool",
    "Alpine mug, 350 ml",
    "Qi lamp",
    "ÄRGER Straße",
    "Чашка синяя",
    "有田焼 茶碗 青",
    "C:\\temp_dir",
    'O\'Brien "gold" + silver - *star*',
]


@pytest.fixture
def filled(shop: Shop) -> Shop:
    for name in NAMES:
        shop.make_product(name)
    shop.make_product("Plain", product_code="MUG-350-GR", full_description="the word")
    return shop


def found(shop: Shop, query: str) -> list[str]:
    answer = shop.root.get(f"products?items_per_page=100&{query}")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    body = answer.get_json()
    names = [product["product"] for product in body["products"]]
    assert body["params"]["total_items"] == str(len(names))
    return sorted(names)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("mug", ["Alpine mug, 350 ml", "Plain"]),
        ("MUG alp", ["Alpine mug, 350 ml"]),
        ("ml", ["Alpine mug, 350 ml"]),
        ("qi", ["Qi lamp"]),
        ("350-gr", ["Plain"]),
        ("100%", ["100% wool"]),
        ("wool", ["100 wool", "100% wool"]),
        ("ärger", ["ÄRGER Straße"]),
        ("STRASSE", ["ÄRGER Straße"]),
        ("чаш", ["Чашка синяя"]),
        ("СИНЯЯ ЧАШ", ["Чашка синяя"]),
        ("a\u0308rger", ["ÄRGER Straße"]),
        ("茶", ["有田焼 茶碗 青"]),
        ("茶碗", ["有田焼 茶碗 青"]),
        ("碗茶", []),
        ("the", ["Plain"]),
        ("%", ["100% wool"]),
        ("_", ["C:\\temp_dir"]),
        ("\\", ["C:\\temp_dir"]),
        ("temp_d", ["C:\\temp_dir"]),
        ("+", ['O\'Brien "gold" + silver - *star*']),
        ("*star*", ['O\'Brien "gold" + silver - *star*']),
        ("O'Brien", ['O\'Brien "gold" + silver - *star*']),
        ('"gold"', ['O\'Brien "gold" + silver - *star*']),
        ("-", ['O\'Brien "gold" + silver - *star*', "Plain"]),
        ("nosuch", []),
    ],
)
def test_q_finds_words_by_their_beginnings(
    filled: Shop, words: str, names: list[str]
) -> None:
    assert found(filled, f"q={quote(words)}") == sorted(names)


@pytest.mark.parametrize(
    ("match", "names"),
    [
        ("all", []),
        ("any", ["Alpine mug, 350 ml", "Plain", "Qi lamp"]),
        ("exact", []),
    ],
)
def test_match_says_how_words_combine(
    filled: Shop, match: str, names: list[str]
) -> None:
    assert found(filled, f"q=mug+lamp&match={match}") == sorted(names)


def test_exact_finds_a_sequence(filled: Shop) -> None:
    assert found(filled, "q=mug,+350&match=exact") == ["Alpine mug, 350 ml"]


def test_flags_choose_the_texts(filled: Shop) -> None:
    assert found(filled, "q=word&pfull=Y") == ["Plain"]
    assert found(filled, "q=word&pname=Y") == []


def test_only_texts_of_the_language_count(shop: Shop) -> None:
    id = shop.make_product("Mug")
    shop.root.put(f"products/{id}", {"product": "Becher", "lang_code": "de"})
    assert found(shop, "q=becher&lang_code=de") == ["Becher"]
    assert found(shop, "q=becher") == []
    assert found(shop, "q=mug&lang_code=de") == []


def test_the_index_follows_every_write(shop: Shop) -> None:
    id = shop.make_product("Mug")
    shop.root.put(f"products/{id}", {"product": "Cup"})
    assert (found(shop, "q=mug"), found(shop, "q=cup")) == ([], ["Cup"])
    shop.root.delete(f"products/{id}")
    assert found(shop, "q=cup") == []


def test_a_new_language_is_searched_at_once(shop: Shop) -> None:
    shop.make_product("Mug")
    body = {"lang_code": "fr", "name": "Français"}
    assert shop.root.post("languages", body).status_code == 201
    assert found(shop, "q=mug&lang_code=fr") == ["Mug"]
