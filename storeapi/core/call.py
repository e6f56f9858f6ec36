"""What a request says in terms of HTTP, before anybody looks at entities."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from flask import Request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from config.settings import Settings
from storeapi.core.access import Credentials, parse_basic
from storeapi.core.body import BodyLimits, read_body
from storeapi.core.errors import (
    BodyTooLarge,
    HeadersTooLarge,
    InvalidInput,
    LengthRequired,
    NotFound,
)
from storeapi.core.headers import preferences
from storeapi.core.path import Path, parse_api_php, parse_path
from storeapi.core.query import Params, parse_query, wsgi_text

_READ = "storeapi.body_read"
_ID = "storeapi.request_id"
_LANGUAGE_PARAMS = ("lang_code", "sl", "language")
_HOST = re.compile(
    r"[A-Za-z0-9.-]{1,255}(:[0-9]{1,5})?|\[[0-9A-Fa-f:]+\](:[0-9]{1,5})?"
)
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


@dataclass(slots=True)
class Call:
    """A request: method (HEAD as GET), path, parameters, headers and body."""

    method: str
    path: Path
    request: Request
    settings: Settings
    _params: Params | None = None
    _data: bytes | None = None

    @property
    def params(self) -> Params:
        """The query parameters, read when they are first wanted.

        Raises: `InvalidInput`, which must not come before 401 and 404.
        """
        if self._params is None:
            query = wsgi_text(self.request.environ.get("QUERY_STRING", ""))
            self._params = parse_query(query, max_params=self.settings.max_params)
        return self._params

    def header(self, name: str) -> str | None:
        """A header field, or `None`; `name` is written as in WSGI, `IF_MATCH`."""
        value: str | None = self.request.environ.get(f"HTTP_{name}")
        return value

    @property
    def authorization(self) -> str | None:
        """The `Authorization` field as it came."""
        return self.header("AUTHORIZATION")

    @property
    def credentials(self) -> Credentials | None:
        """The Basic pair; other schemes count as credentials that are wrong."""
        text = self.authorization
        if text is None:
            return None
        return parse_basic(text) or Credentials("", "")

    @property
    def strict(self) -> bool:
        """Whether unknown names are faults (RFC 7240, `handling=strict`)."""
        return preferences(self.header("PREFER")).get("handling") == "strict"

    @property
    def asks_version(self) -> bool:
        """Whether this is the call that asks for brand, version and edition."""
        return self.method == "GET" and not self.path.steps and "version" in self.params

    @property
    def base_url(self) -> str:
        """Scheme and host, without a slash at the end."""
        environ = self.request.environ
        host = environ.get("HTTP_HOST", "")
        if self.settings.public_url or not _HOST.fullmatch(host):
            return self.settings.public_url or self.request.host_url.rstrip("/")
        return f"{environ['wsgi.url_scheme']}://{host}"

    @property
    def address(self) -> str:
        """The path of the request, rewritten form, without a slash at the end."""
        parts = [part for step in self.path.steps for part in (step.name, step.id)]
        prefix = "/api/2.0" if self.path.version == "2.0" else "/api"
        if self.path.version != self.settings.api_default_version:
            prefix = f"/api/{self.path.version}"
        return "/".join([prefix, *[quote(part, safe="") for part in parts if part]])

    def language(self) -> str | None:
        """The language that the query asks for, if it names one."""
        for name in _LANGUAGE_PARAMS:
            value = self.params.get(name)
            if isinstance(value, str) and value:
                return value.lower()
        return None

    @property
    def data(self) -> bytes:
        """The body.

        Raises: `BodyTooLarge`, also for a chunked body that grows too long;
        `LengthRequired`.
        """
        if self._data is None:
            self._data = self._read_data()
        return self._data

    def _read_data(self) -> bytes:
        ends = self.request.environ.get("wsgi.input_terminated")
        if self.header("TRANSFER_ENCODING") and not ends:
            # Nothing tells where it ends, so that it would pass for an empty one.
            raise LengthRequired("send the body with its Content-Length")
        limit = self.settings.max_content_length
        too_large = f"the body is above {limit} bytes"
        try:
            data: bytes = self.request.get_data(cache=True)
            self.request.environ[_READ] = True
        except RequestEntityTooLarge:
            raise BodyTooLarge(too_large) from None
        except ClientDisconnected:
            raise InvalidInput("the body ended early") from None
        # werkzeug cuts a chunked body off at the limit without a word.
        chunked = self.request.content_length is None
        if (
            chunked
            and len(data) >= limit
            and self.request.environ["wsgi.input"].read(1)
        ):
            raise BodyTooLarge(too_large)
        return data

    @property
    def target(self) -> bytes:
        """What the request names, for comparing it with another."""
        query: bytes = self.request.query_string
        return self.request.path.encode() + b"?" + query

    def properties(self) -> dict[str, Any]:
        """The properties in the body of a POST or PUT."""
        limits = BodyLimits(depth=self.settings.max_json_depth)
        return read_body(
            self.request.environ.get("CONTENT_TYPE"),
            self.data,
            self.path.version,
            limits,
        )


def leaves_body(request: Request) -> bool:
    """Whether a request has a body that nothing has read to its end."""
    environ = request.environ
    sent = environ.get("CONTENT_LENGTH") or "0"
    return _READ not in environ and (sent != "0" or "HTTP_TRANSFER_ENCODING" in environ)


def read_call(request: Request, settings: Settings) -> Call:
    """Read the request line and check the limits.

    Raises: `NotFound`, `InvalidInput`, `HeadersTooLarge`.
    """
    environ = request.environ
    most = settings.max_headers
    # Few variables are few fields, too; to count the fields takes longer.
    if len(environ) > most and len(request.headers) > most:
        raise HeadersTooLarge(f"more than {most} header fields")
    method = "GET" if request.method == "HEAD" else request.method
    path, encoded = raw_path(environ)
    version = settings.api_default_version
    call = Call(method, Path("1.0"), request, settings)
    if path == "/api.php":
        call.path, call._params = parse_api_php(call.params, default_version=version)
    elif path == "/api" or path.startswith("/api/"):
        call.path = parse_path(path[4:], default_version=version, encoded=encoded)
    else:
        raise NotFound(f"{path[:100]!r} is not part of the API")
    return call


def raw_path(environ: Mapping[str, Any]) -> tuple[str, bool]:
    """The path, percent-encoded where the server still knows that form."""
    decoded = wsgi_text(environ.get("PATH_INFO", ""))
    for name in ("RAW_URI", "REQUEST_URI"):
        raw = environ.get(name)
        if isinstance(raw, str) and raw.startswith("/"):
            path = raw.partition("?")[0]
            prefix = environ.get("SCRIPT_NAME", "")
            return wsgi_text(path.removeprefix(prefix)), True
    return decoded, False


def request_id_of(request: Request) -> str:
    """The ID that the client gave its request, if it is a sound one, else ours."""
    environ = request.environ
    if _ID not in environ:
        given = environ.get("HTTP_X_REQUEST_ID", "")
        sound = _REQUEST_ID.fullmatch(given)
        environ[_ID] = given if sound else os.urandom(8).hex()
    return str(environ[_ID])
