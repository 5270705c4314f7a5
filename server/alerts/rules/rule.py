"""A rule: a condition, for which runs it is watched, and what happens when it begins to hold."""

import math
from typing import NamedTuple

from toposcope.server.alerts.alert_files import PageRule
from toposcope.server.alerts.rules import condition
from toposcope.server.alerts.rules.condition import Condition
from toposcope.server.data_files.data_folder import hashed
from toposcope.server.search.language import syntax
from toposcope.server.search.language.query import Query
from toposcope.server.values.alert import Level


class Rule(NamedTuple):
    """A rule that is watched."""

    name: str
    when: str
    condition: Condition
    runs_text: str
    runs: Query | None
    """Which runs it is watched for; None: all."""
    level: Level
    cooldown: float
    """Seconds after an alert before the rule may raise another one for the same run; infinite: never."""
    destinations: tuple[str, ...]
    key: str
    """Identifies the rule with its condition."""


def make_rule(
    name: str,
    when: str,
    runs: str,
    level: Level,
    cooldown: float = math.inf,
    destinations: tuple[str, ...] = (),
    version: str = "",
) -> Rule:
    """Return a rule.

    Args:
        name: of the rule.
        when: the condition.
        runs: a search; "": all runs.
        level: of its alerts.
        cooldown: in seconds.
        destinations: names.
        version: distinguishes rules that are otherwise equal.

    Raises:
        ValueError: `when` is no condition, or `runs` no search; the message says which and what was expected.
    """
    try:
        parsed = condition.parse(when)
    except ValueError as error:
        raise ValueError(f"when = {when!r}: {error}") from None
    try:
        query = syntax.parse(runs) if runs.strip() else None
    except ValueError as error:
        raise ValueError(f"runs = {runs!r}: {error}") from None
    key = hashed("\0".join((name, when, runs, *filter(None, [version]))))
    return Rule(name, when, parsed, runs, query, level, cooldown, destinations, key)


def rule_of(stored: PageRule, destinations: tuple[str, ...] = ()) -> Rule:
    """Return a rule that was made on the page; see make_rule()."""
    return make_rule(
        stored.name,
        stored.when,
        stored.runs,
        stored.level,
        destinations=destinations,
        version=repr(stored.made),
    )
