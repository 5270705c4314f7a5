"""The prediction loop: batches through the network, without labels."""

import time
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from toposcope.recorder.training.engine import Engine
from toposcope.recorder.training.event import Event
from toposcope.recorder.training.network import Steps, parts_of
from toposcope.recorder.training.timestamp import Timestamp


def predict(engine: Engine, steps: Steps, batches: Iterable[Any], number: int | None = None) -> list[Any]:
    """Return the outputs of each batch; number ends it after so many batches."""
    state = engine.state
    state.set_dataloader(batches, "predict")
    state.predict_timestamp = Timestamp()
    steps.begin_evaluation()
    engine.run_event(Event.PREDICT_START)
    outputs = []
    for index, batch in enumerate(batches):
        if index == number:
            break
        outputs.append(_predict_batch(engine, steps, batch))
    engine.run_event(Event.PREDICT_END)
    return outputs


def _predict_batch(engine: Engine, steps: Steps, batch: Any) -> Any:
    state, began = engine.state, time.perf_counter()
    state.batch = batch
    engine.run_event(Event.PREDICT_BATCH_START)
    engine.run_event(Event.PREDICT_BEFORE_FORWARD)
    state.outputs = steps.predict(parts_of(batch))
    engine.run_event(Event.PREDICT_AFTER_FORWARD)
    duration = timedelta(seconds=time.perf_counter() - began)
    state.predict_timestamp = state.predict_timestamp.to_next_batch(steps.samples(batch), duration=duration)
    engine.run_event(Event.PREDICT_BATCH_END)
    return state.outputs
