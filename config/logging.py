"""Log lines: JSON or console text on standard error, without secrets.

A logger call names its fields with `extra={...}`; each becomes a key of the line.
Loggers: `storeapi` for what happens, `storeapi.access` for one line per request.
"""

import json
import logging
import re
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TextIO
from urllib.parse import unquote, urlsplit

from config.settings import Settings

MASK = "***"
# A field whose name holds one of these words is masked, whatever its value.
SECRET_NAME = re.compile(
    r"passw|secret|token|api_?key|ekey|authorization|cookie|credential", re.IGNORECASE
)
# Credentials that are known by their place in a text: a header, an address, a query.
SECRET_TEXT = re.compile(
    r"""
    (?P<before>
        \b(?:basic|bearer)\s+
      | ://[^\s:/@]*:
      | \b(?:passw\w*|ekey|api_key|secret\w*|token)["']?\s*[=:]\s*["']?
    )
    [^\s"'&@,;})]+
    """,
    re.IGNORECASE | re.VERBOSE,
)
OWN_NAMES = frozenset(
    {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"}
)


def configure(settings: Settings, stream: TextIO | None = None) -> None:
    """Send every logger's lines to standard error in the form that was chosen.

    Repeating the call replaces the earlier choice.
    """
    redact = Redaction(secrets(settings))
    handler = logging.StreamHandler(stream or sys.stderr)
    form = JsonLines if settings.log_format == "json" else ConsoleLines
    handler.setFormatter(form(redact))
    logging.basicConfig(handlers=[handler], level=settings.log_level, force=True)
    logging.captureWarnings(True)


def secrets(settings: Settings) -> list[str]:
    """List the secret values that are known at start."""
    found = [settings.secret_key]
    password = urlsplit(settings.database_url).password
    if password:
        found += [password, unquote(password)]
    return [value for value in found if value]


class Redaction:
    """Takes secrets out of texts and fields before a line is written."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        longest_first = sorted(set(values), key=len, reverse=True)
        pattern = "|".join(re.escape(value) for value in longest_first)
        self.known = re.compile(pattern) if pattern else None

    def text(self, text: str) -> str:
        """Mask known secrets, and credentials recognised by their place."""
        if self.known:
            text = self.known.sub(MASK, text)
        return SECRET_TEXT.sub(rf"\g<before>{MASK}", text)

    def value(self, name: str, value: object) -> object:
        """Mask a field by its name, else whatever secrets are in its value."""
        if value is not None and SECRET_NAME.search(name):
            return MASK
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping):
            return {str(k): self.value(str(k), v) for k, v in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.value("", item) for item in value]
        return self.text(str(value))


class Lines(logging.Formatter):
    """What both forms share: the fields of a record, in order and redacted."""

    def __init__(self, redaction: Redaction) -> None:
        super().__init__()
        self.redaction = redaction

    def fields(self, record: logging.LogRecord) -> dict[str, object]:
        """Collect time, level, logger and message, then the fields of the call."""
        moment = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, object] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.redaction.text(record.getMessage()),
        }
        for name, value in vars(record).items():
            if name not in OWN_NAMES and name not in line:
                line[name] = self.redaction.value(name, value)
        if record.exc_info:
            trace = self.formatException(record.exc_info)
            line["exception"] = self.redaction.text(trace)
        return line


class JsonLines(Lines):
    """One JSON object in one line of ASCII: what log collectors read."""

    encoder = json.JSONEncoder(default=str, separators=(",", ":"))

    def format(self, record: logging.LogRecord) -> str:
        """Write one record."""
        return self.encoder.encode(self.fields(record))


class ConsoleLines(Lines):
    """One line for people: time, level, message, fields; then a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one record; a line break in a value cannot begin another line."""
        line = self.fields(record)
        trace = line.pop("exception", None)
        time, level, logger, message = (str(line.pop(key)) for key in list(line)[:4])
        head = f"{time[11:23]} {level:<8}{logger}: {printable(message)}"
        pairs = [f"{name}={printable(str(value))}" for name, value in line.items()]
        text = " ".join([head, *pairs])
        return f"{text}\n{trace}" if trace else text


def printable(text: str) -> str:
    """Escape control characters, so that a value cannot steer a terminal."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in text
    )
