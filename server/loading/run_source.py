"""Where the application gets its runs from: a Logdir, or the replica of one in another process."""

from collections.abc import Callable, Iterable
from typing import Protocol

from toposcope.server.loading.publishing.snapshot import Snapshot, Update
from toposcope.server.reports.process_report import ProcessReport, Reports


class RunSource(Protocol):
    """Publishes snapshots of the runs of a logdir by replacing one reference."""

    @property
    def path(self) -> str:
        """The logdir."""

    own_report: Callable[[], ProcessReport]
    """Returns the report of this process."""

    @property
    def snapshot(self) -> Snapshot:
        """The last published snapshot."""

    def start(self) -> None:
        """Start to follow the logdir."""

    def stop(self) -> None:
        """Stop; returns when the thread has ended."""

    def prioritise(self, runs: Iterable[str]) -> None:
        """Load these runs before others."""

    def reports(self) -> Reports:
        """Return the reports of all processes of the server; waits for them for a second at most."""

    def subscribe(self, subscriber: Callable[[Update], None]) -> Callable[[], None]:
        """Call subscriber, in another thread, after each published change; return a function that ends this."""
