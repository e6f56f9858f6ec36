"""Content negotiation, by spec/protocol.md, section 7."""

import pytest

from storeapi.core.accept import ANSWERS, ERRORS, JSON, PLAIN, PROBLEM, choose

BROWSER = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,"
    "image/avif,image/webp,*/*;q=0.8"
)


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "",
        " ",
        "*/*",
        "application/*",
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "application/json, text/plain, */*",
        "text/plain, application/json",
        "text/plain;q=0.9, application/json",
        "application/xml, */*;q=0.1",
        "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
        "*",
        BROWSER,
        "nonsense",
        "text/plain;q=2",
        "text/plain;q=NaN",
        ",,;;",
    ],
)
def test_json_answers(accept: str | None):
    assert choose(accept, ANSWERS) == JSON


@pytest.mark.parametrize(
    "accept",
    [
        "text/plain",
        "text/*",
        "Text/Plain;format=flowed",
        "text/plain, */*",
        "text/plain, */*; q=0.01",
        "application/json;q=0.5, text/plain",
        "application/json;q=0, */*",
        "application/*;q=0.2, text/*;q=0.30",
        "application/xml, text/plain;q=0.001",
    ],
)
def test_plain_text_answers(accept: str):
    assert choose(accept, ANSWERS) == PLAIN


@pytest.mark.parametrize(
    "accept",
    [
        "application/xml",
        "text/html;q=1.0",
        "*/*;q=0",
        "application/json;q=0",
        "application/json;q=0.000, text/plain;q=0",
        "application/problem+json",
        "image/*",
    ],
)
def test_nothing_offered_is_acceptable(accept: str):
    assert choose(accept, ANSWERS) is None


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        (BROWSER, JSON),
        ("application/json", JSON),
        ("application/problem+json", PROBLEM),
        ("application/json, application/problem+json", PROBLEM),
        ("application/json, application/problem+json;q=0.5", JSON),
        ("text/plain", PLAIN),
        ("application/xml", None),
    ],
)
def test_problem_details_answer_those_who_name_them(
    accept: str | None, expected: str | None
):
    assert choose(accept, ERRORS) == expected
