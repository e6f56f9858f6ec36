"""Values come to the places that the text of a statement has for them."""

from typing import Any

import pytest
from sqlalchemy import bindparam, column, literal, select, table
from sqlalchemy.dialects import mysql, postgresql, sqlite

from storeapi.core.statement import Query

DIALECTS = [sqlite.dialect(), postgresql.psycopg.dialect(), mysql.pymysql.dialect()]
_things = table("things", column("id"), column("name"), column("color"))


def parameters(statement: Any, dialect: Any, **values: Any) -> list[Any]:
    return list(Query(statement).compiled(dialect, values).parameters(values))


def bound(name: str, *, many: bool = False) -> Any:
    return bindparam(name, expanding=True) if many else bindparam(name, required=True)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.name)
def test_names_constants_and_lists_in_any_order(dialect: Any) -> None:
    statement = select(literal("first"), bound("name")).where(
        _things.c.id.in_(bound("ids", many=True)),
        _things.c.color == "red",
        _things.c.name == bound("name"),
        _things.c.color.in_(bound("colors", many=True)),
        _things.c.id.not_in(bound("ids", many=True)),
    )
    found = parameters(statement, dialect, name="a", ids=[1, 2, 3], colors=("x",))
    ids = [1, 2, 3, 3]
    assert found == ["first", "a", *ids, "red", "a", "x", *ids]


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.name)
@pytest.mark.parametrize("ids", [[], [7], [7, 8], list(range(1, 6))])
def test_lists_of_any_length(dialect: Any, ids: list[int]) -> None:
    statement = select(_things.c.id).where(_things.c.id.in_(bound("ids", many=True)))
    wanted = ids + ids[-1:] * (8 - len(ids)) if len(ids) > 2 else ids
    assert parameters(statement, dialect, ids=ids) == wanted


def test_one_name_two_names_and_none() -> None:
    dialect = sqlite.dialect()
    one = select(_things.c.id).where(_things.c.name == bound("name"))
    assert parameters(one, dialect, name="a") == ["a"]
    assert parameters(
        one.where(_things.c.color == bound("color")), dialect, name="a", color="b"
    ) == ["a", "b"]
    assert parameters(select(_things.c.id), dialect) == []


def test_lists_that_are_too_long_are_refused() -> None:
    statement = select(_things.c.id).where(_things.c.id.in_(bound("ids", many=True)))
    with pytest.raises(ValueError, match="a list of 4097 values is too long"):
        parameters(statement, sqlite.dialect(), ids=list(range(4097)))


def test_a_thread_that_comes_while_another_compiles_finds_the_lists() -> None:
    statement = select(_things.c.id).where(_things.c.id.in_(bound("ids", many=True)))
    shared, values = Query(statement), {"ids": [1, 2]}
    found: list[Any] = []

    class Bases(dict[str, Any]):
        """Lets another thread use the statement at once when a base is there."""

        def __setitem__(self, name: str, base: Any) -> None:
            super().__setitem__(name, base)
            other = shared.compiled(DIALECTS[0], values)
            found.append(list(other.parameters(values)))

    shared._bases = Bases()
    found.append(list(shared.compiled(DIALECTS[0], values).parameters(values)))
    assert found == [[1, 2], [1, 2]]
