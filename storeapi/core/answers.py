"""From answers and faults to responses, with the headers that all of them carry."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from flask import Request, Response
from werkzeug.datastructures import Headers

from config.settings import Settings
from storeapi.core.accept import ERRORS, choose
from storeapi.core.call import request_id_of
from storeapi.core.errors import Fault
from storeapi.core.idempotency import Answer
from storeapi.core.present import content_type, encode, fault_body

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-cache",
    "Vary": "Authorization, Accept",
}
_BODILESS = (204, 304)
_EXPOSED = (
    "ETag, Link, Location, Retry-After, X-Total-Count, X-Next-Cursor, X-Request-ID,"
    " X-Ignored-Params, X-Ignored-Fields, Idempotency-Replayed"
)
_CORS = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, Accept, If-Match, If-None-Match, Prefer,"
        " Idempotency-Key, X-Request-ID, Storefront-Api-Access-Key, Cache-Control"
    ),
    "Access-Control-Max-Age": "86400",
}


class _Response(Response):
    """A response whose headers are whole: nothing in them is still to be corrected."""

    def get_wsgi_headers(self, environ: "WSGIEnvironment") -> Headers:
        """The headers as they leave; without a body there are fewer."""
        if self.status_code in _BODILESS:
            return super().get_wsgi_headers(environ)
        return self.headers


class Answers:
    """Makes the responses of the API."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def plain(self, answer: Answer) -> Response:
        """The response of an answer; what is said of security, it may say itself."""
        fields = {**_SECURITY, **answer.headers}
        kind = fields.pop("Content-Type", None)
        if kind is not None and answer.status not in _BODILESS:
            fields["Content-Type"] = content_type(kind)
        headers = Headers(fields)
        response = _Response(answer.body, status=answer.status, headers=headers)
        if answer.status in _BODILESS:
            headers.remove("Content-Type")
        return response

    def empty(self, status: int, headers: Mapping[str, str]) -> Response:
        """A response without a body."""
        return self.plain(Answer(status, headers, b""))

    def brand(self) -> Response:
        """One line of plain text: brand, version and edition.

        Source: spec/protocol.md, section 1, rule 8.
        """
        s = self._settings
        text = f"{s.brand} {s.brand_version} {s.brand_edition}"
        return self.plain(Answer(200, {"Content-Type": "text/plain"}, text.encode()))

    def fault(self, fault: Fault, request: Request) -> Response:
        """The response of a fault, in the media type that the client prefers.

        An error leaves as JSON even where nothing acceptable is offered.
        """
        kind = choose(request.headers.get("Accept"), ERRORS) or "application/json"
        body = fault_body(fault, request_id_of(request))
        headers = {**fault.headers, "Content-Type": kind}
        return self.plain(Answer(int(fault.status), headers, encode(body, kind)))

    def secured(self, response: Response) -> Response:
        """Add what a response that is no answer says of security, too."""
        for name, value in _SECURITY.items():
            response.headers.setdefault(name, value)
        return response

    def complete(self, response: Response, request: Request) -> Response:
        """Add what a response says to pages of other origins."""
        headers = response.headers
        origin = request.environ.get("HTTP_ORIGIN")
        allowed = self._settings.cors_origins
        if allowed and "*" not in allowed:
            headers["Vary"] = f"{headers['Vary']}, Origin"
        if origin is None or not ("*" in allowed or origin in allowed):
            return response
        headers["Access-Control-Allow-Origin"] = "*" if "*" in allowed else origin
        headers["Access-Control-Expose-Headers"] = _EXPOSED
        if request.method == "OPTIONS":
            headers.extend(_CORS)
        return response
