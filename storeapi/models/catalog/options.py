"""Options: what a customer chooses or enters, and what goes together."""

from sqlalchemy import BigInteger, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    Flag,
    InLanguage,
    Label,
    Letter,
    Line,
    Long,
    Model,
    Prose,
    Serial,
    SortKey,
    Whole,
    link,
    owner,
    str_,
)

CHOICE_LENGTH = 765
"""Length of a choice as text: `option_variant` pairs joined by colons."""


class Option(Model):
    """An option of one product, or a global one (no product)."""

    __tablename__ = "options"
    __table_args__ = (
        Index(None, "product_id", "position", "option_id"),
        Index(None, "position", "option_id"),
        Index(None, "company_id", "position", "option_id"),
    )

    option_id: Mapped[Serial]
    product_id: Mapped[int | None] = link("products.product_id", "CASCADE")
    company_id: Mapped[int] = link("companies.company_id")
    option_type: Mapped[Letter] = mapped_column(default="S")
    inventory: Mapped[Flag] = mapped_column(default="Y")
    required: Mapped[Flag]
    regexp: Mapped[Prose]
    multiupload: Mapped[Flag]
    allowed_extensions: Mapped[Line]
    max_file_size: Mapped[Long]
    missing_variants_handling: Mapped[Letter] = mapped_column(default="M")
    status: Mapped[Letter] = mapped_column(default="A")
    position: Mapped[Whole]


class OptionText(Model):
    """The texts of an option in one language."""

    __tablename__ = "option_texts"
    __table_args__ = (Index(None, "lang_code", "option_name_key", "option_id"),)

    option_id: Mapped[int] = owner("options.option_id")
    lang_code: Mapped[InLanguage]
    option_name: Mapped[Line]
    option_name_key: Mapped[SortKey]
    option_text: Mapped[Prose]
    incorrect_message: Mapped[Prose]
    inner_hint: Mapped[Prose]
    description: Mapped[Prose]
    comment: Mapped[Prose]


class OptionVariant(Model):
    """A value of an option to choose, and what it adds.

    Units: modifiers in thousandths, of a unit (`A`) or of a per cent (`P`).
    """

    __tablename__ = "option_variants"
    __table_args__ = (Index(None, "option_id", "position", "variant_id"),)

    variant_id: Mapped[Serial]
    option_id: Mapped[int] = link("options.option_id", "CASCADE")
    position: Mapped[Whole]
    modifier: Mapped[Long]
    modifier_type: Mapped[Letter] = mapped_column(default="A")
    weight_modifier: Mapped[Long]
    weight_modifier_type: Mapped[Letter] = mapped_column(default="A")
    point_modifier: Mapped[Long]
    point_modifier_type: Mapped[Letter] = mapped_column(default="A")


class OptionVariantText(Model):
    """The name of an option's variant in one language."""

    __tablename__ = "option_variant_texts"

    variant_id: Mapped[int] = owner("option_variants.variant_id")
    lang_code: Mapped[InLanguage]
    variant_name: Mapped[Line]


class ProductOption(Model):
    """The use of a global option by a product."""

    __tablename__ = "product_options"
    __table_args__ = (Index(None, "option_id", "product_id"),)

    product_id: Mapped[int] = owner("products.product_id")
    option_id: Mapped[int] = owner("options.option_id")


class Combination(Model):
    """A choice of variants with its own stock.

    `choice` is the canonical text of the choice: pairs in the order of the
    options, `44_118:45_121`; a product has each choice once.
    """

    __tablename__ = "combinations"
    __table_args__ = (
        UniqueConstraint("product_id", "choice"),
        Index(None, "product_id", "position", "combination_hash"),
        Index(None, "product_code", "combination_hash"),
    )

    combination_hash: Mapped[int] = mapped_column(
        BigInteger, primary_key=True, autoincrement=False
    )
    product_id: Mapped[int] = link("products.product_id", "CASCADE")
    choice: Mapped[str] = mapped_column(str_(CHOICE_LENGTH))
    product_code: Mapped[Label]
    amount: Mapped[Whole]
    position: Mapped[Whole]
    temp: Mapped[Flag]


class CombinationVariant(Model):
    """A variant that a combination names: finds it when the variant goes."""

    __tablename__ = "combination_variants"
    __table_args__ = (
        Index(None, "option_id", "combination_hash"),
        Index(None, "variant_id", "combination_hash"),
    )

    combination_hash: Mapped[int] = owner("combinations.combination_hash")
    option_id: Mapped[int] = owner("options.option_id")
    variant_id: Mapped[int] = link("option_variants.variant_id", "CASCADE")


class OptionException(Model):
    """A choice that is forbidden, or the only one allowed.

    `choice` as in `Combination`, with -1 for any variant and -2 for none.
    """

    __tablename__ = "exceptions"
    __table_args__ = (
        UniqueConstraint("product_id", "choice"),
        Index(None, "product_id", "exception_id"),
    )

    exception_id: Mapped[Serial]
    product_id: Mapped[int] = link("products.product_id", "CASCADE")
    choice: Mapped[str] = mapped_column(str_(CHOICE_LENGTH))


class ExceptionVariant(Model):
    """An option that an exception names; its variant is null for -1 and -2."""

    __tablename__ = "exception_variants"
    __table_args__ = (
        Index(None, "option_id", "exception_id"),
        Index(None, "variant_id", "exception_id"),
    )

    exception_id: Mapped[int] = owner("exceptions.exception_id")
    option_id: Mapped[int] = owner("options.option_id")
    variant_id: Mapped[int | None] = link("option_variants.variant_id", "CASCADE")
