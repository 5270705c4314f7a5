"""Trainings of Ultralytics, recorded by our callback, compared with what Ultralytics itself reports."""

import copy
import csv
import io
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from support import ultralytics_training
from support.documentation import examples, run_examples
from support.recorded_run import run_in, scalars_of, tags_of
from support.ultralytics_training import (
    QUIET,
    SAMPLES,
    Reported,
    model_of,
    restore_torchvision,
    train,
    use_own_nms,
    write_data,
)
from ultralytics.utils import DEFAULT_CFG, DEFAULT_CFG_DICT
from ultralytics.utils.callbacks import default_callbacks

from toposcope.recorder.callbacks import EarlyStopping, SummaryCollector
from toposcope.recorder.frameworks.ultralytics import ToposcopeCallback, add_to_all_models
from toposcope.recorder.training.events.callback import Callback

pytestmark = pytest.mark.filterwarnings("ignore")
PROGRAM = Path(ultralytics_training.__file__)


def results_of(directory: Path) -> list[dict[str, float]]:
    """Return the rows of results.csv, one for each epoch."""
    with (directory / "results.csv").open() as file:
        return [{name.strip(): float(text) for name, text in row.items()} for row in csv.DictReader(file)]


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the warnings of the recorder."""
    records = [each for each in caplog.records if each.name.startswith("toposcope")]
    return [each.getMessage() for each in records if each.levelname == "WARNING"]


def check_losses(directory: Path, reported: Reported, samples: list[int]) -> None:
    """Compare the recorded losses and learning rates of each step with those of the batches."""
    steps = reported.step_losses(samples)
    totals = {step: sum(losses.values()) for step, losses in steps.items()}
    assert scalars_of(directory, "loss/auto") == pytest.approx(totals)
    for name in ("box_loss", "cls_loss", "dfl_loss"):
        expected = {step: losses[name] for step, losses in steps.items()}
        assert scalars_of(directory, f"loss/{name}") == pytest.approx(expected)
    for group in range(3):
        rates = {step: rates[group] for step, rates in reported.step_rates().items()}
        assert scalars_of(directory, f"learning_rate/group{group}") == pytest.approx(rates)


def test_the_recorded_values_are_those_of_ultralytics(tmp_path: Path) -> None:
    """Losses and learning rates of each step; what results.csv has, at the last step of each epoch, once."""
    reported = Reported()
    train(tmp_path, ToposcopeCallback(**QUIET), reported)
    directory = tmp_path / "yolo"
    check_losses(directory, reported, SAMPLES)
    rows = results_of(directory)
    names = [name for name in rows[0] if name.split("/")[0] in ("train", "val", "metrics")]
    assert len(names) == 10
    for name in names:
        assert scalars_of(directory, name) == pytest.approx({3: rows[0][name], 6: rows[1][name]})
        assert len(run_in(directory).scalars(name).step) == 2
    for group in range(3):
        rates = scalars_of(directory, f"learning_rate/group{group}")
        assert [rates[3], rates[6]] == pytest.approx([row[f"lr/pg{group}"] for row in rows], abs=1e-5)
    best = {f"best/{name}" for name in names if name.startswith("metrics")}
    collected = {"loss/auto", "throughput/steps_per_second", "throughput/samples_per_second"}
    collected |= {f"learning_rate/group{i}" for i in range(3)} | {f"loss/{each}_loss" for each in ("box", "cls", "dfl")}
    assert set(tags_of(directory, "scalar")) == {*names} | best | collected
    assert all(list(scalars_of(directory, name)) == [6] for name in best)
    assert run_in(directory).state.state == "finished"


@pytest.mark.parametrize("warmup", [0, 1])
def test_the_loss_is_that_of_each_optimizer_step(tmp_path: Path, warmup: int) -> None:
    """Ultralytics accumulates gradients up to nbs samples, in the warmup fewer, across the ends of epochs."""
    reported = Reported()
    options: dict[str, Any] = {"nbs": 8, "warmup_epochs": warmup, "epochs": 3}
    model = train(tmp_path, ToposcopeCallback(tmp_path / "run", **QUIET), reported, **options)
    check_losses(tmp_path / "run", reported, SAMPLES)
    assert max(scalars_of(tmp_path / "run", "loss/auto")) == model.trainer.ema.updates < 9


def test_a_single_loss_is_recorded_once(tmp_path: Path) -> None:
    """A classifier has one loss."""
    for part in ("train", "val"):
        ultralytics_training.write_data(tmp_path)
        for label in ("cat", "dog"):
            (tmp_path / "classes" / part / label).mkdir(parents=True)
            for n in range(4):
                image = tmp_path / f"data/images/{part}/{n}.png"
                (tmp_path / f"classes/{part}/{label}/{n}.png").write_bytes(image.read_bytes())
    reported = Reported()
    model = model_of(ToposcopeCallback(**QUIET), reported, name="yolo11n-cls.yaml")
    train(tmp_path, model=model, data=str(tmp_path / "classes"), imgsz=32)
    losses = {step: loss["loss"] for step, loss in reported.step_losses([4, 4]).items()}
    assert scalars_of(tmp_path / "yolo", "loss/auto") == pytest.approx(losses)
    assert "loss/loss" not in tags_of(tmp_path / "yolo", "scalar")
    rows = results_of(tmp_path / "yolo")
    assert list(scalars_of(tmp_path / "yolo", "metrics/accuracy_top1").values()) == [
        row["metrics/accuracy_top1"] for row in rows
    ]


def test_arguments_are_lineage_without_secrets(tmp_path: Path) -> None:
    """The arguments of the training, the data and the model."""
    model = model_of(ToposcopeCallback(**QUIET))
    model.add_callback("on_train_start", lambda _: None)
    model.callbacks["on_train_start"].insert(0, lambda trainer: setattr(trainer.args, "api_key", "abc"))
    train(tmp_path, model=model, epochs=1, box=5.5)
    custom = run_in(tmp_path / "yolo").lineage().custom
    assert (custom["args/epochs"], custom["args/box"], custom["args/nbs"]) == (1, 5.5, 4)
    assert (custom["trainer/class"], custom["data/nc"]) == ("DetectionTrainer", 2)
    assert custom["model/parameters"] == sum(each.numel() for each in model.trainer.model.parameters())
    assert custom["optimizer/momentum"] == 0.937
    assert not [name for name in custom if "api_key" in name]
    assert not [tag for tag in tags_of(tmp_path / "yolo", "scalar") if "args" in tag]


class Seen(Callback):
    """Remembers what a callback of ours receives, and copies objects at a step."""

    runs_in_fit_evaluation = True

    def __init__(self) -> None:
        self.results: list[dict[str, float]] = []
        self.batches: list[int] = []
        self.gradients: list[bool] = []

    def on_train_step_end(self, run_context: Any) -> None:
        """Remember the batch, and whether there are gradients."""
        params = run_context.original_args()
        self.batches.append(len(params["train_dataset_element"][0]))
        self.gradients.append(any(each.grad is not None for each in params["network"].parameters()))

    def on_eval_end(self, run_context: Any) -> None:
        """Remember the results."""
        self.results.append(dict(run_context.original_args()["metrics"]))


def test_our_callbacks_run_in_the_training(tmp_path: Path) -> None:
    """Callbacks receive each step, while its gradients exist, and each evaluation; lineage has the newest results."""
    seen = Seen()
    train(tmp_path, ToposcopeCallback(callbacks=[seen], **QUIET))
    assert seen.batches == SAMPLES * 2
    assert all(seen.gradients)
    rows = results_of(tmp_path / "yolo")
    assert [results["val/box_loss"] for results in seen.results[:2]] == [row["val/box_loss"] for row in rows]
    assert len(seen.results) == 3  # The last one is of the best checkpoint.
    metrics = run_in(tmp_path / "yolo").lineage().metrics
    assert metrics["val/box_loss"] == pytest.approx(rows[-1]["val/box_loss"])
    assert "best/metrics/mAP50(B)" in metrics


def test_an_epoch_without_an_evaluation_has_none(tmp_path: Path) -> None:
    """With val=False Ultralytics evaluates only after the last epoch; its old values are not recorded again."""
    train(tmp_path, ToposcopeCallback(**QUIET), val=False)
    assert list(scalars_of(tmp_path / "yolo", "val/box_loss")) == [6]
    assert list(scalars_of(tmp_path / "yolo", "train/box_loss")) == [3, 6]


def test_a_callback_of_ours_stops_the_training(tmp_path: Path) -> None:
    """EarlyStopping, which monitors a metric of Ultralytics, ends the training."""
    stopping = EarlyStopping("val/box_loss", min_delta=100.0, patience=1)
    train(tmp_path, ToposcopeCallback(callbacks=[stopping], **QUIET), epochs=9)
    assert len(results_of(tmp_path / "yolo")) == 2
    assert run_in(tmp_path / "yolo").state.state == "finished"


def test_graph_images_and_gradients_are_recorded(tmp_path: Path) -> None:
    """As by a SummaryCollector; gradients are those that the optimizer uses, clipped to the norm 10."""
    data = {"collect_gradient_norm": True, "collect_machine": False, "collect_code": False}
    train(tmp_path, ToposcopeCallback(collect_freq=1, collect_specified_data=data), epochs=1)
    directory = tmp_path / "yolo"
    assert tags_of(directory, "graph")
    assert run_in(directory).images("input_data/auto").step.tolist() == [1, 2, 3]
    assert "model.0.conv.weight/auto" in tags_of(directory, "histogram")
    assert list(scalars_of(directory, "gradient_norm/global").values()) == pytest.approx([10.0] * 3, rel=1e-4)


def test_checkpoints_are_recorded_at_their_steps(tmp_path: Path) -> None:
    """The files that Ultralytics has written after each epoch; the newest is in the lineage."""
    train(tmp_path, ToposcopeCallback(**QUIET), save_period=1)
    run = run_in(tmp_path / "yolo")
    texts = run.text("checkpoint")
    assert texts.step.tolist() == [3, 6]
    weights = tmp_path / "yolo/weights"
    named = {path for text in texts for path in text.texts[0].split(", ")}
    assert named == {str(path) for path in weights.glob("*.pt")}
    assert str(weights / "last.pt") in str(run.lineage().model)


@pytest.mark.parametrize(
    ("event", "error", "state"),
    [
        ("on_train_batch_end", OSError("the disk is full"), "failed"),
        ("on_pretrain_routine_end", OSError("the disk is full"), "failed"),
        ("on_train_batch_end", KeyboardInterrupt(), "interrupted"),
    ],
)
def test_an_exception_ends_the_run(tmp_path: Path, event: str, error: BaseException, state: str) -> None:
    """The run has the exception, also if no batch was trained."""

    def fail(trainer: Any) -> None:
        raise error

    model = model_of(ToposcopeCallback(**QUIET))
    model.add_callback(event, fail)
    with pytest.raises(type(error)):
        train(tmp_path, model=model)
    run = run_in(tmp_path / "yolo")
    assert run.state.state == state
    assert state != "failed" or "disk is full" in str(run.state.error)
    assert run.lineage().custom["args/epochs"] == 2
    if event == "on_train_batch_end":
        assert list(scalars_of(tmp_path / "yolo", "loss/auto")) == [1]


def test_a_batch_that_did_not_fit_into_memory_is_trained_again(tmp_path: Path) -> None:
    """Ultralytics halves the batch and begins again; the losses are those of the steps."""
    reported = Reported()
    failed: list[bool] = []

    def fail(module: Any, inputs: Any) -> None:
        if module.training and isinstance(inputs[0], dict) and not failed:
            failed.append(True)
            raise RuntimeError("out of memory")

    model = model_of(ToposcopeCallback(**QUIET), reported)
    model.add_callback("on_train_start", lambda trainer: trainer.model.register_forward_pre_hook(fail))
    train(tmp_path, model=model)
    assert failed
    check_losses(tmp_path / "yolo", reported, [2, 2, 2, 2, 2])


def test_a_step_that_is_skipped_has_no_loss(tmp_path: Path) -> None:
    """GradScaler skips a step whose gradients are not finite; its batches belong to no other step."""
    reported = Reported()
    model = model_of(ToposcopeCallback(**QUIET), reported)

    def skip_third(trainer: Any) -> None:
        step = trainer.scaler.step
        trainer.scaler.step = lambda optimizer: None if trainer.ema.updates == 2 else step(optimizer)

    model.add_callback("on_train_start", skip_third)
    train(tmp_path, model=model)
    expected = {step: sum(each.values()) for step, each in reported.step_losses(SAMPLES).items() if step != 3}
    assert scalars_of(tmp_path / "yolo", "loss/auto") == pytest.approx(expected)
    assert list(expected) == [1, 2, 4, 5, 6]


def test_an_epoch_without_a_step_has_its_values(tmp_path: Path) -> None:
    """Of data sets smaller than nbs; the values of several epochs have the same step then, and none is lost."""
    train(tmp_path, ToposcopeCallback(**QUIET), batch=16, nbs=64, epochs=4, warmup_epochs=0)
    rows = results_of(tmp_path / "yolo")
    points = run_in(tmp_path / "yolo").scalars("val/box_loss")
    assert points.step.tolist() == [0, 0, 0, 1]
    assert points.value.tolist() == pytest.approx([row["val/box_loss"] for row in rows])


def test_a_second_training_in_a_directory_is_an_attempt(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One line in the log says so; the same object may record several trainings."""
    callback = ToposcopeCallback(tmp_path / "run", **QUIET)
    for _ in range(2):
        train(tmp_path, callback, epochs=1)
    assert run_in(tmp_path / "run").attempts == 2
    assert [each.split(". ")[0] for each in warnings_in(caplog)] == [
        f"{tmp_path / 'run'} contains an earlier training, up to step 3"
    ]


