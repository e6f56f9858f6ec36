"""Languages: each text of every object exists in each of them."""

from storeapi import Choice, Code, Fields, Id, TableEntity, Text, allow
from storeapi.models import Language


class LanguageFields(Fields):
    """The fields of a language."""

    lang_id = Id(dump_only=True, listed=True)
    lang_code = Code(required=True, listed=True)
    name = Text(required=True, listed=True)
    status = Choice("A", "H", "D", listed=True)
    country_code = Code(upper=True, listed=True)
    direction = Choice("ltr", "rtl", listed=True)


class Languages(TableEntity[Language]):
    """Installed languages of the store."""

    name = "languages"
    id_key = "lang_id"
    model = Language
    fields = LanguageFields
    default_sort = "lang_id"
    shapes = {"1.0": "map", "2.0": "map"}
    echoes = {"1.0": ("search", "params"), "2.0": ("params",)}
    map_key = "lang_code"
    unique = {"lang_code": "lang_code"}
    privileges = allow(view="view_languages", manage="manage_languages")
    privileges_customer = {"index": True}
