"""Trainings of Lightning, recorded by our logger and callback, compared with what Lightning itself reports."""

import copy
import csv
import importlib
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from support.lightning_training import (
    BATCHES,
    QUIET,
    Classifier,
    adapter,
    data,
    pl,
    step_losses,
    trainer,
    validation_data,
)
from support.recorded_run import points_of, run_in, scalars_of, tags_of
from support.written_events import read_events

from toposcope.recorder import Histogram, Text
from toposcope.recorder.callbacks import EarlyStopping
from toposcope.recorder.training.events.callback import Callback

pytestmark = pytest.mark.filterwarnings("ignore")
CSVLogger = pl.loggers.CSVLogger


def reported(directory: Path) -> dict[str, list[tuple[int, float]]]:
    """Return what CSVLogger wrote: for each metric its steps and values, in order."""
    metrics: dict[str, list[tuple[int, float]]] = {}
    with (directory / "metrics.csv").open() as file:
        for row in csv.DictReader(file):
            step = int(row.pop("step"))
            for name, text in row.items():
                if text:
                    metrics.setdefault(name, []).append((step, float(text)))
    return metrics


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the warnings of the recorder."""
    records = [each for each in caplog.records if each.name.startswith("toposcope")]
    return [each.getMessage() for each in records if each.levelname == "WARNING"]


def test_the_recorded_values_are_those_of_lightnings_own_logger(tmp_path: Path) -> None:
    """Every metric, its steps and its values are equal to those of a CSVLogger; evaluations are recorded once."""
    run, own = tmp_path / "run", tmp_path / "csv"
    monitor = pl.callbacks.LearningRateMonitor("step")
    training = trainer(run, monitor, loggers=[CSVLogger(own, name="", version="")], accumulate_grad_batches=3)
    training.fit(Classifier(), data(), validation_data())
    metrics = reported(own)
    assert {"val_loss", "train_loss_step", "train_loss_epoch", "lr-SGD", "epoch"} <= metrics.keys()
    for name, points in metrics.items():
        assert points_of(run, name) == points
    collected = {"loss/auto", "learning_rate", "throughput/steps_per_second", "throughput/samples_per_second"}
    assert set(tags_of(run, "scalar")) == metrics.keys() | collected
    assert [step for step, _ in metrics["val_loss"]] == [3, 7]


@pytest.mark.parametrize("accumulated", [1, 3])
def test_the_loss_is_that_of_each_optimizer_step(tmp_path: Path, accumulated: int) -> None:
    """The loss of a step is the mean of its batches, and the step Trainer.global_step."""
    training, model = trainer(tmp_path, accumulate_grad_batches=accumulated, log_every_n_steps=50), Classifier()
    training.fit(model, data(), validation_data())
    losses = scalars_of(tmp_path, "loss/auto")
    assert losses == pytest.approx(step_losses(model.losses, accumulated))
    assert max(losses) == training.global_step


def test_accumulation_may_change(tmp_path: Path) -> None:
    """With a GradientAccumulationScheduler the losses are still those of the steps."""
    scheduler = pl.callbacks.GradientAccumulationScheduler({0: 1, 1: 5})
    training, model = trainer(tmp_path, scheduler), Classifier()
    training.fit(model, data())
    expected = {
        **step_losses(model.losses[:BATCHES], 1),
        **{BATCHES + step: loss for step, loss in step_losses(model.losses[BATCHES:], 5).items()},
    }
    assert scalars_of(tmp_path, "loss/auto") == pytest.approx(expected)


def test_the_learning_rate_is_the_one_each_step_used(tmp_path: Path) -> None:
    """A scheduler that Lightning steps does not shift the rates."""
    model = Classifier()
    trainer(tmp_path).fit(model, data())
    assert scalars_of(tmp_path, "learning_rate") == pytest.approx(dict(enumerate(model.rates, 1)))
    assert run_in(tmp_path).lineage().custom["scheduler/step_size"] == 3


def test_hyperparameters_are_lineage_and_no_metric(tmp_path: Path) -> None:
    """Nested hyperparameters and the settings of the Trainer are lineage; secrets are left out."""
    trainer(tmp_path, max_epochs=1).fit(Classifier(hidden=16, data={"path": "here", "api_key": "abc"}), data())
    custom = run_in(tmp_path).lineage().custom
    assert (custom["hidden"], custom["lr"], custom["data/path"]) == (16, 0.1, "here")
    assert (custom["trainer/max_epochs"], custom["trainer/accumulate_grad_batches"]) == (1, 1)
    assert not [name for name in custom if "api_key" in name]
    assert not [tag for tag in tags_of(tmp_path, "scalar") if "hp_" in tag or "hidden" in tag]


class SeenResults(Callback):
    """Remembers the evaluations that a callback of ours receives."""

    runs_in_fit_evaluation = True

    def __init__(self) -> None:
        self.results: list[dict[str, float]] = []

    def on_eval_end(self, run_context: Any) -> None:
        """Remember the results."""
        self.results.append(dict(run_context.original_args()["metrics"]))


def test_evaluations_reach_our_callbacks_and_the_lineage(tmp_path: Path) -> None:
    """Callbacks receive the metrics of each evaluation, not those of the sanity check or of training steps."""
    seen = SeenResults()
    trainer(tmp_path, settings={**QUIET, "callbacks": [seen]}).fit(Classifier(), data(), validation_data())
    assert [list(results) for results in seen.results] == [["val_loss"], ["val_loss"]]
    recorded = [value for _, value in points_of(tmp_path, "val_loss")]
    assert [results["val_loss"] for results in seen.results] == pytest.approx(recorded)
    assert run_in(tmp_path).lineage().metrics["val_loss"] == pytest.approx(recorded[-1])


def test_several_data_sets_are_evaluated_once_each(tmp_path: Path) -> None:
    """Each data set of an evaluation has its own metric, once per evaluation."""
    seen = SeenResults()
    training = trainer(tmp_path, settings={**QUIET, "callbacks": [seen]}, max_epochs=1)
    training.fit(Classifier(), data(), [validation_data(), data(1)])
    names = ["val_loss/dataloader_idx_0", "val_loss/dataloader_idx_1"]
    assert [sorted(results) for results in seen.results] == [names]
    assert all(len(points_of(tmp_path, name)) == 1 for name in names)


def test_without_our_logger_evaluations_are_recorded_by_the_callback(tmp_path: Path) -> None:
    """The callback alone needs a directory, and records "eval/<name>" at the step of the optimizer."""
    options: Any = {"max_epochs": 2, "accelerator": "cpu", "enable_progress_bar": False, "enable_checkpointing": False}
    callback = adapter.ToposcopeCallback(tmp_path / "run", **QUIET)
    training = pl.Trainer(callbacks=[callback], logger=CSVLogger(tmp_path / "csv", name="", version=""), **options)
    training.fit(Classifier(hidden=5), data(), validation_data())
    values = [value for _, value in reported(tmp_path / "csv")["val_loss"]]
    assert scalars_of(tmp_path / "run", "eval/val_loss") == pytest.approx(dict(zip([10, 20], values, strict=True)))
    assert run_in(tmp_path / "run").lineage().custom["hidden"] == 5
    with pytest.raises(ValueError, match="requires a directory"):
        pl.Trainer(callbacks=[adapter.ToposcopeCallback()], logger=False, **options).fit(Classifier(), data())


def test_a_callback_of_ours_stops_the_trainer(tmp_path: Path) -> None:
    """EarlyStopping, which monitors a metric of the module, ends the training."""
    stopping = EarlyStopping("val_loss", min_delta=10.0, patience=1)
    training = trainer(tmp_path, settings={**QUIET, "callbacks": [stopping]}, max_epochs=9)
    training.fit(Classifier(), data(), validation_data())
    assert training.current_epoch == 2
    assert run_in(tmp_path).state.state == "finished"


def operations(directory: Path) -> list[str]:
    """Return the operations of the recorded graphs."""
    paths = sorted(directory.glob("events*_MS"))
    return [node.op_type for path in paths for event in read_events(path) for node in event.graph_def.node]


@pytest.mark.parametrize("has_example", [True, False], ids=["example_input_array", "first batch"])
def test_the_graph_is_recorded(tmp_path: Path, has_example: bool) -> None:
    """The graph is traced with the example of the module, or with the first batch of the training."""
    model = Classifier()
    if has_example:
        model.example_input_array = torch.randn(2, 4)
    trainer(tmp_path, max_epochs=1).fit(model, data(), validation_data())
    assert tags_of(tmp_path, "graph")
    assert [each.lower() for each in operations(tmp_path)] == ["linear", "relu", "linear"]


def test_the_logger_alone_records_the_graph_with_log_graph(tmp_path: Path) -> None:
    """log_graph=True, as of Lightning's TensorBoardLogger, needs the example of the module."""
    model = Classifier()
    model.example_input_array = torch.randn(2, 4)
    for directory, logs in ((tmp_path / "with", True), (tmp_path / "without", False)):
        logger = adapter.ToposcopeLogger(directory, log_graph=logs)
        training = pl.Trainer(
            max_epochs=1, logger=logger, accelerator="cpu", enable_progress_bar=False, enable_checkpointing=False
        )
        training.fit(model, data())
        assert bool(operations(directory)) == logs
        assert not list(directory.glob("checkpoints"))