def test_objects_can_be_pickled_during_a_training(tmp_path: Path) -> None:
    """Copies of the callback are settings; the network can be copied and saved as before."""
    callback = ToposcopeCallback(**QUIET)
    copies: list[Any] = []

    def copy_all(trainer: Any) -> None:
        copies.extend([copy.deepcopy(callback), pickle.loads(pickle.dumps(callback))])
        copies.append(copy.deepcopy(trainer.model))
        torch.save(trainer.model, io.BytesIO())
        copies[-1](torch.zeros(1, 3, 64, 64))

    model = model_of(callback)
    model.add_callback("on_train_batch_end", copy_all)
    train(tmp_path, model=model, epochs=1)
    assert [vars(each)["_settings"].arguments for each in copies if isinstance(each, ToposcopeCallback)] == [QUIET] * 6
    assert list(scalars_of(tmp_path / "yolo", "loss/auto")) == [1, 2, 3]
    assert len(list((tmp_path / "yolo").glob("events*_MS"))) == 1
    assert not model.trainer.model._forward_pre_hooks


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    """When the callback is created, not when the training begins."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frequency'"):
        ToposcopeCallback(frequency=1)
    with pytest.raises(ValueError, match="not a SummaryCollector"):
        ToposcopeCallback(callbacks=[SummaryCollector(tmp_path)])


@pytest.fixture
def default_lists() -> Iterator[None]:
    """Restore the callbacks of all models."""
    before = {event: list(functions) for event, functions in default_callbacks.items()}
    yield
    for event, functions in before.items():
        default_callbacks[event][:] = functions


@pytest.mark.usefixtures("default_lists")
def test_all_models_can_be_recorded(tmp_path: Path) -> None:
    """Without naming the models, each training in its save_dir; a second call replaces the first."""
    add_to_all_models(collect_freq=2)
    add_to_all_models(**QUIET)
    for name in ("one", "two"):
        train(tmp_path, name=name, epochs=1)
        assert list(scalars_of(tmp_path / name, "loss/auto")) == [1, 2, 3]
        assert len(list((tmp_path / name).glob("events*_MS"))) == 1


@pytest.mark.usefixtures("default_lists")
def test_examples_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They run in order; here with small images and without plots."""
    small = {"imgsz": 64, "plots": False, "device": "cpu", "workers": 0, "optimizer": "SGD", "project": str(tmp_path)}
    for name, value in small.items():
        monkeypatch.setitem(DEFAULT_CFG_DICT, name, value)
        monkeypatch.setattr(DEFAULT_CFG, name, value)
    default_callbacks["on_val_start"].append(use_own_nms)
    restore_torchvision()
    write_data(tmp_path)
    run_examples(examples("ultralytics.md"), "ultralytics.md", tmp_path, monkeypatch)
    (directory,) = {path.parent for path in tmp_path.glob("**/events*_MS")}
    assert len(run_in(directory).scalars("val/box_loss").step) == 2


