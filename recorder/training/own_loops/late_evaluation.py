"""Evaluations before or after the training of a run: callbacks are entered for them alone."""

import copy
from typing import Any

from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.own_loops.loop_events import LoopEvents
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State


def evaluate_after_training(state: State, metrics: dict[str, Any], label: str) -> None:
    """Report the results of an evaluation after a training, which belong to its last step; see evaluate_alone()."""
    evaluate_alone(state, metrics, label, finished_steps=int(state.timestamp.batch))


def evaluate_alone(state: State, metrics: dict[str, Any], label: str, finished_steps: int | None = None) -> None:
    """Report the results of an evaluation to the callbacks that take part in the evaluations of a training.

    Each of them is entered and left for the evaluation alone, as in Model.eval(). Logger destinations and Composer's
    callbacks stay closed.

    Args:
        state: of the training that has ended, or has not started.
        metrics: name to result.
        label: the name of the evaluated data.
        finished_steps: the steps of the training that has ended; None: there was none.

    Raises:
        Exception: whatever a callback raised.
    """
    late_state = copy.copy(state)
    callbacks = [callback for callback in state.callbacks if isinstance(callback, Callback)]
    late_state.callbacks = [callback for callback in callbacks if callback.runs_in_fit_evaluation]
    engine = Engine(late_state, Logger(late_state, []))
    if finished_steps is not None:
        engine.hooks.params["finished_steps"] = finished_steps
    try:
        engine.run_event(Event.INIT)
        LoopEvents(engine).evaluate(metrics, label)
    except BaseException as error:
        engine.close(error)
        raise
    engine.close()
