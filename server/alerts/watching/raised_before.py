"""RaisedBefore: the alerts that rules have raised, and so what raises another one."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from toposcope.server.alerts.raised import Delivery, RaisedAlert, id_of
from toposcope.server.alerts.rules.rule import Rule
from toposcope.server.runs.run import RunView
from toposcope.server.values.alert import Level


class Event(NamedTuple):
    """Something that a rule is about."""

    run: str
    wall_time: float
    step: int | None
    title: str
    text: str
    level: Level
    recorded: str | None = None
    """The id of the recorded alert that it is."""


class _Last(NamedTuple):
    """The last alert of a rule and a run."""

    number: int
    wall_time: float


class RaisedBefore:
    """What is remembered of raised alerts."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}
        """For each rule, by its key, the time before which what happened raises no alert, in seconds since 1970."""
        self._last: dict[tuple[str, str], _Last] = {}
        """The last alerts, by the key of the rule and the name of the run."""
        self._reported: set[tuple[str, str]] = set()
        """The keys of rules, and the ids of the recorded alerts that they have raised."""

    def begin(self, since: Mapping[str, float]) -> None:
        """Set the times, by the keys of rules, before which what happened raises no alert."""
        self._since.update(since)

    def add(self, alert: RaisedAlert) -> None:
        """Add an alert that an earlier server has raised."""
        place = alert.rule_key, alert.run
        last = self._last.get(place)
        if last is None or alert.wall_time >= last.wall_time:
            self._last[place] = _Last(alert.number, alert.wall_time)
        if alert.recorded is not None:
            self._reported.add((alert.rule_key, alert.recorded))

    def is_closed(self, rule: Rule, run: RunView) -> bool:
        """Return whether no series of a run raises an alert: it ended long before, or the rule raises only one."""
        return self.is_old(rule, run) or ((rule.key, run.name) in self._last and math.isinf(rule.cooldown))

    def is_old(self, rule: Rule, run: RunView) -> bool:
        """Return whether a run ended long before the rule was watched."""
        return not (run.live or run.may_be_alive) and (run.updated or 0.0) < self._since[rule.key]

    def is_new(self, rule: Rule, event: Event) -> bool:
        """Return whether an event raises an alert."""
        if event.wall_time < self._since[rule.key] or (rule.key, event.recorded) in self._reported:
            return False
        last = self._last.get((rule.key, event.run))
        if last is None or (event.recorded is not None and math.isinf(rule.cooldown)):
            return True
        return event.wall_time >= last.wall_time + rule.cooldown

    def alert(self, rule: Rule, event: Event, *, is_muted: bool) -> RaisedAlert:
        """Return the alert that an event raises, which then counts as raised."""
        place = rule.key, event.run
        number = self._last[place].number + 1 if place in self._last else 0
        recorded = event.recorded
        alert = RaisedAlert(
            id=id_of(rule.key, event.run, number) if recorded is None else id_of(rule.key, recorded),
            run=event.run,
            rule=rule.name,
            rule_key=rule.key,
            number=number,
            recorded=recorded,
            title=event.title,
            text=event.text,
            level=event.level,
            step=event.step,
            wall_time=event.wall_time,
            deliveries={} if is_muted else dict.fromkeys(rule.destinations, Delivery()),
        )
        self._last[place] = _Last(number, event.wall_time)
        if recorded is not None:
            self._reported.add((rule.key, recorded))
        return alert
