"""The alerts of one logdir in the data folder: one file an alert, and one for each of what is known of all of them.

The server that watches the rules writes the alerts and the list of rules; what users acknowledge and mute is apart, so
that neither replaces what the other has written.
"""

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from toposcope.server.alerts.raised import Delivery, RaisedAlert
from toposcope.server.data_files.json_files import SUFFIX, Content, DamagedFileError, JsonFiles
from toposcope.server.values.alert import Level

LARGEST_FILE = 4 << 20
_RULES, _MARKS = "rules" + SUFFIX, "marks" + SUFFIX
_MAX_ACKNOWLEDGED, _MAX_MUTED = 20_000, 1000
Stored = TypeVar("Stored", bound=BaseModel)


class KnownRule(BaseModel):
    """A rule that is watched."""

    model_config = ConfigDict(frozen=True)

    name: str
    when: str
    level: Level


class Rules(BaseModel):
    """The rules that are watched, and up to when."""

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


class Created(NamedTuple):
    """What was stored of new alerts."""

    alerts: list[RaisedAlert]
    """Those that were not there before."""
    problems: dict[str, Exception]
    """Why others could not be stored, by id."""


class AlertFiles:
    """Reads and changes the files. Thread-safe; several servers may use the same folder."""

    def __init__(self, files: JsonFiles) -> None:
        self.files = files

    def read(self, file_name: str) -> RaisedAlert | Rules | Marks:
        """Return what a file contains.

        Raises:
            OSError: the file cannot be read.
            DamagedFileError: it does not contain that.
        """
        content = self.files.read(file_name)
        if file_name == _RULES:
            return _validated(Rules, content)
        if file_name == _MARKS:
            return _validated(Marks, content)
        return _validated(RaisedAlert, content)

    def create(self, alerts: Iterable[RaisedAlert]) -> Created:
        """Store new alerts; those that are stored already are left as they are."""
        new: dict[str, RaisedAlert] = {}

        def creation(alert: RaisedAlert) -> Callable[[Content | None], Content]:
            def change(stored: Content | None) -> Content:
                if stored is not None:
                    new.pop(alert.id, None)
                    return stored
                new[alert.id] = alert
                return alert.model_dump()

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
