"""SummaryCollector: recordings of evaluations, with one and several evaluators, read with the server."""

from pathlib import Path
from typing import Any

import numpy as np
from support.line_network import Line

from toposcope import server
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.model import Model

ONLY_EVALUATIONS = {"collect_eval_metrics": True, "collect_eval_lineage": True}


def run_in(directory: Path) -> Any:
    """Return the only run of a directory."""
    (run,) = server.open(directory).runs.values()
    return run


def points_of(directory: Path) -> dict[str, list[tuple[int, float]]]:
    """Return the steps and values of every scalar, including those of repeated steps."""
    run = run_in(directory)
    series = {tag: run.scalars(tag, attempt="all") for tag in run.tags("scalar")}
    return {tag: list(zip(each.step.tolist(), each.value.tolist(), strict=True)) for tag, each in series.items()}


def collector_in(directory: Path) -> SummaryCollector:
    """Return a collector that collects only evaluations."""
    return SummaryCollector(directory, collect_specified_data=ONLY_EVALUATIONS, keep_default_action=False)


def batches_of(label: int) -> list[tuple[Any, Any]]:
    """Return two batches of four samples that all have the same class."""
    return [(np.zeros((4, 3)), np.full(4, label))] * 2


class AlwaysZero(Line):
    """A classifier that predicts class 0, with a loss of 0.01 if that is right and of 5 otherwise."""

    def train_step(self, x: Any, y: Any) -> float:
        """Learn nothing."""
        return 0.01

    def eval_step(self, x: Any, y: Any) -> tuple[float, Any, Any]:
        """Return loss, scores and labels."""
        return float(np.where(y == 0, 0.01, 5.0).mean()), np.tile([5.0, 0.0], (len(y), 1)), y


def fit(directory: Path, valid: Any, metrics: Any = ("acc",), epochs: int = 2) -> None:
    """Train a classifier that always predicts class 0, and evaluate it after each epoch of two steps."""
    model = Model(AlwaysZero(), metrics=set(metrics))
    model.fit(epochs, batches_of(0), valid, callbacks=collector_in(directory))


def test_each_of_several_evaluators_is_recorded_once_per_epoch_under_its_label(tmp_path: Path) -> None:
    fit(tmp_path, {"val": batches_of(0), "test": batches_of(1)})
    points = points_of(tmp_path)
    assert points["eval/val/acc"] == [(2, 1.0), (4, 1.0)]
    assert points["eval/test/acc"] == [(2, 0.0), (4, 0.0)]
    assert {tag for tag in points if tag.endswith("loss")} == {"eval/val/loss", "eval/test/loss"}
    assert [step for step, _ in points["eval/val/loss"]] == [2, 4]
    assert all(loss < 0.1 for _, loss in points["eval/val/loss"])
    assert all(loss > 4.9 for _, loss in points["eval/test/loss"])


def test_lineage_contains_the_metrics_of_several_evaluators(tmp_path: Path) -> None:
    fit(tmp_path, {"val": batches_of(0), "test": batches_of(1)})
    metrics = run_in(tmp_path).lineage().metrics
    assert set(metrics) == {"val/acc", "test/acc", "val/loss", "test/loss"}
    assert metrics["val/acc"] == 1.0
    assert metrics["test/acc"] == 0.0
    assert metrics["val/loss"] < 0.1 < 4.9 < metrics["test/loss"]


def test_one_evaluator_is_recorded_without_a_label(tmp_path: Path) -> None:
    fit(tmp_path, batches_of(0))
    points = points_of(tmp_path)
    assert set(points) == {"eval/acc", "eval/loss"}
    assert points["eval/acc"] == [(2, 1.0), (4, 1.0)]
    assert set(run_in(tmp_path).lineage().metrics) == {"acc", "loss"}


def test_evaluations_of_a_watched_loop_are_distinguished_by_their_labels(tmp_path: Path) -> None:
    """Both report "accuracy" at the same step."""
    with collector_in(tmp_path).watch(loader=[0, 1]) as run:
        for epoch in (1, 2):
            run.step(0.5)
            run.step(0.5)
            run.eval({"accuracy": 0.5 + epoch / 10, "loss": 0.1 * epoch}, label="val", more=True)
            run.eval({"accuracy": 0.25 + epoch / 10}, label="test")
    points = points_of(tmp_path)
    assert points == {
        "eval/val/accuracy": [(2, 0.6), (4, 0.7)],
        "eval/val/loss": [(2, 0.1), (4, 0.2)],
        "eval/test/accuracy": [(2, 0.35), (4, 0.45)],
    }
    assert run_in(tmp_path).lineage().metrics == {"val/accuracy": 0.7, "val/loss": 0.2, "test/accuracy": 0.45}