def test_checkpoints_are_recorded_at_their_steps(tmp_path: Path) -> None:
    """Each checkpoint of ModelCheckpoint is a text at the step in its name, and the newest is in the lineage."""
    saving = pl.callbacks.ModelCheckpoint(every_n_train_steps=4, save_top_k=-1, monitor="train_loss_step")
    trainer(tmp_path, saving, enable_checkpointing=True).fit(Classifier(), data())
    texts = run_in(tmp_path).text("checkpoint")
    assert texts.step.tolist() == [4, 8, 12, 16, 20]
    saved = [Path(text.texts[0].split(" (")[0]) for text in texts]
    assert [f"step={step}.ckpt" in path.name for path, step in zip(saved, texts.step, strict=True)] == [True] * 5
    assert all(path.parent == tmp_path / "checkpoints" and path.is_file() for path in saved)
    assert saved[-1].name in str(run_in(tmp_path).lineage().model)


class FailingClassifier(Classifier):
    """Raises an exception in a step or an evaluation."""

    def __init__(self, where: str, error: type[BaseException] = OSError) -> None:
        super().__init__()
        self._where, self._error = where, error

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        """Fail in the eighth step."""
        if self._where == "training" and batch_idx == 7:
            raise self._error("the disk is gone")
        return super().training_step(batch, batch_idx)

    def setup(self, stage: str) -> None:
        """Fail before there are optimizers."""
        if self._where == "setup":
            raise self._error("the disk is gone")

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        """Fail in the sanity check."""
        if self._where == "sanity check":
            raise self._error("the disk is gone")
        super().validation_step(batch, batch_idx)


