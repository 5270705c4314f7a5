"""SampleLosses: the losses of single samples, before a loss function averages them over a batch."""

import copy
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from toposcope.recorder.adapters import is_module
from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.frameworks.torch.shadow_module import shadow_of
from toposcope.recorder.frameworks.torch.training.steps import TorchSteps

_TOLERANCES = {"torch.bfloat16": 1e-2, "torch.float16": 1e-3}
_ROWS: dict[str, Callable[[Any], Any]] = {
    "mean": lambda losses: losses.flatten(1).mean(1),
    "sum": lambda losses: losses.flatten(1).sum(1),
}


class EvaluationSteps(TorchSteps):
    """The steps of a module in evaluation mode, with losses exactly as the loss function returns them."""

    def losses(self, batch: Any) -> Any:
        """Return the losses of a batch, a tensor of any shape."""
        if self._has_own_loss:
            return self.eval_forward(batch)[0]
        outputs = self.forward(batch)
        with self._precision():
            return self._loss_of(outputs, batch)

    def in_form(self, form: Callable[[Any], Any]) -> "EvaluationSteps":
        """Return the steps of form(module), such as a compiled module, in place of the module."""
        steps = copy.copy(self)
        steps._network = form(self._network)
        return steps


class SampleLosses(NamedTuple):
    """The losses of a network for single samples, or for batches if the loss function provides only those."""

    steps: EvaluationSteps
    rows: str | None
    """How the losses of one sample are reduced: "mean" or "sum"; None: only batches have losses."""

    def of(self, batch: Any) -> Any:
        """Return the losses of the samples, shape (n,), or the loss of the batch, shape (1,)."""
        losses = self.steps.losses(batch)
        if self.rows is None:
            return losses.mean().reshape(1)
        return losses if losses.ndim == 1 else _ROWS[self.rows](losses)


def sample_losses(network: Any, loss_fn: Any, amp_level: str, batch: Any, size: int) -> SampleLosses:
    """Return the losses of a network with a loss function.

    A loss function with a `reduction` ("mean" or "sum", an attribute or a parameter) is called without it, provided
    that the reduced losses of a first batch equal its own loss; with class weights they do not.

    Args:
        network: a module in evaluation mode.
        loss_fn: called with outputs and labels; None: the network returns its loss.
        amp_level: "O0" for float32, another one for torch.autocast.
        batch: the first batch.
        size: the number of its samples.
    """
    torch = library()
    with torch.no_grad():
        steps = EvaluationSteps(network, loss_fn=loss_fn, amp_level=amp_level)
        losses = steps.losses(batch)
        if losses.ndim and losses.shape[0] == size:
            return SampleLosses(steps, "mean")
        if (unreduced := _unreduced(loss_fn)) is not None:
            unreduced_steps = EvaluationSteps(network, loss_fn=unreduced, amp_level=amp_level)
            if (rows := _rows(losses, unreduced_steps.losses(batch), size)) is not None:
                return SampleLosses(unreduced_steps, rows)
    return SampleLosses(steps, None)


def _unreduced(loss_fn: Any) -> Any:
    """Return a copy of a loss function that does not reduce; None if there is none."""
    if is_module(loss_fn):
        if getattr(loss_fn, "reduction", None) not in ("mean", "sum", "batchmean"):
            return None
        unreduced = shadow_of(loss_fn)
        unreduced.reduction = "none"
        return unreduced
    try:
        has_reduction = "reduction" in inspect.signature(loss_fn).parameters
    except (TypeError, ValueError):
        return None
    return partial(loss_fn, reduction="none") if has_reduction else None


def _rows(loss: Any, losses: Any, size: int) -> str | None:
    """Return how unreduced losses become losses of samples that average or add up to the loss; None if they do not."""
    if not losses.ndim or losses.shape[0] != size:
        return None
    expected = loss.double()
    tolerance = _TOLERANCES.get(str(loss.dtype), 1e-5)
    for rows, reduce in _ROWS.items():
        of_samples = (losses if losses.ndim == 1 else reduce(losses)).double()
        for reduced in (of_samples.mean(), of_samples.sum()):
            if bool((reduced - expected).abs() <= tolerance * expected.abs()):
                return rows
    return None
