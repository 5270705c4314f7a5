"""The alerts that the rules have raised, so that none is raised twice, nor for what happened long ago."""

import math
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toposcope.server.alerts.raised import RaisedAlert, id_of
from toposcope.server.alerts.rules_file import Rule
from toposcope.server.runs.run import RunView
from toposcope.server.values.alert import Level

_OLD_SECONDS = 3600.0
"""What happened this long before a rule was watched, by this server or the one before, raises no alert."""


class RuleEvent(NamedTuple):
    """Something that a rule is about."""

    run: str
    wall_time: float
    step: int | None
    title: str
    text: str
    level: Level
    recorded: str | None = None
    """The id of the recorded alert; None: no recorder has raised it."""


class _Last(NamedTuple):
    """The last alert of a rule and a run."""

    number: int
    wall_time: float


class PastAlerts:
    """Remembers them by rule and run. Not thread-safe."""

    def __init__(self) -> None:
        self.since: dict[str, float] = {}
        """When each rule, by its key, was watched for the last time by an earlier server, else for the first time."""
        self._last: dict[tuple[str, str], _Last] = {}
        """By the key of the rule and the name of the run."""
        self._reported: set[tuple[str, str]] = set()
        """The keys of rules, and the ids of the recorded alerts that they have raised."""

    def restore(self, rules: Iterable[Rule], watched: Mapping[str, float], alerts: Iterable[RaisedAlert]) -> None:
        """Continue where an earlier server stopped.

        Args:
            rules: those that are watched now.
            watched: until when each rule was watched, by its key.
            alerts: all that were raised.
        """
        self.since = {rule.key: watched.get(rule.key, time.time()) for rule in rules}
        for alert in alerts:
            place = alert.rule_key, alert.run
            last = self._last.get(place)
            if last is None or alert.wall_time >= last.wall_time:
                self._last[place] = _Last(alert.number, alert.wall_time)
            if alert.recorded is not None:
                self._reported.add((alert.rule_key, alert.recorded))

    def is_old(self, rule: Rule, run: RunView) -> bool:
        """Return whether a run ended long before the rule was watched."""
        return not (run.live or run.may_be_alive) and (run.updated or 0.0) < self.since[rule.key] - _OLD_SECONDS

    def is_last(self, rule: Rule, run: str) -> bool:
        """Return whether a rule, of which a run raises one alert only, has raised it."""
        return (rule.key, run) in self._last and math.isinf(rule.cooldown)

    def is_new(self, rule: Rule, event: RuleEvent) -> bool:
        """Return whether an event raises an alert."""
        if event.wall_time < self.since[rule.key] - _OLD_SECONDS or (rule.key, event.recorded) in self._reported:
            return False
        last = self._last.get((rule.key, event.run))
        if last is None or (event.recorded is not None and math.isinf(rule.cooldown)):
            return True
        return event.wall_time >= last.wall_time + rule.cooldown

    def add(self, rule: Rule, event: RuleEvent) -> tuple[str, int]:
        """Count an event as raised; return (the id of its alert, its number among those of the rule and the run)."""
        place = rule.key, event.run
        number = self._last[place].number + 1 if place in self._last else 0
        self._last[place] = _Last(number, event.wall_time)
        if event.recorded is None:
            return id_of(rule.key, event.run, number), number
        self._reported.add((rule.key, event.recorded))
        return id_of(rule.key, event.recorded), number
