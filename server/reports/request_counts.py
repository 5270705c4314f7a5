"""Counts requests by route, method and status, and how long replies took to begin.

In plain numbers: importing a library of metrics would delay the start.
"""

from bisect import bisect_left
from collections import Counter
from typing import NamedTuple

BUCKETS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds in seconds; the last bucket of a histogram has none."""


class Kind(NamedTuple):
    """Requests that are counted together."""

    route: str
    """The template of the path, without the prefix."""
    method: str
    status: int


class Latencies(NamedTuple):
    """How long replies took to begin."""

    buckets: list[int]
    """How many, by time."""
    seconds: float


class RequestCounts:
    """The requests that were answered; changed on the event loop only."""

    def __init__(self) -> None:
        self.kinds: Counter[Kind] = Counter()
        self.latencies: dict[str, Latencies] = {}
        """The latencies, by route."""

    def add(self, kind: Kind, seconds: float) -> None:
        """Count a request whose reply took some seconds to begin."""
        self.kinds[kind] += 1
        known = self.latencies.get(kind.route) or Latencies([0] * (len(BUCKETS) + 1), 0.0)
        known.buckets[bisect_left(BUCKETS, seconds)] += 1
        self.latencies[kind.route] = known._replace(seconds=known.seconds + seconds)
