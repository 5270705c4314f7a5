"""ObservedSteps: the steps of PyTorch optimizers, and those that a GradScaler skips, observed by hooks."""

import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.frameworks.torch.calling_scaler import calling_scaler
from toposcope.recorder.training.own_loops.optimizer_steps import ACCUMULATING, STEPPED, Progress

_WRAPPERS = 10
"""Wrappers around an optimizer, at most."""


class ObservedSteps:
    """Hooks of optimizers, which PyTorch calls after each step, also of compiled and fused ones.

    A GradScaler does not call the optimizer if a gradient is not finite, so a skipped step has no hook. It is found by
    what else the scaler does. Once an optimizer has stepped, its scaler is known from the stack of calls, and each
    scaler.step() or scaler.update() without a step is a skipped one. Steps skipped before that, as is usual while the
    first scale is too large, are distinguished from micro-batches by their gradients, which have been cleared. No
    value is read from a device. Fused optimizers are an exception: PyTorch calls them for skipped steps as well, and
    their decision is read if it is on the CPU; otherwise the step counts.

    The state of a GradScaler is private to PyTorch. If a version of PyTorch keeps it elsewhere, one warning says so,
    and skipped steps are counted as micro-batches of the next step.
    """

    def __init__(self, optimizers: Sequence[Any], on_step: Callable[[], None]) -> None:
        self._torch: Any = sys.modules["torch"]
        self._optimizers, self._on_step = optimizers, on_step
        self._handles: list[Any] = []
        self._has_stepped = self._has_ever_stepped = self._has_skipped = self._is_stepping = False
        self._scaler: _Scaler | None = None
        self._probe: _Probe | None = None
        # How many micro-batches had been reported when a step was skipped, or before the first step, possibly skipped.
        self._skipped_at: list[int] = []
        self._reported = 0

    def begin(self) -> None:
        """Register the hooks."""
        self._handles = [optimizer.register_step_post_hook(self._after_step) for optimizer in self._optimizers]

    def end(self) -> None:
        """Remove the hooks."""
        while self._handles:
            self._handles.pop().remove()

    def begin_micro_batch(self, reported: int) -> None:
        """Note whether the reported micro-batches belong to a step that has been skipped after they were reported."""
        is_skipped = self._probe is not None and self._probe.is_cleared()
        if self._scaler is not None and not self._has_stepped:
            is_skipped = self._has_scaler_finished(is_stepping=False)
        if is_skipped and reported:
            self._probe = None
            self._skipped_at.append(reported)

    def take(self, reported: int) -> Progress:
        """Return whether an optimizer has stepped, or its scaler has skipped a step, since the last call."""
        is_over = self._has_scaler_finished(self._is_stepping)
        has_stepped, has_skipped = self._has_stepped, self._has_skipped or is_over
        self._has_stepped = self._has_skipped = False
        self._reported = 0 if has_stepped or has_skipped else reported
        if not (has_stepped or has_skipped or self._has_ever_stepped):
            self._observe_gradients(reported)
            return ACCUMULATING
        skipped_at, self._skipped_at = self._skipped_at, []
        self._probe = None
        if self._scaler is None:  # Gradients that were cleared mean nothing.
            skipped_at = []
        if has_skipped and not has_stepped:
            skipped_at.append(reported)
        if not skipped_at:
            return STEPPED if has_stepped else ACCUMULATING
        # The newest micro-batch is part of a step that was performed.
        return Progress(has_stepped, len(skipped_at), min(skipped_at[-1], reported - has_stepped))

    def _after_step(self, optimizer: Any, _args: object, _kwargs: object) -> None:
        if self._torch.compiler.is_compiling():
            self._has_stepped = True
            return
        if not self._has_ever_stepped:
            self._has_ever_stepped = True
            self.begin_micro_batch(self._reported)
            self._find_scaler(sys._getframe(1))
        if _is_skipped(optimizer):
            self._has_skipped = True
            return
        self._has_stepped = self._is_stepping = True
        try:
            self._on_step()
        finally:
            self._is_stepping = False

    def _find_scaler(self, frame: FrameType) -> None:
        """Find the scaler whose step() calls the optimizer."""
        try:
            scaler = calling_scaler(frame, self._torch.amp.GradScaler)
            self._scaler = None if scaler is None else _Scaler(scaler, self._optimizers)
        except Exception as error:
            self._stop_observing_scaler(error)

    def _has_scaler_finished(self, is_stepping: bool) -> bool:
        """Return _Scaler.take(); False if there is no scaler, or if its state cannot be read."""
        try:
            return self._scaler is not None and self._scaler.take(is_stepping)
        except Exception as error:
            self._stop_observing_scaler(error)
            return False

    def _stop_observing_scaler(self, error: Exception) -> None:
        self._scaler = None
        log.warn("Steps that GradScaler skips are not counted: %s: %s", type(error).__name__, error)

    def _observe_gradients(self, reported: int) -> None:
        """Before the first step: note whether gradients were cleared, and remember one to see whether it will be."""
        self.begin_micro_batch(reported - 1)
        if self._probe is None:
            self._probe = _Probe.of(self._optimizers)
            if self._probe is None:  # Cleared before the micro-batch was reported.
                self._skipped_at.append(reported)


