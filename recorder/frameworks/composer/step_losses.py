"""StepLosses: the loss of a batch, from those of its micro-batches."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder.rank import process_count
from toposcope.recorder.training.data.batch import samples_of
from toposcope.recorder.training.own_loops.accumulation import Accumulation

TOTAL = "loss/train/total"
"""The loss of a batch as Composer logs it, the mean of all processes."""


class StepLosses:
    """The loss of the running step.

    A single process takes the loss that Composer logs, which it weights as the gradients: by samples, or by tokens with
    accumulate_train_batch_on_tokens. One of several processes takes the mean of its own micro-batches, weighted by
    samples; so does one for which Composer logs nothing, because GradScaler skipped the step.
    """

    def __init__(self) -> None:
        self._logged: Any = None
        self._micro_batches = Accumulation()

    def begin_step(self) -> None:
        """Begin a step."""
        self._logged = None
        self.begin_micro_batches()

    def begin_micro_batches(self) -> None:
        """Forget the micro-batches so far."""
        self._micro_batches = Accumulation()

    def add(self, loss: Any, batch: Any) -> None:
        """Add a micro-batch: the result of ComposerModel.loss(), a tensor, several of them, or a mapping."""
        if isinstance(loss, Mapping):
            parts = [loss["total"]] if "total" in loss else list(loss.values())
        else:
            parts = list(loss) if isinstance(loss, list | tuple) else [loss]
        # A sum is a copy: Composer scales the total of a mapping in place.
        total = sum((part.detach().mean() for part in parts), 0.0)
        self._micro_batches.add(total, samples_of(batch))

    def add_logged(self, metrics: Mapping[str, Any]) -> None:
        """Take the loss of the batch from what Composer logs."""
        if TOTAL in metrics:
            self._logged = metrics[TOTAL]

    def take(self) -> Any:
        """Return the loss of the step; None if it is unknown."""
        if self._logged is not None and process_count() == 1:
            return self._logged
        return self._micro_batches.take()[0] if len(self._micro_batches) else None