@pytest.mark.parametrize("where", ["training", "sanity check", "setup"])
def test_an_exception_ends_the_run_as_failed(tmp_path: Path, where: str) -> None:
    """The run has the exception and everything before it, also if no step was trained."""
    with pytest.raises(OSError, match="disk is gone"):
        trainer(tmp_path).fit(FailingClassifier(where), data(), validation_data())
    run = run_in(tmp_path)
    assert run.state.state == "failed"
    assert "disk is gone" in str(run.state.error)
    if where == "training":
        assert run.scalars("loss/auto").step.tolist() == list(range(1, 8))
    assert run.lineage().custom["trainer/max_epochs"] == 2
    assert run.lineage().custom.get("hidden") == (None if where == "setup" else 8)


def test_the_logger_alone_reports_a_failed_end(tmp_path: Path) -> None:
    """finalize("failed") ends the run with the exception that Lightning handles."""
    logger = adapter.ToposcopeLogger(tmp_path)
    training = pl.Trainer(
        logger=logger, accelerator="cpu", log_every_n_steps=1, enable_progress_bar=False, enable_checkpointing=False
    )
    with pytest.raises(OSError, match="disk is gone"):
        training.fit(FailingClassifier("training"), data())
    run = run_in(tmp_path)
    assert run.state.state == "failed"
    assert "disk is gone" in str(run.state.error)
    assert run.scalars("train_loss_step").step.tolist() == list(range(7))


def test_a_keyboard_interrupt_interrupts_the_run(tmp_path: Path) -> None:
    """Ctrl-C is not a failure."""
    with suppress(KeyboardInterrupt, SystemExit):  # Older releases of Lightning return.
        trainer(tmp_path).fit(FailingClassifier("training", KeyboardInterrupt), data())
    assert run_in(tmp_path).state.state == "interrupted"


class CopyAt(pl.Callback):
    """Copies and pickles callbacks and loggers during a training."""

    def __init__(self) -> None:
        self.copies: list[Any] = []

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """Copy them at one batch."""
        if batch_idx == 5:
            ours = [trainer.callbacks[0], trainer.loggers[0]]
            self.copies = [copy.deepcopy(ours), pickle.loads(pickle.dumps(ours)), copy.deepcopy(pl_module)]


