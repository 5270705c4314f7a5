"""Trainings of Lightning, recorded by our logger and callback, compared with what Lightning itself reports."""

import copy
import csv
import importlib
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from support import lightning_training
from support.lightning_training import (
    BATCHES,
    PACKAGE,
    QUIET,
    Classifier,
    adapter,
    data,
    pl,
    trainer,
    validation_data,
)
from support.recorded_run import run_in, scalars_of, tags_of
from support.written_events import read_events

from toposcope.recorder import Histogram, Text
from toposcope.recorder.callbacks import EarlyStopping, SummaryCollector
from toposcope.recorder.training.callback import Callback

pytestmark = pytest.mark.filterwarnings("ignore")
PROGRAM = Path(lightning_training.__file__)
FABRIC = "lightning.fabric" if PACKAGE == "lightning" else "lightning_fabric"
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


def points_of(directory: Path, tag: str) -> list[tuple[int, float]]:
    """Return the steps and values of a scalar in the order of recording."""
    points = run_in(directory).scalars(tag, attempt="all")
    return list(zip(points.step.tolist(), points.value.tolist(), strict=True))


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the warnings of the recorder."""
    records = [each for each in caplog.records if each.name.startswith("toposcope")]
    return [each.getMessage() for each in records if each.levelname == "WARNING"]


def step_losses(losses: list[float], accumulated: int, per_epoch: int = BATCHES) -> dict[int, float]:
    """Return the mean loss of each step's batches; the last batch of an epoch ends a step."""
    steps = []
    for epoch in range(0, len(losses), per_epoch):
        batches = losses[epoch : epoch + per_epoch]
        steps += [batches[first : first + accumulated] for first in range(0, len(batches), accumulated)]
    return {number: sum(step) / len(step) for number, step in enumerate(steps, 1)}


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


def start(directory: Path, *arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start the program."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
        "PYTHONPATH": os.environ["PYTHONPATH"],
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, str(PROGRAM), str(directory), *map(str, arguments)]
    return subprocess.Popen(command, text=True, env=environment, **options)


def finish(directory: Path, *arguments: object) -> None:
    """Run the program to its end."""
    with start(directory, *arguments, stderr=subprocess.PIPE) as process:
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors


@pytest.mark.parametrize("strategy", ["ddp", "ddp_spawn"])
def test_two_processes_are_two_ranks_of_a_run(tmp_path: Path, strategy: str) -> None:
    """Each process records its own losses; the values that are logged, and the lineage, are those of rank 0."""
    directory = tmp_path / "run"
    finish(directory, "--strategy", strategy, "--devices", 2, "--accumulate", 2)
    run = run_in(directory)
    assert run.ranks == [0, 1]
    for rank in run.ranks:
        losses = run.scalars("loss/auto", rank)
        assert losses.step.tolist() == list(range(1, 7))  # Of five batches of a process in each of two epochs.
        if strategy == "ddp":
            own = [float(text) for text in Path(f"{directory}.{rank}.losses").read_text().split()]
            assert losses.value.tolist() == pytest.approx(list(step_losses(own, 2, per_epoch=5).values()))
    assert len(run.scalars("val_loss", 0).step) == 2
    assert "eval/val_loss" not in run.tags("scalar")
    assert not [tag for tag in ("val_loss", "train_loss_step") if len(run.scalars(tag, 1).step)]
    assert run.lineage().custom["trainer/world_size"] == 2
    assert len(list(directory.glob("*.0.*_lineage"))) == 1
    assert not list(directory.glob("*.1.*_lineage"))


def has_step_14(directory: Path, processes: int) -> bool:
    """Return whether the loss of this step is in the files of all processes."""
    losses = [run_in(directory).scalars("loss/auto", rank).step.tolist() for rank in range(processes)]
    return all(14 in steps for steps in losses)