def start(root: Path, options: dict[str, Any], **pipes: Any) -> subprocess.Popen[str]:
    """Start the program."""
    tests = str(PROGRAM.parents[1])
    paths = os.pathsep.join([*map(os.path.abspath, os.environ["PYTHONPATH"].split(os.pathsep)), tests])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(PROGRAM), str(root), json.dumps(options)]
    return subprocess.Popen(command, text=True, env=environment, **pipes)


def finish(root: Path, **options: Any) -> None:
    """Run the program to its end."""
    with start(root, options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        output, _ = process.communicate(timeout=400)
    assert process.returncode == 0, output


def reported_by(root: Path, rank: int = 0) -> Reported:
    """Return what a process wrote."""
    reported = Reported()
    vars(reported).update(json.loads((root / f"reported.{rank}.json").read_text()))
    return reported


def test_the_processes_that_ultralytics_starts_are_ranks_of_a_run(tmp_path: Path) -> None:
    """For several GPUs it pickles itself with its callbacks and starts torchrun; here with gloo on the CPU."""
    finish(tmp_path, has_two_processes=True)
    directory = tmp_path / "yolo"
    run = run_in(directory)
    assert run.ranks == [0, 1]
    assert {each.state for each in run.state.recordings} == {"finished"}
    for rank in run.ranks:  # Five images and batches of two.
        series = run.scalars("loss/auto", rank)
        expected = {
            step: sum(each.values()) for step, each in reported_by(tmp_path, rank).step_losses([2, 2, 1]).items()
        }
        assert dict(zip(series.step.tolist(), series.value.tolist(), strict=True)) == pytest.approx(expected)
        assert len(expected) == 6
    assert run.scalars("loss/auto", 0).value.tolist() != run.scalars("loss/auto", 1).value.tolist()
    rows = results_of(directory)
    assert scalars_of(directory, "val/box_loss") == pytest.approx(
        {3: rows[0]["val/box_loss"], 6: rows[1]["val/box_loss"]}
    )
    assert not [tag for tag in ("val/box_loss", "train/box_loss") if len(run.scalars(tag, 1).step)]
    assert run.text("checkpoint", rank=0).step.tolist() == [3, 6]
    assert not len(run.text("checkpoint", rank=1))
    assert run.lineage().custom["trainer/world_size"] == 2
    assert not list(directory.glob("*.1.*_lineage"))


def test_a_killed_training_continues_in_its_run(tmp_path: Path) -> None:
    """After kill -9 the training resumes from the last checkpoint: one curve, whose first attempt is kept."""
    directory = tmp_path / "yolo"
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "start_new_session": True}
    with start(tmp_path, {"ends_at": 5, "epochs": 3}, **pipes) as process:
        for line in process.stdout or ():
            if "paused" in line:
                break
        while "loss/auto" not in tags_of(directory, "scalar") or max(scalars_of(directory, "loss/auto")) < 5:
            assert process.poll() is None
            time.sleep(0.02)  # Until it is written.
        os.killpg(process.pid, signal.SIGKILL)
    before = scalars_of(directory, "loss/auto")
    assert list(before) == [1, 2, 3, 4, 5]
    finish(tmp_path, epochs=3, resume=str(directory / "weights/last.pt"))
    run, reported = run_in(directory), reported_by(tmp_path)
    assert run.attempts == 2
    assert reported.before == 3
    after = scalars_of(directory, "loss/auto")
    assert list(after) == list(range(1, 10))
    expected = {step: sum(each.values()) for step, each in reported.step_losses(SAMPLES).items()}
    assert {step: after[step] for step in range(4, 10)} == pytest.approx(expected)
    assert {step: after[step] for step in (1, 2, 3)} == {step: before[step] for step in (1, 2, 3)}
    assert run.scalars("loss/auto", attempt=1).step.tolist() == [1, 2, 3, 4, 5]
    assert list(scalars_of(directory, "val/box_loss")) == [3, 6, 9]
    assert run.state.state == "finished"
