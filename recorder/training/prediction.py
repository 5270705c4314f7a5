"""The prediction loop: runs batches of inputs through the network."""

import time
from collections.abc import Iterable
from datetime import timedelta
from itertools import islice
from typing import Any

from toposcope.recorder.summary import paused
from toposcope.recorder.training.engine import Engine
from toposcope.recorder.training.event import Event
from toposcope.recorder.training.network import Steps
from toposcope.recorder.training.timestamp import Timestamp


def predict(engine: Engine, steps: Steps, batches: Iterable[Any], number: int | None = None) -> list[Any]:
    """Return the outputs of each batch, of the first *number* batches if it is not None."""
    state = engine.state
    state.set_dataloader(batches, "predict")
    state.predict_timestamp = Timestamp()
    restore = steps.begin_evaluation()
    try:
        engine.run_event(Event.PREDICT_START)
        outputs = [_predict_batch(engine, steps, batch) for batch in islice(batches, number)]
        engine.run_event(Event.PREDICT_END)
    finally:
        restore()
    return outputs


def _predict_batch(engine: Engine, steps: Steps, batch: Any) -> Any:
    state, began = engine.state, time.perf_counter()
    state.batch = batch
    engine.run_event(Event.PREDICT_BATCH_START)
    engine.run_event(Event.PREDICT_BEFORE_FORWARD)
    with paused():
        state.outputs = steps.predict(batch)
    engine.run_event(Event.PREDICT_AFTER_FORWARD)
    duration = timedelta(seconds=time.perf_counter() - began)
    state.predict_timestamp = state.predict_timestamp.to_next_batch(steps.samples(batch), duration=duration)
    engine.run_event(Event.PREDICT_BATCH_END)
    return state.outputs
