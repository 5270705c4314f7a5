"""Sums over all runs, kept up to date where runs changed: there may be 100,000."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from toposcope.server.runs.run import RunView


class Totals(NamedTuple):
    """Sums over the files of all runs."""

    series: int = 0
    """One that several files of a run contain is counted in each."""
    events: int = 0
    damaged_records: int = 0

    def updated(self, old: Mapping[str, RunView], new: Mapping[str, RunView], changed: Collection[str]) -> "Totals":
        """Return the sums after some runs have changed.

        Args:
            old: all runs of these sums, by name.
            new: all runs after the change.
            changed: names of the runs whose files differ.
        """
        minus, plus = _sums(old, changed), _sums(new, changed)
        return Totals(*(total - less + more for total, less, more in zip(self, minus, plus, strict=True)))


def _sums(runs: Mapping[str, RunView], names: Collection[str]) -> Totals:
    series = events = damaged = 0
    for name in names:
        run = runs.get(name)
        for file in run.files if run is not None else ():
            series += len(file.series)
            events += file.counters.events
            damaged += len(file.damage)
    return Totals(series, events, damaged)