def test_each_of_several_evaluations_with_one_label_is_recorded_once(tmp_path: Path) -> None:
    """As of several data sets of transformers.Trainer, which reports them one by one."""
    with collector_in(tmp_path).watch(loader=[0, 1]) as run:
        for epoch in (1, 2):
            run.step(0.5)
            run.step(0.5)
            run.eval({"a_accuracy": 0.5 + epoch / 10, "a_loss": 0.25}, more=True)
            run.eval({"b_accuracy": 0.25 + epoch / 10}, more=True)
            run.eval({"loss": 0.125})
    assert points_of(tmp_path) == {
        "eval/a_accuracy": [(2, 0.6), (4, 0.7)],
        "eval/a_loss": [(2, 0.25), (4, 0.25)],
        "eval/b_accuracy": [(2, 0.35), (4, 0.45)],
        "eval/loss": [(2, 0.125), (4, 0.125)],
    }


def evaluate(directory: Path, *evaluations: dict[str, Any]) -> None:
    """Call the hooks of a collector for one step and for evaluations with these params at their ends.

    "evaluator_results" are those of the evaluation that ends.
    """
    context = RunContext({"mode": "train", "cur_step_num": 0, "network": None, "batch_num": 1, "epoch_num": 1})
    params = context.original_args()
    with collector_in(directory) as collector:
        collector.on_train_begin(context)
        params.cur_epoch_num, params.cur_step_num = 1, 1
        collector.on_train_epoch_begin(context)
        collector.on_train_step_end(context)
        for results in evaluations:
            params.processed.results = results.pop("evaluator_results", None)
            params.update(results)
            collector.on_eval_end(context)
        params.pop("metrics", None)
        params.pop("eval_results", None)
        collector.on_train_epoch_end(context)
        collector.on_train_end(context)


def test_label_is_prepended_to_names_without_it(tmp_path: Path) -> None:
    first = {"val/f1": [0.5, 0.25], "eval_loss": 2.0}
    second = {"f1": 0.75, "test/eval_loss": 3.0}
    evaluate(
        tmp_path,
        {"metrics": first, "eval_label": "val", "evaluator_results": first},
        {"metrics": {**first, **second}, "eval_label": "test", "evaluator_results": second},
    )
    assert points_of(tmp_path) == {
        "eval/val/f1/0": [(1, 0.5)],
        "eval/val/f1/1": [(1, 0.25)],
        "eval/val/loss": [(1, 2.0)],
        "eval/test/f1": [(1, 0.75)],
        "eval/test/loss": [(1, 3.0)],
    }


def test_without_label_the_results_are_those_of_the_params(tmp_path: Path) -> None:
    """The bridge to MindSpore passes no label."""
    evaluate(tmp_path, {"metrics": {"acc": 0.5}, "eval_results": {"acc": 0.5, "eval_loss": 0.125}})
    assert points_of(tmp_path) == {"eval/acc": [(1, 0.5)], "eval/loss": [(1, 0.125)]}
    assert run_in(tmp_path).lineage().metrics == {"acc": 0.5, "loss": 0.125}


def test_metric_named_loss_takes_precedence_over_the_loss_of_the_evaluation(tmp_path: Path) -> None:
    results = {"loss": 0.5, "eval_loss": 0.25}
    evaluate(tmp_path, {"eval_results": results, "eval_label": "val", "evaluator_results": results})
    assert points_of(tmp_path) == {"eval/val/loss": [(1, 0.5)]}


def test_evaluator_without_metrics_and_loss_records_nothing(tmp_path: Path) -> None:
    evaluate(
        tmp_path,
        {"metrics": {"val/acc": 1.0}, "eval_label": "val", "evaluator_results": {"val/acc": 1.0}},
        {"eval_label": "test", "evaluator_results": {}},
    )
    assert points_of(tmp_path) == {"eval/val/acc": [(1, 1.0)]}
