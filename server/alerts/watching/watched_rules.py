"""WatchedRules: the rules of the file and those that were made on the page."""

import logging

from toposcope.server.alerts.alert_files import AlertFiles, KnownRule, PageRule
from toposcope.server.alerts.rules.rule import rule_of
from toposcope.server.alerts.rules.rules_file import RulesFile

log = logging.getLogger(__name__)


class WatchedRules:
    """The rules that are watched.

    Args:
        file: rules beside those of the page, and destinations; None: no others.
    """

    def __init__(self, file: RulesFile | None) -> None:
        self.of_file = file.rules if file else []
        self.destinations = file.destinations if file else {}
        self.all = self.of_file
        self._stored: list[PageRule] = []

    def read(self, stored: list[PageRule]) -> dict[str, float] | None:
        """Watch the rules of the page as they are stored now, and no others; return when each was made, by its key.

        None: they are those that were stored the last time.
        """
        if stored == self._stored:
            return None
        self._stored = stored
        made: dict[str, float] = {}
        self.all = list(self.of_file)
        for each in stored:
            try:
                rule = rule_of(each, tuple(self.destinations))
            except ValueError as error:  # A later version may know other conditions.
                log.warning("alerts: the rule %r cannot be watched: %s", each.name, error)
                continue
            self.all.append(rule)
            made[rule.key] = each.made
        return made

    def store(self, files: AlertFiles, watched: dict[str, float]) -> dict[str, float]:
        """Store the rules of the file, and when they were watched; return when they had been, by their keys."""
        if not self.of_file:
            return {}
        known = [
            KnownRule(name=rule.name, when=rule.when, runs=rule.runs_text, level=rule.level) for rule in self.of_file
        ]
        return files.watch(known, watched).watched
