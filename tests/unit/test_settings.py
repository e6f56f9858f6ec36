"""Settings: what is read from variables, and what is refused."""

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from config.settings import (
    SettingError,
    Settings,
    descriptions,
    unknown_variables,
)

KEY = "k" * 32


def settings(**variables: str) -> Settings:
    named = {f"STOREAPI_{name}": text for name, text in variables.items()}
    return Settings.from_environment({"STOREAPI_SECRET_KEY": KEY, **named})


def test_defaults_are_those_of_production() -> None:
    made = settings()
    assert made.environment == "production"
    assert made.database_url == "sqlite:///var/store.db"
    assert made.items_per_page == 10
    assert made.max_items_per_page == 1000
    assert made.max_content_length == 16_777_216
    assert made.api_default_version == "1.0"
    assert made.api_allow_customer is False
    assert made.cors_origins == ("*",)
    assert made.media_folder == Path("var/media")
    assert made.zone.key == "UTC"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("ITEMS_PER_PAGE", " 25 ", 25),
        ("TRANSACTION_RETRIES", "0", 0),
        ("API_ROOT_ONLY", "on", True),
        ("API_ROOT_ONLY", "TRUE", True),
        ("API_ROOT_ONLY", "1", True),
        ("API_ROOT_ONLY", "off", False),
        ("API_DEFAULT_VERSION", "2.0", "2.0"),
        ("PLUGINS", "acme.a:A, acme.b:B,", ("acme.a:A", "acme.b:B")),
        ("DISABLED_ENTITIES", "", ()),
        ("MEDIA_FOLDER", "/srv/media", Path("/srv/media")),
        ("MEDIA_URL", "https://images.example/shop/", "https://images.example/shop"),
        ("PUBLIC_URL", "http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("TIME_ZONE", "Europe/Berlin", "Europe/Berlin"),
        ("CURRENCY", "eur", "EUR"),
        ("DEFAULT_LANGUAGE", "DE", "de"),
        ("MAX_JSON_DEPTH", "200", 200),
        (
            "CORS_ORIGINS",
            "https://Shop.example:8443, capacitor://localhost, null",
            ("https://shop.example:8443", "capacitor://localhost", "null"),
        ),
        ("FETCH_HOSTS", "cdn.example,\n::1", ("cdn.example", "::1")),
    ],
)
def test_value_is_read_as_its_type(name: str, text: str, value: object) -> None:
    assert getattr(settings(**{name: text}), name.lower()) == value


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("sqlite:////srv/store.db", "sqlite:////srv/store.db"),
        ("postgres://u@h/d", "postgresql+psycopg://u@h/d"),
        ("postgresql://u@h/d", "postgresql+psycopg://u@h/d"),
        ("mariadb://u:p@h:3307/d", "mariadb+pymysql://u:p@h:3307/d"),
        ("mysql://u@h/d", "mysql+pymysql://u@h/d"),
        ("mysql+pymysql://u@h/d", "mysql+pymysql://u@h/d"),
    ],
)
def test_database_url_is_completed_with_the_driver(given: str, read: str) -> None:
    assert settings(DATABASE_URL=given).database_url == read


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("ITEMS_PER_PAGE", "ten", "must be a whole number, not 'ten'"),
        ("ITEMS_PER_PAGE", "1_0", "must be a whole number, not '1_0'"),
        ("ITEMS_PER_PAGE", "0", "must be 1 or more, not 0"),
        ("ITEMS_PER_PAGE", "1001", "is above MAX_ITEMS_PER_PAGE"),
        ("TRUSTED_PROXIES", "-1", "must be 0 or more, not -1"),
        ("API_ROOT_ONLY", "maybe", "must be on or off, not 'maybe'"),
        ("API_DEFAULT_VERSION", "3.0", "must be 1.0 or 2.0, not '3.0'"),
        ("ADMIN_WITHOUT_GROUPS", "some", "must be none or all, not 'some'"),
        ("BRAND", "My Shop", "must be one word, not 'My Shop'"),
        ("BRAND", "x\udcff", "is no text in UTF-8"),
        ("SECRET_KEY", f"{KEY}\udcff", "is no text in UTF-8"),
        ("MAX_JSON_DEPTH", "201", "must be 200 or less, not 201"),
        ("DEFAULT_LANGUAGE", "english", "must be two letters, not 'english'"),
        (
            "CORS_ORIGINS",
            "*,http://a.example/",
            "must be * or like https://shop.example, without a path: 'http://a.example/'",
        ),
        (
            "FETCH_HOSTS",
            "https://a.example",
            "must be names of hosts, without more: 'https://a.example'",
        ),
        (
            "FETCH_HOSTS",
            "a.example:80",
            "must be names of hosts, without more: 'a.example:80'",
        ),
        ("TIME_ZONE", "Mars/Base", "names no time zone: 'Mars/Base'"),
        ("TIME_ZONE", "../etc", "names no time zone: '../etc'"),
        (
            "MEDIA_URL",
            "images.example",
            "must be an address that begins with http:// or https://",
        ),
        (
            "DATABASE_URL",
            "oracle://u:topsecret@h/d",
            "must begin with sqlite://, postgresql:// or mariadb://",
        ),
        ("SECRET_KEY", "short", "must have at least 32 characters in production"),
        ("SECRET_KEY", "", "must have at least 32 characters in production"),
    ],
)
def test_bad_value_names_variable_and_reason(name: str, text: str, reason: str) -> None:
    with pytest.raises(SettingError) as raised:
        settings(**{name: text})
    assert raised.value.variable == f"STOREAPI_{name}"
    assert str(raised.value) == f"STOREAPI_{name} {reason}"


@pytest.mark.parametrize("environment", ["development", "test"])
def test_key_may_be_missing_outside_production(environment: str) -> None:
    assert Settings.from_environment({"STOREAPI_ENVIRONMENT": environment})


def test_empty_variable_means_the_default_and_for_lists_empty() -> None:
    made = settings(ITEMS_PER_PAGE="", BRAND=" ", CORS_ORIGINS="")
    assert (made.items_per_page, made.brand, made.cors_origins) == (10, "CS-Cart", ())


def test_secrets_are_not_shown() -> None:
    shown = repr(settings(DATABASE_URL="postgresql://u:hunter2@h/d"))
    assert "hunter2" not in shown
    assert KEY not in shown


def test_settings_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        settings().items_per_page = 5


def test_every_setting_is_described_once() -> None:
    described = list(descriptions())
    assert len(described) == len(fields(Settings))
    assert all(line.meaning and line.type for line in described)
    lines = {line.variable: line for line in described}
    assert lines["STOREAPI_FETCH_TIMEOUT"][1:4] == ("number", "10", "s")
    assert lines["STOREAPI_API_ROOT_ONLY"][1:3] == ("flag", "off")
    assert lines["STOREAPI_LOG_FORMAT"][1:3] == ("json or console", "json")
    assert lines["STOREAPI_CORS_ORIGINS"][1:3] == ("list", "*")
    assert lines["STOREAPI_SECRET_KEY"].default == ""


def test_misspelt_variables_are_named() -> None:
    environ = {"STOREAPI_ITEM_PER_PAGE": "5", "STOREAPI_BRAND": "X", "PATH": "/bin"}
    assert unknown_variables(environ) == ["STOREAPI_ITEM_PER_PAGE"]
