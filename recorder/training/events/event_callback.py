"""EventCallback: one method per event of a training, in the style of Composer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toposcope.recorder.training.progress.event import Event

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State


class EventCallback:
    """Override the methods of the events that you need, or run_event() to receive every event.

        class PrintEpoch(EventCallback):
            def epoch_start(self, state, logger):
                print(f"Epoch: {int(state.timestamp.epoch)}")

    All methods take the State and the Logger. The class corresponds to `composer.Callback`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Accept and ignore the arguments that subclasses pass on, as Composer's class does."""

    def run_event(self, event: Event, state: State, logger: Logger) -> None:
        """Call the method of event. An override receives every event; the other methods are then not called."""
        getattr(self, event.value)(state, logger)

    def close(self, state: State, logger: Logger) -> None:
        """Run when the trainer closes, also after an exception: write and close what is open."""

    def post_close(self) -> None:
        """Run after close() of all callbacks, unless close() of this one raised."""

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the callback for a user's checkpoint."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state that state_dict() returned when the checkpoint was saved."""

    def init(self, state: State, logger: Logger) -> None:
        """Run first, when the callbacks are set and nothing has happened yet."""

    def before_load(self, state: State, logger: Logger) -> None:
        """Run when a checkpoint may be loaded."""

    def after_load(self, state: State, logger: Logger) -> None:
        """Run when a checkpoint may have been loaded."""

    def fit_start(self, state: State, logger: Logger) -> None:
        """Run before a training."""

    def iteration_start(self, state: State, logger: Logger) -> None:
        """Run before an iteration (a number of epochs)."""

    def epoch_start(self, state: State, logger: Logger) -> None:
        """Run before an epoch."""

    def before_dataloader(self, state: State, logger: Logger) -> None:
        """Run before the next batch is requested, also if there is none left."""

    def after_dataloader(self, state: State, logger: Logger) -> None:
        """Run when the next batch has been received."""

    def batch_start(self, state: State, logger: Logger) -> None:
        """Run before a batch."""

    def before_train_batch(self, state: State, logger: Logger) -> None:
        """Run before the first microbatch of a batch."""

    def before_forward(self, state: State, logger: Logger) -> None:
        """Run before the forward pass of each microbatch."""

    def after_forward(self, state: State, logger: Logger) -> None:
        """Run after the forward pass."""

    def before_loss(self, state: State, logger: Logger) -> None:
        """Run before the loss is computed."""

    def after_loss(self, state: State, logger: Logger) -> None:
        """Run after the loss is computed."""

    def before_backward(self, state: State, logger: Logger) -> None:
        """Run before the gradients are computed."""

    def after_backward(self, state: State, logger: Logger) -> None:
        """Run after the gradients are computed."""

    def after_train_batch(self, state: State, logger: Logger) -> None:
        """Run after the last microbatch, before the optimizer's step."""

    def batch_end(self, state: State, logger: Logger) -> None:
        """Run after a batch; the timestamp counts it."""

    def batch_checkpoint(self, state: State, logger: Logger) -> None:
        """Run after a batch and its evaluation: checkpoints may be saved."""

    def epoch_end(self, state: State, logger: Logger) -> None:
        """Run after an epoch; the timestamp counts it."""

    def epoch_checkpoint(self, state: State, logger: Logger) -> None:
        """Run after an epoch and its evaluation: checkpoints may be saved."""

    def iteration_end(self, state: State, logger: Logger) -> None:
        """Run after an iteration."""

    def iteration_checkpoint(self, state: State, logger: Logger) -> None:
        """Run after ITERATION_END: checkpoints may be saved."""

    def fit_end(self, state: State, logger: Logger) -> None:
        """Run after a training."""

    def eval_before_all(self, state: State, logger: Logger) -> None:
        """Run before the first of the evaluators that are due."""

    def eval_start(self, state: State, logger: Logger) -> None:
        """Run before an evaluator."""

    def eval_batch_start(self, state: State, logger: Logger) -> None:
        """Run before a batch of an evaluator."""

    def eval_before_forward(self, state: State, logger: Logger) -> None:
        """Run before the forward pass in an evaluation."""

    def eval_after_forward(self, state: State, logger: Logger) -> None:
        """Run after the forward pass in an evaluation."""

    def eval_batch_end(self, state: State, logger: Logger) -> None:
        """Run after a batch of an evaluator."""

    def eval_end(self, state: State, logger: Logger) -> None:
        """Run after an evaluator; state.eval_results is set."""

    def eval_after_all(self, state: State, logger: Logger) -> None:
        """Run after the last of the evaluators that were due."""

    def eval_standalone_start(self, state: State, logger: Logger) -> None:
        """Run before an evaluation outside of a training."""

    def eval_standalone_end(self, state: State, logger: Logger) -> None:
        """Run after an evaluation outside of a training."""

    def predict_start(self, state: State, logger: Logger) -> None:
        """Run before a prediction."""

    def predict_batch_start(self, state: State, logger: Logger) -> None:
        """Run before a batch of a prediction."""

    def predict_before_forward(self, state: State, logger: Logger) -> None:
        """Run before the forward pass in a prediction."""

    def predict_after_forward(self, state: State, logger: Logger) -> None:
        """Run after the forward pass in a prediction."""

    def predict_batch_end(self, state: State, logger: Logger) -> None:
        """Run after a batch of a prediction."""

    def predict_end(self, state: State, logger: Logger) -> None:
        """Run after a prediction."""
