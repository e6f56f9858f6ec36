"""`python -m bench`: prints the tables that docs/benchmarks.md explains."""

import argparse
import os
import statistics
from collections.abc import Iterator
from dataclasses import replace

from bench import growth
from bench.cases import USUAL, requests, unit_of
from bench.load import Request, numbers, run
from bench.servers import authorization, serving
from bench.stores import DemoStore, prepared

_LIMIT_PREFIX = "/limit/"


def main() -> None:
    """Read the options and measure."""
    options = _options()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    fresh = numbers()
    for kind in options.databases.split(","):
        store = prepared(kind, options.products, options.orders)
        title = f"{options.products:,} products, {options.orders:,} orders"
        compare(store, options.seconds, options.rounds, fresh, title)
    if options.large:
        for kind in options.databases.split(","):
            growth.compare(kind, options.small, options.large, fresh)
            growth.compare_orders(kind, options.small, options.large, fresh)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--products", type=int, default=100_000)
    parser.add_argument("--orders", type=int, default=100_000)
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--seconds", type=float, default=1.5, help="of one round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=1_000_000, help="0: no growth")
    return parser.parse_args()


def compare(
    store: DemoStore, seconds: float, rounds: int, fresh: Iterator[int], title: str
) -> None:
    """Ask all lines in turn, round by round, and print the medians of the ratios."""
    print(f"\n{store.kind}, {title}, one worker, requests per second")
    print(
        f"{'':15}{'storeapi':>10}{'limit':>9}{'usual':>9}{'of limit':>10}{'x usual':>9}"
    )
    with serving(store, ("storeapi", "limit", "usual")) as servers:
        for name in _cases(store, ""):
            asked = [line for line in servers if line != "usual" or name in USUAL]
            rates: dict[str, list[float]] = {line: [] for line in asked}
            for round_number in range(rounds):
                turn = round_number % len(asked)
                for line in asked[turn:] + asked[:turn]:
                    request = _cases(store, line)[name]
                    port = servers[line][0]
                    rates[line].append(run(port, request, seconds, fresh).rate)
            _print(name, rates)


def _cases(store: DemoStore, line: str) -> dict[str, Request]:
    """The cases as one of the lines is asked for them."""
    prefix = "/usual/" if line == "usual" else "/api/2.0/"
    found = requests(authorization(store), store.subject, prefix=prefix)
    if line == "limit":
        found = {
            name: replace(case, path=_LIMIT_PREFIX + name.replace(" ", "%20"))
            for name, case in found.items()
        }
    return unit_of(found)


def _print(name: str, rates: dict[str, list[float]]) -> None:
    middle = {line: statistics.median(each) for line, each in rates.items()}

    def ratio(line: str) -> float:
        pairs = zip(rates["storeapi"], rates[line], strict=True)
        return statistics.median(own / other for own, other in pairs)

    usual = f"{middle['usual']:9.0f}" if "usual" in rates else f"{'-':>9}"
    times = f"{ratio('usual'):9.1f}" if "usual" in rates else f"{'-':>9}"
    print(
        f"{name:15}{middle['storeapi']:10.0f}{middle['limit']:9.0f}{usual}"
        f"{ratio('limit'):10.2f}{times}",
        flush=True,
    )


if __name__ == "__main__":
    main()
