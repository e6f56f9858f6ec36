"""The console command `storeapi`."""

import click

from storeapi.cli.carts import purge_carts
from storeapi.cli.documents import docs
from storeapi.cli.listing import entities
from storeapi.cli.opening import Commands
from storeapi.cli.people import user
from storeapi.cli.server import quickstart, serve
from storeapi.cli.store import check, demo, init, recount


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="storeapi")
def main() -> None:
    """Serve the data of an online store.

    Settings are read from variables named STOREAPI_<NAME>; docs/settings.md lists
    them.
    """


for command in (
    init,
    demo,
    serve,
    user,
    entities,
    check,
    recount,
    purge_carts,
    docs,
    quickstart,
):
    main.add_command(command)
