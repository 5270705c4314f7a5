"""StepCounter: W&B's steps. Values are collected until their step is complete, and a log() without a step ends one."""

import operator
from collections.abc import Callable
from typing import Any

from toposcope.recorder.record.logged_values import LoggedValues, nothing_logged
from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.wandb.errors import UsageError
from toposcope.recorder.wandb.reports import REPORTS

Write = Callable[[LoggedValues, int], None]


class StepCounter:
    """The current step and its values.

    Unlike W&B, which drops values of an earlier step than the current one, those are written at their step.
    """

    def __init__(self, write: Write, first: int = 0) -> None:
        """Start at a step; write receives the values of each complete step."""
        self.step = first
        self._write = write
        self._pending = nothing_logged()

    def add(self, values: LoggedValues, step: int | None, commit: bool | None) -> None:
        """Add values.

        Args:
            values: of a call of log(); the newer of a tag replaces the older of the same step.
            step: their step; a later one than the current completes that. None: the current step.
            commit: whether the step is complete. None: if step is None.
        """
        if step is not None and step < self.step:
            REPORTS.differs("values of an earlier step than the current one are recorded at it; W&B drops them.")
            self._write(values, step)
            return
        if step is not None and step > self.step:
            self.flush()
            self.step = step
        self._pending.update(values)
        if commit or (commit is None and step is None):
            self.flush()
            self.step += 1

    def flush(self) -> None:
        """Write the values of the current step."""
        values, self._pending = self._pending, nothing_logged()
        if values.scalars or values.snapshots:
            self._write(values, self.step)


def whole_step(step: Any) -> int | None:
    """Return a step as an int; a float that is a whole number is one too, and anything else is None, with a report."""
    if isinstance(step, float) and step.is_integer():
        return int(step)
    try:
        return None if step is None else operator.index(step)
    except TypeError:
        text = f"The step of log() must be an integer, not {short_repr(step)}: the current step takes its place."
        REPORTS.fails(UsageError(text))
        return None
