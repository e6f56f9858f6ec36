"""The command `storeapi`, on every database."""

import errno
import os
import re
import signal
import socket
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Timer
from urllib.error import URLError
from urllib.request import Request, urlopen

import click
import pytest
from click.testing import CliRunner, Result
from flask import Flask
from sqlalchemy import select

from config.settings import Settings
from storeapi.app import create_app, front_of
from storeapi.cli import main
from storeapi.cli.opening import Commands
from storeapi.cli.server import Wakeup
from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.models import (
    Cart,
    CategoryText,
    ObjectCount,
    ProductSearch,
    ProductText,
    TaxText,
    UsergroupText,
)
from storeapi.seeding import count
from storeapi.serving import once
from tests import databases
from tests.serving import free_port
from tests.shop import SECRET, Shop

ROOT = "root@example.com"
# As a shell's argument that is no UTF-8 arrives.
NO_TEXT = "x\udcff"
TEXTS = (CategoryText, ProductSearch, ProductText, TaxText, UsergroupText)
Run = Callable[..., Result]


def environment(url: str, folder: Path) -> dict[str, str]:
    return {
        "STOREAPI_ENVIRONMENT": "test",
        "STOREAPI_DATABASE_URL": url,
        "STOREAPI_SECRET_KEY": SECRET,
        "STOREAPI_MEDIA_FOLDER": str(folder / "media"),
    }


def run_with(variables: dict[str, str]) -> Run:
    def run(*words: str, **more: str) -> Result:
        return CliRunner(env={**variables, **more}).invoke(main, words)

    return run


@pytest.fixture
def run(schema_url: str, shop: Shop, tmp_path: Path) -> Run:
    """Run a command on the database of the shop."""
    return run_with(environment(schema_url, tmp_path))


@pytest.fixture(params=databases.kinds())
def nothing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, str]]:
    """Settings with a database that has no tables."""
    with databases.scratch_database(request.param) as url:
        yield environment(url, tmp_path)


@pytest.fixture
def run_on_nothing(nothing: dict[str, str]) -> Run:
    """Run a command on a database without tables."""
    return run_with(nothing)


@pytest.fixture
def demo(nothing: dict[str, str], run_on_nothing: Run) -> Iterator[Flask]:
    """An application on a demo store."""
    assert run_on_nothing("init").exit_code == 0
    assert run_on_nothing("demo", "--products", "30").exit_code == 0
    app = create_app(Settings.from_environment(nothing))
    yield app
    front_of(app).database.close()


def error_of(result: Result) -> str:
    """The one line in which a command says what is wrong."""
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output
    (line,) = result.stderr.strip().splitlines()[-1:]
    return line.removeprefix("Error: ")


def test_init_twice_makes_a_database_that_passes_the_check(run_on_nothing: Run) -> None:
    assert run_on_nothing("init").exit_code == 0
    assert run_on_nothing("init").exit_code == 0
    checked = run_on_nothing("check")
    assert checked.exit_code == 0, checked.output
    assert "failed" not in checked.output


@pytest.mark.usefixtures("demo")
def test_demo_fills_an_empty_store_and_keeps_the_numbers_true(
    run_on_nothing: Run,
) -> None:
    assert run_on_nothing("check").exit_code == 0
    again = run_on_nothing("demo")
    assert error_of(again).startswith("the database holds a store already")
    assert "Products" not in again.output


