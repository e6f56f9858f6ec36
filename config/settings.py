"""Every setting, read once at start from variables named STOREAPI_<NAME>."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import (
    Any,
    Literal,
    NamedTuple,
    Self,
    get_args,
    get_origin,
    get_type_hints,
)
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from config.destinations import ONLY_EVERYWHERE, Destinations, read_destinations

PREFIX = "STOREAPI_"
MINIMUM_SECRET = 32

# The driver that this project is tested with, for each usual name of a database.
DRIVERS: Mapping[str, str] = MappingProxyType(
    {
        "sqlite": "sqlite",
        "postgres": "postgresql+psycopg",
        "postgresql": "postgresql+psycopg",
        "postgresql+psycopg": "postgresql+psycopg",
        "mysql": "mysql+pymysql",
        "mysql+pymysql": "mysql+pymysql",
        "mariadb": "mariadb+pymysql",
        "mariadb+pymysql": "mariadb+pymysql",
    }
)
FLAGS: Mapping[str, bool] = MappingProxyType(
    {
        **dict.fromkeys(("1", "on", "true", "yes", "y"), True),
        **dict.fromkeys(("0", "off", "false", "no", "n"), False),
    }
)

_DEEPEST = 200
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@,]+", re.IGNORECASE)
_HOST = re.compile(r"[^\s/?#@:,]+|[0-9a-f.]*:[0-9a-f:.]+", re.IGNORECASE)


class SettingError(ValueError):
    """A variable that cannot be used, with its name and the reason."""

    def __init__(self, name: str, reason: str) -> None:
        self.variable = PREFIX + name.upper()
        super().__init__(f"{self.variable} {reason}")


def driver_url(text: str) -> str:
    """Complete a database URL with the driver: `postgres://` and so on."""
    scheme, separator, rest = text.partition("://")
    if not separator or scheme not in DRIVERS:
        raise ValueError("must begin with sqlite://, postgresql:// or mariadb://")
    return f"{DRIVERS[scheme]}://{rest}"


def url_prefix(text: str) -> str:
    """Read an address to which paths are appended; it ends without a slash."""
    if text and not re.fullmatch(r"https?://[^\s/?#]+[^\s?#]*", text):
        raise ValueError("must be an address that begins with http:// or https://")
    return text.rstrip("/")


def currency_code(text: str) -> str:
    """Read the three letters of a currency."""
    if not re.fullmatch(r"[A-Za-z]{3}", text):
        raise ValueError("must be three letters")
    return text.upper()


def language_code(text: str) -> str:
    """Read the two letters of a language."""
    if not re.fullmatch(r"[A-Za-z]{2}", text):
        raise ValueError(f"must be two letters, not {text!r}")
    return text.lower()


def json_depth(text: str) -> int:
    """Read a depth of nesting, within what can be walked and encoded again."""
    depth = read_number(text)
    if depth > _DEEPEST:
        raise ValueError(f"must be {_DEEPEST} or less, not {depth}")
    return depth


def origins(text: str) -> tuple[str, ...]:
    """Read origins as browsers send them, or `*`."""
    found = read_list(text)
    for origin in found:
        if origin not in ("*", "null") and not _ORIGIN.fullmatch(origin):
            raise ValueError(
                f"must be * or like https://shop.example, without a path: {origin!r}"
            )
    return tuple(origin.lower() for origin in found)


def host_names(text: str) -> tuple[str, ...]:
    """Read names of hosts, without scheme and port."""
    found = read_list(text)
    for host in found:
        if not _HOST.fullmatch(host):
            raise ValueError(f"must be names of hosts, without more: {host!r}")
    return found


def setting(
    default: object,
    unit: str,
    meaning: str,
    *,
    least: int | None = None,
    read: Callable[[str], object] | None = None,
) -> Any:  # as dataclasses.field: the annotation beside it is the type
    """Declare one setting.

    Shapes: `least` is the smallest number allowed; `read` takes the place of the
    reader of the annotated type. The unit "secret" keeps a value out of messages.
    """
    metadata = {"unit": unit, "meaning": meaning, "least": least, "read": read}
    return field(default=default, repr=unit != "secret", metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an operator may choose; checked as a whole when it is made.

    Raises: `SettingError` for the first value that cannot be used.
    """

    # A table with a line for each; the formatter would take each apart.
    # fmt: off
    environment: Literal["production", "development", "test"] = setting("production", "", "production demands SECRET_KEY")
    database_url: str = setting("sqlite:///var/store.db", "secret", "database; a SQLite path is relative to the working folder", read=driver_url)
    secret_key: str = setting("", "secret", "keys the digests of API keys; no default, 32 characters or more in production")
    pool_size: int = setting(10, "connections", "kept open by each process to a server database", least=1)
    sqlite_synchronous: Literal["FULL", "NORMAL"] = setting("FULL", "", "NORMAL is faster; a power cut may then undo the last writes")
    transaction_retries: int = setting(5, "retries", "of a write that met a passing failure of the database", least=0)

    api_default_version: Literal["1.0", "2.0"] = setting("1.0", "", "version of an address that names none")
    items_per_page: int = setting(10, "records", "page size when the caller names none", least=1)
    max_items_per_page: int = setting(1000, "records", "largest page; a larger wish is lowered to it", least=1)
    max_content_length: int = setting(16 * 2**20, "bytes", "largest request body", least=1)
    max_json_depth: int = setting(32, "levels", "deepest nesting of a body, at most 200", least=1, read=json_depth)
    max_params: int = setting(500, "parameters", "most parameters in an address", least=1)
    max_headers: int = setting(100, "fields", "most header fields of a request", least=1)
    idempotency_ttl: int = setting(86400, "s", "how long an Idempotency-Key brings the first answer again", least=1)
    idempotency_lease: int = setting(60, "s", "how long a request holds its key before another may take over", least=1)
    sync_lag: int = setting(5, "s", "a cursor over times of change stops that long before now, so that no slow write is missed", least=0)
    cors_origins: tuple[str, ...] = setting(("*",), "origins", "may call from a browser; * means all, empty means none", read=origins)
    disabled_entities: tuple[str, ...] = setting((), "names", "entities that answer 404")
    plugins: tuple[str, ...] = setting((), "import paths", "entities to load besides the installed ones")

    api_allow_customer: bool = setting(False, "", "customers and anonymous callers may use what is open to them")
    api_root_only: bool = setting(False, "", "only the root administrator may call")
    admin_without_groups: Literal["none", "all"] = setting("none", "privileges", "what an administrator in no group may do")
    password_min_length: int = setting(8, "characters", "shortest password accepted", least=1)
    ekey_ttl: int = setting(600, "s", "how long a login link of the entity auth works", least=1)

    guest_cart_days: int = setting(30, "days", "without a change, after which `storeapi purge-carts` deletes a guest's cart", least=1)
    default_language: str = setting("en", "lang_code", "language of a new store and of texts without lang_code", read=language_code)
    currency: str = setting("USD", "ISO 4217 code", "primary currency, in which all amounts are", read=currency_code)
    destinations: Destinations = setting(ONLY_EVERYWHERE, "JSON file", "where taxes and shipping rates differ; without one all countries are alike", read=read_destinations)
    time_zone: str = setting("UTC", "IANA name", "zone in which days, weeks and months begin")
    brand: str = setting("CS-Cart", "word", "first word of GET /api/?version; some clients decide by it")
    brand_version: str = setting("4.18.1", "word", "second word of GET /api/?version")
    brand_edition: str = setting("ULTIMATE", "word", "third word of GET /api/?version")
    public_url: str = setting("", "URL", "address of the shop in links; empty: as requested", read=url_prefix)

    media_folder: Path = setting(Path("var/media"), "folder", "where images are stored")
    media_url: str = setting("", "URL", "before the path of an image; empty: host of the request and /images", read=url_prefix)
    max_image_pixels: int = setting(50_000_000, "pixels", "largest image accepted", least=1)
    fetch_images: bool = setting(False, "", "images given as an address are fetched")
    fetch_hosts: tuple[str, ...] = setting((), "host names", "to fetch from; empty: any public host", read=host_names)
    fetch_timeout: int = setting(10, "s", "for one image as a whole", least=1)
    fetch_max_bytes: int = setting(10 * 2**20, "bytes", "largest file fetched", least=1)

    trusted_proxies: int = setting(0, "proxies", "in front, whose X-Forwarded-For, -Proto and -Host are believed", least=0)
    log_format: Literal["json", "console"] = setting("json", "", "form of a log line")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = setting("INFO", "", "least weight of what is logged")
    # fmt: on

    def __post_init__(self) -> None:
        """Check each value by its declaration, then those that depend on another."""
        for declared in fields(self):
            check(declared, getattr(self, declared.name))
        if self.environment == "production" and len(self.secret_key) < MINIMUM_SECRET:
            reason = f"must have at least {MINIMUM_SECRET} characters in production"
            raise SettingError("secret_key", reason)
        if self.items_per_page > self.max_items_per_page:
            raise SettingError("items_per_page", "is above MAX_ITEMS_PER_PAGE")
        try:
            ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            reason = f"names no time zone: {self.time_zone!r}"
            raise SettingError("time_zone", reason) from None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Self:
        """Read the variables that are set; an empty one means the default.

        Shapes: lists are divided by commas; an empty variable is an empty list.
        Raises: `SettingError` with the variable's name and the reason.
        """
        types = get_type_hints(cls)
        values: dict[str, Any] = {}
        for declared in fields(cls):
            text = environ.get(PREFIX + declared.name.upper())
            kind = types[declared.name]
            if text is not None and (text.strip() or kind == tuple[str, ...]):
                values[declared.name] = read(declared, kind, text.strip())
        return cls(**values)

    @property
    def zone(self) -> ZoneInfo:
        """The zone in which days begin."""
        return ZoneInfo(self.time_zone)


