"""LossScale: applies the loss scale of a manager to the steps of an optimizer, which may have a scale of its own."""

import sys
from collections.abc import Iterator
from typing import Any

from toposcope.recorder import log


class LossScale:
    """The factor of the loss in each step, and whether the step updates the parameters.

    The gradients are divided by the factor here, or by an optimizer with an attribute loss_scale other than 1, as those
    of MindSpore and thor() have. THOR also observes the gradients of layers during the backward pass, so it always
    learns the factor and divides by it.
    """

    def __init__(self, manager: Any, optimizer: Any) -> None:
        """Apply the scales of a manager, None for no scale."""
        self.factor = 1.0
        """The factor of the loss in the current step."""
        self._manager, self._optimizer = manager, optimizer
        self._is_thor = hasattr(optimizer, "curvatures")
        self._own = float(getattr(optimizer, "loss_scale", 1.0))
        self._own_scaler = getattr(optimizer, "grad_scaler", None)
        self._is_checked = False

    def check(self) -> None:
        """Compare the scales before the first step.

        Raises:
            ValueError: the scale of the optimizer is neither 1 nor that of the manager.
        """
        if self._own == 1.0 or self._is_checked:
            return
        self._is_checked = True
        if self._manager is None:
            log.warn(
                "The optimizer divides the gradients by its loss_scale %g: without a loss_scale_manager, the loss "
                "function must multiply the loss by it.",
                self._own,
            )
        elif (factor := float(self._manager.get_loss_scale())) != self._own:
            raise ValueError(
                f"The loss_scale of the optimizer must be 1 or that of the loss_scale_manager, {factor:g}, "
                f"not {self._own:g}."
            )

    def begin_step(self, scaler: Any) -> None:
        """Set the factor of the step; scaler: the GradScaler of the step or None."""
        if self._manager is not None:
            self.factor = float(self._manager.get_loss_scale())
        if self._is_thor:
            self._optimizer.grad_scaler = scaler or self._own_scaler
            if self._own == 1.0:
                self._optimizer.loss_scale = self.factor

    def is_to_update(self) -> bool:
        """Prepare the gradients for the optimizer's step; return whether they are not to be dropped."""
        if self._manager is None:
            return True
        drops = getattr(self._manager, "get_drop_overflow_update", None)
        if callable(drops) and drops():
            is_overflow = not self._are_finite()
            if callable(update := getattr(self._manager, "update_loss_scale", None)):
                update(is_overflow)
            if is_overflow:
                return False
        if self.factor != 1.0 and self._own == 1.0 and not self._is_thor:
            for gradient in self._gradients():
                gradient.div_(self.factor)
        return True

    def end_step(self) -> None:
        """Restore the scales of the optimizer, for loops of the user."""
        if self._is_thor:
            self._optimizer.loss_scale, self._optimizer.grad_scaler = self._own, self._own_scaler

    def _gradients(self) -> Iterator[Any]:
        for group in self._optimizer.param_groups:
            yield from (each.grad for each in group["params"] if each.grad is not None)

    def _are_finite(self) -> bool:
        """Return whether all gradients are finite; waits for the device once."""
        torch: Any = sys.modules["torch"]
        parts = [each.coalesce().values() if each.is_sparse else each for each in self._gradients()]
        finite = [torch.isfinite(each).all() for each in parts]
        return not finite or bool(torch.stack([each.to(finite[0].device) for each in finite]).all())