def test_an_interrupted_demo_leaves_nothing(
    run_on_nothing: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    run_on_nothing("init")
    with monkeypatch.context() as patched:
        patched.setattr("storeapi.demo.filling.ask_back", interrupt)
        assert run_on_nothing("demo", "--products", "3").exit_code == 1
    assert run_on_nothing("demo", "--products", "3").exit_code == 0
    assert run_on_nothing("check").exit_code == 0


def test_objects_made_after_a_demo_get_the_next_ids(
    demo: Flask, run_on_nothing: Run
) -> None:
    run_on_nothing("user", "create-root", ROOT)
    auth = (ROOT, run_on_nothing("user", "grant-api", ROOT).stdout.splitlines()[-1])
    client = demo.test_client()
    body = {"product": "Mug", "category_ids": [1]}
    made = client.post("/api/2.0/products", json=body, auth=auth)
    assert made.get_json() == {"product_id": 31}
    made = client.post("/api/2.0/categories", json={"category": "Tea"}, auth=auth)
    assert made.status_code == 201
    user = {"email": "new@example.com", "user_type": "C"}
    assert client.post("/api/2.0/users", json=user, auth=auth).status_code == 201


def test_objects_of_a_demo_have_texts_in_every_language(demo: Flask) -> None:
    def wrong(db: Transaction) -> list[str]:
        tables = [table_of(texts) for texts in TEXTS]
        keys = [next(iter(table.primary_key.columns)) for table in tables]
        owners = [next(iter(key.foreign_keys)).column.table for key in keys]
        return [
            table.name
            for table, owner in zip(tables, owners, strict=True)
            if count(db, table) != 2 * count(db, owner)
        ]

    assert front_of(demo).database.write(wrong) == []


def test_the_same_seed_makes_the_same_store(run_on_nothing: Run, demo: Flask) -> None:
    def codes(db: Transaction) -> str:
        texts = table_of(ProductText)
        rows = db.execute(
            select(texts.c.product).order_by(texts.c.product_id, texts.c.lang_code)
        )
        return repr(rows.all())

    found = front_of(demo).database.write(codes)
    with databases.scratch_database("sqlite") as url:
        variables = {"STOREAPI_DATABASE_URL": url}
        run_on_nothing("init", **variables)
        run_on_nothing("demo", "--products", "30", **variables)
        settings = Settings(environment="test", database_url=url, secret_key=SECRET)
        app = create_app(settings)
        assert front_of(app).database.write(codes) == found
        front_of(app).database.close()


def test_commands_before_init_say_that_the_schema_is_behind(
    run_on_nothing: Run,
) -> None:
    for words in (["demo"], ["user", "create-root", ROOT], ["recount"], ["serve"]):
        assert error_of(run_on_nothing(*words)) == (
            "the schema is behind: run `storeapi init`"
        )
    assert "failed  schema: is behind" in run_on_nothing("check").output


def test_a_granted_key_opens_the_api_and_a_revoked_one_does_not(
    run: Run, shop: Shop
) -> None:
    """Protocol, the end of section 15: commands for the first root and for keys."""
    assert run("user", "create-root", ROOT).exit_code == 0
    granted = run("user", "grant-api", "ROOT@example.com", "--name", "laptop")
    key = granted.stdout.splitlines()[-1]
    assert re.fullmatch("[A-Za-z0-9]{40}", key)
    assert shop.client.get("/api/2.0/products", auth=(ROOT, key)).status_code == 200

    assert run("user", "revoke-api", ROOT, "--name", "laptop").exit_code == 0
    assert shop.client.get("/api/2.0/products", auth=(ROOT, key)).status_code == 401


def test_a_key_does_what_its_privileges_name_and_no_more(run: Run, shop: Shop) -> None:
    run("user", "create-root", ROOT)
    granted = run("user", "grant-api", ROOT, "--privileges", "view_catalog")
    auth = (ROOT, granted.stdout.splitlines()[-1])
    assert shop.client.get("/api/2.0/products", auth=auth).status_code == 200
    assert shop.client.get("/api/2.0/languages", auth=auth).status_code == 403


@pytest.mark.parametrize("when", ["12h", "90d", "4w", "2999-12-31"])
def test_a_key_works_until_it_expires(run: Run, shop: Shop, when: str) -> None:
    run("user", "create-root", ROOT)
    key = run("user", "grant-api", ROOT, "--expires", when).stdout.splitlines()[-1]
    assert shop.client.get("/api/2.0/products", auth=(ROOT, key)).status_code == 200


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["create-root", "nobody"], "'nobody' must be an e-mail address"),
        (["create-root", ""], "'' must not be empty"),
        (["grant-api", NO_TEXT], f"{NO_TEXT!r} must not contain half a surrogate pair"),
        (["revoke-api", NO_TEXT],
         f"{NO_TEXT!r} must not contain half a surrogate pair"),
        (["grant-api", "who@example.com"], "no user has the e-mail who@example.com"),
        (["revoke-api", "who@example.com"], "no user has the e-mail who@example.com"),
        (["grant-api", ROOT, "--expires", "soon"],
         "--expires is no date and no time from now: 'soon'"),
        (["grant-api", ROOT, "--expires", "9999-12-31"],
         "--expires is no date and no time from now: '9999-12-31'"),
        (["grant-api", ROOT, "--expires", "2001-01-01"],
         "--expires has passed: 2001-01-01"),
        (["grant-api", ROOT, "--privileges", "view_catalog,fly"],
         "no privilege is named fly"),
        (["grant-api", ROOT, "--privileges", ","],
         "--privileges names none; without it the key has them all"),
        (["grant-api", ROOT, "--name", NO_TEXT],
         f"{NO_TEXT!r} must not contain half a surrogate pair"),
        (["grant-api", ROOT, "--name", "n" * 256],
         f"{'n' * 256!r} is longer than 255 characters"),
        (["revoke-api", ROOT, "--name", NO_TEXT],
         f"{NO_TEXT!r} must not contain half a surrogate pair"),
        (["revoke-api", ROOT, "--name", "x"],
         "root@example.com has no key named 'x'"),
        (["create-root", "Root@Example.com"],
         "a user with the e-mail Root@Example.com exists already"),
    ],
)  # fmt: skip
def test_mistakes_of_users_are_told_in_one_line(
    run: Run, words: list[str], message: str
) -> None:
    run("user", "create-root", ROOT)
    assert error_of(run("user", *words)) == message


