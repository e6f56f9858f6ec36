"""Kinds whose value is a text: free text, choices, flags, codes, addresses."""

import re
import string
import unicodedata
from typing import Any, ClassVar, Unpack
from urllib.parse import urlsplit

from storeapi.core.kinds.base import Bindable, JsonSchema, Kind, Options, Writer
from storeapi.core.kinds.problems import invalid

_NUMBER_LIMIT = 2**64
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co"})
_LABEL = r"[^\W_](?:[\w-]*[^\W_])?"
_EMAIL = re.compile(
    r"[^@\s.\"(),:;<>\[\]\\]+(?:\.[^@\s.\"(),:;<>\[\]\\]+)*"
    rf"@(?:localhost|{_LABEL}(?:\.{_LABEL})+)"
)


def storable(text: str) -> str:
    """Return the text, if every database can store it.

    Raises: `ValidationError` for NUL, which PostgreSQL stores not, and for half a
    surrogate pair, which none of them does.
    """
    if "\0" in text:
        raise invalid("must not contain the character NUL")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise invalid("must not contain half a surrogate pair") from None
    return text


def text_of(value: Any) -> str:
    """Return a JSON string or number as text.

    Raises: `ValidationError` for every other JSON value.
    """
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise invalid("must be a text")
    if not -_NUMBER_LIMIT < value < _NUMBER_LIMIT:
        raise invalid("is out of range", "out_of_range")
    return str(value)