def kill_at_step_14(directory: Path, *arguments: object, processes: int = 1) -> None:
    """Run the program until a step after a checkpoint is written, and kill its processes."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "start_new_session": True}
    with start(directory, "--pause-at", 14, *arguments, **pipes) as process:
        for line in process.stdout or ():
            if "paused" in line:
                break
        while "checkpoint" not in tags_of(directory, "text") or not has_step_14(directory, processes):
            assert process.poll() is None
            time.sleep(0.02)  # Until it is written.
        os.killpg(process.pid, signal.SIGKILL)


def test_a_killed_training_continues_in_its_run(tmp_path: Path) -> None:
    """After kill -9 the training resumes from the last checkpoint: one curve, whose first attempt is kept."""
    directory = tmp_path / "run"
    kill_at_step_14(directory)
    finish(directory)
    run = run_in(directory)
    assert run.attempts == 2
    losses = run.scalars("loss/auto")
    own = [float(text) for text in Path(f"{directory}.0.losses").read_text().split()]
    # The last checkpoint was saved at step 12. Lightning 2.0 then repeats a batch.
    last = 12 + len(own)
    assert losses.step.tolist() == list(range(1, last + 1))
    assert losses.value.tolist()[12:] == pytest.approx(own)
    assert run.scalars("loss/auto", attempt=2).step.tolist() == list(range(13, last + 1))
    assert run.scalars("loss/auto", attempt=1).step.tolist() == list(range(1, 15))
    assert {12, last - 2} < set(run.scalars("train_loss_step").step.tolist()) <= set(range(last))
    assert run.state.state == "finished"


def test_two_killed_processes_continue_in_their_run(tmp_path: Path) -> None:
    """Each rank goes on counting at the step of the checkpoint."""
    directory, processes = tmp_path / "run", ("--strategy", "ddp", "--devices", 2, "--epochs", 4)
    kill_at_step_14(directory, *processes, processes=2)
    finish(directory, *processes)
    run = run_in(directory)
    assert run.ranks == [0, 1]
    for rank in run.ranks:
        own = [float(text) for text in Path(f"{directory}.{rank}.losses").read_text().split()]
        losses = run.scalars("loss/auto", rank, attempt=2)
        assert losses.step.tolist() == list(range(13, 13 + len(own)))
        assert losses.value.tolist() == pytest.approx(own)
        stitched = run.scalars("loss/auto", rank).step.tolist()
        assert stitched == sorted(set(stitched))


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


def test_fabric_records_metrics_and_hyperparameters(tmp_path: Path) -> None:
    """Fabric.log() with steps and without; a value that is no number is left out, with one log line."""
    fabric = importlib.import_module(FABRIC).Fabric(
        accelerator="cpu", devices=1, loggers=adapter.ToposcopeLogger(tmp_path)
    )
    fabric.logger.log_hyperparams({"lr": 0.1, "token": "secret"})
    for step in range(3):
        fabric.log("loss", torch.tensor(float(step)), step=10 * step)
        fabric.log("counted", step)
        fabric.log_dict({"a": 1, "b": 2.5, "text": "none"})
    fabric.logger.finalize("success")
    assert points_of(tmp_path, "loss") == [(0, 0.0), (10, 1.0), (20, 2.0)]
    assert points_of(tmp_path, "counted") == [(0, 0.0), (1, 1.0), (2, 2.0)]
    assert points_of(tmp_path, "b") == [(0, 2.5), (1, 2.5), (2, 2.5)]
    assert tags_of(tmp_path, "scalar") == ["a", "b", "counted", "loss"]
    assert run_in(tmp_path).lineage().custom == {"lr": 0.1}


def test_fabric_can_be_watched(tmp_path: Path) -> None:
    """A loop of the user with Fabric reports its steps to watch(), with what it passed to setup()."""
    fabric = importlib.import_module(FABRIC).Fabric(accelerator="cpu", devices=1)
    model = Classifier().net
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    wrapped, stepping = fabric.setup(model, optimizer)
    losses = []
    with SummaryCollector(tmp_path, **QUIET).watch(model, optimizer, data()) as run:
        for number, (inputs, labels) in enumerate(data()):
            loss = torch.nn.functional.cross_entropy(wrapped(inputs), labels)
            fabric.backward(loss)
            losses.append(loss.item())
            if number % 2:
                stepping.step()
            run.step(loss)
            if number % 2:
                stepping.zero_grad()
    assert scalars_of(tmp_path, "loss/auto") == pytest.approx(step_losses(losses, 2))
    assert "0.weight/auto" in tags_of(tmp_path, "histogram")


CLI_PROGRAM = """
from lightning.pytorch import LightningDataModule
from lightning.pytorch.cli import LightningCLI
from support.lightning_training import Classifier, data

class Data(LightningDataModule):
    def train_dataloader(self):
        return data()

class Model(Classifier):
    def __init__(self, hidden: int = 8, lr: float = 0.1):
        super().__init__(hidden, lr)

LightningCLI(Model, Data)
"""


@pytest.mark.skipif(PACKAGE != "lightning", reason="the program imports lightning")
def test_the_command_line_of_lightning_names_both_classes(tmp_path: Path) -> None:
    """A program with LightningCLI is recorded without a change."""
    package = "toposcope.recorder.frameworks.lightning"
    options = {
        "max_epochs": 1,
        "accelerator": "cpu",
        "logger": f"{package}.ToposcopeLogger",
        "logger.summary_dir": tmp_path / "run",
        "callbacks+": f"{package}.ToposcopeCallback",
        "callbacks.collect_freq": 5,
    }
    arguments = ["fit", "--model.hidden=12", *(f"--trainer.{name}={value}" for name, value in options.items())]
    paths = [*os.environ["PYTHONPATH"].split(os.pathsep), str(Path(lightning_training.__file__).parents[1])]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths))}
    (tmp_path / "train.py").write_text(CLI_PROGRAM)
    command = [sys.executable, "train.py", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert scalars_of(tmp_path / "run", "loss/auto").keys() == set(range(1, 11))
    assert run_in(tmp_path / "run").histograms("net.0.weight/auto").step.tolist() == [1, 5, 10]
    assert run_in(tmp_path / "run").lineage().custom["hidden"] == 12
