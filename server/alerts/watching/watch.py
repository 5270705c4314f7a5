"""Watches the rules while runs grow, and raises alerts."""

import logging
import threading
import time
from collections.abc import Callable, Mapping

from toposcope.server.alerts.alert_files import AlertFiles, KnownRule, Rules
from toposcope.server.alerts.alerts import Alerts
from toposcope.server.alerts.raised import Delivery, RaisedAlert
from toposcope.server.alerts.rules_file import Rule, RulesFile
from toposcope.server.alerts.sending.delivery import Senders
from toposcope.server.alerts.watching.past_alerts import PastAlerts, RuleEvent
from toposcope.server.alerts.watching.rule_events import RuleEvents
from toposcope.server.loading.publishing.snapshot import Snapshot, Update
from toposcope.server.notes.run_notes import RunNotes
from toposcope.server.places.place import reason_of

_LEAST_SECONDS = 0.2
"""How long after the last time the rules are looked at again, at least; and ..."""
_SHARE = 4
"""... so many times as long as it took: a fifth of a core at most."""
_RETRY_SECONDS = 10.0
_NOTE_SECONDS = 60.0
"""How often the data folder is updated with the time up to which the rules have been watched."""

log = logging.getLogger(__name__)


class AlertWatch:
    """Looks at the rules in a thread of its own after each change of the runs.

    Args:
        rules_file: the rules and destinations.
        files: where alerts are stored.
        snapshot: returns the present runs.
        notes: returns the notes on runs, by name.
    """

    def __init__(
        self,
        rules_file: RulesFile,
        files: AlertFiles,
        snapshot: Callable[[], Snapshot],
        notes: Callable[[], Mapping[str, RunNotes]],
    ) -> None:
        self._rules = rules_file.rules
        self._past = PastAlerts()
        self._events = RuleEvents(self._rules, notes, self._past)
        self._files = files
        self._alerts = Alerts(files)
        self._snapshot = snapshot
        self._senders = Senders(rules_file.destinations, files.note)
        self._unstored: list[RaisedAlert] = []
        self._noted = time.monotonic()
        self._changed = threading.Event()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="toposcope-alerts", daemon=True)

    def start(self) -> None:
        """Start to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Stop; returns soon, with what is being sent noted if its destination answers."""
        self._is_stopping = True
        self._changed.set()
        self._thread.join(_RETRY_SECONDS)
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
            watched = self._watch({}).watched
            before = self._alerts.current()
        except OSError as error:
            log.error("alerts: %s cannot be used: %s", self._alerts.path, reason_of(error))
            return False
        for problem in before.problems:
            log.warning("alerts: %s", problem)
        self._past.restore(self._rules, watched, before.alerts.values())
        self._events.restore(before.alerts.values())
        for alert in before.alerts.values():
            self._senders.add(alert)
        return True

    def _watch(self, until: dict[str, float]) -> Rules:
        """Store the rules, and until when each was watched, by its key; return what was stored before."""
        known = [KnownRule(name=rule.name, when=rule.when, level=rule.level) for rule in self._rules]
        return self._files.watch(known, until)

    def _note(self) -> None:
        """Store up to when the rules have been watched, once a minute, unless an alert is not stored yet."""
        if self._unstored or time.monotonic() - self._noted < _NOTE_SECONDS:
            return
        self._noted = time.monotonic()
        try:
            self._watch(dict.fromkeys(self._past.since, time.time()))
        except OSError as error:
            log.warning("alerts: %s cannot be written: %s", self._alerts.path, reason_of(error))

    def _look(self) -> None:
        """Raise the alerts of all rules; what cannot be stored is tried again."""
        snapshot = self._snapshot()
        if snapshot.loading:
            return
        events = self._events.take(snapshot.runs)
        alerts = [self._alert(rule, event) for rule, event in events if self._past.is_new(rule, event)]
        self._store([*self._unstored, *alerts])

    def _store(self, alerts: list[RaisedAlert]) -> None:
        if not alerts:
            return
        created, problems = self._files.create(alerts)
        self._unstored = [alert for alert in alerts if alert.id in problems]
        for error in list(problems.values())[:1]:
            log.error("alerts: %d alerts cannot be stored, and are tried again: %s", len(problems), error)
        for alert in created:
            self._senders.add(alert)

    def _alert(self, rule: Rule, event: RuleEvent) -> RaisedAlert:
        identity, number = self._past.add(rule, event)
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
