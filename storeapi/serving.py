"""The application as a WSGI server loads it: settings and log from the environment."""

import logging
import os

from flask import Flask

from config.logging import configure
from config.settings import Settings
from storeapi.app import create_app


def application() -> Flask:
    """Read the settings, set up the log, and make the application."""
    settings = Settings.from_environment(os.environ)
    configure(settings)
    # It tells at each look at the schema which kind of database there is.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    return create_app(settings)
