"""Commands for the database: make it, fill it, prove it."""

import os
import sys
from pathlib import Path

import click
from sqlalchemy.exc import DBAPIError

from config.settings import MINIMUM_SECRET, unknown_variables
from storeapi.cli.opening import MISTAKES, one_line, opened
from storeapi.core.front import Front
from storeapi.counting import counted_tables, differences
from storeapi.counting import recount as set_counts
from storeapi.operation import branches_of, readiness
from storeapi.schema import head_check, upgrade
from storeapi.seeding import seed as write_seed

# Read by the tests and measurements of this project only.
_OF_TESTS = ("STOREAPI_TEST_", "STOREAPI_BENCH_")


@click.command()
def init() -> None:
    """Create the tables, or bring them to this release; a second run does nothing."""
    with opened(at_head=False) as front:
        prepare(front)
    click.echo("The database is ready.")


def prepare(front: Front) -> None:
    """Bring the tables to this release, and write what every store holds."""
    upgrade(front.database.writer, branches_of(front.registry))
    declared = front.registry.settings
    front.database.write(lambda db: write_seed(db, front.settings, declared))
    front.database.analyze()


@click.command()
@click.option(
    "--products",
    type=click.IntRange(1, 10_000_000),
    default=200,
    show_default=True,
    metavar="N",
    help="Number of products.",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    metavar="S",
    help="The same seed makes the same store.",
)
def demo(products: int, seed: int) -> None:
    """Fill an empty database with a believable store."""
    with opened() as front:
        fill(front, products, seed)
    click.echo(f"The store holds {products} products.")


def fill(front: Front, products: int, seed: int) -> None:
    """Write the demo store, with a progress bar.

    Raises: `Refused` if the database holds a store already.
    """
    from storeapi.demo import Filling, check_empty

    front.database.write(check_empty)
    filling = Filling(front.database, front.settings, front.registry, seed)
    bar = click.progressbar(length=products, label="Products", file=sys.stderr)
    with bar:
        filling.fill(products, bar.update)
    front.database.analyze()


@click.command()
def recount() -> None:
    """Set the kept numbers (totals, products of categories) to what is there."""
    with opened() as front:
        tables = counted_tables(front.registry)
        wrong = front.database.write(lambda db: differences(db, tables))
        for what, kept, counted in wrong:
            click.echo(f"{what}: {kept} was kept, {counted} is right")
        front.database.write(lambda db: set_counts(db, tables))
    click.echo(f"{len(wrong)} numbers were wrong.")


@click.command()
@click.pass_context
def check(context: click.Context) -> None:
    """Tell whether the server can work; the exit status says so.

    Looks at the settings, the plug-ins, the secrets, the database and its schema, the
    media folder and the kept numbers.
    """
    faults = _faults_of_settings()
    _report("settings", faults)
    try:
        with opened(at_head=False) as front:
            faults += _faults_of(front)
    except (*MISTAKES, click.ClickException) as error:
        text = one_line(
            error.message if isinstance(error, click.ClickException) else error
        )
        faults += [text]
        _report("start", [text])
    if faults:
        context.exit(1)


def _report(what: str, faults: list[str]) -> None:
    for fault in faults:
        click.echo(f"failed  {what}: {fault}")
    if not faults:
        click.echo(f"ok      {what}")


def _faults_of_settings() -> list[str]:
    return [
        f"{name} is no setting"
        for name in unknown_variables(os.environ)
        if not name.startswith(_OF_TESTS)
    ]


def _faults_of(front: Front) -> list[str]:
    secrets = []
    if len(front.settings.secret_key) < MINIMUM_SECRET:
        secrets = [f"STOREAPI_SECRET_KEY has fewer than {MINIMUM_SECRET} characters"]
    media = _faults_of_folder(front.settings.media_folder)
    words = readiness(front, head_check(branches_of(front.registry)))
    database = [] if words["database"] == "ok" else [_why_away(front)]
    plug_ins = [one_line(fault) for fault in front.registry.left_out]
    _report("plug-ins", plug_ins)
    _report("secrets", secrets)
    _report("media folder", media)
    _report("database", database)
    faults = [*plug_ins, *secrets, *media, *database]
    if database:
        return faults
    schema = []
    if words["schema"] != "ok":
        schema = [f"is {words['schema']}: run `storeapi init`"]
    _report("schema", schema)
    counts = [] if schema else _faults_of_counts(front)
    if not schema:
        _report("kept numbers", counts)
    return [*faults, *schema, *counts]


def _why_away(front: Front) -> str:
    try:
        front.database.writer.connect().close()
    except DBAPIError as error:
        return f"is unreachable: {one_line(error.orig)}"
    return "is unreachable"


def _faults_of_folder(folder: Path) -> list[str]:
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        return [f"{one_line(place)} is no folder"]
    return [] if os.access(place, os.W_OK) else [f"{one_line(place)} is not writable"]


def _faults_of_counts(front: Front) -> list[str]:
    tables = counted_tables(front.registry)
    wrong = front.database.write(lambda db: differences(db, tables))
    return [
        f"{what}: {kept} is kept, {counted} is right (`storeapi recount`)"
        for what, kept, counted in wrong
    ]
