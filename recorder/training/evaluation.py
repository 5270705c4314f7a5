"""The evaluation loop: runs the batches of an evaluator through the network and computes its metrics."""

import math
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from toposcope.recorder.metrics import clear, result, update
from toposcope.recorder.summary import paused
from toposcope.recorder.training.engine import Engine
from toposcope.recorder.training.evaluator import Evaluator
from toposcope.recorder.training.event import Event
from toposcope.recorder.training.network import Steps
from toposcope.recorder.training.timestamp import Timestamp
from toposcope.recorder.values.scalar import scalar_from


def evaluate_all(engine: Engine, steps: Steps, evaluators: Sequence[Evaluator]) -> None:
    """Run all evaluators inside a training; without evaluators no event is fired."""
    if not evaluators:
        return
    engine.run_event(Event.EVAL_BEFORE_ALL)
    for evaluator in evaluators:
        evaluate(engine, steps, evaluator, prefix=f"{evaluator.label}/" if len(evaluators) > 1 else "")
    engine.run_event(Event.EVAL_AFTER_ALL)


def evaluate(engine: Engine, steps: Steps, evaluator: Evaluator, *, prefix: str = "") -> dict[str, Any]:
    """Evaluate on the data of one evaluator.

    Args:
        engine: runs the events EVAL_START to EVAL_END.
        steps: the network's steps.
        evaluator: the data and the metrics.
        prefix: prepended to the metric names that callbacks receive, to distinguish several evaluators.

    Returns:
        The result of each metric by its name.
    """
    state = engine.state
    saved = state.dataloader, state.dataloader_label, state.dataloader_len, state.batch, state.outputs, state.loss
    state.set_dataloader(evaluator.dataloader, evaluator.label)
    state.eval_timestamp, state.eval_results, state.eval_loss = Timestamp(), None, None
    state.eval_metrics[evaluator.label] = evaluator.metrics
    restore = steps.begin_evaluation()
    try:
        results = _results(engine, steps, evaluator, prefix)
    finally:
        restore()
    state.dataloader, state.dataloader_label, state.dataloader_len, state.batch, state.outputs, state.loss = saved
    return results


def _results(engine: Engine, steps: Steps, evaluator: Evaluator, prefix: str) -> dict[str, Any]:
    state = engine.state
    for metric in evaluator.metrics.values():
        clear(metric)
    engine.run_event(Event.EVAL_START)
    state.eval_loss = _run_batches(engine, steps, evaluator)
    results = {name: result(metric) for name, metric in evaluator.metrics.items()}
    state.eval_results = {f"{prefix}{name}": value for name, value in results.items()}
    if results:
        engine.logger.log_metrics({f"metrics/{evaluator.label}/{name}": value for name, value in results.items()})
    engine.run_event(Event.EVAL_END)
    return results


def _run_batches(engine: Engine, steps: Steps, evaluator: Evaluator) -> float | None:
    """Run the batches until a callback requests a stop; return the mean loss per sample, None if there is no loss."""
    state, total, samples = engine.state, 0.0, 0
    has_loss = False
    for batch in evaluator.dataloader:
        began = time.perf_counter()
        state.batch = batch
        engine.run_event(Event.EVAL_BATCH_START)
        engine.run_event(Event.EVAL_BEFORE_FORWARD)
        with paused():
            state.loss, state.outputs, state.labels = steps.eval_forward(batch)
        engine.run_event(Event.EVAL_AFTER_FORWARD)
        for metric in evaluator.metrics.values():
            update(metric, state.loss, state.outputs, state.labels)
        number = steps.samples(batch) or 1
        if state.loss is not None:
            has_loss, total, samples = True, total + _mean(state.loss) * number, samples + number
        duration = timedelta(seconds=time.perf_counter() - began)
        state.eval_timestamp = state.eval_timestamp.to_next_batch(number, duration=duration)
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
