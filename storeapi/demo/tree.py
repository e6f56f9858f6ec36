"""The categories of a demo store: departments, types, and brands where it is large."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from storeapi.demo.words import BRANDS, DEPARTMENTS, Ware, Words
from storeapi.rules.slugs import slug

PRODUCTS_PER_LEAF = 300
_PRODUCTS_PER_TYPE = 8


@dataclass(frozen=True, slots=True)
class Node:
    """A category that is to be written."""

    category_id: int
    name: Words
    position: int
    parent: "Node | None" = None

    @property
    def path(self) -> str:
        """The IDs from the root to here."""
        own = str(self.category_id)
        return own if self.parent is None else f"{self.parent.path}/{own}"

    @property
    def slug(self) -> str:
        """The last part of its address."""
        return slug(self.name[0]) or str(self.category_id)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A category without children: what is sold there, and by which brand if one."""

    node: Node
    ware: Ware
    brand: str | None


@dataclass(frozen=True, slots=True)
class Tree:
    """The categories of one company, roots first, and its leaves."""

    nodes: tuple[Node, ...]
    leaves: tuple[Leaf, ...]


def grow(first_id: int, products: int, *, departments: slice) -> Tree:
    """Make the tree of a company that is to hold so many products.

    Shapes: `departments` are those that the company deals in; a leaf gets about
    300 products, and fewer in a small store.
    """
    chosen = DEPARTMENTS[departments]
    types = max(len(chosen), min(products // _PRODUCTS_PER_TYPE, 5 * len(chosen)))
    brands = min(len(BRANDS), -(-products // (types * PRODUCTS_PER_LEAF)))
    ids = count(first_id)
    nodes: list[Node] = []
    leaves: list[Leaf] = []
    for place, department in enumerate(chosen):
        root = Node(next(ids), department.name, place * 10)
        nodes.append(root)
        wanted = types // len(chosen) + (place < types % len(chosen))
        for position, ware in enumerate(department.wares[:wanted]):
            node = Node(next(ids), ware.plural, position * 10, root)
            nodes.append(node)
            found = _branch(node, ware, brands, ids)
            nodes += [leaf.node for leaf in found if leaf.node is not node]
            leaves += found
    return Tree(tuple(nodes), tuple(leaves))


def _branch(node: Node, ware: Ware, brands: int, ids: Iterator[int]) -> list[Leaf]:
    """The leaves of a type: itself, or one for each brand."""
    if brands <= 1:
        return [Leaf(node, ware, None)]
    start = node.category_id
    names = [BRANDS[(start + number) % len(BRANDS)] for number in range(brands)]
    return [
        Leaf(Node(next(ids), (name, name), place * 10, node), ware, name)
        for place, name in enumerate(sorted(names))
    ]