class Description(NamedTuple):
    """One line of the settings table."""

    variable: str
    type: str
    default: str
    unit: str
    meaning: str


def descriptions() -> Iterator[Description]:
    """Describe every setting, in the order of their declaration, for the docs."""
    types = get_type_hints(Settings)
    for declared in fields(Settings):
        yield Description(
            PREFIX + declared.name.upper(),
            type_name(types[declared.name]),
            default_text(declared.default),
            declared.metadata["unit"],
            declared.metadata["meaning"],
        )


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """Name the variables that look like settings and are none (misspelt ones)."""
    known = {PREFIX + declared.name.upper() for declared in fields(Settings)}
    return sorted(
        name for name in environ if name.startswith(PREFIX) and name not in known
    )


def check(declared: Field[Any], value: Any) -> None:
    """Raise unless the value is within what its declaration states."""
    least, unit = declared.metadata["least"], declared.metadata["unit"]
    if least is not None and value < least:
        raise SettingError(declared.name, f"must be {least} or more, not {value}")
    if unit == "word" and len(value.split()) != 1:
        raise SettingError(declared.name, f"must be one word, not {value!r}")
    if get_origin(declared.type) is Literal and value not in get_args(declared.type):
        choices = " or ".join(get_args(declared.type))
        raise SettingError(declared.name, f"must be {choices}, not {value!r}")


