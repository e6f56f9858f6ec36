"""Kinds in a schema: every bad field at once, names, columns, descriptions."""

import pytest
from marshmallow import ValidationError, fields
from sqlalchemy import Column, MetaData, String, Table, func
from sqlalchemy import Integer as IntegerColumn
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from storeapi.core.errors import FieldError
from storeapi.core.kinds import (
    ABSENT,
    Choice,
    Code,
    Constant,
    Decimal,
    Derived,
    Email,
    Fields,
    Flag,
    Id,
    IdList,
    Integer,
    Kind,
    Letter,
    Money,
    Nested,
    Problem,
    Text,
    Timestamp,
    Url,
    errors_of,
    invalid,
)


class Pair(Nested):
    """A nested value with a field of its own."""

    def load(self, db, ids, context):
        return {}

    def parse(self, value):
        if not isinstance(value, dict):
            return
        problem = Problem("is unknown", "unknown")
        raise ValidationError({"detailed": {"path": ["is odd"]}, "_schema": [problem]})

    def save(self, db, owner_id, value, context):
        raise AssertionError


class PointFields(Fields):
    point_id = Id(dump_only=True, listed=True)
    title = Text(required=True, maxlength=5, aliases=("name", "label"))
    fee = Money()
    status = Choice("A", "D")
    main_pair = Pair()
    options = Constant([])


SCHEMA = PointFields()


def outcome(way, payload, partial):
    try:
        return way(payload, partial=partial)
    except ValidationError as error:
        return errors_of(error)


def load(payload, *, partial=False):
    """Load by `load`, with which `read` has to agree."""
    ways = (SCHEMA.load, SCHEMA.read)
    whole, quick = (outcome(way, payload, partial) for way in ways)
    assert quick == whole
    return SCHEMA.load(payload, partial=partial)


def errors(payload, **options):
    with pytest.raises(ValidationError) as caught:
        load(payload, **options)
    return errors_of(caught.value)


def test_load_returns_stored_values_of_what_was_sent():
    assert load({"title": 5, "fee": "1.5"}) == {"title": "5", "fee": 150}


def test_load_drops_read_only_and_unknown_names():
    payload = {"title": "a", "point_id": "7", "options": [1], "prcie": 1}
    assert load(payload) == {"title": "a"}


def test_partial_load_leaves_absent_fields_out():
    assert load({"status": "D"}, partial=True) == {"status": "D"}


def test_all_bad_fields_are_reported_in_order():
    assert errors({"status": "Z", "fee": "x", "main_pair": {}}) == [
        FieldError("title", "is required", "required"),
        FieldError("fee", "must be a decimal number", "invalid"),
        FieldError("status", "must be one of A, D", "unknown"),
        FieldError("main_pair.detailed.path", "is odd", "invalid"),
        FieldError("main_pair", "is unknown", "unknown"),
    ]


def test_partial_load_reports_what_was_sent_only():
    assert errors({"title": None, "fee": -1}, partial=True) == [
        FieldError("title", "is required", "required"),
        FieldError("fee", "must be between 0.00 and 9999999999.99", "out_of_range"),
    ]
    assert errors({"title": "abcdef"}, partial=True) == [
        FieldError("title", "is longer than 5 characters", "too_long")
    ]


@pytest.mark.parametrize("payload", [None, [], "x", 5])
def test_payload_has_to_be_an_object(payload):
    with pytest.raises(ValidationError) as caught:
        SCHEMA.load(payload)
    assert errors_of(caught.value) == [FieldError("", "must be an object", "invalid")]


def test_error_outside_a_schema_is_listed_too():
    assert errors_of(ValidationError(["a", "b"], "fee")) == [
        FieldError("fee", "a"),
        FieldError("fee", "b"),
    ]
    assert errors_of(invalid("is odd")) == [FieldError("", "is odd")]


def test_alias_is_resolved_in_a_copy():
    payload = {"name": "a", "fee": 1}
    assert load(payload) == {"title": "a", "fee": 100}
    assert payload == {"name": "a", "fee": 1}


def test_own_name_wins_over_aliases():
    assert load({"label": "b", "title": "a", "name": "c"}) == {"title": "a"}


def test_payload_without_alias_is_not_copied():
    payload = {"title": "a"}
    assert SCHEMA.resolve_aliases(payload) is payload


