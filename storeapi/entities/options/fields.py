"""The fields of an option, in the order of spec/entities/options.md."""

from storeapi import Choice, Constant, Fields, Flag, Id, Integer, Text
from storeapi.entities.options.nested import VariantIcons, Variants


class OptionFields(Fields):
    """All fields of an option."""

    option_id = Id(dump_only=True, listed=True)
    product_id = Id(zero=True, required=True, create_only=True, listed=True)
    company_id = Id(zero=True, listed=True)
    option_name = Text(required=True, translated=True, listed=True)
    option_text = Text(translated=True, listed=True)
    option_type = Choice("S", "R", "C", "I", "T", "F", listed=True)
    inventory = Flag(listed=True)
    required = Flag(listed=True)
    regexp = Text(maxlength=1000, listed=True)
    incorrect_message = Text(translated=True, listed=True)
    inner_hint = Text(translated=True, listed=True)
    description = Text(translated=True, listed=True)
    comment = Text(translated=True, listed=True)
    multiupload = Flag(listed=True)
    allowed_extensions = Text(listed=True)
    max_file_size = Integer(listed=True)
    missing_variants_handling = Choice("M", "H", listed=True)
    status = Choice("A", "D", listed=True)
    position = Integer(listed=True)
    value = Constant("", listed=True)
    variants = Variants()
    main_pair = VariantIcons(load_only=True)
