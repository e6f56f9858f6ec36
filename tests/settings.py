"""Settings for tests: found by name, read and written through the API."""

from typing import Any

from flask import Flask

from tests.shop import Caller, Shop


def numbers(shop: Shop, caller: Caller | None = None) -> dict[str, str]:
    """The numbers of all settings, by name."""
    answer = (caller or shop.root).get("settings?items_per_page=0")
    return {each["name"]: each["object_id"] for each in answer.get_json()["settings"]}


def path_of(shop: Shop, name: str, below: str = "") -> str:
    """The path of a setting."""
    return f"{below}settings/{numbers(shop)[name]}"


def record(shop: Shop, name: str, query: str = "") -> dict[str, Any]:
    """The record of a setting."""
    found: dict[str, Any] = shop.root.get(path_of(shop, name) + query).get_json()
    return found


def put(shop: Shop, name: str, value: Any, below: str = "", **more: Any) -> Any:
    """Write a value; `more` may name a company."""
    return shop.root.put(path_of(shop, name, below), {"value": value, **more})


def value(shop: Shop, name: str, query: str = "") -> str:
    """The value that is in force."""
    return str(record(shop, name, query)["value"])


def as_of(app: Flask, caller: Caller) -> Caller:
    """The same caller at another server."""
    return Caller(app.test_client(), caller.user_id, caller.login, caller.key)
