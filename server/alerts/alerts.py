"""The alerts that rules have raised, and the rules, kept up to date when this or another server stores some."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from toposcope.server.alerts.alert_files import AlertFiles, Marks, PageRule, PageRules, Rules
from toposcope.server.alerts.raised import RaisedAlert
from toposcope.server.data_files.watching.watched_files import WatchedFiles


class AlertsSnapshot(NamedTuple):
    """All raised alerts at some moment; never changes."""

    alerts: Mapping[str, RaisedAlert]
    """The alerts, by id."""
    rules: Rules
    page_rules: list[PageRule]
    marks: Marks
    problems: list[str]
    """Why some could not be read, one sentence each."""

    def is_muted(self, run: str, rule: str | None) -> bool:
        """Return whether alerts of a run and a rule are muted."""
        return run in self.marks.muted_runs or rule in self.marks.muted_rules


class Alerts:
    """Watches a folder and publishes by replacing one reference."""

    def __init__(self, folder: AlertFiles) -> None:
        self.folder = folder
        self._snapshot = AlertsSnapshot(MappingProxyType({}), Rules(), [], Marks(), [])
        self._files = WatchedFiles("alerts", folder.files, folder.read, self._publish)

    @property
    def path(self) -> str:
        """The folder."""
        return self._files.path

    def start(self, subscriber: Callable[[], None]) -> None:
        """Start watching; subscriber is called, in any thread, after a change."""
        self._files.start(lambda _: subscriber())

    def stop(self) -> None:
        """Stop watching; returns when the thread has ended."""
        self._files.stop()

    def current(self) -> AlertsSnapshot:
        """Return all alerts as they are now."""
        self._files.look()
        return self._snapshot

    def acknowledge(self, ids: Iterable[str]) -> None:
        """Mark alerts as seen; see AlertFiles.acknowledge."""
        self.folder.acknowledge(ids)
        self._files.refresh(is_changed=True)

    def mute(self, *, run: str | None = None, rule: str | None = None, is_muted: bool) -> None:
        """Mute the alerts of a run or of a rule; see AlertFiles.mute."""
        self.folder.mute(run=run, rule=rule, is_muted=is_muted)
        self._files.refresh(is_changed=True)

    def make_rule(self, rule: PageRule) -> PageRule:
        """Store a rule; see AlertFiles.make_rule."""
        stored = self.folder.make_rule(rule)
        self._files.refresh(is_changed=True)
        return stored

    def delete_rule(self, name: str) -> None:
        """Delete a rule that was made on the page; see AlertFiles.delete_rule."""
        self.folder.delete_rule(name)
        self._files.refresh(is_changed=True)

    def _publish(self, entries: list[RaisedAlert | Rules | PageRules | Marks], problems: list[str]) -> list[str]:
        old = self._snapshot
        alerts = {entry.id: entry for entry in entries if isinstance(entry, RaisedAlert)}
        rules = next((entry for entry in entries if isinstance(entry, Rules)), Rules())
        page_rules = next((entry.rules for entry in entries if isinstance(entry, PageRules)), [])
        marks = next((entry for entry in entries if isinstance(entry, Marks)), Marks())
        self._snapshot = AlertsSnapshot(MappingProxyType(alerts), rules, page_rules, marks, problems)
        changed = [each for each in old.alerts.keys() | alerts.keys() if old.alerts.get(each) != alerts.get(each)]
        before = old.rules.rules, old.page_rules, old.marks
        return changed if (rules.rules, page_rules, marks) == before else [*changed, "rules"]