class _Scaler:
    """Detects when a GradScaler has finished a step of its optimizers, performed or skipped."""

    def __init__(self, scaler: Any, optimizers: Sequence[Any]) -> None:
        self._scaler, self._optimizers = scaler, optimizers
        self._states = scaler._per_optimizer_states
        self._is_taken = False

    def take(self, is_stepping: bool) -> bool:
        """Return whether there was a scaler.step(), or the scaler.update() after it, since the last call.

        Args:
            is_stepping: whether scaler.step() is running, which is then taken.
        """
        states = self._scaler._per_optimizer_states  # update() replaces it.
        is_new, was_taken = states is not self._states, self._is_taken
        self._states = states
        self._is_taken = is_stepping or any(
            state["stage"].name == "STEPPED"
            for optimizer in self._optimizers
            if (state := states.get(id(optimizer))) is not None
        )
        return (is_new and not was_taken) or (self._is_taken and (is_new or not was_taken))


class _Probe:
    """A gradient that belongs to reported micro-batches."""

    def __init__(self, parameter: Any) -> None:
        self._parameter, self._gradient = parameter, parameter.grad

    @classmethod
    def of(cls, optimizers: Sequence[Any]) -> "_Probe | None":
        """Return a probe of the first parameter that has a gradient; None if there is none."""
        return next((cls(parameter) for parameter in _parameters_of(optimizers) if parameter.grad is not None), None)

    def is_cleared(self) -> bool:
        """Return whether the gradient has been removed or replaced: further micro-batches are added in place."""
        return self._parameter.grad is not self._gradient


def observed_steps(optimizers: Sequence[Any], on_step: Callable[[], None]) -> ObservedSteps | None:
    """Return an observer of the optimizers of torch.optim among these; None if there is none.

    Args:
        optimizers: of which some may be wrappers, with the wrapped optimizer in their attribute "optimizer".
        on_step: called after each step, except within a compiled function.
    """
    found = [each for optimizer in optimizers if (each := observable(optimizer)) is not None]
    return ObservedSteps(found, on_step) if len(found) == len(optimizers) else None


def observable(optimizer: Any) -> Any:
    """Return the optimizer, or the one that it wraps, if PyTorch calls its hooks."""
    for _ in range(_WRAPPERS):
        wrapped = getattr(optimizer, "optimizer", None)
        # Wrappers such as Accelerate's are optimizers as well, but never initialize that part of themselves.
        if hasattr(optimizer, "_optimizer_step_post_hooks") and wrapped is None:
            return optimizer
        if wrapped is None:
            break
        optimizer = wrapped
    return None


def _parameters_of(optimizers: Sequence[Any]) -> Iterator[Any]:
    return (each for optimizer in optimizers for group in optimizer.param_groups for each in group["params"])


def _is_skipped(optimizer: Any) -> bool:
    """Return whether a fused optimizer has just skipped its step, as far as the CPU knows."""
    found_inf = getattr(optimizer, "found_inf", None)
    is_on_cpu = getattr(getattr(found_inf, "device", None), "type", None) == "cpu"
    return is_on_cpu and bool(found_inf)
