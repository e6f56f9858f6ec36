"""The application as a WSGI server loads it: settings and log from the environment."""

import logging
import os
import signal
from collections.abc import Callable
from typing import Any

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
    workers by SIGTERM; of several, as a service manager sends one to each process, the
    first one counts. Until a worker serves, SIGTERM ends it as it is: the parent's way
    of taking it is of no use here.
    """
    from granian import _signals as granian_signals

    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    granian_signals.set_main_signals = once(granian_signals.set_main_signals)
    return application()


def once(install: Callable[..., object]) -> Callable[..., object]:
    """Let what installs a signal handler install one that acts once.

    That of a worker sets an event, whose lock is held by the very thread that a second
    signal would interrupt: it would wait for itself.
    """

    def install_first(handler: Callable[..., object], *more: Any) -> object:
        told = False

        def first(*signal_and_frame: Any) -> None:
            nonlocal told
            if not told:
                told = True
                handler(*signal_and_frame)

        return install(first, *more)

    return install_first
