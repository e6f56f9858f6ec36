"""Every kind reads back what it wrote, and fails in one way only."""

import datetime as dt
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import ValidationError
from sqlalchemy import Column, MetaData, String, Table

from storeapi.core.kinds import (
    Choice,
    Code,
    Decimal,
    Email,
    Fields,
    Flag,
    Id,
    IdList,
    Integer,
    Money,
    Text,
    Timestamp,
    Url,
    errors_of,
)

COLUMN = Table("t", MetaData(), Column("note", String(99), nullable=True)).c.note
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
AMOUNTS = st.integers(0, 10**12 - 1)
IDS = st.lists(st.integers(0, 2**31 - 1), unique=True, max_size=8)
STORED = [
    (Id(), st.integers(1, 2**31 - 1)),
    (Id(zero=True, native=True), st.integers(0, 2**31 - 1)),
    (Integer(), st.integers(0, 2**31 - 1)),
    (Integer(minimum=-9, maximum=9, native=True), st.integers(-9, 9)),
    (Decimal(3), st.integers(1 - 10**12, 10**12 - 1)),
    (Decimal(3, trimmed=True), st.integers(1 - 10**12, 10**12 - 1)),
    (Decimal(1, native=True), st.integers(1 - 10**12, 10**12 - 1)),
    (Money(), AMOUNTS),
    (Money(native=True), AMOUNTS),
    (Timestamp(), st.integers(0, 2**40)),
    (Timestamp(minimum=-(2**40), native=True), st.integers(-(2**40), 2**40)),
    (Text(), TEXTS),
    (Text(required=True), TEXTS.filter(str.strip)),
    (Choice("A", "D", "all_pages"), st.sampled_from(["A", "D", "all_pages"])),
    (Flag(), st.sampled_from("YN")),
    (Flag(native=True), st.sampled_from("YN")),
    (Code(), st.sampled_from(["", "en", "pt"])),
    (Code(upper=True), st.sampled_from(["", "PT"])),
    (Email(), st.from_regex(r"[a-z+]{1,20}@([a-z]{1,9}\.)+[a-z]{2,9}", fullmatch=True)
     .filter(lambda text: len(text) <= 128)),
    (Url(), st.from_regex(r"https?://[a-z]{1,9}(:80)?(/[a-z%?#]*)?", fullmatch=True)),
    (Url(bare=True), st.from_regex(r"[a-z]{1,9}(/[a-z]*)?", fullmatch=True)),
    (IdList(), IDS.map(lambda ids: ",".join(map(str, ids)))),
    (IdList(array=True), IDS.map(lambda ids: ",".join(map(str, ids)))),
]  # fmt: skip
NULLABLE = Money()
NULLABLE.bind(COLUMN)

NUMBERS = st.integers() | st.floats() | st.integers(-(10**5000), 10**5000)
LIKE_NUMBERS = st.from_regex(r"[-+ ]?[0-9\u0660-\u0669_,.eE:TZ-]{0,30}", fullmatch=True)
SCALARS = st.none() | st.booleans() | NUMBERS | st.text() | LIKE_NUMBERS
SURROGATES = st.text(st.characters(categories=["Cs", "Cc", "L"]))
JSON = st.recursive(
    SCALARS | SURROGATES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=6,
)
KINDS = [kind for kind, _ in STORED] + [NULLABLE, IdList(required=True)]


class EveryField(Fields):
    id = Id(required=True)
    text = Text(maxlength=9, aliases=("other",))
    flag = Flag()
    money = Money(required=True)
    time = Timestamp()
    ids = IdList()
    read_only = Integer(dump_only=True)


SCHEMA = EveryField()
NAMES = ["id", "text", "other", "flag", "money", "time", "ids", "read_only", "x"]


@settings(deadline=None)
@given(st.data())
@pytest.mark.parametrize(("kind", "stored"), STORED)
def test_kind_reads_back_what_it_wrote(kind, stored, data):
    value = data.draw(stored)
    write = kind.writer()
    assert kind.read(value if write is None else write(value)) == value


@given(AMOUNTS | st.none())
def test_nullable_kind_reads_back_null(value):
    assert NULLABLE.read(NULLABLE.writer()(value)) == value


@settings(deadline=None, max_examples=500)
@given(JSON)
def test_any_json_is_read_or_refused(value):
    for kind in KINDS:
        with suppress(ValidationError):
            stored = kind.read(value)
            assert isinstance(stored, int | str) or (stored is value is None)


@settings(deadline=None, max_examples=500)
@given(st.text() | SURROGATES | LIKE_NUMBERS)
def test_any_filter_is_read_or_refused(text):
    for kind in KINDS:
        with suppress(ValidationError):
            assert isinstance(kind.read_filter(text), int | str)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), JSON) | JSON, st.booleans())
def test_any_payload_is_loaded_or_refused(payload, partial):
    loaded, errors = {}, []
    try:
        loaded = SCHEMA.load(payload, partial=partial)
    except ValidationError as error:
        errors = [found.field for found in errors_of(error)]
    assert sorted(set(errors)) == sorted(errors)
    assert loaded.keys() <= {"id", "text", "flag", "money", "time", "ids"}


@given(st.datetimes(dt.datetime(1970, 1, 2), timezones=st.just(dt.UTC)))  # noqa: DTZ001  (hypothesis adds the zone)
def test_times_are_read_exactly(moment):
    assert Timestamp().read(moment.isoformat()) == int(
        moment.replace(microsecond=0).timestamp()
    )


@given(st.decimals(0, 10**6, places=5))
def test_money_is_rounded_half_up(amount):
    cents, rest = divmod(int(amount * 100000), 1000)
    assert Money().read(f"{amount:f}") == cents + (rest >= 500)
