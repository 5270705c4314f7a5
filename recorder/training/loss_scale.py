"""FixedLossScaleManager: the factor by which Model multiplies the loss, with MindSpore's interface."""

from toposcope.recorder.arguments import checked_bool
from toposcope.recorder.values.foreign_values import short_repr


class FixedLossScaleManager:
    """A fixed loss scale, like mindspore.amp.FixedLossScaleManager.

    Model divides the gradients by it, unless the optimizer does that itself, as thor(loss_scale=...) does.
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        """Set the scale.

        Args:
            loss_scale: a positive number.
            drop_overflow_update: whether a step whose gradients are not finite is skipped.

        Raises:
            TypeError: loss_scale is not a number, or drop_overflow_update is not a bool.
            ValueError: loss_scale is not positive.
        """
        if isinstance(loss_scale, bool) or not isinstance(loss_scale, int | float):
            raise TypeError(f"loss_scale must be a number, not {short_repr(loss_scale)}.")
        if not loss_scale > 0:
            raise ValueError(f"loss_scale must be positive, not {loss_scale!r}.")
        self._loss_scale = float(loss_scale)
        self._drops = checked_bool("drop_overflow_update", drop_overflow_update)

    def get_loss_scale(self) -> float:
        """Return the scale."""
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Return whether a step whose gradients are not finite is skipped."""
        return self._drops

    def update_loss_scale(self, overflow: bool) -> None:
        """Do nothing: the scale is fixed."""
