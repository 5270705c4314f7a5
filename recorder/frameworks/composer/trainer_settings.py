"""The settings of a Trainer of Composer, from its state."""

from typing import Any

from toposcope.recorder.rank import process_count


def trainer_settings(state: Any) -> dict[str, Any]:
    """Return the settings by name."""
    return {
        "max_duration": None if state.max_duration is None else state.max_duration.to_timestring(),
        "precision": state.precision,
        "device_train_microbatch_size": state.device_train_microbatch_size,
        "run_name": state.run_name,
        "seed": state.rank_zero_seed,
        "algorithms": [type(algorithm).__name__ for algorithm in state.algorithms],
        "world_size": process_count(),
    }


def planned_steps(state: Any) -> int | None:
    """Return the batches of the whole training; None if they are not known, as of a duration in tokens."""
    duration, length = state.max_duration, state.dataloader_len
    if duration is None:
        return None
    if duration.unit.value == "ba":
        return int(duration.value)
    if duration.unit.value == "ep" and length is not None:
        return int(duration.value) * int(length)
    return None
