"""The whole state of a training in one file: network, optimizers, schedulers, loss scale, steps and epochs."""

from collections.abc import Mapping

from toposcope.recorder import log
from toposcope.recorder.checkpoints.checkpoint import Appended
from toposcope.recorder.checkpoints.loading import load_checkpoint
from toposcope.recorder.checkpoints.saving import save_checkpoint
from toposcope.recorder.checkpoints.state.restoring import restore
from toposcope.recorder.checkpoints.state.trained_steps import trained_steps_of
from toposcope.recorder.rank import process_rank
from toposcope.recorder.training.data.plain_state import state_of, state_text
from toposcope.recorder.training.data.position import Position
from toposcope.recorder.training.progress.time import Time, TimeUnit
from toposcope.recorder.training.state.state import State

_EPOCHS, _SCALE, _SCHEDULERS = "finished_epochs", "loss_scale", "schedulers"
_POSITION, _RANK = "position", "rank"


def save_training(state: State, path: str, append: Mapping[str, Appended] | None = None) -> None:
    """Save a training after a step, atomically.

    Args:
        state: of the training.
        path: of the file, which save_checkpoint() writes: load_checkpoint() and restore() can read it too.
        append: further values to save.

    Raises:
        OSError: the file cannot be written.
        Exception: the errors of save_checkpoint().
    """
    appended: dict[str, Appended] = {
        **(append or {}),
        _EPOCHS: int(state.timestamp.epoch) + state.epoch_place().is_over,
        _POSITION: Position.of(state).as_text(),
        _RANK: process_rank(),
    }
    if state.loss_scale_manager is not None:
        appended[_SCALE] = float(state.loss_scale_manager.get_loss_scale())
    if state.schedulers and (text := _schedulers_text(state)) is not None:
        appended[_SCHEDULERS] = text
    save_checkpoint(state.model, path, optimizer=state.optimizers or None, append=appended)


def restore_training(state: State, path: str) -> None:
    """Restore a training that is about to begin; it continues after the last step of the file.

    If a later step was restored before, by another callback for example, nothing happens.

    Args:
        state: of the training; its initial epoch is set, unless it is larger.
        path: of a file of save_training().

    Raises:
        ValueError: the file is not a readable checkpoint, or belongs to another network or optimizer.
        OSError: the file cannot be read.
    """
    checkpoint = load_checkpoint(path)
    counts = [trained_steps_of(each) for each in state.optimizers or [state.model]]
    if any(count.is_restored and count.step > (checkpoint.step or 0) for count in counts):
        return
    try:
        restore(checkpoint, state.model, state.optimizers or None)
    except ValueError as error:
        raise ValueError(f"The training cannot be restored from {path!r}: {error}") from error
    values = checkpoint.appended
    state.initial_epoch = max(state.initial_epoch or 0, int(values.get(_EPOCHS, 0)))
    if state.max_duration == Time(state.initial_epoch, TimeUnit.EPOCH):
        log.warn("%s is of a training that has finished its %d epochs: nothing is trained.", path, state.initial_epoch)
    state.position = _restored_position(values)
    if _SCALE in values and hasattr(state.loss_scale_manager, _SCALE):
        state.loss_scale_manager.loss_scale = values[_SCALE]
    if _SCHEDULERS in values:
        for scheduler, scheduler_state in zip(state.schedulers, state_of(str(values[_SCHEDULERS])), strict=False):
            scheduler.load_state_dict(scheduler_state)


def _restored_position(values: Mapping[str, Appended]) -> Position | None:
    """Return the place of a file, without what belongs to another process, which would be the same in all."""
    if _POSITION not in values:
        return None
    position = Position.from_text(str(values[_POSITION]))
    return position if values.get(_RANK) == process_rank() else position.of_other_process()


def _schedulers_text(state: State) -> str | None:
    """Return the states of the schedulers as JSON; None if they contain other objects, such as those of a user."""
    try:
        return state_text([scheduler.state_dict() for scheduler in state.schedulers])
    except (AttributeError, TypeError, ValueError) as error:
        log.warn("The schedulers are not saved with the training: %s", error)
        return None
