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
        job: whose params have "metrics" or "eval_results", those of all evaluators of this epoch so far. Of several
            evaluators also "evaluator_results", those of the one that ends, and "eval_label", what it is called.
        step: the step that was trained last; None: there is no training around the evaluation.
    """
    params = job.params
    results = params.get("evaluator_results")
    if results is None:
        results = {**(params.get("eval_results") or {}), **(params.get("metrics") or {})}
    metrics = _plain(_named(results, params.get("eval_label")))
    if not metrics:
        return
    if step is not None and job.wants("collect_eval_metrics"):
        job.add_scalars(_curves_of(metrics))
    if job.is_leading and job.wants("collect_eval_lineage"):
        # Readers merge the lineage of several evaluations.
        facts = job.framework.dataset_facts(params.get("valid_dataset"))
        lineage = eval_lineage(metrics, valid_dataset_path=facts.path, valid_dataset_size=facts.size)
        job.recorder.add_value("eval_lineage", "eval_lineage", lineage)
    job.record_aside(step or 0)


def _named(results: Mapping[Any, Any], label: str | None) -> dict[str, Any]:
    """Return results by the names that are recorded: behind the label if there is one, and "loss" for "eval_loss"."""
    names = {str(name): value for name, value in results.items()}
    losses = {name: value for name, value in names.items() if name.split("/")[-1] == "eval_loss"}
    named = {_behind(label, name): value for name, value in names.items() if name not in losses}
    for name, value in losses.items():  # A metric that is called so counts.
        named.setdefault(_behind(label, name.removesuffix("eval_loss") + "loss"), value)
    return named


def _behind(label: str | None, name: str) -> str:
    return f"{label}/{name}" if label and not name.startswith(f"{label}/") else name


def _plain(metrics: Mapping[str, Any]) -> dict[str, Plain]:
    """Return the metrics as plain data; one that is none is left out and logged."""
    plain: dict[str, Plain] = {}
    for name, value in metrics.items():
        try:
            plain[name] = plain_from(f"metric {name!r}", value)
        except (TypeError, UnreadableValueError) as error:
            log.warn("A metric is not recorded: %s", error)
    return plain


def _curves_of(metrics: Mapping[str, Plain]) -> dict[str, float]:
    """Return the numbers among the metrics: eval/<metric>, and eval/<metric>/<i> of lists."""
    curves: dict[str, float] = {}
    for name, value in metrics.items():
        items = value if isinstance(value, list | tuple) else [value]
        tags = [name] if len(items) == 1 else [f"{name}/{i}" for i in range(min(len(items), _MOST_CURVES))]
        numbers = zip(tags, items, strict=False)
        curves |= {f"eval/{tag}": float(number) for tag, number in numbers if isinstance(number, int | float)}
    return curves
