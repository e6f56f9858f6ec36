"""The route that serves the stored images, where no web server in front does."""

import re

from flask import Flask, Response, request, send_from_directory
from werkzeug.exceptions import NotFound as Missing

from config.settings import Settings
from storeapi.core.answers import Answers
from storeapi.core.errors import NotFound
from storeapi.rules.image_files import is_own
from storeapi.rules.images import IMAGES_PATH

_YEAR_S = 365 * 24 * 3600
# The tables of the system do not know all of them.
_TYPES = {
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
}
# No segment begins with a dot: neither `..`, nor hidden files, nor half written ones.
_SERVED = re.compile(
    rf"(?:[^./\\\x00][^/\\\x00]*/)*[^./\\\x00][^/\\\x00]*\.({'|'.join(_TYPES)})",
    re.IGNORECASE,
)


def add_media(app: Flask, settings: Settings) -> None:
    """Serve the images of the media folder under `/images`, to anyone.

    Our own files never change, so that a cache may keep them; one that the operator
    laid there is asked for again, and answered by 304 while it is the same.
    """
    answers = Answers(settings)
    folder = settings.media_folder.absolute()

    def image(path: str) -> Response:
        found = _SERVED.fullmatch(path)
        try:
            if found is None:
                raise Missing
            kind = _TYPES[found[1].lower()]
            response = send_from_directory(folder, path, mimetype=kind)
        except Missing:
            fault = NotFound("there is no such image")
            return answers.complete(answers.fault(fault, request), request)
        response.headers["Cache-Control"] = (
            f"public, max-age={_YEAR_S}, immutable" if is_own(path) else "no-cache"
        )
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    app.add_url_rule(f"{IMAGES_PATH}/<path:path>", "image", image)
