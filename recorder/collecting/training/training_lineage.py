"""Training lineage: recorded once per training: the settings at its beginning, the results at its end."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from toposcope.recorder.collecting.job import Job
from toposcope.recorder.messages.lineage import custom_lineage, train_lineage
from toposcope.recorder.training.data.batch import sample_count
from toposcope.recorder.training.data.loss import loss_in


def add_custom_lineage(job: Job) -> None:
    """Add the settings of the optimizer and the user's custom_lineage_data, which has precedence."""
    facts: dict[str, object] = {}
    if job.collects("collect_optimizer_facts"):
        facts |= job.guard.attempt("optimizer facts", _optimizer_facts, job) or {}
    facts |= job.plan.custom_lineage_data
    if facts:
        job.recorder.add_value("custom_lineage_data", "custom_lineage_data", custom_lineage(facts))


def add_dataset_graph(job: Job) -> None:
    """Add the pipeline of the training's dataset if the framework provides it."""
    if (graph := job.framework.dataset_graph(job.params.get("train_dataset"))) is not None:
        job.recorder.add_value("dataset_graph", "dataset_graph", graph)


def add_train_lineage(job: Job, learning_rate: float | None, epochs: int) -> None:
    """Add the lineage of the training so far.

    Args:
        job: the training.
        learning_rate: the learning rate to record; None: unknown.
        epochs: number of started epochs.
    """
    params, framework = job.params, job.framework
    facts = framework.dataset_facts(params.get("train_dataset"))
    checkpoint = _newest_checkpoint(params)
    lineage = train_lineage(
        optimizer=framework.class_name(params.get("optimizer")),
        learning_rate=learning_rate,
        loss_function=framework.class_name(params.get("loss_fn")),
        epoch=epochs,
        parallel_mode=params.get("parallel_mode"),
        device_num=params.get("device_number"),
        batch_size=facts.batch_size or sample_count(params.get("train_dataset_element")),
        train_dataset_path=facts.path,
        train_dataset_size=facts.size,
        network=framework.class_name(params.get("network")),
        loss=loss_in(params.get("net_outputs")),
        model_path=checkpoint,
        model_size=os.path.getsize(checkpoint) if checkpoint else 0,
    )
    job.recorder.add_value("train_lineage", "train_lineage", lineage)


def _optimizer_facts(job: Job) -> dict[str, str | int | float]:
    facts = job.framework.facts(job.params.get("optimizer"), job.params.get("schedulers", ()))
    return {name if "/" in name else f"optimizer/{name}": fact for name, fact in facts.items()}


def _newest_checkpoint(params: Mapping[str, Any]) -> str | None:
    """Return the newest checkpoint that a callback of the training saved, anywhere in the list of callbacks."""
    callbacks: Iterable[Any] = params.get("list_callback") or ()
    named = [getattr(callback, "latest_ckpt_file_name", None) for callback in callbacks]
    paths = [os.path.abspath(path) for path in (*named, params.get("latest_ckpt_file")) if path]
    return max(filter(os.path.isfile, paths), key=os.path.getmtime, default=None)
