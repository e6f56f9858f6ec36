"""Pages: the content of storefronts, arranged in a tree."""

from collections.abc import Iterable, Sequence
from typing import Any

from storeapi import (
    Condition,
    Key,
    Params,
    Record,
    Result,
    allow,
    equals,
)
from storeapi.core.entity import STATUS_OK
from storeapi.core.folding import folded
from storeapi.core.reading import read_flag
from storeapi.core.writing import Values
from storeapi.entities.pages.fields import PageFields
from storeapi.entities.pages.filters import FILTERS, SORTINGS, read_tree
from storeapi.entities.pages.tree import tree_of_pages
from storeapi.entities.trees import TreeEntity
from storeapi.models import Page, PageText
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.companies import with_shown_company
from storeapi.rules.groups import complete_groups
from storeapi.rules.pages import (
    check_period,
    complete_address,
    drop_of_other_types,
    readable,
)
from storeapi.rules.people import full_name
from storeapi.rules.slugs import taking_slug, wait_for_slugs
from storeapi.rules.trees import Tree

_LISTED = tuple(
    name
    for name, kind in PageFields().kinds.items()
    if kind.listed and name != "description"
)


class Pages(TreeEntity[Page]):
    """Pages, links, forms and blog posts of a storefront."""

    name = "pages"
    id_key = "page_id"
    tree = Tree(Page)
    model = Page
    texts = PageText
    fields = PageFields
    filters = FILTERS
    sortings = SORTINGS
    default_sort = "position"
    default_descending = True
    shared = True
    echoes = {"1.0": ("search",), "2.0": ("params", "search")}
    unique = {"company_id,seo_name": "seo_name"}
    privileges = allow(view="view_pages", manage="manage_pages")
    privileges_customer = {"index": True}
    parents = {"stores": "company_id", "vendors": "company_id"}

    only: Sequence[int] | None = None
    """The pages that a read is about, where it is not all of them."""

    _listing = False
    _slug_is_ours = False

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one page, a list, or a tree."""
        if id is not None:
            return super().index(id, params)
        self._listing = True
        simple = params.get("simple")
        if simple and read_flag(simple) is not False and not params.get("fields"):
            params = {**params, "fields": ",".join(_LISTED)}
        form = read_tree(params)
        if form is None:
            return super().index(id, params)
        return Result(STATUS_OK, tree_of_pages(self, params, form))

    def scope(self) -> Iterable[Condition]:
        """Customers and visitors read what is for them; hidden pages only by ID.

        Source: spec/entities/pages.md, rule 6.
        """
        status = self.declaration.status
        for condition in super().scope():
            if condition.column is status and not self._listing:
                yield equals(status, ["A", "H"], role="shown")
            else:
                yield condition
        if self.caller.is_customer:
            yield with_shown_company(Page.company_id)
            yield from readable(self.caller, self.context.now)
        if self.only is not None:
            yield equals(Page.page_id, self.only, role="only")

    def check(self, values: Values, row: Record | None) -> None:
        """Complete keys, times, author and address; judge the place and the period."""
        drop_of_other_types(values, {**values, **(row or {})}["page_type"])
        if "page" in values:
            values["page_key"] = folded(values["page"])[:KEY_LENGTH]
        complete_groups(self.reader, values, row)
        if not values.get("timestamp") and (row is None or "timestamp" in values):
            values["timestamp"] = self.context.now
        if row is None:
            values["author"] = full_name(self.reader, self.caller.user_id)
        check_period(values, row)
        self.check_place(values, row)
        lang_code = self.context.installation.languages[0]
        wait_for_slugs(self.db, int({**(row or {}), **values}["company_id"]))
        self._slug_is_ours = complete_address(self.reader, values, row, lang_code)

    def guarded(self, write: Any) -> Any:
        """Make the address anew if another page took it meanwhile."""
        with taking_slug(self.db, is_ours=self._slug_is_ours):
            return super().guarded(write)
