"""The alerts of one logdir in the data folder: one file an alert, and one for each of what is known of all of them.

The server that watches the rules writes the alerts and the list of its rules; what users acknowledge and mute, and the
rules that they make, are apart, so that neither replaces what the other has written.
"""

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from toposcope.server.alerts.raised import Delivery, RaisedAlert
from toposcope.server.data_files.json_files import SUFFIX, Content, DamagedFileError, JsonFiles
from toposcope.server.values.alert import Level

LARGEST_FILE = 4 << 20
MAX_PAGE_RULES = 100
_RULES, _PAGE_RULES, _MARKS = "rules" + SUFFIX, "page_rules" + SUFFIX, "marks" + SUFFIX
_MAX_ACKNOWLEDGED, _MAX_MUTED = 20_000, 1000
Stored = TypeVar("Stored", bound=BaseModel)


class KnownRule(BaseModel):
    """A rule of a server's file."""

    model_config = ConfigDict(frozen=True)

    name: str
    when: str
    runs: str = ""
    """A search."""
    level: Level


class PageRule(KnownRule):
    """A rule that was made on the page."""

    made: float
    """When, in seconds since 1970: what happened before raises no alert."""


class PageRules(BaseModel):
    """The rules that were made on the page."""

    model_config = ConfigDict(frozen=True)

    rules: list[PageRule] = []


class Rules(BaseModel):
    """The rules of the file of the server that watches them, and up to when they have been watched."""

    model_config = ConfigDict(frozen=True)

    rules: list[KnownRule] = []
    watched: dict[str, float] = {}
    """When the runs were looked at for each rule, by its key, in seconds since 1970."""


class Marks(BaseModel):
    """What users have acknowledged and muted."""

    model_config = ConfigDict(frozen=True)

    acknowledged: dict[str, float] = {}
    """The ids of alerts, each with the time."""
    muted_runs: list[str] = []
    muted_rules: list[str] = []


class TooManyMutedError(ValueError):
    """No more runs or rules may be muted."""


class TooManyRulesError(ValueError):
    """No more rules may be made."""


class Created(NamedTuple):
    """What was stored of new alerts."""

    alerts: list[RaisedAlert]
    """Those that were not there before, or not for all of their destinations."""
    problems: dict[str, Exception]
    """Why others could not be stored, by id."""