def test_unknown_names_know_aliases_and_read_only_fields():
    payload = {"name": 1, "point_id": 1, "prcie": 1, "fee": 1}
    assert SCHEMA.unknown_names(payload) == ["prcie"]


def test_kinds_stand_in_the_order_of_the_declaration():
    class More(PointFields):
        extra = Flag()

    names = ["point_id", "title", "fee", "status", "main_pair", "options", "extra"]
    assert list(More().kinds) == names


def test_alias_that_is_taken_stops_the_start():
    class Clash(Fields):
        a = Text()
        b = Text(aliases=("a",))

    with pytest.raises(TypeError, match="alias a of field b is taken"):
        Clash()


def test_field_that_is_no_kind_stops_the_start():
    class Plain(Fields):
        a = fields.String()

    with pytest.raises(TypeError, match="field a is not a kind"):
        Plain()


def test_options_are_checked():
    with pytest.raises(TypeError, match="Text has no option requird"):
        Text(requird=True)
    with pytest.raises(TypeError, match="read-only"):
        Text(required=True, dump_only=True)


def test_options_have_their_defaults():
    kind = Text()
    assert (kind.listed, kind.create_only, kind.internal) == (False, False, False)
    assert (kind.translated, kind.filterable, kind.column) == (False, True, None)
    assert kind.versions == ("1.0", "2.0")
    assert Id(create_only=True, versions=("2.0",)).create_only is True


TABLE = Table(
    "points",
    MetaData(),
    Column("title", String(4), nullable=False),
    Column("layout", String(9), nullable=False, default="default"),
    Column("note", String(9), nullable=True),
    Column("amount", IntegerColumn, nullable=False, default=1),
    Column("level", IntegerColumn, nullable=True, default=1),
    Column("time", IntegerColumn, nullable=False, default=lambda: 7),
)


def bound(kind, name):
    kind.bind(TABLE.c[name])
    return kind


def test_length_comes_from_the_column():
    assert bound(Text(), "title").maxlength == 4
    assert bound(Text(maxlength=2), "title").maxlength == 2
    assert bound(Text(maxlength=9), "title").maxlength == 4
    assert bound(IdList(), "title").maxlength == 4
    with pytest.raises(ValidationError, match="too many"):
        bound(IdList(), "title").read("1,2,3")


def test_null_becomes_what_the_column_says():
    assert bound(Integer(), "amount").read(None) == 1
    assert bound(Integer(default=3), "amount").read(None) == 3
    assert bound(Integer(), "level").read(None) is None
    assert bound(Text(), "layout").read(None) == ""
    assert bound(Choice("default"), "layout").read(None) == "default"
    assert bound(Text(), "note").read(None) is None


def test_null_without_default_is_refused():
    with pytest.raises(ValidationError, match="must not be null"):
        bound(Timestamp(), "time").read(None)
    with pytest.raises(ValidationError, match="is required"):
        bound(Integer(required=True), "level").read(None)


def test_writer_of_a_nullable_column_lets_null_pass():
    write = bound(Money(), "level").writer()
    assert [write(None), write(5)] == [None, "0.05"]
    assert bound(Money(), "amount").writer()(5) == "0.05"
    assert bound(Text(), "note").writer() is None


def test_other_expressions_may_be_null():
    kind = Integer()
    kind.bind(func.max(TABLE.c.amount))
    assert kind.writer()(None) is None


def test_binding_to_nothing_changes_nothing():
    kind = Text()
    kind.bind(None)
    IdList().bind(None)
    assert (kind.nullable, kind.maxlength) == (False, None)


def test_mapped_attributes_bind_like_their_columns():
    class Base(DeclarativeBase):
        pass

    class Point(Base):
        __tablename__ = "points"
        point_id: Mapped[int] = mapped_column(primary_key=True)
        fee: Mapped[int] = mapped_column(default=2)

    kind = Money()
    kind.bind(Point.fee)
    assert (kind.nullable, kind.read(None)) == (False, 2)


def test_derived_and_constant_are_read_only():
    kind = Derived(("a", "b"), max, optional=True, schema={"type": "integer"})
    assert (kind.inputs, kind.function(1, 2), kind.optional) == (("a", "b"), 2, True)
    assert (kind.dump_only, kind.filterable) == (True, False)
    assert Constant([]).value == []
    assert repr(ABSENT) == "ABSENT"


