"""Features: properties by which products are described, compared and filtered."""

from storeapi.entities.features.definitions import Definitions
from storeapi.entities.features.of_product import FeaturesOfProduct


class Features(Definitions):
    """Properties of products; below a product, the values that it has."""

    parents = {"stores": "company_id", "vendors": "company_id", "products": None}
    under = {"products": FeaturesOfProduct}