class AlertFiles:
    """Reads and changes the files. Thread-safe; several servers may use the same folder."""

    def __init__(self, files: JsonFiles) -> None:
        self.files = files

    def read(self, file_name: str) -> RaisedAlert | Rules | PageRules | Marks:
        """Return what a file contains.

        Raises:
            OSError: the file cannot be read.
            DamagedFileError: it does not contain that.
        """
        content = self.files.read(file_name)
        if file_name == _RULES:
            return _validated(Rules, content)
        if file_name == _PAGE_RULES:
            return _validated(PageRules, content)
        if file_name == _MARKS:
            return _validated(Marks, content)
        return _validated(RaisedAlert, content)

    def create(self, alerts: Iterable[RaisedAlert]) -> Created:
        """Store new alerts; those that another server has stored are sent to destinations that it does not have."""
        new: dict[str, RaisedAlert] = {}

        def creation(alert: RaisedAlert) -> Callable[[Content | None], Content]:
            def change(stored: Content | None) -> Content:
                known = {} if stored is None else stored.get("deliveries", {})
                if stored is not None and alert.deliveries.keys() <= known.keys():
                    new.pop(alert.id, None)
                    return stored
                content = {**alert.model_dump(), "deliveries": {**alert.model_dump()["deliveries"], **known}}
                new[alert.id] = RaisedAlert.model_validate(content)
                return content

            return change

        problems = self.files.update_many((alert.id + SUFFIX, creation(alert)) for alert in alerts)
        failed = {name.removesuffix(SUFFIX): error for name, error in problems.items()}
        return Created([alert for alert in new.values() if alert.id not in failed], failed)

    def note(self, alert: str, destination: str, delivery: Delivery) -> None:
        """Store how far an alert has been delivered to a destination.

        Raises:
            OSError: the folder cannot be written.
        """

        def change(stored: Content | None) -> Content | None:
            if stored is None:  # Someone has deleted it.
                return None
            deliveries = {**stored.get("deliveries", {}), destination: delivery.model_dump()}
            return {**stored, "deliveries": deliveries}

        self.files.update(alert + SUFFIX, change)

    def watch(self, rules: list[KnownRule], watched: dict[str, float]) -> Rules:
        """Store the rules that are watched; return what was stored before.

        Args:
            rules: in the order of the file.
            watched: when the runs were looked at, by the keys of the rules; others keep their times.

        Raises:
            OSError: the folder cannot be written.
        """
        before = Rules()

        def change(stored: Content | None) -> Content:
            nonlocal before
            before = Rules() if stored is None else _validated(Rules, stored)
            return Rules(rules=rules, watched=before.watched | watched).model_dump()

        self.files.update(_RULES, change)
        return before

    def make_rule(self, rule: PageRule) -> PageRule:
        """Store a rule in place of the one of its name, and return it; an equal one stays as it is.

        Raises:
            OSError: the folder cannot be written.
            TooManyRulesError: there are too many.
        """
        stored = rule

        def change(rules: dict[str, PageRule]) -> None:
            nonlocal stored
            old = rules.get(rule.name)
            if old is None and len(rules) >= MAX_PAGE_RULES:
                raise TooManyRulesError(f"expected at most {MAX_PAGE_RULES} rules: delete one before you make another")
            is_equal = old is not None and old == rule.model_copy(update={"made": old.made})
            rules[rule.name] = stored = old if old is not None and is_equal else rule

        self._change_page_rules(change)
        return stored

    def delete_rule(self, name: str) -> None:
        """Delete a rule that was made on the page, if there is one.

        Raises:
            OSError: the folder cannot be written.
        """
        self._change_page_rules(lambda rules: rules.pop(name, None))

    def _change_page_rules(self, change: Callable[[dict[str, PageRule]], object]) -> None:
        def changed(stored: Content | None) -> Content:
            before = PageRules() if stored is None else _validated(PageRules, stored)
            rules = {rule.name: rule for rule in before.rules}
            change(rules)
            return PageRules(rules=list(rules.values())).model_dump()

        self.files.update(_PAGE_RULES, changed)

    def acknowledge(self, ids: Iterable[str]) -> None:
        """Mark alerts as seen.

        Raises:
            OSError: the folder cannot be written.
        """
        seen = list(ids)

        def change(marks: Marks) -> Marks:
            acknowledged = marks.acknowledged | dict.fromkeys(seen, time.time())
            newest = sorted(acknowledged.items(), key=lambda item: -item[1])[:_MAX_ACKNOWLEDGED]
            return marks.model_copy(update={"acknowledged": dict(newest)})

        self._change_marks(change)

    def mute(self, *, run: str | None = None, rule: str | None = None, is_muted: bool) -> None:
        """Mute the alerts of a run or of a rule, or end that.

        Raises:
            OSError: the folder cannot be written.
            TooManyMutedError: too many are muted.
        """

        def changed(names: list[str], name: str | None) -> list[str]:
            if name is None:
                return names
            others = [each for each in names if each != name]
            if is_muted and len(others) >= _MAX_MUTED:
                raise TooManyMutedError(f"expected at most {_MAX_MUTED} muted runs or rules")
            return [*others, name] if is_muted else others

        self._change_marks(
            lambda marks: marks.model_copy(
                update={"muted_runs": changed(marks.muted_runs, run), "muted_rules": changed(marks.muted_rules, rule)}
            )
        )

    def _change_marks(self, change: Callable[[Marks], Marks]) -> None:
        self.files.update(
            _MARKS, lambda stored: change(Marks() if stored is None else _validated(Marks, stored)).model_dump()
        )


def _validated(kind: type[Stored], content: Content) -> Stored:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        (first, *_) = error.errors()
        raise DamagedFileError(f"its {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
