"""The fields of a product, in the order of spec/entities/products.md."""

from sqlalchemy import func, select

from storeapi import (
    Choice,
    Code,
    Constant,
    Decimal,
    Derived,
    Fields,
    Flag,
    Id,
    IdList,
    Integer,
    Money,
    Text,
    Timestamp,
)
from storeapi.core.kinds import ABSENT, LARGEST_ID
from storeapi.entities.products.feature_values import ProductFeatures
from storeapi.entities.products.nested import CategoryIds, Prices
from storeapi.entities.products.options_of_products import (
    ProductOptions,
    SelectedOptions,
    has_active_option,
)
from storeapi.entities.products.variations import (
    GROUP_CODE,
    INFO,
    PARENT,
    ChosenValues,
    GroupId,
    VariationFeatureCollection,
    VariationFeatureIds,
    VariationFeatures,
    VariationFeaturesVariants,
    VariationName,
)
from storeapi.models import Category, Product, ProductText
from storeapi.rules.common_products import COMMON_STATUS, OFFERS_COUNT
from storeapi.rules.discussions import PRODUCT_RATING, PRODUCT_THREAD, PRODUCT_TYPE
from storeapi.rules.image_kinds import ImagePair, ImagePairs
from storeapi.rules.packing import packed
from storeapi.rules.pricing import discount, discount_per_cent, offered_quantities

_seo_path = (
    select(Category.id_path)
    .where(Category.category_id == Product.main_category)
    .scalar_subquery()
)


def _list_discount(list_price: int, price: int) -> object:
    return discount(list_price, price) or ABSENT


def _list_discount_prc(list_price: int, price: int) -> object:
    found = discount_per_cent(list_price, price)
    return ABSENT if found is None else str(found)


def _or_absent(value: object) -> object:
    return ABSENT if value is None else value


