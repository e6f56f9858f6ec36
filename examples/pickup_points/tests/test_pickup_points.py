"""The entity over HTTP, on a fresh SQLite database, through the console command."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from config.settings import Settings
from storeapi.app import create_app, front_of

ROOT = "root@example.com"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder: Path = tmp_path_factory.mktemp("store")
    return {
        **os.environ,
        "STOREAPI_ENVIRONMENT": "test",
        "STOREAPI_DATABASE_URL": f"sqlite:///{folder / 'store.db'}",
        "STOREAPI_SECRET_KEY": "0123456789abcdef0123456789abcdef",
        "STOREAPI_MEDIA_FOLDER": str(folder / "media"),
    }


def storeapi(environment: dict[str, str], *words: str) -> str:
    command = [str(Path(sys.executable).with_name("storeapi")), *words]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def key(environment: dict[str, str]) -> str:
    storeapi(environment, "init")
    storeapi(environment, "user", "create-root", ROOT)
    return storeapi(environment, "user", "grant-api", ROOT).splitlines()[-1]


@pytest.fixture(scope="module")
def client(environment: dict[str, str], key: str) -> Iterator[FlaskClient]:
    app = create_app(Settings.from_environment(environment))
    yield app.test_client()
    front_of(app).database.close()


@pytest.fixture(scope="module")
def call(client: FlaskClient, key: str) -> Any:
    def send(method: str, path: str, body: Any = None) -> Any:
        return client.open(
            f"/api/2.0/{path}", method=method, json=body, auth=(ROOT, key)
        )

    return send


@pytest.fixture(scope="module")
def store(call: Any) -> int:
    body = {"company": "Harbour Shop", "storefront": "harbour.example"}
    return int(call("POST", "stores", body).get_json()["store_id"])


def test_the_command_lists_the_entity_and_its_package(
    environment: dict[str, str], key: str
) -> None:
    listed = storeapi(environment, "entities")
    lines = [line for line in listed.splitlines() if line.startswith("pickup_points")]
    assert len(lines) == 1
    assert "acme" in lines[0]


def test_create_read_change_and_delete(call: Any, store: int) -> None:
    body = {"title": "Quay 4", "city": "Porto", "fee": "1.50"}
    created = call("POST", f"stores/{store}/pickup_points", body)
    assert created.status_code == 201
    id = created.get_json()["point_id"]
    assert call("GET", f"pickup_points/{id}").get_json() == {
        "point_id": str(id),
        "company_id": str(store),
        "title": "Quay 4",
        "city": "Porto",
        "fee": "1.50",
        "parcels": "0",
        "status": "A",
    }
    assert call("PUT", f"pickup_points/{id}", {"fee": 2}).status_code == 200
    assert call("GET", f"pickup_points/{id}").get_json()["fee"] == "2.00"
    assert call("DELETE", f"pickup_points/{id}").status_code == 204
    assert call("GET", f"pickup_points/{id}").status_code == 404


def test_filter_matches_a_part_in_any_case(call: Any, store: int) -> None:
    for title in ("North gate", "South gate", "Harbour"):
        call("POST", f"stores/{store}/pickup_points", {"title": title})
    found = call("GET", "pickup_points?title_like=GATE").get_json()
    titles = [point["title"] for point in found["pickup_points"]]
    assert titles == ["North gate", "South gate"]
    assert found["params"]["total_items"] == "2"


def test_a_point_where_parcels_wait_is_kept(call: Any, store: int) -> None:
    body = {"title": "Busy", "parcels": 3}
    id = call("POST", f"stores/{store}/pickup_points", body).get_json()["point_id"]
    assert call("PUT", f"pickup_points/{id}", {"status": "D"}).status_code == 400
    assert call("DELETE", f"pickup_points/{id}").status_code == 400
    assert call("GET", f"pickup_points/{id}").get_json()["status"] == "A"


def test_a_missing_title_is_named(call: Any, store: int) -> None:
    answer = call("POST", f"stores/{store}/pickup_points", {"city": "Porto"})
    assert answer.status_code == 400
    assert [error["field"] for error in answer.get_json()["errors"]] == ["title"]


def test_nobody_gets_in_without_credentials(client: FlaskClient) -> None:
    assert client.get("/api/2.0/pickup_points").status_code == 401