def test_objects_can_be_pickled_during_a_training(tmp_path: Path) -> None:
    """Copies of the callback, the logger and the module are settings: they record nothing by themselves."""
    copying = CopyAt()
    trainer(tmp_path, copying, max_epochs=1).fit(Classifier(), data())
    assert len(copying.copies) == 3
    assert copying.copies[1][1].save_dir == str(tmp_path)
    assert scalars_of(tmp_path, "loss/auto").keys() == set(range(1, 11))
    assert len(list(tmp_path.glob("events*_MS"))) == 1


class Gan(pl.LightningModule):
    """Two optimizers that the module steps itself."""

    def __init__(self, returns_loss: bool) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.one, self.two = torch.nn.Linear(4, 3), torch.nn.Linear(4, 3)
        self.returns_loss, self.losses = returns_loss, [0.0][:0]

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        """Step both optimizers."""
        for network, optimizer in zip((self.one, self.two), self.optimizers(), strict=True):
            loss = torch.nn.functional.cross_entropy(network(batch[0]), batch[1])
            optimizer.zero_grad()
            self.manual_backward(loss)
            optimizer.step()
        self.losses.append(loss.item())
        self.log("second", loss)
        return loss if self.returns_loss else None

    def configure_optimizers(self) -> Any:
        """Return both."""
        return [torch.optim.SGD(each.parameters(), lr) for each, lr in ((self.one, 0.1), (self.two, 0.2))]


@pytest.mark.parametrize("returns_loss", [True, False])
def test_several_optimizers_count_as_in_global_step(
    tmp_path: Path, returns_loss: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Each step of each optimizer counts; a loss is recorded if the module returns it, and none is invented."""
    training, model = trainer(tmp_path), Gan(returns_loss)
    training.fit(model, data())
    assert training.global_step == 40
    rates = scalars_of(tmp_path, "learning_rate/group1")
    assert rates == dict.fromkeys(range(2, 41, 2), 0.2)
    if returns_loss:
        assert scalars_of(tmp_path, "loss/auto") == pytest.approx(dict(zip(rates, model.losses, strict=True)))
    else:
        assert "loss/auto" not in tags_of(tmp_path, "scalar")
        assert not warnings_in(caplog)
    assert [step for step, _ in points_of(tmp_path, "second")] == list(range(20))


class ManualAccumulation(Classifier):
    """Accumulates gradients itself and returns nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch: Any, batch_idx: int) -> None:
        """Step at every fourth batch."""
        loss = self.loss_of(batch)
        self.losses.append(loss.item())
        self.manual_backward(loss)
        if batch_idx % 4 == 3:
            self.optimizers().step()
            self.optimizers().zero_grad()


def test_manual_optimization_may_accumulate(tmp_path: Path) -> None:
    """The loss of backward() is recorded once the module has stepped its optimizer."""
    model = ManualAccumulation()
    trainer(tmp_path, max_epochs=1).fit(model, data())
    expected = {1: sum(model.losses[:4]) / 4, 2: sum(model.losses[4:8]) / 4}
    assert scalars_of(tmp_path, "loss/auto") == pytest.approx(expected)


def test_a_further_fit_continues_the_run(tmp_path: Path) -> None:
    """fit() of the same Trainer with more epochs goes on counting."""
    training, model = trainer(tmp_path), Classifier()
    training.fit(model, data())
    training.fit_loop.max_epochs = 3
    training.fit(model, data())
    assert scalars_of(tmp_path, "loss/auto") == pytest.approx(dict(enumerate(model.losses, 1)))
    assert run_in(tmp_path).state.state == "finished"


@pytest.mark.parametrize("kind", ["iterable", "dict", "none"])
def test_data_of_other_kinds(tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    """Iterable data sets, several loaders, and steps without a loss are recorded without a warning."""

    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self) -> Any:
            return iter(data())

    class Other(Classifier):
        def training_step(self, batch: Any, batch_idx: int) -> Any:
            if kind == "none" and batch_idx == 3:
                return None
            return super().training_step(batch["one"] if kind == "dict" else batch, batch_idx)

    kinds: dict[str, Any] = {"iterable": torch.utils.data.DataLoader(Stream(), batch_size=None), "none": data()}
    model, training = Other(), trainer(tmp_path)
    training.fit(model, kinds.get(kind, {"one": data(), "two": data()}), validation_data())
    steps = [step for step in range(1, 21) if kind != "none" or step % 10 != 4]
    assert scalars_of(tmp_path, "loss/auto") == pytest.approx(dict(zip(steps, model.losses, strict=True)))
    assert not warnings_in(caplog)


