"""Products: what the store sells."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, exists

from storeapi import (
    Condition,
    Key,
    Params,
    Record,
    Result,
    TableEntity,
    allow,
    setting_value,
)
from storeapi.core.changes import Operation
from storeapi.core.reading import read_flag
from storeapi.core.references import check_reference
from storeapi.core.rows import table_of
from storeapi.core.writing import Values
from storeapi.entities.products.discussing import Discussing
from storeapi.entities.products.fields import ProductFields
from storeapi.entities.products.filters import FILTERS, SORTINGS
from storeapi.entities.products.grouping import (
    DECIDE_WHO_SEES,
    MATTERS,
    Grouping,
    wanted_group,
)
from storeapi.entities.products.options_of_products import choose
from storeapi.entities.products.variations import NAMING_VARIATIONS, folded
from storeapi.models import Product, ProductCategory, ProductText
from storeapi.rules.cart_removal import drop_lines
from storeapi.rules.common_products import (
    drop_inherited,
    drop_shown_price,
    hold_common_product_of,
    offers_to_remove,
)
from storeapi.rules.copying import rows_of
from storeapi.rules.discussions import drop_threads
from storeapi.rules.groups import check_usergroups, complete_groups
from storeapi.rules.offered_prices import follow_terms, hold_after_common
from storeapi.rules.options import give_options
from storeapi.rules.placement import count, placed_ids
from storeapi.rules.products import (
    SEARCHED,
    categories_to_check,
    check_categories,
    check_numbers,
    complete_defaults,
    complete_names,
    complete_placement,
    write_search,
)
from storeapi.rules.seen_products import for_customers
from storeapi.rules.sharing import Work, follow
from storeapi.rules.slugs import taking_slug, wait_for_slugs
from storeapi.rules.store_settings import DEFAULT_TRACKING
from storeapi.rules.taxes import check_taxes
from storeapi.rules.touching import touch_offers, touch_products
from storeapi.rules.variation_groups import hold_groups
from storeapi.rules.variations import leave, tell_others


class Products(TableEntity[Product]):
    """What the store sells: texts, prices, stock, images, places in categories."""

    name = "products"
    id_key = "product_id"
    model = Product
    texts = ProductText
    fields = ProductFields
    filters = FILTERS
    sortings = SORTINGS
    default_sort = "product"
    flags = {
        "get_features": True,
        "get_options": False,
        "get_detailed": True,
        "get_icon": True,
        "get_additional": False,
        "get_variation_info": False,
        "get_variation_features_variants": False,
        "get_variation_name": False,
    }
    shared = True
    counted = True
    touched = "updated_timestamp"
    accepts = frozenset({"filter"})
    unique = {"company_id,seo_name": "seo_name"}
    privileges = allow(view="view_catalog", manage="manage_catalog")
    privileges_customer = {"index": True}
    parents = {
        "stores": "company_id",
        "vendors": "company_id",
        "categories": None,
    }
    answers = {"create": int, "update": int}

    @property
    def category_id(self) -> int | None:
        """The category that the path goes through, if it does."""
        parent = self.context.parent
        if parent is None or parent.name != "categories":
            return None
        return int(parent.id)

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one product or a page; below a category `cid` is fixed."""
        if id is None:
            if self.category_id is not None:
                params = {**params, "cid": str(self.category_id)}
            if params.get("sort_by") == "position" and not params.get("cid"):
                params = {**params, "sort_by": ""}
            if self.caller.is_customer and NAMING_VARIATIONS.isdisjoint(params):
                params = {**params, "group_child_variations": "1"}
            self._listing = True
        result = super().index(id, params)
        sent = params.get("selected_options")
        if id is not None and sent and isinstance(result.data, dict):
            choose(self.reader, int(id), sent, result.data, self.context.lang_code)
        return result

    _listing = False

    def scope(self) -> Iterable[Condition]:
        """A product below a category must be in it; lists filter by `cid`.

        Customers are not shown what a vendor sells who is not active, nor what is for
        groups that they are not in.
        """
        yield from super().scope()
        if self.caller.is_customer:
            yield from for_customers(self.reader, self.caller)
        category_id = self.category_id
        if category_id is not None and not self._listing:
            yield Condition(
                "in category",
                lambda: exists().where(
                    ProductCategory.product_id == Product.product_id,
                    ProductCategory.category_id
                    == bindparam("parent_category", required=True),
                ),
                {"parent_category": category_id},
            )

    def list_conditions(self, params: Params, echo: Record) -> list[Condition]:
        """The scope and the filters; child variations may be folded."""
        found = super().list_conditions(params, echo)
        return folded(self, found, sum(1 for _ in self.scope()))

    def known_params(self, *, listing: bool) -> frozenset[str]:
        """`filter` has no meaning, yet clients send it beside `cid`."""
        own = {"filter"} if listing else {"filter", "force", "selected_options"}
        return super().known_params(listing=listing) | own

    # Writing: groups are held before products, products before categories.

    _alone = False
    _stays = False
    _wanted: Sequence[int] = ()

    def create(self, params: Params) -> Result:
        """Create a product; the group that it is to join is held first."""
        wanted = wanted_group(params, self.context.parent)
        hold_groups(self.db, wanted, ())
        return super().create(params)

    def update(self, id: Key, params: Params) -> Result:
        """Change a product; alone, if its group takes no notice."""
        self._alone = MATTERS.isdisjoint(params)
        self._wanted = wanted_group(params, None)
        return super().update(id, params)

    def locked_row(self, id: Key) -> Record:
        """Hold a product; unless it is changed alone, after its group."""
        if not self._alone:
            hold_groups(self.db, self._wanted, [int(id)])
        hold_after_common(self.db, [int(id)])
        row = super().locked_row(id)
        self._stays = row["company_id"] == 0 or row["master_product_id"] is not None
        return row

    def decided(self) -> Values:
        """The company of who has one; what is shared among stores, others decide.

        Source: spec/entities/products.md, 2.1 (`shared_product`).
        """
        found = super().decided()
        return {**found, "shared_product": "N"} if self.caller.is_scoped else found

    def place(self, values: Values) -> None:
        """Take the company of the body, else the category's where that has one."""
        asked = values.get("company_id")
        super().place(values)
        parent = self.context.parent
        if self.category_id is None or parent is None or self.caller.is_scoped:
            return
        if asked is not None:
            check_reference(
                self.reader, table_of(Product).c.company_id, "company_id", asked
            )
        owner = parent.data["company_id"] or self.context.installation.default_company
        values["company_id"] = owner if asked is None else asked

    def keep_place(self, values: Values) -> None:
        """The company stays, also that of common products, and of their offers.

        Source: spec/entities/master_products.md, rule 5.1; master_product_offers.md.
        """
        if self._stays:
            values.pop("company_id", None)
        super().keep_place(values)

    def load(self, params: Params, *, partial: bool) -> Values:
        """Read a payload, and keep it: what it echoes decides nothing."""
        self._sent = params
        return super().load(params, partial=partial)

    @property
    def work(self) -> Work:
        """The write, as the rules that change other products want it."""
        return Work(self.db, self.context)

    def check(self, values: Values, row: Record | None) -> None:
        """Complete names and categories; judge quantities and references."""
        if row is not None and row["master_product_id"] is not None:
            drop_inherited(values)
        if row is not None and row["company_id"] == 0:
            drop_shown_price(self.reader, values, self._sent.get("base_price"), row)
        self._grouping = Grouping.take(values)
        self._discussing = Discussing.take(values, self._sent)
        self._grouping.check(self.reader, self.caller, values, row)
        self.check_places(values, row)
        complete_defaults(values, row, self.context.now)
        if row is None and "tracking" not in values:
            values["tracking"] = self.default_tracking(values["company_id"])
        check_numbers(values, row)
        # The categories are held now, so that others who take slugs there wait.
        wait_for_slugs(self.db, int({**(row or {}), **values}["company_id"]))
        self._slug_is_ours = complete_names(self.reader, values, row)
        if values.get("tax_ids") and values["tax_ids"] != (row or {}).get("tax_ids"):
            check_taxes(self.reader, values["tax_ids"])
        groups = {price[1] for price in values.get("prices", ())}
        check_usergroups(self.reader, groups, "prices")
        complete_groups(self.reader, values, row)

    def default_tracking(self, company_id: int) -> str:
        """How the stock of new products is tracked, as the company has set it."""
        environment = self.context.settings
        return setting_value(self.reader, environment, DEFAULT_TRACKING, company_id)

    _slug_is_ours = False
    _grouping = Grouping()
    _discussing = Discussing()
    _sent: Params = {}
    _moved: frozenset[str] = frozenset()

    def check_places(self, values: Values, row: Record | None) -> None:
        """Complete the categories, and refuse those that cannot be."""
        placed = complete_placement(self.reader, values, row, self.category_id)
        company = int({**(row or {}), **values}["company_id"])
        ids = categories_to_check(self.reader, values, row)
        check_categories(self.reader, ids, company, placed)

    def guarded(self, write: Any) -> Any:
        """Build the slug anew if another product took it meanwhile."""
        with taking_slug(self.db, is_ours=self._slug_is_ours):
            return super().guarded(write)

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the product, the texts in which searches look, and its group."""
        id = super().insert(values, languages)
        write_search(self.db, int(id), languages, new=True)
        self._discussing.write(self.work, {**values, "product_id": int(id)})
        self._grouping.join(self.work, int(id))
        return id

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change the product, what searches find it by, its group, its followers."""
        left = self._grouping.leave(self.work, row)
        changed = super().change(id, row, values, languages)
        if changed and not SEARCHED.isdisjoint(values):
            every = self.context.installation.languages
            moved = every if "product_code" in values else languages
            write_search(self.db, int(id), moved)
        if changed:
            follow(self.work, row, self._moved)
            if "status" in self._moved and row["company_id"] == 0:
                touch_offers(self.db, int(id), self.context)
            group_id = row["variation_group_id"]
            if group_id is not None and not DECIDE_WHO_SEES.isdisjoint(self._moved):
                tell_others(self.work, group_id, int(id))
            follow_terms(self.db, row, values, self.context)
        if changed and "company_id" in values:
            give_options(self.db, int(id), values["company_id"])
        talked = self._discussing.write(self.work, {**row, **values}, row)
        joined = self._grouping.join(self.work, int(id), row)
        return changed or left or joined or talked

    def record(
        self,
        operation: Operation,
        id: Key,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        *,
        row: Mapping[str, Any] | None = None,
    ) -> None:
        """Tell the core what was written, and keep its names."""
        self._moved = frozenset(after)
        super().record(operation, id, before, after, row=row)

    def delete(self, id: Key) -> Result:
        """Remove a product; that of which it is an offer is held before it."""
        hold_common_product_of(self.db, int(id))
        return super().delete(id)

    def remove(self, id: Key, row: Record) -> None:
        """Delete the product with all that belongs to it.

        Raises: `Refused` for a common product with offers, unless forced.
        """
        if row["company_id"] == 0:
            forced = read_flag(self.context.query.get("force")) is True
            for offer_id in offers_to_remove(self.db, int(id), forced=forced):
                self._remove_offer(offer_id)
        if row["variation_group_id"] is not None:
            leave(self.work, int(id), deleted=True)
        count(self.db, dict.fromkeys(placed_ids(self.db, int(id)), -1))
        caller_id = self.caller.user_id
        drop_lines(self.db, [int(id)], self.context.now, caller_id)
        drop_threads(self.db, "product_id", [int(id)], caller_id)
        super().remove(id, row)
        if row["master_product_id"] is not None:
            # It shows how many offers there are, and so does each of them.
            touch_products(self.db, [row["master_product_id"]], self.context)

    def _remove_offer(self, id: int) -> None:
        """Delete an offer along with its common product."""
        (row,) = rows_of(self.db, table_of(Product).c.product_id, [id])
        self.remove(id, row)
