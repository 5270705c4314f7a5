"""Watches the rules while runs grow, and raises alerts."""

import logging
import math
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from toposcope.server.alerts.alert_files import AlertFiles, KnownRule, PageRule
from toposcope.server.alerts.alerts import Alerts
from toposcope.server.alerts.raised import Delivery, RaisedAlert, id_of
from toposcope.server.alerts.recorded import RecordedAlerts
from toposcope.server.alerts.rules.condition import Comparison, NotFinite, Search
from toposcope.server.alerts.rules.rule import Rule, rule_of
from toposcope.server.alerts.rules.rules_file import RulesFile
from toposcope.server.alerts.sending.delivery import Senders
from toposcope.server.alerts.series_watch import Begin, Progress, RunPoints, new_begins
from toposcope.server.expressions.syntax import Number
from toposcope.server.loading.publishing.snapshot import Snapshot, Update
from toposcope.server.notes.run_notes import RunNotes
from toposcope.server.places.place import reason_of
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.search.language.query import Every, Query
from toposcope.server.search.language.syntax import Field
from toposcope.server.search.search import RunSearch
from toposcope.server.values.alert import Level

_LEAST_SECONDS = 0.2
"""How long after the last time the rules are looked at again, at least; and ..."""
_SHARE = 4
"""... so many times as long as it took: a fifth of a core at most."""
_RETRY_SECONDS = 10.0
_NOTE_SECONDS = 60.0
"""How often the data folder is updated with the time up to which the rules have been watched."""
_OLD_SECONDS = 3600.0
"""What happened this long before a rule of the file was watched, by this server or the one before, raises no alert."""
_BY_NAME = Field("name", "")

log = logging.getLogger(__name__)


class _Last(NamedTuple):
    """The last alert of a rule and a run."""

    number: int
    wall_time: float


class _Followed(NamedTuple):
    """How far the series of a run have been looked at."""

    attempts: int
    """How many it had."""
    progress: dict[str, Progress]
    """How far each rule has been evaluated, by its key."""


class _Event(NamedTuple):
    """Something that a rule is about."""

    run: str
    wall_time: float
    step: int | None
    title: str
    text: str
    level: Level
    recorded: str | None = None


