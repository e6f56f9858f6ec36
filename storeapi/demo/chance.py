"""The chance by which a demo store is made: equal seeds make equal stores."""

import random


def chance_of(key: int | str) -> random.Random:
    """Make a source of chance; each subject of the demo has its own."""
    return random.Random(key)  # noqa: S311 (nothing here is secret)
