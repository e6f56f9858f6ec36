"""The image pairs of one product, to test with, on any database."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image as Pillow
from sqlalchemy import func, select

from storeapi.core.database import Database, Transaction
from storeapi.core.statement import query
from storeapi.models.media import Image, ImagePair
from storeapi.rules import images
from storeapi.rules.image_owned import Owner
from storeapi.rules.image_saving import save
from storeapi.rules.image_sent import parse_pair, parse_pairs
from storeapi.rules.images import ADDITIONAL, MAIN, Media

BASE = "http://localhost:5000"
CDN = "https://cdn.example"
COUNT_IMAGES = query(select(func.count()).select_from(Image))
COUNT_PAIRS = query(select(func.count()).select_from(ImagePair))


@dataclass
class Limits:
    media_folder: Path
    media_url: str = ""
    fetch_images: bool = False
    fetch_hosts: tuple[str, ...] = ()
    fetch_timeout: int = 5
    fetch_max_bytes: int = 100_000
    max_image_pixels: int = 10_000


def picture(color: str = "red", size: tuple[int, int] = (8, 6)) -> bytes:
    file = BytesIO()
    Pillow.new("RGB", size, color).save(file, "PNG")
    return file.getvalue()


def encoded(color: str = "red") -> str:
    return base64.b64encode(picture(color)).decode()


@dataclass
class Album:
    """The pairs of product 412, unless another owner is named."""

    database: Database
    media: Media
    pages: dict[str, Any] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)

    def write(self, action: Callable[[Transaction], Any]) -> Any:
        return self.database.write(action)

    def sent(self, main: Any, more: Any, owner: int = 412) -> list[Any]:
        """The arguments of `save` for a main pair and additional ones."""
        where = Owner("product", owner)
        return [
            (where, MAIN, parse_pair(main).named("main_pair")),
            (where, ADDITIONAL, parse_pairs(more).named("image_pairs")),
        ]

    def main(self, value: Any, owner: int = 412) -> bool:
        """Send a main pair."""
        sent = self.sent(value, None, owner)[0]
        return self.write(lambda db: save(db, *sent, self.media))

    def more(self, value: Any, owner: int = 412) -> bool:
        """Send additional pairs."""
        sent = self.sent(None, value, owner)[1]
        return self.write(lambda db: save(db, *sent, self.media))

    def read(self, owner: int = 412) -> dict[str, Any]:
        with self.database.reading() as db:
            return images.load(db, "product", [owner], self.media).get(owner, {})

    def main_pair(self, owner: int = 412) -> dict[str, Any]:
        return next(iter(self.read(owner)["M"].values()))

    def addresses(self, owner: int = 412) -> list[str]:
        pairs = self.read(owner).get("A", {}).values()
        return [pair["detailed"]["image_path"] for pair in pairs]

    def counts(self) -> tuple[int, int, int]:
        """Pairs, images, files."""
        with self.database.reading() as db:
            rows = db.value(COUNT_PAIRS), db.value(COUNT_IMAGES)
        return *rows, len(self.files())

    def files(self) -> list[str]:
        folder = self.media.folder
        return sorted(
            each.relative_to(folder).as_posix()
            for each in folder.rglob("*")
            if each.is_file()
        )


def address(name: str, **more: Any) -> dict[str, Any]:
    return {"detailed": {"image_path": f"{CDN}/{name}", **more}}
