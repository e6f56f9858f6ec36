"""Images, and the pairs by which objects own them."""

from sqlalchemy import BigInteger, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    Label,
    Letter,
    Line,
    Long,
    Model,
    Prose,
    Serial,
    Whole,
    link,
    str_,
)


class Image(Model):
    """A picture: a file under the images folder, or an address elsewhere.

    `path` is null for a picture that was not fetched and is shown from
    `source_url`; `digest` is that of the bytes.
    """

    __tablename__ = "images"
    __table_args__ = (UniqueConstraint("path"),)

    image_id: Mapped[Serial]
    path: Mapped[str | None] = mapped_column(str_(255))
    width: Mapped[Whole]
    height: Mapped[Whole]
    size_bytes: Mapped[Long]
    digest: Mapped[Label]
    source_url: Mapped[Prose | None] = mapped_column(default=None)
    alt: Mapped[Line]


class ImagePair(Model):
    """A full image with an optional thumbnail, owned by any kind of object.

    `kind` is `M` for the main pair of its owner and `A` for additional ones;
    `image_id` is the thumbnail. The owner's number may exceed 31 bits.
    """

    __tablename__ = "image_pairs"
    __table_args__ = (
        Index(
            "ix_image_pairs_object",
            "object_type",
            "object_id",
            "kind",
            "position",
            "pair_id",
        ),
        Index(None, "image_id"),
        Index(None, "detailed_id"),
    )

    pair_id: Mapped[Serial]
    object_type: Mapped[str] = mapped_column(str_(32))
    object_id: Mapped[int] = mapped_column(BigInteger)
    kind: Mapped[Letter] = mapped_column(default="M")
    position: Mapped[Whole]
    image_id: Mapped[int | None] = link("images.image_id", "SET NULL")
    detailed_id: Mapped[int | None] = link("images.image_id", "SET NULL")
