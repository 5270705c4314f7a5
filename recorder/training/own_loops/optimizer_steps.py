"""Optimizer steps: observes when the optimizers of a user-written loop step, or skip a step."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from toposcope.recorder.adapters import adapter, framework_name


class Progress(NamedTuple):
    """What the optimizers have done since the last micro-batch was reported."""

    has_stepped: bool
    """Whether the step that the reported micro-batches belong to has ended."""
    skipped: int = 0
    """Steps that were skipped because of their gradients."""
    dropped: int = 0
    """Micro-batches, the first ones of those reported, whose gradients belong to skipped steps."""


STEPPED, ACCUMULATING = Progress(has_stepped=True), Progress(has_stepped=False)


class OptimizerSteps(Protocol):
    """Observes the optimizers of one loop."""

    def begin(self) -> None:
        """Start observing."""

    def end(self) -> None:
        """Stop observing."""

    def begin_micro_batch(self, reported: int) -> None:
        """Note that a micro-batch begins after the *reported* ones of this step, whose gradients may be cleared."""

    def take(self, reported: int) -> Progress:
        """Return the progress since the last call; *reported* micro-batches belong to this step, the newest included.

        Never waits for a device.
        """


class _EveryCall:
    """The OptimizerSteps of a loop whose optimizers cannot be observed: each reported micro-batch is a step."""

    def begin(self) -> None:
        """Do nothing."""

    end = begin

    def begin_micro_batch(self, reported: int) -> None:
        """Do nothing."""

    def take(self, reported: int) -> Progress:
        """Return STEPPED."""
        return STEPPED


EVERY_CALL: OptimizerSteps = _EveryCall()


def optimizer_steps(optimizers: Sequence[Any], on_step: Callable[[], None]) -> OptimizerSteps:
    """Return an observer of optimizers, whose steps count as one; EVERY_CALL if none of them can be observed.

    Args:
        optimizers: of any framework.
        on_step: called after each step of an optimizer, except within a compiled function.
    """
    if not any(framework_name(optimizer) == "torch" for optimizer in optimizers):
        return EVERY_CALL
    observed: OptimizerSteps | None = adapter("torch", "optimizer_steps").observed_steps(optimizers, on_step)
    return EVERY_CALL if observed is None else observed
