"""What has happened since the last time that the rules are about."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from toposcope.server.alerts.condition import Comparison, NotFinite, Recorded, Search
from toposcope.server.alerts.raised import RaisedAlert
from toposcope.server.alerts.recorded import RecordedAlerts
from toposcope.server.alerts.rules_file import Rule
from toposcope.server.alerts.watching.past_alerts import PastAlerts, RuleEvent
from toposcope.server.alerts.watching.series_watch import Begin, Progress, new_begins
from toposcope.server.expressions.syntax import Number
from toposcope.server.notes.run_notes import RunNotes
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.search.language.query import Every, Query
from toposcope.server.search.language.syntax import Field
from toposcope.server.search.search import RunSearch

_BY_NAME = Field("name", "")


class RuleEvents:
    """Remembers how far each rule has looked. Not thread-safe.

    Args:
        rules: the rules.
        notes: returns the notes on runs, by name.
        past: the alerts that they have raised.
    """

    def __init__(self, rules: Sequence[Rule], notes: Callable[[], Mapping[str, RunNotes]], past: PastAlerts) -> None:
        self._rules = rules
        self._notes = notes
        self._past = past
        self._search = RunSearch(Overview())
        self._recorded = RecordedAlerts()
        self._seen: Mapping[str, RunView] = {}
        self._progress: dict[tuple[str, str], tuple[int, Progress]] = {}
        """The attempts of the run, and how far it was looked at, by the key of the rule and the name of the run."""
        self._holding: dict[str, set[str]] = {}
        """The runs that a search has found, by the key of the rule."""

    def restore(self, alerts: Iterable[RaisedAlert]) -> None:
        """Continue where an earlier server stopped, which has raised these alerts."""
        for alert in alerts:
            self._holding.setdefault(alert.rule_key, set()).add(alert.run)

    def take(self, runs: Mapping[str, RunView]) -> Iterator[tuple[Rule, RuleEvent]]:
        """Yield what happened since the last time, which counts as seen once all was taken."""
        notes, seen = self._notes(), self._seen
        changed = [name for name, run in runs.items() if seen.get(name) is not run]
        for rule in self._rules:
            for event in self._events(rule, runs, notes, changed):
                yield rule, event
        self._seen = runs
        for place in [place for place in self._progress if place[1] not in runs]:
            del self._progress[place]

    def _events(
        self, rule: Rule, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes], changed: Collection[str]
    ) -> Iterator[RuleEvent]:
        condition = rule.condition
        if isinstance(condition, Search):
            yield from self._found(rule, condition.query, runs, notes)
            return
        if rule.runs is not None and changed:
            changed = self._matching(rule.runs, runs, notes) & set(changed)
        if isinstance(condition, Recorded):
            recorded = self._recorded.of({name: runs[name] for name in changed})
            for alert in (alert for alerts in recorded.values() for alert in reversed(alerts)):
                yield RuleEvent(alert.run, alert.wall_time, alert.step, alert.title, alert.text, alert.level, alert.id)
            return
        for name in changed:
            run = runs[name]
            if self._past.is_old(rule, run) or self._past.is_last(rule, name):
                continue
            for begin in self._begins(rule, condition, run):
                text = _comparison_text(rule, condition, begin)
                yield RuleEvent(name, begin.wall_time, begin.step, rule.name, text, rule.level)

    def _begins(self, rule: Rule, condition: Comparison | NotFinite, run: RunView) -> list[Begin]:
        attempts, progress = self._progress.get((rule.key, run.name), (0, Progress()))
        if attempts != (now := run.shape[2]):  # Steps may have been replaced: everything is looked at again.
            progress = Progress()
        self._progress[rule.key, run.name] = now, progress
        return new_begins(condition, run, progress)

    def _found(
        self, rule: Rule, query: Query, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes]
    ) -> Iterator[RuleEvent]:
        found = self._matching(query if rule.runs is None else Every((query, rule.runs)), runs, notes)
        before = self._holding.get(rule.key, set())
        self._holding[rule.key] = found
        for name in sorted(found - before):
            run = runs[name]
            if not self._past.is_old(rule, run):
                step = run.steps[1] if run.steps else None
                yield RuleEvent(name, time.time(), step, rule.name, _state_text(rule, run), rule.level)

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
