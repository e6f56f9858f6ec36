"""The full-text index over the words of products, of each database's own kind."""

from alembic import op

revision = "storeapi_0005"
down_revision = "storeapi_0004"
branch_labels = None
depends_on = None

INDEX = "product_search_fts"

# SQLite: the number of a row is its product's, with the two letters of its language.
_ROW = (
    "{row}.product_id * 1024 + (unicode({row}.lang_code) - 97) * 26"
    " + unicode(substr({row}.lang_code, 2)) - 97"
)
_NEW, _OLD = _ROW.format(row="new"), _ROW.format(row="old")
_PUT = f"INSERT INTO {INDEX} (rowid, tokens) VALUES ({_NEW}, new.tokens);"  # noqa: S608 (constants)
_TAKE = f"DELETE FROM {INDEX} WHERE rowid = {_OLD};"  # noqa: S608 (constants)
_WHEN = "ON product_search BEGIN"
_SQLITE = (
    f"CREATE VIRTUAL TABLE {INDEX} USING fts5(tokens, detail='none', prefix='4 5')",
    f"CREATE TRIGGER {INDEX}_put AFTER INSERT {_WHEN} {_PUT} END",
    f"CREATE TRIGGER {INDEX}_take AFTER DELETE {_WHEN} {_TAKE} END",
    f"CREATE TRIGGER {INDEX}_move AFTER UPDATE {_WHEN} {_TAKE} {_PUT} END",
)
# PostgreSQL: the language stands before each word, in place of the mark.
_WORDS = "to_tsvector('simple', replace(' ' || tokens, ' xx', ' ' || lang_code))"
_POSTGRESQL = (f"CREATE INDEX {INDEX} ON product_search USING gin ({_WORDS})",)
_MYSQL = (f"CREATE FULLTEXT INDEX {INDEX} ON product_search (tokens)",)


def upgrade() -> None:
    kind = op.get_bind().dialect.name
    for statement in {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}.get(kind, _MYSQL):
        op.execute(statement)
