"""EventCallback: one method for each event of a training; Composer's style of callback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toposcope.recorder.training.event import Event

if TYPE_CHECKING:
    from toposcope.recorder.training.logger import Logger
    from toposcope.recorder.training.state import State


class EventCallback:
    """Override the methods of the events that you need, or run_event() to see all of them.

        class PrintEpoch(EventCallback):
            def epoch_start(self, state, logger):
                print(f"Epoch: {int(state.timestamp.epoch)}")

    All methods take the State and the Logger. The class answers to Composer's `composer.Callback`.
    """

    def run_event(self, event: Event, state: State, logger: Logger) -> None:
        """Call the method of event; who overrides this one is called for every event, and its other methods are not."""
        getattr(self, event.value)(state, logger)

    def close(self, state: State, logger: Logger) -> None:
        """Act when the trainer closes, also after an exception: write and close what is open."""

    def post_close(self) -> None:
        """Act after close() of all callbacks, if close() of this one raised nothing."""

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint of the user's own should keep of this callback."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what state_dict() returned when the checkpoint was saved."""

    def init(self, state: State, logger: Logger) -> None:
        """Act when the callbacks are known and nothing has happened yet."""

    def before_load(self, state: State, logger: Logger) -> None:
        """Act when a checkpoint may be loaded."""

    def after_load(self, state: State, logger: Logger) -> None:
        """Act when a checkpoint may have been loaded."""

    def fit_start(self, state: State, logger: Logger) -> None:
        """Act when a training begins."""

    def iteration_start(self, state: State, logger: Logger) -> None:
        """Act when an iteration (a number of epochs) begins."""

    def epoch_start(self, state: State, logger: Logger) -> None:
        """Act when an epoch begins."""

    def before_dataloader(self, state: State, logger: Logger) -> None:
        """Act when the next batch is asked for, also when there is none left."""

    def after_dataloader(self, state: State, logger: Logger) -> None:
        """Act when the next batch is there."""

    def batch_start(self, state: State, logger: Logger) -> None:
        """Act when a batch begins."""

    def before_train_batch(self, state: State, logger: Logger) -> None:
        """Act when the microbatches of a batch begin."""

    def before_forward(self, state: State, logger: Logger) -> None:
        """Act when the network is called, once a microbatch."""

    def after_forward(self, state: State, logger: Logger) -> None:
        """Act when the network was called."""

    def before_loss(self, state: State, logger: Logger) -> None:
        """Act when the loss is computed."""

    def after_loss(self, state: State, logger: Logger) -> None:
        """Act when the loss was computed."""

    def before_backward(self, state: State, logger: Logger) -> None:
        """Act when the gradients are computed."""

    def after_backward(self, state: State, logger: Logger) -> None:
        """Act when the gradients were computed."""

    def after_train_batch(self, state: State, logger: Logger) -> None:
        """Act when all microbatches are done; the optimizer steps next."""

    def batch_end(self, state: State, logger: Logger) -> None:
        """Act when a batch is over; the timestamp counts it."""

    def batch_checkpoint(self, state: State, logger: Logger) -> None:
        """Act when a batch is over and evaluated: checkpoints may be saved."""

    def epoch_end(self, state: State, logger: Logger) -> None:
        """Act when an epoch is over; the timestamp counts it."""

    def epoch_checkpoint(self, state: State, logger: Logger) -> None:
        """Act when an epoch is over and evaluated: checkpoints may be saved."""

    def iteration_end(self, state: State, logger: Logger) -> None:
        """Act when an iteration is over."""

    def iteration_checkpoint(self, state: State, logger: Logger) -> None:
        """Act when an iteration is over: checkpoints may be saved."""

    def fit_end(self, state: State, logger: Logger) -> None:
        """Act when a training is over."""

    def eval_before_all(self, state: State, logger: Logger) -> None:
        """Act when the evaluators that are due begin."""

    def eval_start(self, state: State, logger: Logger) -> None:
        """Act when an evaluator begins."""

    def eval_batch_start(self, state: State, logger: Logger) -> None:
        """Act when a batch of an evaluator begins."""

    def eval_before_forward(self, state: State, logger: Logger) -> None:
        """Act when the network is called in an evaluation."""

    def eval_after_forward(self, state: State, logger: Logger) -> None:
        """Act when the network was called in an evaluation."""

    def eval_batch_end(self, state: State, logger: Logger) -> None:
        """Act when a batch of an evaluator is over."""

    def eval_end(self, state: State, logger: Logger) -> None:
        """Act when an evaluator is over; its metrics are known."""

    def eval_after_all(self, state: State, logger: Logger) -> None:
        """Act when the evaluators that were due are over."""

    def eval_standalone_start(self, state: State, logger: Logger) -> None:
        """Act when an evaluation outside of a training begins."""

    def eval_standalone_end(self, state: State, logger: Logger) -> None:
        """Act when an evaluation outside of a training is over."""

    def predict_start(self, state: State, logger: Logger) -> None:
        """Act when a prediction begins."""

    def predict_batch_start(self, state: State, logger: Logger) -> None:
        """Act when a batch of a prediction begins."""

    def predict_before_forward(self, state: State, logger: Logger) -> None:
        """Act when the network is called in a prediction."""

    def predict_after_forward(self, state: State, logger: Logger) -> None:
        """Act when the network was called in a prediction."""

    def predict_batch_end(self, state: State, logger: Logger) -> None:
        """Act when a batch of a prediction is over."""

    def predict_end(self, state: State, logger: Logger) -> None:
        """Act when a prediction is over."""
