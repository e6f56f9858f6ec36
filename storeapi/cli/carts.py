"""The command that deletes what guests have left behind."""

import time

import click

from storeapi.cli.opening import opened
from storeapi.rules.cart_removal import purge_guests

_DAY_S = 24 * 3600


@click.command()
@click.option(
    "--days",
    type=click.IntRange(1, 36_500),
    metavar="N",
    help="Days without a change; STOREAPI_GUEST_CART_DAYS unless given.",
)
def purge_carts(days: int | None) -> None:
    """Delete the carts of guests that nobody has changed for some time."""
    purged = 0
    with opened() as front:
        kept = days or front.settings.guest_cart_days
        before = int(time.time()) - kept * _DAY_S
        while found := front.database.write(lambda db: purge_guests(db, before)):
            purged += found
    click.echo(f"{purged} carts were deleted.")
