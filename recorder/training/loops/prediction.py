"""The prediction loop: runs batches of inputs through the network."""

import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import islice
from typing import Any

from toposcope.recorder.summary import paused
from toposcope.recorder.training.data.batch import number_used
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.loops.network import Steps
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.progress.timestamp import Timestamp


def predictions(engine: Engine, steps: Steps, batches: Iterable[Any], number: int = -1) -> Iterator[Any]:
    """Yield the outputs of each of the first *number* batches, of all if it is -1."""
    state = engine.state
    saved = state.dataloader, state.dataloader_label, state.dataloader_len
    state.set_dataloader(batches, "predict", number_used(batches, number))
    state.predict_timestamp = Timestamp()
    restore = steps.begin_evaluation()
    try:
        engine.run_event(Event.PREDICT_START)
        for batch in islice(batches, None if number < 0 else number):
            yield _predict_batch(engine, steps, batch)
        engine.run_event(Event.PREDICT_END)
    finally:
        restore()
        state.dataloader, state.dataloader_label, state.dataloader_len = saved


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


def on_cpu(outputs: Any) -> Any:
    """Return outputs, nested in any way, with their tensors in the memory of the CPU."""
    if callable(getattr(outputs, "cpu", None)):
        return outputs.cpu()
    if isinstance(outputs, dict):
        return {key: on_cpu(value) for key, value in outputs.items()}
    if isinstance(outputs, tuple) and hasattr(outputs, "_fields"):
        return type(outputs)(*map(on_cpu, outputs))
    return type(outputs)(map(on_cpu, outputs)) if isinstance(outputs, tuple | list) else outputs
