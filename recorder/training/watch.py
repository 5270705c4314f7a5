"""watch(): a training run of a user-written loop, which callbacks and loggers follow."""

from collections.abc import Callable, Sequence
from typing import Any

from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.training.events.callback_list import (
    CallbackList,
    checked_callbacks,
    checked_loggers,
    destinations_first,
    warn_of_legacy_hooks,
)
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.loops.network import checked_schedulers
from toposcope.recorder.training.own_loops.watched_run import WatchedRun
from toposcope.recorder.training.progress.time import Time, TimeUnit
from toposcope.recorder.training.state.evaluator import Evaluator
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.loop_sources import checked_sources
from toposcope.recorder.training.state.state import State
from toposcope.recorder.values.arrays.foreign_values import short_repr


def watch(
    callbacks: CallbackList,
    model: Any = None,
    optimizer: Any = None,
    loader: Any = None,
    *,
    loss_fn: Any = None,
    epochs: int | None = None,
    steps_per_epoch: int | None = None,
    schedulers: Any = (),
    valid_loader: Any = None,
    loggers: LoggerDestination | Sequence[LoggerDestination] = (),
    initial_step: int | None = None,
    initial_epoch: int | None = None,
    parameters: Callable[[], Any] | None = None,
    gradients: Callable[[], Any] | None = None,
    learning_rate: float | Callable[..., Any] | None = None,
) -> WatchedRun:
    """Return a run that a user-written loop reports its steps to; see WatchedRun.

    Args:
        callbacks: a callback or a sequence of callbacks, of both styles; may include logger destinations.
        model: the network, if there is one: a torch.nn.Module, a model of Keras, a module of flax.nnx, a
            TrainableNetwork or any other object.
        optimizer: the optimizer or a list of optimizers. Their steps are the steps of the training, so that gradients
            may be accumulated and a GradScaler may skip steps; without an optimizer of PyTorch, each call of step() is
            one. See WatchedRun.
        loader: the batches of an epoch, which ends when the loader ends or the loop leaves it. Batches and samples are
            those that it gives. The iterators of a list are not observed: its length determines the end of an epoch.
        loss_fn: the loss function, for lineage.
        epochs: planned number of epochs; None: unknown.
        steps_per_epoch: calls of step() per epoch, if loader does not determine its end. None: loader does; if it has
            no length, an evaluation ends the epoch, too.
        schedulers: a scheduler of torch.optim.lr_scheduler or a list of them, for lineage; the loop steps them.
        valid_loader: the batches of an evaluation, for lineage.
        loggers: destinations of the Logger. It logs each loss as "loss/train/total", as in Composer at the number of
            steps finished before, and the metrics passed to eval() as "metrics/<label>/<name>".
        initial_step: number of steps trained before: the first step has the next number. None: the step of the restored
            checkpoint or of the optimizer, if it is known, as docs/resuming.md describes; otherwise 0.
        initial_epoch: number of epochs trained before. None: the number of whole epochs in the initial step. The first
            epoch begins with the first step; call end_epoch() if the loop skips batches of it.
        parameters: a function that returns the current parameters, for loops that replace them at every step, as in
            `lambda: params`: a network, a TrainState of Flax, a pytree of JAX, nested dicts and lists of arrays, or
            pairs of a name and an array. It is called only when parameters are collected. None: those of model.
        gradients: a function that returns the gradients of the newest step in the same forms. None: those that the
            framework keeps with the parameters, as PyTorch does.
        learning_rate: a number, a function that returns the current learning rate, or a function that requires one
            argument, the number of steps finished before, as the schedules of Optax do. Arrays of one number and lists
            of several learning rates are also accepted as results. None: the one of optimizer, else of model.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: epochs or steps_per_epoch is not positive, or initial_step or initial_epoch is negative.
    """
    checked = checked_callbacks(callbacks)
    warn_of_legacy_hooks(checked)
    destinations, other_callbacks = destinations_first(checked, checked_loggers(loggers))
    duration = None if epochs is None else Time(checked_integer("epochs", epochs, lowest=1), TimeUnit.EPOCH)
    state = State(
        model=model,
        optimizers=_checked_optimizers(optimizer),
        schedulers=checked_schedulers(schedulers),
        loss_fn=loss_fn,
        train_dataloader=loader,
        max_duration=duration,
        evaluators=[] if valid_loader is None else [Evaluator("eval", valid_loader)],
        callbacks=[*destinations, *other_callbacks],
        loop_sources=checked_sources(parameters, gradients, learning_rate),
    )
    state.initial_step = None if initial_step is None else checked_integer("initial_step", initial_step, lowest=0)
    state.initial_epoch = None if initial_epoch is None else checked_integer("initial_epoch", initial_epoch, lowest=0)
    if steps_per_epoch is not None:
        length = checked_integer("steps_per_epoch", steps_per_epoch, lowest=1)
        state.set_dataloader(loader, "train", length)
    return WatchedRun(state, Logger(state, destinations), is_length_given=steps_per_epoch is not None)


def _checked_optimizers(optimizer: Any) -> list[Any]:
    """Return the optimizers as a list; TypeError if one is a class, a str, a number or a dict."""
    # A named tuple is one optimizer, of Optax for example.
    are_several = isinstance(optimizer, list | tuple) and not hasattr(optimizer, "_fields")
    optimizers = list(optimizer) if are_several else [] if optimizer is None else [optimizer]
    for each in optimizers:
        if isinstance(each, type | str | int | float | dict):
            raise TypeError(f"optimizer must be an optimizer, a list of optimizers, or None, not {short_repr(each)}.")
    return optimizers
