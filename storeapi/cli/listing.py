"""The command that lists the registered entities."""

import click

from storeapi.cli.opening import read_settings
from storeapi.core.access import names_of
from storeapi.core.entity import OPERATIONS, Entity
from storeapi.core.registry import load_registry
from storeapi.rules.callers import KNOWN_PRIVILEGES


@click.command()
def entities() -> None:
    """List the entities: where they come from, their nestings and privileges."""
    settings = read_settings()
    registry = load_registry(
        settings.plugins, settings.disabled_entities, KNOWN_PRIVILEGES
    )
    for registered in registry:
        entity = registered.entity
        click.echo(f"{entity.name}  ({registered.package})")
        if entity.parents:
            click.echo(f"  under       {', '.join(sorted(entity.parents))}")
        children = sorted(registry.children(entity.name))
        if children:
            click.echo(f"  above       {', '.join(children)}")
        for operation in OPERATIONS:
            click.echo(f"  {operation:<11} {privilege_text(entity, operation)}")


def privilege_text(entity: type[Entity], operation: str) -> str:
    """Say who may do an operation."""
    needed = entity.privileges.get(operation, False)
    text = " or ".join(names_of(needed)) or ("every user" if needed else "nobody")
    if entity.privileges_customer.get(operation):
        text += "; open to customers"
    return text