def test_a_name_belongs_to_one_key_of_a_user(run: Run) -> None:
    run("user", "create-root", ROOT)
    assert run("user", "grant-api", ROOT, "--name", "till").exit_code == 0
    again = run("user", "grant-api", ROOT, "--name", "till")
    assert error_of(again).startswith("the user has a key named 'till' already")


def test_check_finds_wrong_numbers_and_recount_sets_them(run: Run, shop: Shop) -> None:
    shop.make_product()
    assert run("check").exit_code == 0
    shop.database.write(
        lambda db: db.update(
            table_of(ObjectCount), {"entity": "products", "status": "A"}, {"n": 7}
        )
    )
    checked = run("check")
    assert checked.exit_code == 1
    assert "7 is kept, 1 is right (`storeapi recount`)" in checked.output
    assert run("recount").stdout.splitlines()[-1] == "1 numbers were wrong."
    assert run("check").exit_code == 0


def test_old_carts_of_guests_are_purged(run: Run, shop: Shop) -> None:
    """Those of users, and those that changed since, stay."""
    id, user = shop.make_product(), shop.caller(user_type="C").user_id
    shop.root.put(f"carts/{user}", {"product_id": id})
    made = [shop.root.post("carts", {"product_id": id}) for _ in range(2)]
    old, new = (answer.get_json()["user_id"] for answer in made)
    day, now = 24 * 3600, int(time.time())
    for owner, days in ((user, 99), (old, 31), (new, 29)):
        changed = {"updated_timestamp": now - days * day}
        shop.change(Cart, {"user_id": owner}, changed)
    assert run("purge-carts").stdout == "1 carts were deleted.\n"
    assert shop.root.get(f"carts/{old}").status_code == 404
    again = run("purge-carts", STOREAPI_GUEST_CART_DAYS="30")
    assert again.stdout == "0 carts were deleted.\n"
    assert run("purge-carts", "--days", "28").stdout == "1 carts were deleted.\n"
    assert shop.root.get("carts").headers["X-Total-Count"] == "1"