class Text(Kind):
    """Unicode text, kept as sent; a JSON number is taken as its digits.

    Shapes: `maxlength` in characters, the column's if that is less; `blank` says
    whether it may be empty, by default where it is not required.
    """

    def __init__(
        self,
        *,
        maxlength: int | None = None,
        blank: bool | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        self.maxlength = maxlength
        self.blank = not self.required if blank is None else blank

    def bind(self, column: Bindable | None) -> None:
        """Take the length too."""
        super().bind(column)
        length = None if column is None else getattr(column.type, "length", None)
        if length is not None:
            self.maxlength = min(length, self.maxlength or length)

    def parse(self, value: Any) -> str:
        """Check length and, where it must not be blank, content."""
        text = text_of(value)
        if self.maxlength is not None and len(text) > self.maxlength:
            raise invalid(f"is longer than {self.maxlength} characters", "too_long")
        if not self.blank and not text.strip():
            raise invalid("must not be empty", "required")
        return self.check(text) if text else text

    def check(self, text: str) -> str:
        """Return the text that is not empty, if it has the form of the kind."""
        return text

    def null(self) -> str | None:
        """Return "" where that is allowed: null empties a text."""
        if self.required or self.nullable or not self.blank:
            value: str | None = super().null()
            return value
        return ""

    def read_filter(self, text: str) -> str:
        """Take every text: one that no record can hold matches nothing."""
        return storable(text)

    def record_schema(self) -> JsonSchema:
        """Describe a string."""
        schema: JsonSchema = {"type": "string"}
        if self.maxlength is not None:
            schema["maxLength"] = self.maxlength
        return schema

    def payload_schema(self) -> JsonSchema:
        """Describe a string or a number."""
        schema = self.record_schema() | {"type": ["string", "number"]}
        return schema if self.blank else schema | {"minLength": 1}


class Choice(Kind):
    """One of a few letters or words, exactly as declared."""

    def __init__(self, *letters: str, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.letters = dict.fromkeys(letters)

    def parse(self, value: Any) -> str:
        """Return the letter, if it is one of them."""
        text = text_of(value)
        if text not in self.letters:
            names = ", ".join(letter or "an empty text" for letter in self.letters)
            raise invalid(f"must be one of {names}", "unknown")
        return text

    def read_filter(self, text: str) -> str:
        """Take every text: an unknown letter matches nothing."""
        return storable(text)

    def record_schema(self) -> JsonSchema:
        """Describe the choice."""
        return {"type": "string", "enum": list(self.letters)}


class Letter(Choice):
    """The letter or digit of a status; small letters are others."""

    def __init__(self, **options: Unpack[Options]) -> None:
        super().__init__(*string.ascii_letters, *string.digits, **options)

    def parse(self, value: Any) -> str:
        """Take one character, in either case."""
        text = text_of(value)
        if text not in self.letters:
            raise invalid("must be one letter or digit")
        return text

    def record_schema(self) -> JsonSchema:
        """Describe the character."""
        return {"type": "string", "pattern": "^[A-Za-z0-9]$"}

    def payload_schema(self) -> JsonSchema:
        """Describe the character, as a digit also a number."""
        return self.record_schema() | {"type": ["string", "integer"]}


class Flag(Kind):
    """Yes or no, stored as `Y` or `N`; a JSON boolean on the wire where `native`."""

    SPELLINGS: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("y", "true", "1"), "Y"),
        **dict.fromkeys(("n", "false", "0"), "N"),
    }
    NATIVE: ClassVar[dict[str, bool]] = {"Y": True, "N": False}

    def __init__(self, *, native: bool = False, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.native = native

    def parse(self, value: Any) -> str:
        """Take Y and N in either case, true and false, 1 and 0.

        Source: spec/protocol.md, section 6, rule 3.
        """
        if isinstance(value, str):
            flag = self.SPELLINGS.get(value.lower())
        elif isinstance(value, int | float):
            flag = "Y" if value == 1 else "N" if value == 0 else None
        else:
            flag = None
        if flag is None:
            raise invalid("must be Y or N")
        return flag

    def read_filter(self, text: str) -> str:
        """Take any one letter: an unknown one matches nothing."""
        if len(text) == 1 and text.isascii() and text.isalpha():
            return text.upper()
        return self.parse(text)

    def conversion(self, *, full: bool) -> Writer | None:
        """Write the letter, or a JSON boolean."""
        return self.NATIVE.get if self.native else None

    def record_schema(self) -> JsonSchema:
        """Describe the flag."""
        if self.native:
            return {"type": "boolean"}
        return {"type": "string", "enum": ["Y", "N"]}

    def payload_schema(self) -> JsonSchema:
        """Describe the spellings that are taken."""
        spellings = ["Y", "N", "y", "n", "true", "false", "1", "0", True, False, 1, 0]
        return {"type": ["string", "boolean", "integer"], "enum": spellings}


class Code(Text):
    """A country or language code: so many letters, in one case."""

    def __init__(
        self,
        *,
        letters: int = 2,
        upper: bool = False,
        blank: bool | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(blank=blank, **options)
        self.letters = letters
        self.upper = upper

    def check(self, text: str) -> str:
        """Take the letters in either case."""
        if len(text) != self.letters or not (text.isascii() and text.isalpha()):
            raise invalid(f"must be a code of {self.letters} letters")
        return self._cased(text)

    def read_filter(self, text: str) -> str:
        """Compare in the case that is stored."""
        return self._cased(storable(text))

    def _cased(self, text: str) -> str:
        return text.upper() if self.upper else text.lower()

    def record_schema(self) -> JsonSchema:
        """Describe the code."""
        letters = "A-Z" if self.upper else "a-z"
        pattern = f"[{letters}]{{{self.letters}}}"
        return {
            "type": "string",
            "pattern": f"^({pattern})?$" if self.blank else f"^{pattern}$",
        }

    def payload_schema(self) -> JsonSchema:
        """Describe the code in either case."""
        pattern = f"[A-Za-z]{{{self.letters}}}"
        return self.record_schema() | {
            "pattern": f"^({pattern})?$" if self.blank else f"^{pattern}$",
        }


class Email(Text):
    """An e-mail address, kept as typed."""

    LIMIT = 128

    def __init__(
        self,
        *,
        maxlength: int = LIMIT,
        blank: bool | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(maxlength=maxlength, blank=blank, **options)

    def check(self, text: str) -> str:
        """Want a name, one @ and a domain, no blanks, and no disguise."""
        if _BLANK.search(text) or not _EMAIL.fullmatch(text) or _disguised(text):
            raise invalid("must be an e-mail address")
        return text

    def record_schema(self) -> JsonSchema:
        """Describe the address."""
        # An empty text is no e-mail address to a validator of formats.
        return (
            super().record_schema()
            if self.blank
            else super().record_schema() | {"format": "email"}
        )

    def payload_schema(self) -> JsonSchema:
        """Describe the address."""
        return self.record_schema()


def _disguised(text: str) -> bool:
    """Whether a text can look like another one that it is not equal to.

    Full-width letters, ligatures and the like stand for plain ones, in domains even
    by standard (RFC 5891); marks of direction and width are not seen at all.
    """
    if text.isascii():
        return False
    composed = unicodedata.normalize("NFC", text)
    return unicodedata.normalize("NFKC", text) != composed or any(
        unicodedata.category(character) in _UNSEEN for character in composed
    )


class Url(Text):
    """A web address with its scheme; `bare` takes one without, too."""

    def __init__(
        self,
        *,
        bare: bool = False,
        maxlength: int | None = None,
        blank: bool | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(maxlength=maxlength, blank=blank, **options)
        self.bare = bare

    def check(self, text: str) -> str:
        """Want http or https, a host, and neither blanks nor user info."""
        address = f"http://{text}" if self.bare and "://" not in text else text
        if _BLANK.search(text) or "\\" in text or not _is_web_address(address):
            raise invalid("must be a web address")
        return text

    def payload_schema(self) -> JsonSchema:
        """Describe the address."""
        return self.record_schema()


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and "@" not in parts.netloc
        and port != 0
    )