def test_kinds_have_to_say_their_methods():
    with pytest.raises(TypeError, match="Kind does not say parse"):
        Kind()
    with pytest.raises(TypeError, match="Nested does not say load"):
        Nested(dump_only=True)
    with pytest.raises(TypeError, match="Unsaved does not say save"):
        type("Unsaved", (Nested,), {"parse": Pair.parse})(load_only=True)


def test_nested_of_the_base_class_does_nothing():
    kind = Pair(flag=("get_pairs", False))
    assert kind.remove(None, [1], None) is None
    assert (kind.flag, kind.empty(), kind.read(None)) == (
        ("get_pairs", False),
        [],
        None,
    )
    with pytest.raises(ValidationError, match="is required"):
        Pair(required=True).read(None)
    assert Nested.load(kind, None, [], None) == {}
    assert Nested.save(kind, None, 1, [], None) is False
    with pytest.raises(ValidationError, match="is read-only"):
        Constant([]).read(1)


ASCII_ID = "^-?[0-9]+$"


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (Kind(dump_only=True), {"readOnly": True}),
        (Id(dump_only=True), {"type": "string", "pattern": ASCII_ID, "readOnly": True}),
        (
            Integer(native=True, maximum=9),
            {"type": "integer", "minimum": 0, "maximum": 9},
        ),
        (Text(maxlength=5), {"type": "string", "maxLength": 5}),
        (Text(load_only=True), {"type": "string", "writeOnly": True}),
        (Choice("A", "D"), {"type": "string", "enum": ["A", "D"]}),
        (Flag(), {"type": "string", "enum": ["Y", "N"]}),
        (Flag(native=True), {"type": "boolean"}),
        (Money(), {"type": "string", "pattern": r"^-?[0-9]+\.[0-9]{2}$"}),
        (Decimal(3, native=True), {"type": "number"}),
        (Code(), {"type": "string", "pattern": "^([a-z]{2})?$"}),
        (Code(upper=True, required=True), {"type": "string", "pattern": "^[A-Z]{2}$"}),
        (Email(), {"type": "string", "maxLength": 128}),
        (Email(required=True), {"type": "string", "maxLength": 128, "format": "email"}),
        (Url(), {"type": "string"}),
        (IdList(), {"type": "string", "pattern": "^([0-9]+(,[0-9]+)*)?$"}),
        (IdList(array="full"), {"type": "array", "items": {"type": "string"}}),
        (Constant([]), {"const": [], "readOnly": True}),
        (Derived((), max, schema={"type": "null"}), {"type": "null", "readOnly": True}),
        (bound(Choice("a"), "note"), {"type": ["string", "null"], "enum": ["a", None]}),
        (bound(Kind(dump_only=True), "note"), {"readOnly": True}),
    ],
)
def test_record_values_are_described(kind, schema):
    assert kind.describe() == schema


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (
            Integer(maximum=9),
            {
                "type": ["string", "integer"],
                "pattern": ASCII_ID,
                "minimum": 0,
                "maximum": 9,
            },
        ),
        (Text(), {"type": ["string", "number", "null"]}),
        (Text(required=True), {"type": ["string", "number"], "minLength": 1}),
        (
            Money(),
            {
                "type": ["string", "number"],
                "pattern": r"^-?[0-9]+(\.[0-9]+)?$",
                "minimum": 0,
                "maximum": 9999999999.99,
            },
        ),
        (Code(required=True), {"type": "string", "pattern": "^[A-Za-z]{2}$"}),
        (Url(), {"type": ["string", "null"]}),
        (Email(required=True), Email(required=True).describe()),
        (Timestamp(), {"type": ["string", "integer"], "minimum": 0, "maximum": 2**40}),
        (IdList(), {"type": ["string", "integer", "array", "object", "null"]}),
        (Constant(1), {"const": 1, "readOnly": True}),
    ],
)
def test_payload_values_are_described(kind, schema):
    assert kind.describe(payload=True) == schema


def test_flag_describes_its_spellings():
    spellings = Flag().describe(payload=True)["enum"]
    assert {Flag().read(value) for value in spellings} == {"Y", "N"}


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (Timestamp(), "x", "must be UNIX seconds, a date, or an ISO 8601 time"),
        (Choice("home", ""), "x", "must be one of home, an empty text"),
        (Letter(), "PP", "must be one letter or digit"),
        (Letter(), "", "must be one letter or digit"),
    ],
)
def test_a_fault_tells_what_is_taken(kind: Kind, value: str, text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        kind.read(value)
    assert str(caught.value.messages[0]).startswith(text)
