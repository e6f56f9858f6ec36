"""Commands for users: the first root administrator, and API keys."""

import re
import time
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import click

from storeapi.cli import accounts
from storeapi.cli.opening import opened
from storeapi.rules.setting_values import setting_value
from storeapi.rules.store_settings import TIMEZONE

_UNITS_S = {"h": 3600, "d": 86400, "w": 7 * 86400}


@click.group()
def user() -> None:
    """Make root users, and give or take the keys of the API."""


@user.command()
@click.argument("email")
def create_root(email: str) -> None:
    """Make a root administrator, who may do everything.

    The user has no password; `storeapi user grant-api` gives a key to call with.
    """
    with opened() as front:
        id = front.database.write(lambda db: accounts.create_root(db, email))
    click.echo(f"User {id} is a root administrator.")


@user.command()
@click.argument("email")
@click.option("--name", default="", help="What the key is for; unique per user.")
@click.option(
    "--expires",
    metavar="WHEN",
    help="A date (2030-12-31: at its end) or a time from now (12h, 90d, 4w).",
)
@click.option(
    "--privileges",
    metavar="LIST",
    help="Comma list: the key may do this only, and no more than the user.",
)
def grant_api(
    email: str, name: str, expires: str | None, privileges: str | None
) -> None:
    """Give a user a new API key, printed alone on the last line.

    Only a digest is kept: the key cannot be shown again.
    """
    with opened() as front:
        names = None
        if privileges is not None:
            names = [part.strip() for part in privileges.split(",") if part.strip()]
            accounts.check_privileges(names, front.registry.privileges)
        zone = ZoneInfo(
            front.database.read(lambda db: setting_value(db, front.settings, TIMEZONE))
        )
        expires_at = None if expires is None else moment(expires, zone)
        wanted = accounts.Grant(name, expires_at, names)
        secret_key = front.settings.secret_key
        key = front.database.write(
            lambda db: accounts.grant_key(
                db, secret_key, accounts.user_of(db, email), wanted
            )
        )
    click.echo(f"The key of {email}; it is shown this once:", err=True)
    click.echo(key)


@user.command()
@click.argument("email")
@click.option("--name", help="This key only, not all keys of the user.")
def revoke_api(email: str, name: str | None) -> None:
    """Take the API keys of a user away, at once and everywhere."""
    with opened() as front:
        count = front.database.write(
            lambda db: accounts.revoke(db, accounts.user_of(db, email), name)
        )
    if name is not None and not count:
        raise click.ClickException(f"{email} has no key named {name!r}")
    click.echo("1 key was revoked." if count == 1 else f"{count} keys were revoked.")


def moment(text: str, zone: ZoneInfo) -> int:
    """Read when a key ends.

    Shapes: a date stands for its end in the store's time zone.
    Units: UNIX seconds.
    Raises: `ClickException` for another text, or a time that has passed.
    """
    now = int(time.time())
    found = re.fullmatch(r"([1-9][0-9]{0,4})([hdw])", text)
    if found:
        return now + int(found[1]) * _UNITS_S[found[2]]
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=zone)
        end = int((day + timedelta(days=1)).timestamp())
    except (ValueError, OverflowError):
        reason = f"--expires is no date and no time from now: {text!r}"
        raise click.ClickException(reason) from None
    if end <= now:
        raise click.ClickException(f"--expires has passed: {text}")
    return end
