"""Losses of single samples: what a loss function has averaged over a batch, before it did."""

import copy
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from toposcope.recorder.adapters import is_module
from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.frameworks.torch.shadow_module import twin_of
from toposcope.recorder.frameworks.torch.training.steps import TorchSteps

_TOLERANCES = {"torch.bfloat16": 1e-2, "torch.float16": 1e-3}
_ROWS: dict[str, Callable[[Any], Any]] = {
    "mean": lambda losses: losses.flatten(1).mean(1),
    "sum": lambda losses: losses.flatten(1).sum(1),
}


class EvaluationSteps(TorchSteps):
    """A module in evaluation, whose losses are given as the loss function gives them."""

    def losses(self, batch: Any) -> Any:
        """Return the losses of a batch, a tensor of any shape."""
        if self._has_own_loss:
            return self.eval_forward(batch)[0]
        outputs = self.forward(batch)
        with self._precision():
            return self._loss_of(outputs, batch)

    def in_form(self, form: Callable[[Any], Any]) -> "EvaluationSteps":
        """Return the steps of the same module in another form: form(module) is called in its place."""
        steps = copy.copy(self)
        steps._network = form(self._network)
        return steps


class SampleLosses(NamedTuple):
    """The losses of a network: of each sample, or of batches where the loss function knows only these."""

    steps: EvaluationSteps
    rows: str | None
    """How the losses of a sample become one: "mean" or "sum"; None: batches."""

    def of(self, batch: Any) -> Any:
        """Return the losses of the samples, shape (n,), or that of the batch, shape (1,)."""
        losses = self.steps.losses(batch)
        if self.rows is None:
            return losses.mean().reshape(1)
        return losses if losses.ndim == 1 else _ROWS[self.rows](losses)


def sample_losses(network: Any, loss_fn: Any, amp_level: str, batch: Any, size: int) -> SampleLosses:
    """Return the losses of a network with a loss function.

    A loss function with a `reduction` ("mean" or "sum", an attribute or a parameter) is asked for what it reduces, if
    that gives the loss which it has itself for a first batch: with weights of classes it does not.

    Args:
        network: a module in evaluation mode.
        loss_fn: called with outputs and labels; None: the network returns its loss.
        amp_level: "O0" for float32, another one for torch.autocast.
        batch: the first batch.
        size: its samples.
    """
    torch = library()
    with torch.no_grad():
        steps = EvaluationSteps(network, loss_fn=loss_fn, amp_level=amp_level)
        own = steps.losses(batch)
        if own.ndim and own.shape[0] == size:
            return SampleLosses(steps, "mean")
        if (unreduced := _unreduced(loss_fn)) is not None:
            unreduced_steps = EvaluationSteps(network, loss_fn=unreduced, amp_level=amp_level)
            if (rows := _rows(own, unreduced_steps.losses(batch), size)) is not None:
                return SampleLosses(unreduced_steps, rows)
    return SampleLosses(steps, None)


def _unreduced(loss_fn: Any) -> Any:
    """Return a loss function that does not reduce, the original untouched; None when it cannot be made."""
    if is_module(loss_fn):
        if getattr(loss_fn, "reduction", None) not in ("mean", "sum", "batchmean"):
            return None
        twin = twin_of(loss_fn)
        twin.reduction = "none"
        return twin
    try:
        has_reduction = "reduction" in inspect.signature(loss_fn).parameters
    except (TypeError, ValueError):
        return None
    return partial(loss_fn, reduction="none") if has_reduction else None


def _rows(own: Any, losses: Any, size: int) -> str | None:
    """Return how the losses of samples are found in those that were not reduced; None when they do not add up."""
    if not losses.ndim or losses.shape[0] != size:
        return None
    expected = own.double()
    tolerance = _TOLERANCES.get(str(own.dtype), 1e-5)
    for rows, reduce in _ROWS.items():
        of_samples = (losses if losses.ndim == 1 else reduce(losses)).double()
        for reduced in (of_samples.mean(), of_samples.sum()):
            if bool((reduced - expected).abs() <= tolerance * expected.abs()):
                return rows
    return None
