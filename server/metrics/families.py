"""The metric families of Prometheus, made of what the server keeps. Imported with the first request for them."""

import platform
from collections.abc import Iterable, Iterator
from itertools import accumulate

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.process.version import VERSION
from toposcope.server.reports.process_report import Reports
from toposcope.server.reports.request_counts import BUCKETS

MEDIA_TYPE = CONTENT_TYPE_LATEST


def metrics_text(snapshot: Snapshot, reports: Reports, warnings: Iterable[str]) -> bytes:
    """Return all metrics in the text format.

    Args:
        snapshot: of the logdir.
        reports: of all processes of the server.
        warnings: kinds of faults that do not stop the server.
    """
    registry = CollectorRegistry()
    registry.register(_Families(snapshot, reports, warnings))
    return generate_latest(registry)


class _Families(Collector):
    def __init__(self, snapshot: Snapshot, reports: Reports, warnings: Iterable[str]) -> None:
        self._snapshot = snapshot
        self._reports = reports
        self._warnings = warnings

    def collect(self) -> Iterator[Metric]:
        """Yield all families."""
        yield from _logdir(self._snapshot)
        yield _problems(self._snapshot, self._warnings)
        yield from _processes(self._reports)
        yield from _requests(self._reports)
        yield InfoMetricFamily(
            "toposcope_build", "The running program.", {"version": VERSION, "python": platform.python_version()}
        )


def _logdir(snapshot: Snapshot) -> Iterator[Metric]:
    progress, totals = snapshot.progress, snapshot.totals
    figures = [
        ("runs", "Runs in the logdir.", len(snapshot.runs)),
        ("series", "Series of all event files.", totals.series),
        ("events", "Events of all event files; each has a point of one or more series.", totals.events),
        ("damaged_records", "Damaged records in all event files.", totals.damaged_records),
        ("event_files", "Event files in the logdir.", progress.files),
        ("event_file_bytes", "Size of all event files.", progress.bytes),
        ("unread_event_files", "Event files with bytes that have not been read.", progress.waiting_files),
        ("unread_event_file_bytes", "Bytes that have not been read.", progress.bytes - progress.read_bytes),
        ("loading", "1 while files are read for the first time, else 0.", int(snapshot.loading)),
    ]
    for name, documentation, value in figures:
        yield GaugeMetricFamily(f"toposcope_{name}", documentation, value)


def _problems(snapshot: Snapshot, warnings: Iterable[str]) -> Metric:
    counts = snapshot.problem_counts._asdict() | {"stale_runs": len(snapshot.stale)}
    counts |= dict.fromkeys(warnings, 1)
    family = GaugeMetricFamily("toposcope_problems", "What is wrong at present, as in /api/health.", labels=["kind"])
    for kind, count in counts.items():
        family.add_metric([kind], count)
    return family


def _processes(reports: Reports) -> Iterator[Metric]:
    memory = GaugeMetricFamily("toposcope_resident_memory_bytes", "Memory of a process.", labels=["process"])
    seconds = CounterMetricFamily("toposcope_cpu_seconds", "Processor time of a process.", labels=["process"])
    connections = GaugeMetricFamily("toposcope_connections", "Open connections.", labels=["process"])
    streams = GaugeMetricFamily("toposcope_event_streams", "Open streams of /api/updates.", labels=["process"])
    for process, report in reports.items():
        memory.add_metric([process], report.memory)
        seconds.add_metric([process], report.processor_seconds)
        connections.add_metric([process], report.connections)
        streams.add_metric([process], report.streams)
        if report.lag is not None:
            text = "Seconds since the loader had last read everything that it knew of."
            yield GaugeMetricFamily("toposcope_loader_lag_seconds", text, report.lag)
    yield from (memory, seconds, connections, streams)


def _requests(reports: Reports) -> Iterator[Metric]:
    counter = CounterMetricFamily(
        "toposcope_requests", "Requests that were answered.", labels=["process", "route", "method", "status"]
    )
    histogram = HistogramMetricFamily(
        "toposcope_request_seconds", "From a request to the beginning of its reply.", labels=["process", "route"]
    )
    bounds = [*(str(bound) for bound in BUCKETS), "+Inf"]
    for process, report in reports.items():
        for kind, count in report.kinds:
            counter.add_metric([process, kind.route, kind.method, str(kind.status)], count)
        for route, (buckets, seconds) in report.latencies.items():
            cumulative = list(zip(bounds, accumulate(buckets), strict=True))
            histogram.add_metric([process, route], cumulative, seconds)
    yield from (counter, histogram)
