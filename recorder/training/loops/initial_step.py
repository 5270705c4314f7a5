"""The step at which a training begins: the step of its optimizer, whatever process it was trained in before."""

from collections.abc import Sequence

from toposcope.recorder import log
from toposcope.recorder.checkpoints.state.trained_steps import TrainedSteps, trained_steps_of
from toposcope.recorder.framework import framework_of
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.state.state import State


def begin_counting(state: State) -> None:
    """Set the timestamp of a training that is about to begin, unless the user has set it.

    Callbacks may restore the training first.

    The initial step is the first of these that is known:

    1. state.initial_step, given by the user;
    2. the step of the checkpoint that was restored into the optimizer, or into a network trained without one;
    3. the largest step in the state of the optimizer, such as Adam's, also if it was loaded;
    4. the steps of the first state.initial_epoch epochs;
    5. the steps of earlier trainings with this optimizer in this process;
    6. 0.

    The initial epoch is state.initial_epoch; if that is None, the number of whole epochs in the initial step. The first
    epoch begins with the first step, also if the initial step is in the middle of an epoch.
    """
    counts = [trained_steps_of(each) for each in state.optimizers or [state.model]]
    if not state.timestamp.batch.value:
        _restore_by_callbacks(state)
        _set_timestamp(state, _initial_step(state, counts))
    state.count_for(counts)


def begin_where_restored(state: State) -> None:
    """Set the timestamp of a training that callbacks restore; any other one begins where its timestamp says."""
    counts = [trained_steps_of(each) for each in state.optimizers or [state.model]]
    if not state.timestamp.batch.value:
        _restore_by_callbacks(state)
        if state.position is not None:
            _set_timestamp(state, max(count.step for count in counts))
    state.count_for(counts)


def _restore_by_callbacks(state: State) -> None:
    for callback in state.callbacks:
        if isinstance(callback, Callback):
            callback.restore_training(state)


def _set_timestamp(state: State, step: int) -> None:
    epoch = state.initial_epoch
    if epoch is None:
        epoch = step // int(state.dataloader_len) if state.dataloader_len else 0
    timestamp = state.timestamp.copy(batch=step, epoch=epoch)
    if state.position is not None:
        timestamp = state.position.set_counts(timestamp)
    state.timestamp = state.previous_timestamp = timestamp


def _initial_step(state: State, counts: Sequence[TrainedSteps]) -> int:
    if state.initial_step is not None:
        return state.initial_step
    if restored := max((count.step for count in counts if count.is_restored), default=0):
        return restored
    if step := _step_of_optimizers(state):
        return step
    if state.initial_epoch and state.dataloader_len:
        return state.initial_epoch * int(state.dataloader_len)
    return max(count.step for count in counts)


def _step_of_optimizers(state: State) -> int:
    optimizers = tuple(state.optimizers) or (state.model,)
    trained = optimizers[0] if len(optimizers) == 1 else optimizers
    try:
        return framework_of(trained).step_of(trained) or 0
    except Exception as error:  # The state of a foreign optimizer may be anything.
        log.warn("The step of the optimizer cannot be read, counting begins at 0: %s: %s", type(error).__name__, error)
        return 0
