"""RuleEvents: what happened since the last time that rules are about."""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from toposcope.server.alerts.raised import RaisedAlert
from toposcope.server.alerts.recorded import RecordedAlerts
from toposcope.server.alerts.rules.condition import Comparison, NotFinite, Search
from toposcope.server.alerts.rules.rule import Rule
from toposcope.server.alerts.watching.raised_before import Event, RaisedBefore
from toposcope.server.alerts.watching.series_watch import Begin, Progress, RunPoints, new_begins
from toposcope.server.expressions.syntax import Number
from toposcope.server.notes.run_notes import RunNotes
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.search.language.query import Every, Query
from toposcope.server.search.language.syntax import Field
from toposcope.server.search.search import RunSearch

_BY_NAME = Field("name", "")

log = logging.getLogger(__name__)


class _Followed(NamedTuple):
    """How far the series of a run have been looked at."""

    attempts: int
    """How many it had."""
    progress: dict[str, Progress]
    """How far each rule has been evaluated, by its key."""


class RuleEvents:
    """Looks at what has changed, once for each rule.

    Args:
        raised: says which runs can raise no alert.
    """

    def __init__(self, raised: RaisedBefore) -> None:
        self._raised = raised
        self._search = RunSearch(Overview())
        self._recorded = RecordedAlerts()
        self._seen: Mapping[str, RunView] = {}
        self._followed: dict[str, _Followed] = {}
        """The runs whose series are looked at, by name."""
        self._known: set[str] = set()
        """The keys of rules for which all runs have been looked at."""
        self._holding: dict[str, set[str]] = {}
        """The runs that a search has found, by the key of the rule."""
        self._failed: set[str] = set()
        """The keys of rules that could not be looked at the last time."""
        self._problems: dict[str, str] = {}
        """Why rules, by their keys, cannot be looked at."""

    def add(self, alert: RaisedAlert) -> None:
        """Add an alert that an earlier server has raised: its condition holds."""
        self._holding.setdefault(alert.rule_key, set()).add(alert.run)

    def keep(self, rules: Iterable[Rule]) -> None:
        """Forget how far other rules have been evaluated."""
        keys = {rule.key for rule in rules}
        for followed in self._followed.values():
            for key in followed.progress.keys() - keys:
                del followed.progress[key]

    def look(
        self,
        rules: Collection[Rule],
        runs: Mapping[str, RunView],
        notes: Mapping[str, RunNotes],
        take: Callable[[Rule, Iterable[Event]], None],
    ) -> None:
        """Call take with the events of each rule; one that cannot be looked at is looked at again the next time."""
        changed = [name for name, run in runs.items() if self._seen.get(name) is not run]
        self._failed = set()
        of_run: dict[str, list[Rule]] = {}
        """The rules about series that may hold now."""
        for rule in rules:
            due = changed if rule.key in self._known else list(runs)
            with self._reporting(rule):
                if isinstance(rule.condition, Comparison | NotFinite):
                    for name in self._due(rule, runs, notes, due):
                        of_run.setdefault(name, []).append(rule)
                else:
                    take(rule, self._events(rule, runs, notes, due))
        for name, rules_of_run in of_run.items():
            points = RunPoints(runs[name])
            for rule in rules_of_run:
                with self._reporting(rule):
                    take(rule, self._crossings(rule, runs[name], points))
        self._seen = runs
        self._known = {rule.key for rule in rules} - self._failed
        for name in self._followed.keys() - runs.keys():
            del self._followed[name]

    @contextmanager
    def _reporting(self, rule: Rule) -> Iterator[None]:
        """Log why a rule cannot be looked at, once; it keeps no other from it, and all runs are looked at again."""
        try:
            yield
        except (ValueError, OSError) as error:
            if self._problems.get(rule.key) != str(error):
                log.warning("alerts: the rule %r cannot be looked at: %s", rule.name, error)
            self._problems[rule.key] = str(error)
            self._failed.add(rule.key)

    def _due(
        self, rule: Rule, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes], changed: Collection[str]
    ) -> Collection[str]:
        """Return those of the changed runs for which a rule is watched."""
        return changed if rule.runs is None or not changed else self._matching(rule.runs, runs, notes) & set(changed)

    def _events(
        self, rule: Rule, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes], changed: Collection[str]
    ) -> Iterator[Event]:
        """Yield what happened since the last time, of a rule that is not about series."""
        if isinstance(rule.condition, Search):
            yield from self._found(rule, rule.condition.query, runs, notes)
            return
        recorded = self._recorded.of({name: runs[name] for name in self._due(rule, runs, notes, changed)})
        if self._recorded.problems:  # The run need not change before its file can be read.
            self._failed.add(rule.key)
        for alert in (alert for alerts in recorded.values() for alert in reversed(alerts)):
            yield Event(alert.run, alert.wall_time, alert.step, alert.title, alert.text, alert.level, alert.id)

    def _crossings(self, rule: Rule, run: RunView, points: RunPoints) -> Iterator[Event]:
        """Yield where a rule about series began to hold since the last time."""
        condition = rule.condition
        assert isinstance(condition, Comparison | NotFinite), "it is about series"
        if self._raised.is_closed(rule, run):
            return
        followed = self._followed.get(run.name)
        if followed is None or followed.attempts != run.shape[2]:  # Steps may have been replaced: all are looked at.
            self._followed[run.name] = followed = _Followed(run.shape[2], {})
        progress = followed.progress.setdefault(rule.key, Progress())
        for begin in new_begins(condition, points, progress):
            text = _comparison_text(rule, condition, begin)
            yield Event(run.name, begin.wall_time, begin.step, rule.name, text, rule.level)

    def _found(
        self, rule: Rule, query: Query, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes]
    ) -> Iterator[Event]:
        found = self._matching(query if rule.runs is None else Every((query, rule.runs)), runs, notes)
        before = self._holding.get(rule.key, set())
        self._holding[rule.key] = found
        for name in sorted(found - before):
            run = runs[name]
            if not self._raised.is_old(rule, run):
                step = run.steps[1] if run.steps else None
                yield Event(name, time.time(), step, rule.name, _state_text(rule, run), rule.level)

    def _matching(self, query: Query, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes]) -> set[str]:
        return {run.name for run in self._search.find(runs, notes, query, _BY_NAME, False).runs}


def _comparison_text(rule: Rule, condition: Comparison | NotFinite, begin: Begin) -> str:
    sides = [condition.value] if isinstance(condition, NotFinite) else [condition.left, condition.right]
    values = [
        f"{side.text} is {value:.6g}"
        for side, value in zip(sides, begin.values, strict=True)
        if not isinstance(side.tree, Number)
    ]
    return f"At step {begin.step}, {' and '.join(values)} ({rule.when})."


def _state_text(rule: Rule, run: RunView) -> str:
    error = run.state.error
    reason = ": ".join(filter(None, (error.type, error.text.strip().partition("\n")[0]))) if error else ""
    condition = "" if rule.when == run.state_name else f": {rule.when}"
    return f"The run is {run.state_name}{f' ({reason})' if reason else ''}{condition}."
