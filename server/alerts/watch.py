"""Watches the rules while runs grow, and raises alerts."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping

from toposcope.server.alerts.alert_files import AlertFiles
from toposcope.server.alerts.alerts import Alerts
from toposcope.server.alerts.raised import RaisedAlert
from toposcope.server.alerts.rules.rule import Rule
from toposcope.server.alerts.rules.rules_file import RulesFile
from toposcope.server.alerts.sending.delivery import Senders
from toposcope.server.alerts.watching.raised_before import Event, RaisedBefore
from toposcope.server.alerts.watching.rule_events import RuleEvents
from toposcope.server.alerts.watching.watched_rules import WatchedRules
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
_OLD_SECONDS = 3600.0
"""What happened this long before a rule of the file was watched, by this server or the one before, raises no alert."""

log = logging.getLogger(__name__)


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
        self._rules = WatchedRules(rules_file)
        self._alerts = Alerts(files)
        self._snapshot = snapshot
        self._notes = notes
        self._raised = RaisedBefore()
        self._events = RuleEvents(self._raised)
        self._senders = Senders(self._rules.destinations, files.note)
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
            watched = self._rules.store(self._alerts.folder, {})
            before = self._alerts.current()
        except OSError as error:
            log.error("alerts: %s cannot be used: %s", self._alerts.path, reason_of(error))
            return False
        for problem in before.problems:
            log.warning("alerts: %s", problem)
        self._raised.begin(
            {rule.key: watched.get(rule.key, time.time()) - _OLD_SECONDS for rule in self._rules.of_file}
        )
        for alert in before.alerts.values():
            self._raised.add(alert)
            self._events.add(alert)
            self._senders.add(alert)
        return True

    def _note(self) -> None:
        """Store up to when the rules have been watched, once a minute, unless an alert is not stored yet."""
        if self._unstored or time.monotonic() - self._noted < _NOTE_SECONDS:
            return
        self._noted = time.monotonic()
        try:
            now = dict.fromkeys((rule.key for rule in self._rules.of_file), time.time())
            self._rules.store(self._alerts.folder, now)
        except OSError as error:
            log.warning("alerts: %s cannot be written: %s", self._alerts.path, reason_of(error))

    def _look(self) -> None:
        """Raise the alerts of all rules; what cannot be stored is tried again."""
        made = self._rules.read(self._alerts.current().page_rules)
        if made is not None:
            self._raised.begin(made)
            self._events.keep(self._rules.all)
        snapshot = self._snapshot()
        if snapshot.loading or not self._rules.all:
            return
        alerts = list(self._unstored)

        def take(rule: Rule, events: Iterable[Event]) -> None:
            for event in events:
                if self._raised.is_new(rule, event):
                    is_muted = self._alerts.current().is_muted(event.run, rule.name)
                    alerts.append(self._raised.alert(rule, event, is_muted=is_muted))

        self._events.look(self._rules.all, snapshot.runs, self._notes(), take)
        self._store(alerts)

    def _store(self, alerts: list[RaisedAlert]) -> None:
        if not alerts:
            return
        created, problems = self._alerts.folder.create(alerts)
        self._unstored = [alert for alert in alerts if alert.id in problems]
        for error in list(problems.values())[:1]:
            log.error("alerts: %d alerts cannot be stored, and are tried again: %s", len(problems), error)
        for alert in created:
            self._senders.add(alert)
