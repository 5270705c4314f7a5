"""The alerts that trainings recorded, of all runs; those of runs that have not changed are kept."""

import logging
from collections.abc import Mapping
from typing import NamedTuple

from toposcope.server.alerts.raised import id_of
from toposcope.server.places.place import reason_of
from toposcope.server.runs.messages.recorded_alerts import recorded_alerts
from toposcope.server.runs.messages.recorded_messages import RecordedMessage
from toposcope.server.runs.run import RunView
from toposcope.server.values.alert import Alert, Level

log = logging.getLogger(__name__)


class ListedAlert(NamedTuple):
    """A recorded alert."""

    id: str
    run: str
    title: str
    text: str
    level: Level
    step: int
    wall_time: float
    """Seconds since 1970."""


class RecordedAlerts:
    """Reads the alerts of runs. Threads may share it: at worst they read an alert twice."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[RunView, list[ListedAlert]]] = {}
        self.problems: dict[str, str] = {}
        """Why alerts could not be read the last time, by run."""

    def of(self, runs: Mapping[str, RunView]) -> dict[str, list[ListedAlert]]:
        """Return the alerts of the runs that have any, by run, newest first."""
        self.problems = {}
        having = {name: run for name, run in runs.items() if "alert" in run.plugins}
        for name in self._read.keys() - having.keys():
            self._read.pop(name, None)
        return {name: self._of(run) for name, run in having.items()}

    def _of(self, run: RunView) -> list[ListedAlert]:
        known = self._read.get(run.name)
        if known is not None and known[0] is run:
            return known[1]
        try:
            found = [_listed(run.name, each) for each in recorded_alerts(run)[0]]
        except OSError as error:
            self.problems[run.name] = reason_of(error)
            log.warning("the alerts of run %r cannot be read: %s", run.name, self.problems[run.name])
            return known[1] if known is not None else []
        self._read[run.name] = run, found
        return found


def _listed(run: str, recorded: RecordedMessage[Alert]) -> ListedAlert:
    title, text, level = recorded.message
    identity = id_of("recorded", run, recorded.rank, recorded.step, repr(recorded.wall_time), title)
    return ListedAlert(identity, run, title, text, level, recorded.step, recorded.wall_time)
