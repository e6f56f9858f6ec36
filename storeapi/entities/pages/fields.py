"""The fields of a page, in the order of spec/entities/pages.md."""

from typing import Any

from sqlalchemy import func

from storeapi import (
    Choice,
    Code,
    Constant,
    Derived,
    Fields,
    Flag,
    Id,
    IdList,
    Integer,
    Text,
    Timestamp,
)
from storeapi.core.kinds import ABSENT
from storeapi.models import Page, PageText
from storeapi.rules.image_kinds import ImagePair
from storeapi.rules.pages import BLOG, spoiler

_LEVEL = func.length(Page.id_path) - func.length(func.replace(Page.id_path, "/", ""))


class Picture(ImagePair):
    """The picture of a blog post, absent where there is none."""

    optional = True

    def empty(self) -> Any:
        """Leave the key out."""
        return ABSENT


def _above(id_path: str) -> str:
    return id_path.rpartition("/")[0]


def _spoiler(page_type: str, description: str) -> object:
    return spoiler(description) if page_type == BLOG else ABSENT


def _author(page_type: str, author: str) -> object:
    return author if page_type == BLOG else ABSENT


class PageFields(Fields):
    """All fields of `pages`."""

    page_id = Id(dump_only=True, listed=True)
    page_type = Choice("T", "L", "F", "B", required=True, create_only=True, listed=True)
    page = Text(required=True, translated=True, listed=True)
    company_id = Id(zero=True, create_only=True, listed=True)
    parent_id = Id(zero=True, listed=True)
    id_path = Text(dump_only=True, listed=True)
    status = Choice("A", "H", "D", listed=True)
    position = Integer(listed=True)
    timestamp = Timestamp(listed=True)
    usergroup_ids = IdList(listed=True)
    localization = IdList(listed=True)
    new_window = Integer(maximum=1, listed=True)
    use_avail_period = Flag(listed=True)
    avail_from_timestamp = Timestamp(listed=True)
    avail_till_timestamp = Timestamp(listed=True)
    lang_code = Code(
        column=PageText.lang_code, dump_only=True, listed=True, filterable=False
    )
    description = Text(translated=True, listed=True)
    meta_keywords = Text(translated=True, listed=True)
    meta_description = Text(translated=True, listed=True)
    page_title = Text(translated=True, listed=True)
    link = Text(translated=True, listed=True)
    seo_name = Text(listed=True)
    seo_path = Derived(("id_path",), _above, listed=True, schema={"type": "string"})
    level = Integer(column=_LEVEL, native=True, dump_only=True, listed=True)
    tags = Constant([])
    main_pair = Picture(object_type="blog")
    spoiler = Derived(
        ("page_type", "description"),
        _spoiler,
        optional=True,
        listed=True,
        schema={"type": "string"},
    )
    author = Derived(
        ("page_type", "author"),
        _author,
        optional=True,
        listed=True,
        schema={"type": "string"},
    )
