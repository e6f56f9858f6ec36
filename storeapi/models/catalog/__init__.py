"""The catalogue: categories, products, features, options and taxes."""

from storeapi.models.catalog.categories import (
    Category,
    CategoryText,
)
from storeapi.models.catalog.features import (
    Feature,
    FeatureCategory,
    FeatureText,
    FeatureVariant,
    FeatureVariantText,
    ProductFeatureText,
    ProductFeatureValue,
)
from storeapi.models.catalog.options import (
    Combination,
    CombinationVariant,
    ExceptionVariant,
    Option,
    OptionException,
    OptionText,
    OptionVariant,
    OptionVariantText,
    ProductOption,
)
from storeapi.models.catalog.products import (
    Product,
    ProductCategory,
    ProductPrice,
    ProductSearch,
    ProductText,
)
from storeapi.models.catalog.taxes import (
    Tax,
    TaxRate,
    TaxText,
)
from storeapi.models.catalog.variations import (
    VariationGroup,
    VariationGroupFeature,
)

__all__ = [
    "Category",
    "CategoryText",
    "Combination",
    "CombinationVariant",
    "ExceptionVariant",
    "Feature",
    "FeatureCategory",
    "FeatureText",
    "FeatureVariant",
    "FeatureVariantText",
    "Option",
    "OptionException",
    "OptionText",
    "OptionVariant",
    "OptionVariantText",
    "Product",
    "ProductCategory",
    "ProductFeatureText",
    "ProductFeatureValue",
    "ProductOption",
    "ProductPrice",
    "ProductSearch",
    "ProductText",
    "Tax",
    "TaxRate",
    "TaxText",
    "VariationGroup",
    "VariationGroupFeature",
]