def read(declared: Field[Any], kind: Any, text: str) -> object:
    """Read one variable as its declared type; name the variable if that fails."""
    if kind is not Path and not _is_unicode(text):
        raise SettingError(declared.name, "is no text in UTF-8")
    try:
        return (declared.metadata["read"] or READERS.get(kind, str))(text)
    except ValueError as error:
        raise SettingError(declared.name, str(error)) from None


def _is_unicode(text: str) -> bool:
    """Whether no byte of the environment was kept as half a surrogate pair."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def read_flag(text: str) -> bool:
    """Read on or off."""
    if text.lower() not in FLAGS:
        raise ValueError(f"must be on or off, not {text!r}")
    return FLAGS[text.lower()]


def read_number(text: str) -> int:
    """Read a whole number in decimal digits."""
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise ValueError(f"must be a whole number, not {text!r}")
    return int(text)


def read_list(text: str) -> tuple[str, ...]:
    """Read the entries between commas, without blank ones."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


READERS: Mapping[Any, Callable[[str], object]] = MappingProxyType(
    {
        bool: read_flag,
        int: read_number,
        Path: Path,
        tuple[str, ...]: read_list,
    }
)


def type_name(kind: Any) -> str:
    """Name a setting's type for the docs."""
    names = {
        bool: "flag",
        int: "number",
        str: "text",
        Path: "path",
        Destinations: "path",
    }
    if kind == tuple[str, ...]:
        return "list"
    return names.get(kind) or " or ".join(get_args(kind))


def default_text(default: object) -> str:
    """Write a default as it would be written in the variable."""
    if isinstance(default, bool):
        return "on" if default else "off"
    return ",".join(default) if isinstance(default, tuple) else str(default)
