"""The command that writes the generated parts of the documents."""

from pathlib import Path

import click


@click.command()
@click.option(
    "--check", "checking", is_flag=True, help="Write nothing; fail if a part is stale."
)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The checkout that holds README.md and docs.",
)
@click.pass_context
def docs(context: click.Context, checking: bool, folder: Path) -> None:
    """Write what documents say of entities, settings and privileges.

    The parts between marks are written; the rest of each page is kept.
    """
    from storeapi.reference import BEGIN, Reference

    readme = folder / "README.md"
    if not readme.is_file() or BEGIN not in readme.read_text("utf-8"):
        raise click.ClickException(f"{readme} is not that of a checkout")
    reference = Reference(folder)
    if not checking:
        for file in reference.write():
            click.echo(f"wrote {file}")
        return
    faults = list(reference.faults())
    for fault in faults:
        click.echo(fault)
    if faults:
        click.echo("Run `storeapi docs`.", err=True)
        context.exit(1)