def test_check_names_settings_that_do_not_exist(run: Run) -> None:
    checked = run("check", STOREAPI_ITEM_PER_PAGE="5")
    assert checked.exit_code == 1
    assert "failed  settings: STOREAPI_ITEM_PER_PAGE is no setting" in checked.output


def test_check_names_plug_ins_that_are_left_out(run: Run) -> None:
    checked = run("check", STOREAPI_PLUGINS="acme_gone:Gulls")
    assert checked.exit_code == 1
    fault = "acme_gone:Gulls of acme_gone left out: No module named 'acme_gone'"
    assert f"failed  plug-ins: {fault}" in checked.output


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("json", "plug-ins: json of json left out: 'json' is not like"),
        ("json:loads", "start: json:loads is no entity class: it is a function"),
    ],
)
def test_check_names_paths_of_what_is_no_plug_in(
    run: Run, path: str, line: str
) -> None:
    checked = run("check", STOREAPI_PLUGINS=path)
    assert checked.exit_code == 1
    assert f"failed  {line}" in checked.output


def test_check_demands_a_secret(run: Run) -> None:
    checked = run("check", STOREAPI_SECRET_KEY="short")
    assert checked.exit_code == 1
    assert "failed  secrets: STOREAPI_SECRET_KEY has fewer than 32" in checked.output


def test_production_without_a_secret_does_not_start(run: Run) -> None:
    done = run("init", STOREAPI_ENVIRONMENT="production", STOREAPI_SECRET_KEY="")
    assert error_of(done) == (
        "STOREAPI_SECRET_KEY must have at least 32 characters in production"
    )


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("oracle://shop", "STOREAPI_DATABASE_URL must begin with sqlite://,"),
        ("sqlite://", "STOREAPI_DATABASE_URL cannot be used: SQLite needs a file"),
        ("postgresql://x:y@127.0.0.1:1/shop", "the database: connection"),
        ("mariadb://x:y@127.0.0.1:1/shop", "the database: (2003,"),
        ("postgresql://host:port/shop", "STOREAPI_DATABASE_URL cannot be used"),
    ],
)
def test_a_database_that_cannot_be_reached_is_told_in_one_line(
    tmp_path: Path, url: str, message: str
) -> None:
    run = run_with(environment(url, tmp_path))
    assert error_of(run("init")).startswith(message)
    assert run("check").exit_code == 1


def test_entities_are_listed_with_package_nestings_and_privileges(run: Run) -> None:
    lines = run("entities").stdout.splitlines()
    start = lines.index("products  (storeapi)")
    assert lines[start + 1] == "  under       categories, stores, vendors"
    assert "  index       view_catalog; open to customers" in lines[start:]


def test_check_says_why_the_database_is_away(run: Run) -> None:
    checked = run("check", STOREAPI_DATABASE_URL="postgresql://x:secret@127.0.0.1:1/x")
    assert checked.exit_code == 1
    assert "failed  database: is unreachable: " in checked.output
    assert "Connection refused" in checked.output
    assert "secret" not in checked.output.replace("ok      secrets", "")


