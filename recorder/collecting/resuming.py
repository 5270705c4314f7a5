"""How the recording of a training continues earlier recordings in its directory."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.rank import process_rank
from toposcope.recorder.writing.files.earlier_recordings import last_recorded_step

_BEGINS_AGAIN = (
    "%s contains steps of an earlier recording, up to step %d, and this training begins again at step 1: the page will "
    "show its steps and hide the earlier ones from step 1 on, which remain available as an attempt. If it resumes that "
    "training, pass initial_step=, the number of steps trained before. If it is another training, use another "
    "directory. initial_step=0 begins again without this warning."
)

_IS_REPLACED = (
    "%s contains an earlier training, up to step %d. This one begins again: the page shows its steps and keeps the "
    "earlier ones as an attempt. To separate them use another directory."
)


def resume_of(params: Mapping[str, Any]) -> bool | int:
    """Return the argument resume of the SummaryRecord of a training or an evaluation that is about to begin.

    Args:
        params: the cb_params.

    Returns:
        The first step of the training if it is known. For an evaluation after a training the step after its last one,
        as the evaluation replaces nothing. Otherwise False.
    """
    if params.get("mode") != "train":
        finished_steps = params.get("finished_steps")
        return False if finished_steps is None else int(finished_steps) + 1
    step = int(params.get("cur_step_num", 0))
    return step + 1 if step or params.get("is_initial_step_given") else False


def warn_of_hidden_steps(directory: str, params: Mapping[str, Any]) -> None:
    """Warn if a training begins again at step 1 where this rank has recorded steps before, unless it was asked to."""
    if resume_of(params) or (last := last_recorded_step(directory, process_rank())) is None:
        return
    log.warn(_BEGINS_AGAIN, directory, last)


def warn_of_earlier_training(directory: str) -> None:
    """Warn if this rank has recorded steps in a directory in which a training of another library begins again."""
    if (last := last_recorded_step(directory, process_rank())) is not None:
        log.warn(_IS_REPLACED, directory, last)
