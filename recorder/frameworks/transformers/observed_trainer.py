"""ObservedTrainer: a Trainer whose losses and errors are observed, as its callbacks do not receive them."""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from transformers import Trainer

_DEPTH = 12
_STEP, _TRAIN = "training_step", "train"


class TrainerObserver(Protocol):
    """Receives what is observed."""

    def begin_batch(self, inputs: Any) -> None:
        """Take the inputs of a micro-batch that begins."""

    def end_batch(self, loss: Any) -> None:
        """Take the loss of the micro-batch: its share of the loss of the step, detached."""

    def fail(self, error: BaseException) -> None:
        """Take the exception that ended the training."""


def calling_trainer() -> Any:
    """Return the Trainer that calls a callback, found in the frames of the call; None if there is none."""
    frame = sys._getframe(1)
    for _ in range(_DEPTH):
        if isinstance(found := frame.f_locals.get("self"), Trainer):
            return found
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return None


class ObservedTrainer:
    """Replaces two methods of a Trainer by functions that call them and report to an observer.

    training_step() returns the loss of a micro-batch, scaled such that those of a step add up to its loss, whatever
    compute_loss() and the number of accumulated micro-batches are. train() raises what ends a training. The replaced
    methods are attributes of the object; subclasses and their methods remain as they are.
    """

    def __init__(self, trainer: Any, observer: TrainerObserver) -> None:
        self._trainer, self._observer = trainer, observer

    def observe_errors(self) -> None:
        """Report the exceptions of train() from its next call on."""
        self._replace(_TRAIN, _reporting_errors)

    def observe_losses(self) -> None:
        """Report the losses of training_step()."""
        self._replace(_STEP, _reporting_losses)

    def stop_observing_losses(self) -> None:
        """Restore training_step(), for all observers: the training has ended."""
        attributes = vars(self._trainer)
        if _is_ours(attributes.get(_STEP)):
            del attributes[_STEP]

    def _replace(self, name: str, function: Callable[..., Any]) -> None:
        method = observed = getattr(self._trainer, name)
        while _is_ours(observed):
            if observed.args[0] is self._observer:
                return
            observed = observed.args[1]  # Of another observer.
        # Not a closure: the Trainer can be pickled as before.
        setattr(self._trainer, name, partial(function, self._observer, method))


def _is_ours(method: Any) -> bool:
    return isinstance(method, partial) and method.func in (_reporting_errors, _reporting_losses)


def _reporting_errors(observer: TrainerObserver, method: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    try:
        return method(*args, **kwargs)
    except BaseException as error:
        observer.fail(error)
        raise


def _reporting_losses(
    observer: TrainerObserver, method: Callable[..., Any], model: Any, inputs: Any, /, *args: Any, **kwargs: Any
) -> Any:
    observer.begin_batch(inputs)
    # The Trainer may handle the exception, and begin again with smaller batches. It is not kept: it would keep tensors.
    loss = _reporting_errors(observer, method, model, inputs, *args, **kwargs)
    observer.end_batch(loss.detach())
    return loss
