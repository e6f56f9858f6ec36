"""Languages: each text of every object exists in each of them."""

from collections.abc import Sequence

from sqlalchemy import bindparam, select

from storeapi import (
    Choice,
    Code,
    Fields,
    Id,
    InvalidInput,
    Key,
    NotFound,
    Record,
    Refused,
    TableEntity,
    Text,
    allow,
    query,
)
from storeapi.core.entity import WRITES
from storeapi.core.writing import Values
from storeapi.models import Language
from storeapi.rules.setting_values import default_language
from storeapi.rules.translations import (
    check_remaining,
    copy_texts,
    hold_languages,
    remove_texts,
    rename_texts,
)

_ID_OF_CODE = query(
    select(Language.lang_id).where(
        Language.lang_code == bindparam("code", required=True)
    )
)


class LanguageFields(Fields):
    """The fields of a language."""

    lang_id = Id(dump_only=True, listed=True)
    lang_code = Code(required=True, listed=True)
    name = Text(required=True, listed=True)
    status = Choice("A", "H", "D", listed=True)
    country_code = Code(upper=True, listed=True)
    direction = Choice("ltr", "rtl", listed=True)
    from_lang_code = Code(load_only=True, create_only=True)


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
    closed_to_companies = WRITES
    privileges_customer = {"index": True}

    def default(self) -> str:
        """The code of the backend's default language: held languages keep it."""
        return default_language(self.reader, self.context.settings)

    def is_valid_identifier(self, id: str) -> bool:
        """A number, or a code (an extension)."""
        code = len(id) == 2 and id.isascii() and id.isalpha()
        return code or super().is_valid_identifier(id)

    def identifier(self, id: str) -> Key:
        """Find the number behind a code."""
        if not self.is_valid_identifier(id) or id.isdigit():
            return super().identifier(id)
        found = self.reader.value(_ID_OF_CODE, code=id.lower())
        if found is None:
            raise NotFound(f"languages {id} does not exist")
        return int(found)

    def read_parent(self, id: Key) -> Record:
        """Tell the child the code too."""
        return self.read_one(id, {"fields": "lang_id,lang_code"}) | {"lang_id": id}

    def locked_row(self, id: Key) -> Record:
        """Hold all languages first: so do those who write texts, which may wait."""
        hold_languages(self.db)
        return super().locked_row(id)

    def check(self, values: Values, row: Record | None) -> None:
        """Complete the country; keep the default language, and one active."""
        if not values.get("country_code"):
            values.pop("country_code", None)
            if row is None:
                values["country_code"] = values["lang_code"].upper()
        if row is None:
            return
        statuses = hold_languages(self.db)
        code = str(values.get("lang_code", row["lang_code"]))
        default = self.default()
        if row["lang_code"] == default and code != default:
            text = "of the default language must not change"
            raise InvalidInput.of("lang_code", text, "default_language")
        if code != row["lang_code"] and code in statuses:
            raise InvalidInput.of("lang_code", "is already in use", "taken")
        if values.get("status", row["status"]) != row["status"]:
            statuses[row["lang_code"]] = values["status"]
            check_remaining(statuses, default)

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Install a language with the texts of another one."""
        source = values.pop("from_lang_code", None)
        source = source or self.context.lang_requested or self.default()
        installed = hold_languages(self.db)
        if values["lang_code"] in installed:
            raise InvalidInput.of("lang_code", "is already in use", "taken")
        if source not in installed:
            text = f"{source[:40]!r} is not an installed language"
            raise InvalidInput.of("from_lang_code", text, "unknown")
        id = super().insert(values, languages)
        copy_texts(self.db, source, values["lang_code"])
        return id

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change the language; its texts follow a new code."""
        changed = super().change(id, row, values, languages)
        code = str(values.get("lang_code", row["lang_code"]))
        if code != row["lang_code"]:
            rename_texts(self.db, row["lang_code"], code)
        return changed

    def remove(self, id: Key, row: Record) -> None:
        """Remove the language with its texts."""
        code = row["lang_code"]
        statuses = hold_languages(self.db)
        default = self.default()
        if code == default:
            raise Refused("the default language cannot be deleted")
        del statuses[code]
        check_remaining(statuses, default)
        super().remove(id, row)
        remove_texts(self.db, code, default)