class ProductFields(Fields):
    """All fields of `products`, and of the entities that inherit from it."""

    # Identity, texts, placement (2.1)
    product_id = Id(dump_only=True, listed=True)
    product = Text(required=True, translated=True, listed=True)
    product_code = Text(listed=True)
    product_type = Choice("P", "V", "C", dump_only=True, listed=True)
    parent_product_id = Id(zero=True, dump_only=True, listed=True)
    status = Choice("A", "D", "H", listed=True)
    company_id = Id(zero=True, listed=True)
    category_ids = CategoryIds(listed=True)
    main_category = Id(zero=True, native=True, listed=True)
    seo_name = Text(listed=True)
    seo_path = Text(column=func.coalesce(_seo_path, ""), dump_only=True, listed=True)
    lang_code = Code(column=ProductText.lang_code, dump_only=True)
    short_description = Text(translated=True)
    full_description = Text(translated=True)
    promo_text = Text(translated=True)
    meta_description = Text(translated=True)
    meta_keywords = Text(translated=True)
    page_title = Text(translated=True)
    search_words = Text(translated=True)
    details_layout = Text(listed=True)
    localization = IdList(listed=True)
    usergroup_ids = IdList(listed=True)
    timestamp = Timestamp(listed=True)
    updated_timestamp = Timestamp(dump_only=True, listed=True)
    avail_since = Timestamp(listed=True)
    popularity = Integer()
    sales_amount = Integer(dump_only=True, internal=True)
    shared_product = Flag()

    # Price and quantity (2.2)
    price = Money(listed=True)
    base_price = Money(column=Product.price, dump_only=True, listed=True)
    list_price = Money(listed=True)
    list_discount = Derived(
        ("list_price", "price"), _list_discount, optional=True, listed=True
    )
    list_discount_prc = Derived(
        ("list_price", "price"), _list_discount_prc, optional=True, listed=True
    )
    discounts = Constant({"A": 0, "P": 0}, listed=True)
    prices = Prices()
    point_price = Decimal(2, minimum=0, trimmed=True)
    zero_price_action = Choice("R", "P", "A", listed=True)
    amount = Integer(minimum=-LARGEST_ID, listed=True)
    tracking = Choice("B", "D", "O", listed=True)
    low_avail_limit = Integer(listed=True)
    out_of_stock_actions = Choice("N", "B", "S", listed=True)
    min_qty = Integer(listed=True)
    max_qty = Integer(listed=True)
    qty_step = Integer(listed=True)
    list_qty_count = Integer(listed=True)
    qty_content = Derived(
        ("min_qty", "max_qty", "qty_step", "list_qty_count"),
        offered_quantities,
        listed=True,
    )
    options_type_raw = Constant(None, listed=True)
    exceptions_type_raw = Constant(None, listed=True)
    tracking_raw = Constant(None, listed=True)
    zero_price_action_raw = Constant(None, listed=True)
    min_qty_raw = Constant(None, listed=True)
    max_qty_raw = Constant(None, listed=True)
    qty_step_raw = Constant(None, listed=True)
    list_qty_count_raw = Constant(None, listed=True)
    details_layout_raw = Text(
        column=Product.details_layout, dump_only=True, listed=True
    )

    # Shipping, tax, downloads (2.3)
    weight = Decimal(3, minimum=0, listed=True)
    length = Integer(listed=True)
    width = Integer(listed=True)
    height = Integer(listed=True)
    shipping_freight = Money(listed=True)
    free_shipping = Flag(listed=True)
    box_length = Integer(native=True)
    box_width = Integer(native=True)
    box_height = Integer(native=True)
    min_items_in_box = Integer(native=True)
    max_items_in_box = Integer(native=True)
    shipping_params = Derived(
        (
            "min_items_in_box",
            "max_items_in_box",
            "box_length",
            "box_width",
            "box_height",
        ),
        packed,
        listed=True,
    )
    tax_ids = IdList(array="full", listed=True)
    is_edp = Flag(listed=True)
    edp_shipping = Flag(listed=True)
    unlimited_download = Flag(listed=True)
    return_period = Integer(listed=True)
    is_returnable = Flag(listed=True)

    # Options, features, variations, common products (2.4)
    options_type = Choice("P", "S", listed=True)
    exceptions_type = Choice("F", "A", listed=True)
    has_options = Flag(
        column=has_active_option, native=True, dump_only=True, listed=True
    )
    selected_options = SelectedOptions(dump_only=True, listed=True)
    product_options = ProductOptions(
        flag=("get_options", False), dump_only=True, listed=True
    )
    product_features = ProductFeatures(flag=("get_features", True), listed=True)
    feature_comparison = Flag()
    variation_features = VariationFeatures(dump_only=True, listed=True)
    variation_group_id = GroupId(flag=INFO)
    variation_group_code = Text(column=GROUP_CODE, dump_only=True, flag=INFO)
    variation_parent_product_id = Integer(column=PARENT, dump_only=True, flag=INFO)
    variation_sub_group_id = Text(dump_only=True, flag=INFO)
    variation_feature_ids = VariationFeatureIds(dump_only=True, flag=INFO)
    variation_feature_collection = VariationFeatureCollection(dump_only=True, flag=INFO)
    variation_features_variants = VariationFeaturesVariants(
        dump_only=True, asked="get_variation_features_variants"
    )
    variation_name = VariationName(dump_only=True, asked="get_variation_name")
    variation_feature_values = ChosenValues(load_only=True)
    master_product_id = Id(zero=True, dump_only=True, listed=True)
    master_product_status = Derived(
        ("master_product_status",),
        _or_absent,
        column=COMMON_STATUS,
        optional=True,
        listed=True,
    )
    master_product_offers_count = Integer(
        column=OFFERS_COUNT, dump_only=True, listed=True
    )
    age_verification = Flag(listed=True)
    age_limit = Integer(listed=True)
    age_warning_message = Text(translated=True)
    is_pbp = Flag(listed=True)
    is_op = Flag(listed=True)
    is_oper = Flag(listed=True)
    discussion_type = Choice("B", "C", "R", "D", column=PRODUCT_TYPE)
    discussion_thread_id = Integer(column=PRODUCT_THREAD, dump_only=True)
    average_rating = Decimal(2, column=PRODUCT_RATING, dump_only=True)

    # Images (2.5)
    main_pair = ImagePair(object_type="product", listed=True)
    image_pairs = ImagePairs(object_type="product", flag=("get_additional", False))
