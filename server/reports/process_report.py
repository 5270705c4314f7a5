"""What a process of the server reports of itself."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toposcope.server.reports.request_counts import Kind, Latencies, RequestCounts


class ProcessReport(NamedTuple):
    """Figures of one process, which workers send to the process that loads."""

    memory: int
    """Resident memory, in bytes."""
    processor_seconds: float
    connections: int = 0
    streams: int = 0
    """Open event streams."""
    kinds: Sequence[tuple[Kind, int]] = ()
    """How many requests of each kind were answered."""
    latencies: Mapping[str, Latencies] = {}
    """The latencies, by route."""
    lag: float | None = None
    """Seconds since the loader had last read everything; None: this process does not load, or loads only once."""


Reports = Mapping[str, ProcessReport]
"""The reports, by process: "main" loads; "0", "1", ... are workers."""


def own_report(counts: RequestCounts | None = None, connections: int = 0, streams: int = 0) -> ProcessReport:
    """Return the report of this process; without counts it answers no requests."""
    import psutil  # A start has no time for it.

    process = psutil.Process()
    times = process.cpu_times()
    memory, seconds = process.memory_info().rss, times.user + times.system
    if counts is None:
        return ProcessReport(memory, seconds)
    return ProcessReport(memory, seconds, connections, streams, list(counts.kinds.items()), dict(counts.latencies))


def parse_report(value: Any) -> ProcessReport:
    """Return a report that was encoded as JSON.

    Raises:
        LookupError, TypeError, ValueError: it is none.
    """
    memory, seconds, connections, streams, kinds, latencies, _ = value
    return ProcessReport(
        int(memory),
        float(seconds),
        int(connections),
        int(streams),
        [(Kind(str(route), str(method), int(status)), int(count)) for (route, method, status), count in kinds],
        {str(route): _latencies(*each) for route, each in latencies.items()},
    )


def _latencies(buckets: list[Any], seconds: Any) -> Latencies:
    return Latencies([int(count) for count in buckets], float(seconds))
