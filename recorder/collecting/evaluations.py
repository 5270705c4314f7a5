"""Evaluations: their metrics as curves beside the training, and their lineage."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.collecting.job import Job
from toposcope.recorder.messages.lineage import eval_lineage
from toposcope.recorder.messages.plain_data import Plain, plain_from
from toposcope.recorder.values.foreign import UnreadableValueError

_MOST_CURVES = 100
"""Of one metric: the values of more classes than these are read from the lineage, not from curves."""


def add_evaluation(job: Job, step: int | None) -> None:
    """Record the metrics that callbacks are told at the end of an evaluation; nothing when there are none.

    Args:
        job: whose params have "metrics" or "eval_results".
        step: the step that was trained last; None: there is no training around the evaluation.
    """
    metrics = _metrics_in(job.params)
    if not metrics:
        return
    if step is not None and job.wants("collect_eval_metrics"):
        job.add_scalars(_curves_of(metrics))
    if job.is_leading and job.wants("collect_eval_lineage"):
        facts = job.framework.dataset_facts(job.params.get("valid_dataset"))
        lineage = eval_lineage(metrics, valid_dataset_path=facts.path, valid_dataset_size=facts.size)
        job.recorder.add_value("eval_lineage", "eval_lineage", lineage)
    job.record_aside(step or 0)


def _metrics_in(params: Mapping[str, Any]) -> dict[str, Plain]:
    """Return the metrics as plain data, "eval_loss" under the name "loss"; one that is none is left out and logged."""
    given = {**(params.get("eval_results") or {}), **(params.get("metrics") or {})}
    if "eval_loss" in given:
        given.setdefault("loss", given.pop("eval_loss"))
    metrics: dict[str, Plain] = {}
    for name, value in given.items():
        try:
            metrics[str(name)] = plain_from(f"metric {name!r}", value)
        except (TypeError, UnreadableValueError) as error:
            log.warn("A metric is not recorded: %s", error)
    return metrics


def _curves_of(metrics: Mapping[str, Plain]) -> dict[str, float]:
    """Return the numbers among the metrics: eval/<metric>, and eval/<metric>/<i> of lists."""
    curves: dict[str, float] = {}
    for name, value in metrics.items():
        items = value if isinstance(value, list | tuple) else [value]
        tags = [name] if len(items) == 1 else [f"{name}/{i}" for i in range(min(len(items), _MOST_CURVES))]
        numbers = zip(tags, items, strict=False)
        curves |= {f"eval/{tag}": float(number) for tag, number in numbers if isinstance(number, int | float)}
    return curves
