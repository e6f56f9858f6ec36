"""What commands share: the opened database, and errors in one line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from config.settings import SettingError, Settings
from storeapi.app import create_app, front_of
from storeapi.core.declaration import DeclarationError
from storeapi.core.engines import normalized
from storeapi.core.errors import Fault
from storeapi.core.front import Front
from storeapi.core.registry import RegistryError
from storeapi.operation import branches_of
from storeapi.schema import SchemaError, is_at_head

MISTAKES = (SettingError, SchemaError, RegistryError, DeclarationError)
"""What stops the start, with a text for whoever can mend it."""


class Commands(click.Group):
    """A group whose commands end with one line where the user can mend it.

    Exit status: 1 for what could not be done, 2 for a wrong use.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; mistakes of the user have no traceback."""
        try:
            return super().invoke(ctx)
        except Fault as error:
            raise click.ClickException(error.detail) from error
        except MISTAKES as error:
            raise click.ClickException(one_line(error)) from error
        except DBAPIError as error:
            text = f"the database: {one_line(error.orig)}"
            raise click.ClickException(text) from error
        except BrokenPipeError:  # whoever read the output has seen enough
            raise
        except OSError as error:
            raise click.ClickException(one_line(error)) from error


def one_line(error: object) -> str:
    """The text of an error without line breaks."""
    return " ".join(str(error).split())


def read_settings() -> Settings:
    """Read the settings from the environment, the address of the database too.

    Raises: `SettingError`.
    """
    settings = Settings.from_environment(os.environ)
    try:
        normalized(settings.database_url)
    except (ValueError, ArgumentError, NoSuchModuleError) as error:
        raise SettingError("database_url", f"cannot be used: {error}") from None
    return settings


@contextmanager
def opened(*, at_head: bool = True) -> Iterator[Front]:
    """Open what the server stands on: settings, registry and database.

    Raises: `ClickException` if the tables are not those of this program; `init`
    alone works without.
    """
    front = front_of(create_app(read_settings()))
    database = front.database
    driver: Any = database.dialect.dbapi
    try:
        if at_head and not is_at_head(database.writer, branches_of(front.registry)):
            raise click.ClickException("the schema is behind: run `storeapi init`")
        yield front
    except driver.Error as error:
        raise click.ClickException(f"the database: {one_line(error)}") from error
    finally:
        database.close()
