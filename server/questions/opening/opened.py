"""A logdir that questions are asked about."""

from collections.abc import Callable, Mapping

from toposcope.server.notes.run_notes import RunNotes
from toposcope.server.runs.messages.console import Console
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.runs.tag_counts import TagCounts
from toposcope.server.search.search import RunSearch

Runs = Mapping[str, RunView]


class UnknownNameError(LookupError):
    """No run or tag has the name; the message is one sentence."""


class Opened:
    """A logdir, and what remembers what was computed of it. Threads may share it.

    Args:
        runs: returns all runs, by name.
        notes: returns the notes on runs, by name.
        overview: computes summaries of runs; None: a new one.
        search: finds runs, and uses the overview; None: a new one.
    """

    def __init__(
        self,
        runs: Callable[[], Runs],
        notes: Callable[[], Mapping[str, RunNotes]],
        overview: Overview | None = None,
        search: RunSearch | None = None,
    ) -> None:
        self._runs = runs
        self._notes = notes
        self.overview = overview or Overview()
        self.search = search or RunSearch(self.overview)
        self.console = Console()
        self.tag_counts = TagCounts()

    @property
    def runs(self) -> Runs:
        """All runs, by name, as they are now."""
        return self._runs()

    @property
    def notes(self) -> Mapping[str, RunNotes]:
        """The notes on runs, by name, as they are now."""
        return self._notes()


def find_run(runs: Runs, name: str) -> RunView:
    """Return the run with a name.

    Raises:
        UnknownNameError: there is none.
    """
    if name not in runs:
        raise UnknownNameError(f"there is no run {name!r}")
    return runs[name]
