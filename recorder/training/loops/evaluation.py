"""The evaluation loop: runs the batches of an evaluator through the network and computes its metrics."""

import math
import time
from collections.abc import Sequence
from datetime import timedelta
from itertools import islice
from typing import Any

from toposcope.recorder.metrics import clear, result, update
from toposcope.recorder.summary import paused
from toposcope.recorder.training.data.batch import number_used
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.loops.network import Steps
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.progress.timestamp import Timestamp
from toposcope.recorder.training.state.evaluator import Evaluator
from toposcope.recorder.values.scalar import scalar_from


def evaluate_all(engine: Engine, steps: Steps, evaluators: Sequence[Evaluator], subset: int = -1) -> None:
    """Run all evaluators inside a training; without evaluators no event is fired. See evaluate() for subset."""
    if not evaluators:
        return
    engine.run_event(Event.EVAL_BEFORE_ALL)
    for evaluator in evaluators:
        prefix = f"{evaluator.label}/" if len(evaluators) > 1 else ""
        evaluate(engine, steps, evaluator, prefix=prefix, subset=subset)
    engine.run_event(Event.EVAL_AFTER_ALL)


def evaluate(
    engine: Engine, steps: Steps, evaluator: Evaluator, *, prefix: str = "", subset: int = -1, at_most: int = -1
) -> dict[str, Any]:
    """Evaluate on the data of one evaluator.

    Args:
        engine: runs the events EVAL_START to EVAL_END.
        steps: the network's steps.
        evaluator: the data and the metrics.
        prefix: prepended to the metric names that callbacks receive, to distinguish several evaluators.
        subset: the number of batches of an evaluator that does not say it itself; -1: all.
        at_most: the number of batches, whatever the evaluator says; -1: as it says.

    Returns:
        The result of each metric by its name.
    """
    state = engine.state
    saved = state.dataloader, state.dataloader_label, state.dataloader_len, state.batch, state.outputs, state.loss
    own = evaluator.subset_num_batches
    number = at_most if at_most >= 0 else subset if own is None else own
    state.set_dataloader(evaluator.dataloader, evaluator.label, number_used(evaluator.dataloader, number))
    state.eval_timestamp, state.eval_results, state.eval_loss = Timestamp(), None, None
    state.eval_metrics[evaluator.label] = evaluator.metrics
    restore = steps.begin_evaluation()
    try:
        return _results(engine, steps, evaluator, prefix, number)
    finally:
        restore()
        state.dataloader, state.dataloader_label, state.dataloader_len, state.batch, state.outputs, state.loss = saved


def _results(engine: Engine, steps: Steps, evaluator: Evaluator, prefix: str, number: int) -> dict[str, Any]:
    state = engine.state
    for metric in evaluator.metrics.values():
        clear(metric)
    engine.run_event(Event.EVAL_START)
    state.eval_loss = _run_batches(engine, steps, evaluator, number)
    results = {name: result(metric) for name, metric in evaluator.metrics.items()}
    state.eval_results = {f"{prefix}{name}": value for name, value in results.items()}
    if results:
        engine.logger.log_metrics({f"metrics/{evaluator.label}/{name}": value for name, value in results.items()})
    engine.run_event(Event.EVAL_END)
    return results


def _run_batches(engine: Engine, steps: Steps, evaluator: Evaluator, number: int) -> float | None:
    """Run the batches until a callback requests a stop; return the mean loss per sample, None if there is no loss."""
    state, total, samples = engine.state, 0.0, 0
    has_loss = False
    for batch in islice(evaluator.dataloader, None if number < 0 else number):
        began = time.perf_counter()
        state.batch = batch
        engine.run_event(Event.EVAL_BATCH_START)
        engine.run_event(Event.EVAL_BEFORE_FORWARD)
        with paused():
            state.loss, state.outputs, state.labels = steps.eval_forward(batch)
        engine.run_event(Event.EVAL_AFTER_FORWARD)
        for metric in evaluator.metrics.values():
            update(metric, state.loss, state.outputs, state.labels)
        size = steps.samples(batch) or 1
        if state.loss is not None:
            has_loss, total, samples = True, total + _mean(state.loss) * size, samples + size
        duration = timedelta(seconds=time.perf_counter() - began)
        state.eval_timestamp = state.eval_timestamp.to_next_batch(size, duration=duration)
        engine.run_event(Event.EVAL_BATCH_END)
        if engine.hooks.is_stop_requested and engine.hooks.is_evaluating:
            break
    return total / samples if has_loss else None


def _mean(loss: Any) -> float:
    try:
        return scalar_from(loss).value
    except (TypeError, ValueError):
        mean = loss.mean() if callable(getattr(loss, "mean", None)) else math.nan
        return scalar_from(mean).value