class AlertWatch:
    """Looks at the rules in a thread of its own after each change of the runs.

    Args:
        rules_file: rules beside those that were made on the page, and destinations; None: no others.
        files: where alerts and the rules that were made on the page are stored.
        snapshot: returns the present runs.
        notes: returns the notes on runs, by name.
    """

    def __init__(
        self,
        rules_file: RulesFile | None,
        files: AlertFiles,
        snapshot: Callable[[], Snapshot],
        notes: Callable[[], Mapping[str, RunNotes]],
    ) -> None:
        self._file_rules = rules_file.rules if rules_file else []
        self._destinations = rules_file.destinations if rules_file else {}
        self._page_rules: list[PageRule] = []
        self._rules = self._file_rules
        """All of them."""
        self._files = files
        self._alerts = Alerts(files)
        self._snapshot = snapshot
        self._notes = notes
        self._search = RunSearch(Overview())
        self._recorded = RecordedAlerts()
        self._senders = Senders(self._destinations, files.note)
        self._since: dict[str, float] = {}
        """For each rule, by its key, the time before which what happened raises no alert, in seconds since 1970."""
        self._last: dict[tuple[str, str], _Last] = {}
        """The last alerts, by the key of the rule and the name of the run."""
        self._seen: Mapping[str, RunView] = {}
        self._followed: dict[str, _Followed] = {}
        """The runs whose series are looked at, by name."""
        self._known: set[str] = set()
        """The keys of rules for which all runs have been looked at."""
        self._holding: dict[str, set[str]] = {}
        """The runs that a search has found, by the key of the rule."""
        self._reported: set[tuple[str, str]] = set()
        """The keys of rules, and the ids of the recorded alerts that they have raised."""
        self._failed: set[str] = set()
        """The keys of rules that could not be looked at the last time."""
        self._problems: dict[str, str] = {}
        """Why rules, by their keys, cannot be looked at."""
        self._unstored: list[RaisedAlert] = []
        self._noted = time.monotonic()
        self._changed = threading.Event()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="toposcope-alerts", daemon=True)

    def start(self) -> None:
        """Start to watch."""
        self._alerts.start(self._changed.set)
        self._thread.start()

    def stop(self) -> None:
        """Stop; returns soon, with what is being sent noted if its destination answers."""
        self._is_stopping = True
        self._changed.set()
        self._thread.join(_RETRY_SECONDS)
        self._alerts.stop()
        self._senders.stop()

    def notice(self, _: Update) -> None:
        """Look at the rules again; called in the loading thread after each change."""
        self._changed.set()

    def _run(self) -> None:
        while not self._is_stopping and not self._restore():
            self._changed.wait(_RETRY_SECONDS)
        self._senders.start()
        self._changed.set()
        while not self._is_stopping:
            self._changed.wait(_RETRY_SECONDS)
            self._changed.clear()
            begin = time.thread_time()
            try:
                self._look()
                self._note()
            except Exception:  # The top of the thread: the next change is looked at.
                log.exception("alerts: the rules cannot be looked at")
            self._rest(max(_LEAST_SECONDS, _SHARE * (time.thread_time() - begin)))

    def _rest(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self._is_stopping and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _LEAST_SECONDS))

    def _restore(self) -> bool:
        """Continue where an earlier server stopped; return False if the data folder cannot be used at present."""
        try:
            watched = self._store_rules({})
            before = self._alerts.current()
        except OSError as error:
            log.error("alerts: %s cannot be used: %s", self._alerts.path, reason_of(error))
            return False
        for problem in before.problems:
            log.warning("alerts: %s", problem)
        self._since = {rule.key: watched.get(rule.key, time.time()) - _OLD_SECONDS for rule in self._file_rules}
        for alert in before.alerts.values():
            place = alert.rule_key, alert.run
            last = self._last.get(place)
            if last is None or alert.wall_time >= last.wall_time:
                self._last[place] = _Last(alert.number, alert.wall_time)
            self._holding.setdefault(alert.rule_key, set()).add(alert.run)
            if alert.recorded is not None:
                self._reported.add((alert.rule_key, alert.recorded))
            self._senders.add(alert)
        return True

    def _note(self) -> None:
        """Store up to when the rules have been watched, once a minute, unless an alert is not stored yet."""
        if self._unstored or time.monotonic() - self._noted < _NOTE_SECONDS:
            return
        self._noted = time.monotonic()
        try:
            self._store_rules(dict.fromkeys((rule.key for rule in self._file_rules), time.time()))
        except OSError as error:
            log.warning("alerts: %s cannot be written: %s", self._alerts.path, reason_of(error))

    def _store_rules(self, watched: dict[str, float]) -> dict[str, float]:
        """Store the rules of the file, and when they were watched; return when they had been, by their keys."""
        if not self._file_rules:
            return {}
        known = [
            KnownRule(name=rule.name, when=rule.when, runs=rule.runs_text, level=rule.level)
            for rule in self._file_rules
        ]
        return self._files.watch(known, watched).watched

    def _look(self) -> None:
        """Raise the alerts of all rules; what cannot be stored is tried again."""
        self._read_page_rules()
        snapshot = self._snapshot()
        if snapshot.loading or not self._rules:
            return
        notes, runs, seen = self._notes(), snapshot.runs, self._seen
        changed = [name for name, run in runs.items() if seen.get(name) is not run]
        alerts: list[RaisedAlert] = []
        self._failed = set()
        of_run: dict[str, list[Rule]] = {}
        """The rules about series that may hold now."""
        for rule in self._rules:
            due = changed if rule.key in self._known else list(runs)
            with self._reporting(rule):
                if isinstance(rule.condition, Comparison | NotFinite):
                    for name in self._due(rule, runs, notes, due):
                        of_run.setdefault(name, []).append(rule)
                else:
                    self._raise(rule, self._events(rule, runs, notes, due), alerts)
        for name, rules in of_run.items():
            points = RunPoints(runs[name])
            for rule in rules:
                with self._reporting(rule):
                    self._raise(rule, self._crossings(rule, runs[name], points), alerts)
        self._seen = runs
        self._known = {rule.key for rule in self._rules} - self._failed
        for name in self._followed.keys() - runs.keys():
            del self._followed[name]
        self._store([*self._unstored, *alerts])

    def _read_page_rules(self) -> None:
        """Watch the rules that were made on the page, and no longer those that were deleted there."""
        stored = self._alerts.current().page_rules
        if stored == self._page_rules:
            return
        self._page_rules = stored
        self._rules = [*self._file_rules, *filter(None, map(self._page_rule, stored))]
        keys = {rule.key for rule in self._rules}
        for followed in self._followed.values():
            for key in followed.progress.keys() - keys:
                del followed.progress[key]

    def _page_rule(self, stored: PageRule) -> Rule | None:
        try:
            rule = rule_of(stored, tuple(self._destinations))
        except ValueError as error:  # A later version may know other conditions.
            log.warning("alerts: the rule %r cannot be watched: %s", stored.name, error)
            return None
        self._since[rule.key] = stored.made
        return rule

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

    def _raise(self, rule: Rule, events: Iterable[_Event], alerts: list[RaisedAlert]) -> None:
        """Add an alert to a list for each event that raises one."""
        for event in events:
            if self._is_new(rule, event):
                alerts.append(self._alert(rule, event))

    def _store(self, alerts: list[RaisedAlert]) -> None:
        if not alerts:
            return
        created, problems = self._files.create(alerts)
        self._unstored = [alert for alert in alerts if alert.id in problems]
        for error in list(problems.values())[:1]:
            log.error("alerts: %d alerts cannot be stored, and are tried again: %s", len(problems), error)
        for alert in created:
            self._senders.add(alert)

    def _due(
        self, rule: Rule, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes], changed: Collection[str]
    ) -> Collection[str]:
        """Return those of the changed runs for which a rule is watched."""
        return changed if rule.runs is None or not changed else self._matching(rule.runs, runs, notes) & set(changed)

    def _events(
        self, rule: Rule, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes], changed: Collection[str]
    ) -> Iterator[_Event]:
        """Yield what happened since the last time, of a rule that is not about series."""
        if isinstance(rule.condition, Search):
            yield from self._found(rule, rule.condition.query, runs, notes)
            return
        recorded = self._recorded.of({name: runs[name] for name in self._due(rule, runs, notes, changed)})
        for alert in (alert for alerts in recorded.values() for alert in reversed(alerts)):
            yield _Event(alert.run, alert.wall_time, alert.step, alert.title, alert.text, alert.level, alert.id)

    def _crossings(self, rule: Rule, run: RunView, points: RunPoints) -> Iterator[_Event]:
        """Yield where a rule about series began to hold since the last time."""
        condition = rule.condition
        assert isinstance(condition, Comparison | NotFinite), "it is about series"
        if self._is_old(rule, run) or ((rule.key, run.name) in self._last and math.isinf(rule.cooldown)):
            return
        followed = self._followed.get(run.name)
        if followed is None or followed.attempts != run.shape[2]:  # Steps may have been replaced: all are looked at.
            self._followed[run.name] = followed = _Followed(run.shape[2], {})
        progress = followed.progress.setdefault(rule.key, Progress())
        for begin in new_begins(condition, points, progress):
            text = _comparison_text(rule, condition, begin)
            yield _Event(run.name, begin.wall_time, begin.step, rule.name, text, rule.level)

    def _found(
        self, rule: Rule, query: Query, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes]
    ) -> Iterator[_Event]:
        found = self._matching(query if rule.runs is None else Every((query, rule.runs)), runs, notes)
        before = self._holding.get(rule.key, set())
        self._holding[rule.key] = found
        for name in sorted(found - before):
            run = runs[name]
            if not self._is_old(rule, run):
                step = run.steps[1] if run.steps else None
                yield _Event(name, time.time(), step, rule.name, _state_text(rule, run), rule.level)

    def _is_old(self, rule: Rule, run: RunView) -> bool:
        """Return whether a run ended long before the rule was watched."""
        return not (run.live or run.may_be_alive) and (run.updated or 0.0) < self._since[rule.key]

    def _matching(self, query: Query, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes]) -> set[str]:
        return {run.name for run in self._search.find(runs, notes, query, _BY_NAME, False).runs}

    def _is_new(self, rule: Rule, event: _Event) -> bool:
        """Return whether an event raises an alert, which then counts as raised."""
        if event.wall_time < self._since[rule.key] or (rule.key, event.recorded) in self._reported:
            return False
        last = self._last.get((rule.key, event.run))
        if last is None or (event.recorded is not None and math.isinf(rule.cooldown)):
            return True
        return event.wall_time >= last.wall_time + rule.cooldown

    def _alert(self, rule: Rule, event: _Event) -> RaisedAlert:
        place = rule.key, event.run
        number = self._last[place].number + 1 if place in self._last else 0
        self._last[place] = _Last(number, event.wall_time)
        identity = id_of(rule.key, event.run, number)
        if event.recorded is not None:
            self._reported.add((rule.key, event.recorded))
            identity = id_of(rule.key, event.recorded)
        is_muted = self._alerts.current().is_muted(event.run, rule.name)
        return RaisedAlert(
            id=identity,
            run=event.run,
            rule=rule.name,
            rule_key=rule.key,
            number=number,
            recorded=event.recorded,
            title=event.title,
            text=event.text,
            level=event.level,
            step=event.step,
            wall_time=event.wall_time,
            deliveries={} if is_muted else dict.fromkeys(rule.destinations, Delivery()),
        )


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