def test_an_evaluation_may_precede_and_follow_a_training(tmp_path: Path) -> None:
    """Without our logger, an evaluation after the training is recorded at its last step; one before is lineage."""
    options: Any = {"max_epochs": 1, "accelerator": "cpu", "enable_progress_bar": False, "enable_checkpointing": False}
    training = pl.Trainer(callbacks=[adapter.ToposcopeCallback(tmp_path, **QUIET)], logger=False, **options)
    model = Classifier()
    training.validate(model, validation_data(), verbose=False)
    assert "val_loss" in run_in(tmp_path).lineage().metrics
    training.fit(model, data(), validation_data())
    training.test(model, validation_data(), verbose=False)
    assert [step for step, _ in points_of(tmp_path, "eval/val_loss")] == [10]
    assert [step for step, _ in points_of(tmp_path, "eval/test/test_loss")] == [10]
    assert run_in(tmp_path).attempts == 1


def test_a_second_training_in_a_directory_is_an_attempt(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One line in the log says so."""
    for _ in range(2):
        trainer(tmp_path, max_epochs=1).fit(Classifier(), data())
    assert run_in(tmp_path).attempts == 2
    assert [each.split(". ")[0] for each in warnings_in(caplog)] == [
        f"{tmp_path} contains an earlier training, up to step 10"
    ]


@pytest.mark.parametrize("has_trained", [True, False])
def test_a_test_is_recorded_once(tmp_path: Path, has_trained: bool) -> None:
    """The metrics of Trainer.test() are one point, after a training or without one, and lineage."""
    training, model = trainer(tmp_path), Classifier()
    if has_trained:
        training.fit(model, data())
    (results,) = training.test(model, validation_data(), verbose=False)
    ((step, value),) = points_of(tmp_path, "test_loss")
    assert step == (20 if has_trained else 0)
    assert value == pytest.approx(results["test_loss"])
    metrics = run_in(tmp_path).lineage().metrics
    assert metrics["test/test_loss"] == pytest.approx(results["test_loss"])
    assert run_in(tmp_path).attempts == 1


def test_fast_dev_run_and_tuners_record_nothing(tmp_path: Path) -> None:
    """As with Lightning's own loggers."""
    trainer(tmp_path, fast_dev_run=True).fit(Classifier(), data(), validation_data())
    assert not list(tmp_path.iterdir())
    tuning = trainer(tmp_path)
    tuner = importlib.import_module(f"{pl.__name__}.tuner").Tuner(tuning)
    tuner.lr_find(Classifier(), data(), num_training=5)
    assert not list(tmp_path.glob("events*_MS"))


def test_values_of_all_kinds_are_recorded_by_the_experiment(tmp_path: Path) -> None:
    """logger.experiment.log() records what SummaryRecord.log() does, into the files of the run."""

    class Logging(Classifier):
        def on_train_epoch_end(self) -> None:
            values = {"weights": Histogram(self.net[0].weight), "note": Text("an epoch")}
            self.logger.experiment.log(values, self.global_step)

    trainer(tmp_path).fit(Logging(), data())
    assert run_in(tmp_path).text("note").step.tolist() == [10, 20]
    assert run_in(tmp_path).histograms("weights").step.tolist() == [10, 20]
    assert len(list(tmp_path.glob("events*_MS"))) == 1


def test_save_neither_waits_nor_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lightning calls save() after every log_metrics(): it is left to the thread that writes."""
    logger = adapter.ToposcopeLogger(tmp_path)
    logger.log_metrics({"loss": 1.0}, 0)
    calls: list[object] = []
    functions: list[Callable[..., object]] = [os.fsync, os.fdatasync, os.write, os.writev]
    for function in functions:
        monkeypatch.setattr(os, function.__name__, lambda *arguments: calls.append(arguments))
    logger.save()
    monkeypatch.undo()
    assert not calls
    logger.finalize("success")
    assert points_of(tmp_path, "loss") == [(0, 1.0)]
