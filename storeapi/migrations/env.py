"""Runs changes of the tables on the connection that `storeapi.schema` hands over."""

from alembic import context

from storeapi.models import db

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=db.metadata,
    # SQLite changes a table by making it anew.
    render_as_batch=connection.dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()
