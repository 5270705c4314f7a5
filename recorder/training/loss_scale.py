"""Loss scales: the factor by which Model multiplies the loss, fixed or adjusted, with MindSpore's interface."""

import math
from typing import Any

from toposcope.recorder.arguments import checked_bool, checked_integer
from toposcope.recorder.values.arrays.foreign_values import short_repr


class FixedLossScaleManager:
    """A fixed loss scale, like mindspore.amp.FixedLossScaleManager.

    Model divides the gradients by it, unless the optimizer does that itself, as thor(loss_scale=...) does. This does
    not depend on drop_overflow_update, as it does in MindSpore.
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        """Set the scale.

        Args:
            loss_scale: a positive, finite number; MindSpore requires at least 1.
            drop_overflow_update: whether a step whose gradients are not finite is skipped.

        Raises:
            TypeError: loss_scale is not a number, or drop_overflow_update is not a bool.
            ValueError: loss_scale is not positive and finite.
        """
        self._loss_scale = _checked_scale("loss_scale", loss_scale)
        self._drops = checked_bool("drop_overflow_update", drop_overflow_update)

    def get_loss_scale(self) -> float:
        """Return the scale."""
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Return whether a step whose gradients are not finite is skipped."""
        return self._drops

    def update_loss_scale(self, overflow: bool) -> None:
        """Do nothing: the scale is fixed."""


class DynamicLossScaleManager:
    """A loss scale that is adjusted to the gradients, like mindspore.amp.DynamicLossScaleManager.

    A step whose gradients are not finite is skipped, and divides the scale by a factor; a number of successive steps
    with finite gradients multiplies the scale by it. Unlike in MindSpore the steps are counted from the last change,
    and a scale that was reduced to 1 does not end the training.
    """

    def __init__(self, init_loss_scale: float = 2.0**24, scale_factor: int = 2, scale_window: int = 2000) -> None:
        """Set the first scale.

        Args:
            init_loss_scale: a finite number, at least 1.
            scale_factor: at least 2.
            scale_window: steps with finite gradients after which the scale is multiplied.

        Raises:
            TypeError: an argument is not a number.
            ValueError: an argument is too small, or init_loss_scale is not finite.
        """
        self.loss_scale = _checked_scale("init_loss_scale", init_loss_scale, lowest=1.0)
        self.scale_factor = checked_integer("scale_factor", scale_factor, lowest=2)
        self.scale_window = checked_integer("scale_window", scale_window, lowest=1)
        self._finite_steps = 0

    def get_loss_scale(self) -> float:
        """Return the current scale."""
        return self.loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Return True: a step whose gradients are not finite is skipped."""
        return True

    def update_loss_scale(self, overflow: bool) -> None:
        """Adjust the scale to a step; overflow: whether its gradients were not finite."""
        self._finite_steps = 0 if overflow else self._finite_steps + 1
        if overflow:
            self.loss_scale = max(self.loss_scale / self.scale_factor, 1.0)
        elif self._finite_steps == self.scale_window:
            self._finite_steps = 0
            if math.isfinite(larger := self.loss_scale * self.scale_factor):
                self.loss_scale = larger


def checked_loss_scale_manager(manager: Any) -> Any:
    """Return a manager such as the above or MindSpore's, or None.

    Raises:
        TypeError: it has no get_loss_scale(), or its scale is not a number.
        ValueError: its scale is not positive and finite.
    """
    if manager is None:
        return None
    if isinstance(manager, type) or not callable(getattr(manager, "get_loss_scale", None)):
        raise TypeError(f"loss_scale_manager must have a method get_loss_scale(); {short_repr(manager)} does not.")
    _checked_scale("The scale of loss_scale_manager", manager.get_loss_scale())
    return manager


def _checked_scale(name: str, scale: Any, *, lowest: float = 0.0) -> float:
    if isinstance(scale, bool) or not isinstance(scale, int | float):
        raise TypeError(f"{name} must be a number, not {short_repr(scale)}.")
    if not (math.isfinite(scale) and scale > 0 and scale >= lowest):
        raise ValueError(
            f"{name} must be {f'at least {lowest:g}' if lowest else 'positive'} and finite, not {scale!r}."
        )
    return float(scale)