def test_documents_are_written_in_a_checkout_only(run: Run, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("mine", "utf-8")
    done = run("docs", "--folder", str(tmp_path))
    assert error_of(done) == f"{readme} is not that of a checkout"
    assert [file.name for file in tmp_path.iterdir()] == ["README.md"]


def test_every_command_has_help(run: Run) -> None:
    names = [[name] for name in main.commands]
    names += [["user", name] for name in ("create-root", "grant-api", "revoke-api")]
    for words in names:
        result = run(*words, "--help")
        assert result.exit_code == 0
        assert result.stdout.startswith("Usage: ")


# The running server, once: it is the same for every database.


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    running: list[subprocess.Popen[str]] = []

    def start(*words: str) -> subprocess.Popen[str]:
        command = Path(sys.executable).with_name("storeapi")
        known = {k: v for k, v in os.environ.items() if not k.startswith("STOREAPI_")}
        process = subprocess.Popen(
            [command, *words],
            cwd=tmp_path,
            env=known,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        # Its workers, too: they would hold the pipe open for ever.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_for(port: int) -> None:
    for _ in range(300):
        try:
            with urlopen(f"http://127.0.0.1:{port}/readyz"):
                return
        except URLError:
            time.sleep(0.1)
    raise AssertionError("the server did not start")


def test_quickstart_serves_prints_a_curl_line_that_works_and_keeps_the_data(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    outputs = []
    for _ in range(2):
        port = free_port()
        process = start("quickstart", "--port", str(port))
        wait_for(port)
        key = (tmp_path / "var" / "api_key").read_text().strip()
        assert shown_in_readme(port, key)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=40)
        assert process.returncode == 0, output
        outputs.append(output)
        line = f"curl -u admin@example.com:{key} 'http://127.0.0.1:{port}/api/2.0/"
        assert line in output
    assert "Products" in outputs[0]
    assert "Products" not in outputs[1]
    for name in ("secret_key", "api_key"):
        assert (tmp_path / "var" / name).stat().st_mode & 0o777 == 0o600


def shown_in_readme(port: int, key: str) -> bool:
    """Whether README shows the very answer that its curl line gets."""
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    (path,) = re.findall(r"'http://127.0.0.1:8080(/api/[^']+)'", readme)
    request = Request(f"http://127.0.0.1:{port}{path}")
    login = b64encode(f"admin@example.com:{key}".encode()).decode()
    request.add_header("Authorization", f"Basic {login}")
    with urlopen(request) as answer:
        return f"```json\n{answer.read().decode()}\n```" in readme


def test_a_wakeup_may_be_set_while_it_is_set() -> None:
    """Signals come at any moment, also while the handler of another one runs."""
    wakeup, calls = Wakeup(), []

    def interrupt(_number: int, _frame: object) -> None:
        wakeup.set()
        calls.append(1)
        if len(calls) < 50:
            signal.raise_signal(signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        timer = Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        timer.start()
        wakeup.wait()
        wakeup.wait()
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    wakeup.clear()
    Timer(0.05, wakeup.set).start()
    wakeup.wait()
    assert len(calls) == 50


def test_the_first_signal_is_the_only_one_that_is_handled() -> None:
    """Also the second of two that come while the first is being handled."""
    installed: list[Callable[..., object]] = []
    handled: list[int] = []

    def handle(number: int) -> None:
        handled.append(number)
        installed[0](number + 1)

    once(installed.append)(handle)
    installed[0](1)
    installed[0](3)
    assert handled == [1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_parent_and_workers_at_once_stops_the_server(
    start: Callable[..., subprocess.Popen[str]], number: signal.Signals
) -> None:
    """As Ctrl-C in a terminal does, and a service manager."""
    port = free_port()
    process = start("quickstart", "--port", str(port))
    wait_for(port)
    for _ in range(30):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        time.sleep(0.0005)
    output, _ = process.communicate(timeout=28)  # 30 if a worker is killed
    assert "Traceback" not in output


def test_a_reader_that_has_seen_enough_is_told_nothing() -> None:
    @click.command()
    def list_all() -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    result = CliRunner().invoke(Commands(commands=[list_all]), ["list-all"])
    assert (result.exit_code, result.output) == (1, "")


def test_a_port_that_is_taken_is_told_in_one_line(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("serve", "--port", str(port))
    assert (
        error_of(done) == f"cannot listen on 127.0.0.1:{port}: Address already in use"
    )
