"""The whole state of a training in one file: network, optimizers, schedulers, loss scale, steps and epochs."""

import json
from collections.abc import Mapping
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.checkpoints.checkpoint import Appended
from toposcope.recorder.checkpoints.loading import load_checkpoint
from toposcope.recorder.checkpoints.restoring import restore
from toposcope.recorder.checkpoints.saving import save_checkpoint
from toposcope.recorder.rank import process_rank
from toposcope.recorder.trained_steps import trained_steps_of
from toposcope.recorder.training.position import Position, random_states
from toposcope.recorder.training.state import State
from toposcope.recorder.training.time import Time, TimeUnit

_EPOCHS, _SCALE, _SCHEDULERS, _PAIRS = "finished_epochs", "loss_scale", "schedulers", "pairs"
_POSITION = "position"


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
    position = json.dumps([process_rank(), *_position(state)])
    appended: dict[str, Appended] = {**(append or {}), _EPOCHS: _finished_epochs(state), _POSITION: position}
    if state.loss_scale_manager is not None:
        appended[_SCALE] = float(state.loss_scale_manager.get_loss_scale())
    if state.schedulers and (text := _schedulers_text(state)) is not None:
        appended[_SCHEDULERS] = text
    save_checkpoint(state.model, path, optimizer=state.optimizers or None, append=appended)


def restore_training(state: State, path: str) -> None:
    """Restore a training that is about to begin; fit() continues after the last step of the file.

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
        saved = json.loads(str(values[_SCHEDULERS]), object_hook=_unpaired)
        for scheduler, scheduler_state in zip(state.schedulers, saved, strict=False):
            scheduler.load_state_dict(scheduler_state)


def _position(state: State) -> Position:
    """Return the place after the last step; that of the next epoch at the last step of one, and in sinks of batches."""
    timestamp = state.timestamp
    is_between = state.sink_size is not None or timestamp.batch_in_epoch == state.dataloader_len
    batch, sample = (0, 0) if is_between else (int(timestamp.batch_in_epoch), int(timestamp.sample_in_epoch))
    return Position(batch, sample, state.random_at_epoch if batch else "", random_states(state.train_dataloader))


def _restored_position(values: Mapping[str, Appended]) -> Position | None:
    """Return the place of a file, without the random states of another process, which would be those of all ranks."""
    if _POSITION not in values:
        return None
    rank, *place = json.loads(str(values[_POSITION]))
    position = Position(*place)
    return position if rank == process_rank() else position._replace(at_epoch="", at_step="")


def _finished_epochs(state: State) -> int:
    """Return the number of finished epochs, also at the last step of one."""
    timestamp = state.timestamp
    is_last = state.dataloader_len is not None and timestamp.batch_in_epoch == state.dataloader_len
    return int(timestamp.epoch) + is_last


def _schedulers_text(state: State) -> str | None:
    """Return the states of the schedulers as JSON; None if they contain other objects, such as those of a user."""
    try:
        return json.dumps([_paired(scheduler.state_dict()) for scheduler in state.schedulers])
    except (AttributeError, TypeError, ValueError) as error:
        log.warn("The schedulers are not saved with the training: %s", error)
        return None


def _paired(value: Any) -> Any:
    """Return a value in which dicts are lists of pairs, as the keys of JSON are texts."""
    if isinstance(value, Mapping):
        return {_PAIRS: [[key, _paired(item)] for key, item in value.items()]}
    return [_paired(item) for item in value] if isinstance(value, list | tuple) else value


def _unpaired(mapping: dict[str, Any]) -> dict[Any, Any]:
    return dict(mapping[_PAIRS])
