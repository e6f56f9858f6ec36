"""Companies, people, and what the server itself keeps."""

from alembic import op
from sqlalchemy import Index, Table, UniqueConstraint

from storeapi.migrations.tables import (
    code,
    contact,
    create_table,
    link,
    longs,
    number,
    owner,
    serial,
    strings,
    texts,
    wholes,
)

revision = "storeapi_0001"
down_revision = None
branch_labels = ("storeapi",)
depends_on = None


def upgrade() -> None:
    _insert_the_owner(_companies())
    _company_countries()
    _users()
    _usergroups()
    _usergroup_texts()
    _usergroup_privileges()
    _usergroup_links()
    _api_keys()
    _languages()
    _idempotency_keys()
    _object_counts()


def _companies() -> Table:
    return create_table(
        "companies",
        serial("company_id"),
        *strings(1, "kind", "status"),
        *strings(255, "company", "company_key", "storefront"),
        *strings(765, "storefront_key"),
        *strings(255, "secure_storefront"),
        *strings(5, "lang_code"),
        *strings(128, "email"),
        *strings(384, "email_key", null=True),
        *longs("timestamp"),
        *texts("company_description"),
        *strings(1, "redirect_customer"),
        *strings(16, "entry_page"),
        *strings(255, "company_name", "company_address", "company_city"),
        *strings(2, "company_country"),
        *strings(255, "company_state"),
        *strings(32, "company_zipcode"),
        *strings(64, "company_phone", "company_phone_2", "company_fax"),
        *strings(255, "company_website"),
        *strings(16, "company_start_year"),
        *strings(
            128,
            "company_users_department",
            "company_site_administrator",
            "company_orders_department",
            "company_support_department",
            "company_newsletter_email",
        ),
        *strings(255, "seo_name", null=True),
        *strings(255, "seo_path"),
        *strings(64, "phone"),
        *strings(255, "address", "city"),
        *strings(32, "zipcode"),
        *strings(2, "country"),
        *strings(255, "state", "url"),
        *strings(64, "fax"),
        *strings(
            1, "pre_moderation", "pre_moderation_edit", "pre_moderation_edit_vendors"
        ),
        *texts("categories"),
        *texts("shippings", null=True),
        *longs("commission"),
        *strings(1, "commission_type"),
        *texts("terms"),
        UniqueConstraint("email_key"),
        UniqueConstraint("seo_name"),
        UniqueConstraint("storefront_key"),
        Index(None, "kind", "company_key", "company_id"),
        Index(None, "kind", "timestamp", "company_id"),
        Index(None, "kind", "status", "company_id"),
        Index(None, "kind", "email_key", "company_id"),
    )


def _insert_the_owner(companies: Table) -> None:
    """Make company 0, which owns what belongs to no single company."""
    row = {
        column.name: "" if column.type.python_type is str else 0
        for column in companies.columns
        if not column.nullable
    }
    counts_from_zero = op.get_context().dialect.name in ("mariadb", "mysql")
    if counts_from_zero:  # where 0 asks for the next number, unless told otherwise
        op.execute("SET @sql_mode_before = @@SESSION.sql_mode")
        mode = "CONCAT(@@SESSION.sql_mode, ',NO_AUTO_VALUE_ON_ZERO')"
        op.execute(f"SET SESSION sql_mode = {mode}")
    op.bulk_insert(companies, [row | {"kind": "O", "status": "A"}])
    if counts_from_zero:
        op.execute("SET SESSION sql_mode = @sql_mode_before")


def _company_countries() -> None:
    create_table(
        "company_countries",
        owner("company_id", "companies.company_id"),
        code(2, "country_code"),
    )


def _users() -> None:
    create_table(
        "users",
        serial("user_id"),
        link("company_id", "companies.company_id"),
        *strings(1, "user_type", "status", "is_root"),
        *strings(255, "user_login"),
        *strings(765, "login_key", null=True),
        *strings(255, "password_hash"),
        *longs("timestamp", "last_login"),
        *wholes("points"),
        *strings(5, "lang_code"),
        *longs("birthday"),
        *strings(1, "tax_exempt"),
        *strings(64, "profile_name"),
        *strings(1, "profile_type"),
        *contact(),
        UniqueConstraint("email_key"),
        UniqueConstraint("login_key"),
        Index(None, "name_key", "user_id"),
        Index(None, "timestamp", "user_id"),
        Index(None, "user_type", "user_id"),
        Index(None, "status", "user_id"),
        Index(None, "company", "user_id"),
        Index(None, "phone", "user_id"),
        Index(None, "company_id", "name_key", "user_id"),
        Index(None, "company_id", "user_type", "user_id"),
        Index(None, "company_id", "status", "user_id"),
    )


def _usergroups() -> None:
    create_table(
        "usergroups",
        serial("usergroup_id"),
        link("company_id", "companies.company_id"),
        *strings(1, "type", "status"),
        Index(None, "type", "usergroup_id"),
        Index(None, "status", "usergroup_id"),
        Index(None, "company_id"),
    )


def _usergroup_texts() -> None:
    create_table(
        "usergroup_texts",
        owner("usergroup_id", "usergroups.usergroup_id"),
        code(5, "lang_code"),
        *strings(255, "usergroup", "usergroup_key"),
    )


def _usergroup_privileges() -> None:
    create_table(
        "usergroup_privileges",
        owner("usergroup_id", "usergroups.usergroup_id"),
        code(64, "privilege"),
    )


def _usergroup_links() -> None:
    create_table(
        "usergroup_links",
        serial("link_id"),
        link("user_id", "users.user_id", "CASCADE"),
        link("usergroup_id", "usergroups.usergroup_id", "CASCADE"),
        *strings(1, "status"),
        UniqueConstraint("user_id", "usergroup_id"),
        Index(None, "usergroup_id", "status", "user_id"),
    )


def _api_keys() -> None:
    create_table(
        "api_keys",
        serial("key_id"),
        link("user_id", "users.user_id", "CASCADE"),
        *strings(255, "name"),
        *strings(64, "digest"),
        *texts("privileges", null=True),
        *longs("created_at"),
        *longs("expires_at", "last_used_at", null=True),
        UniqueConstraint("digest"),
        Index(None, "user_id"),
    )


def _languages() -> None:
    create_table(
        "languages",
        serial("lang_id"),
        *strings(5, "lang_code"),
        *strings(255, "name"),
        *strings(1, "status"),
        *strings(2, "country_code"),
        *strings(3, "direction"),
        UniqueConstraint("lang_code"),
    )


def _idempotency_keys() -> None:
    create_table(
        "idempotency_keys",
        serial("idempotency_id"),
        *strings(64, "caller"),
        *strings(255, "key"),
        *strings(64, "fingerprint"),
        *strings(16, "state"),
        *wholes("status"),
        *texts("headers", "body"),
        *longs("lease_until"),
        *strings(64, "owner"),
        *longs("created_at"),
        UniqueConstraint("caller", "key"),
        Index(None, "created_at"),
    )


def _object_counts() -> None:
    create_table(
        "object_counts",
        code(64, "entity"),
        number("company_id"),
        code(1, "status"),
        number("slot"),
        *longs("n"),
    )
