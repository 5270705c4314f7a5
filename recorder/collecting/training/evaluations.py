"""Evaluations: their metrics as scalars along the training, and their lineage."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.collecting.job import Job
from toposcope.recorder.messages.lineage import eval_lineage
from toposcope.recorder.messages.plain_data import Plain, plain_from
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError

_MAX_SCALARS = 100
"""Scalars recorded of a metric with a value per class; the lineage contains all values."""


def add_evaluation(job: Job, step: int | None) -> None:
    """Record the metrics of an evaluation that has ended, if there are any.

    Args:
        job: its params contain "metrics" or "eval_results" of all evaluations of this epoch so far, "processed" those
            of the one that ends; with several evaluators they also contain "eval_label", its label.
        step: the last training step; None: the evaluation is not part of a training.
    """
    params = job.params
    results = params.processed.results
    if results is None:
        results = {**(params.get("eval_results") or {}), **(params.get("metrics") or {})}
    metrics = _plain(_named(results, params.get("eval_label")))
    if not metrics:
        return
    if step is not None and job.collects("collect_eval_metrics"):
        job.add_scalars(_scalars_of(metrics))
    if job.is_leading and job.collects("collect_eval_lineage"):
        # Readers merge the lineage of several evaluations.
        facts = job.framework.dataset_facts(params.get("valid_dataset"))
        lineage = eval_lineage(metrics, valid_dataset_path=facts.path, valid_dataset_size=facts.size)
        job.recorder.add_value("eval_lineage", "eval_lineage", lineage)
    job.record_outside_steps(step or 0)


def _named(results: Mapping[Any, Any], label: str | None) -> dict[str, Any]:
    """Return results by their recorded names: with the label as prefix, and "loss" in place of "eval_loss"."""
    names = {str(name): value for name, value in results.items()}
    losses = {name: value for name, value in names.items() if name.split("/")[-1] == "eval_loss"}
    named = {_prefixed(label, name): value for name, value in names.items() if name not in losses}
    for name, value in losses.items():  # A metric named "loss" takes precedence.
        named.setdefault(_prefixed(label, name.removesuffix("eval_loss") + "loss"), value)
    return named


def _prefixed(label: str | None, name: str) -> str:
    return f"{label}/{name}" if label and not name.startswith(f"{label}/") else name


def _plain(metrics: Mapping[str, Any]) -> dict[str, Plain]:
    """Return the metrics as plain data; a metric that cannot be converted is omitted and logged."""
    plain: dict[str, Plain] = {}
    for name, value in metrics.items():
        try:
            plain[name] = plain_from(f"metric {name!r}", value)
        except (TypeError, UnreadableValueError) as error:
            log.warn("A metric is not recorded: %s", error)
    return plain


def _scalars_of(metrics: Mapping[str, Plain]) -> dict[str, float]:
    """Return the numbers among the metrics by tag: eval/<metric>, and eval/<metric>/<i> for the items of a list."""
    scalars: dict[str, float] = {}
    for name, value in metrics.items():
        items = value if isinstance(value, list | tuple) else [value]
        tags = [name] if len(items) == 1 else [f"{name}/{i}" for i in range(min(len(items), _MAX_SCALARS))]
        numbers = zip(tags, items, strict=False)
        scalars |= {f"eval/{tag}": float(number) for tag, number in numbers if isinstance(number, int | float)}
    return scalars
