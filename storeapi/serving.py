"""The application as a WSGI server loads it: settings and log from the environment."""

import logging
import os
import signal

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


def worker_application() -> Flask:
    """Make the application of a worker that `storeapi serve` watches over.

    Ctrl-C reaches the whole process group. It is for the parent, which then ends its
    workers by SIGTERM: one that gets both at once may wait for itself. Until a worker
    serves, SIGTERM ends it as it is: the parent's way of taking it is of no use here.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return application()
