"""Trainings of Composer, recorded by our logger, compared with what Composer itself reports."""

import copy
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import composer
import numpy as np
import pytest
from composer.loggers import InMemoryLogger
from support import composer_training
from support.composer_training import BATCHES, QUIET, Classifier, data, step_losses, trainer
from support.documentation import examples, run_examples
from support.recorded_run import run_in, scalars_of, tags_of
from support.written_events import read_events

from toposcope.recorder.callbacks import EarlyStopping, SummaryCollector
from toposcope.recorder.frameworks.composer import ToposcopeLogger
from toposcope.recorder.loggers import InMemoryLogger as OurMemory
from toposcope.recorder.training.events.callback import Callback

pytestmark = pytest.mark.filterwarnings("ignore")
PROGRAM = Path(composer_training.__file__)
TWO_PROCESSES = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")
ONE = [1, 1, 1]
THREES = [3, 3, 2]
"""The numbers of micro-batches of at most three samples in batches of 8, 8 and 4."""


def reported(memory: InMemoryLogger) -> dict[str, dict[int, float]]:
    """Return what Composer's InMemoryLogger received: each metric by the number of batches."""
    return {name: {int(stamp.batch): float(value) for stamp, value in points} for name, points in memory.data.items()}


def trained(training: Any) -> Any:
    """Train, close and return the Trainer."""
    training.fit()
    training.close()
    return training


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the warnings of the recorder."""
    records = [each for each in caplog.records if each.name.startswith("toposcope")]
    return [each.getMessage() for each in records if each.levelname == "WARNING"]


def test_the_recorded_values_are_those_of_composers_own_logger(tmp_path: Path) -> None:
    """Every metric, its steps and its values are equal to those of an InMemoryLogger; evaluations are recorded once."""
    memory = InMemoryLogger()
    trained(trainer(tmp_path, loggers=[memory], eval_interval="2ba", device_train_microbatch_size=3))
    metrics = reported(memory)
    assert {"loss/train/total", "metrics/eval/accuracy", "time/batch"} <= metrics.keys()
    for name, points in metrics.items():
        assert scalars_of(tmp_path, name) == pytest.approx(points)
        assert len(run_in(tmp_path).scalars(name).step) == len(points)
    collected = {"loss/auto", "learning_rate", "throughput/steps_per_second", "throughput/samples_per_second"}
    assert set(tags_of(tmp_path, "scalar")) == metrics.keys() | collected
    assert list(metrics["metrics/eval/accuracy"]) == [2, 4, 6]


@pytest.mark.parametrize("kind", ["tensor", "tuple", "parts", "total"])
@pytest.mark.parametrize(("size", "micro_batches"), [(8, ONE), (3, THREES)])
def test_the_loss_is_that_of_each_batch(tmp_path: Path, kind: str, size: int, micro_batches: list[int]) -> None:
    """The loss of a batch is the mean over the samples of its micro-batches, whatever ComposerModel.loss() returns."""
    model, memory = Classifier(kind), InMemoryLogger()
    trained(trainer(tmp_path, model, device_train_microbatch_size=size, loggers=[memory]))
    losses = scalars_of(tmp_path, "loss/auto")
    assert losses == pytest.approx(step_losses(model.losses, micro_batches))
    assert list(losses) == list(range(1, 2 * BATCHES + 1))
    assert list(losses.values()) == list(reported(memory)["loss/train/total"].values())


def test_the_learning_rate_is_the_one_each_step_used(tmp_path: Path) -> None:
    """A scheduler that Composer steps does not shift the rates."""
    model = Classifier()
    trained(trainer(tmp_path, model, schedulers=composer.optim.LinearScheduler()))
    rates = scalars_of(tmp_path, "learning_rate")
    assert rates == pytest.approx(dict(enumerate(model.rates, 1)))
    assert len(set(rates.values())) > BATCHES


def test_hyperparameters_are_lineage_and_no_metric(tmp_path: Path) -> None:
    """What the user and Composer log as hyperparameters, and settings of the Trainer; secrets are left out."""

    class Logging(composer.Callback):
        def fit_start(self, state: Any, logger: Any) -> None:
            logger.log_hyperparameters({"hidden": 4, "data": {"path": "here", "api_key": "abc"}})

        def epoch_end(self, state: Any, logger: Any) -> None:
            logger.log_hyperparameters({"late": "yes"})

    trained(trainer(tmp_path, callbacks=Logging(), device_train_microbatch_size=4, auto_log_hparams=True))
    custom = run_in(tmp_path).lineage().custom
    assert (custom["hidden"], custom["data/path"], custom["late"]) == (4, "here", "yes")
    assert (custom["trainer/max_duration"], custom["trainer/device_train_microbatch_size"]) == ("2ep", 4)
    assert (custom["composer_version"], custom["rank_zero_seed"]) == (composer.__version__, 1)
    assert custom["optimizer/momentum"] == 0.9
    assert not [name for name in custom if "api_key" in name]
    assert not [tag for tag in tags_of(tmp_path, "scalar") if "hidden" in tag]


class Seen(Callback):
    """Remembers the evaluations and steps that a callback of ours receives."""

    runs_in_fit_evaluation = True

    def __init__(self) -> None:
        self.results: list[dict[str, float]] = []
        self.steps: list[int] = []
        self.samples: list[int] = []

    def on_train_step_end(self, run_context: Any) -> None:
        """Remember the step, whose gradients exist."""
        params = run_context.original_args()
        self.steps.append(params["cur_step_num"])
        self.samples.append(len(params["train_dataset_element"][0]))

    def on_eval_end(self, run_context: Any) -> None:
        """Remember the results."""
        self.results.append(dict(run_context.original_args()["metrics"]))


def test_our_callbacks_run_in_the_training(tmp_path: Path) -> None:
    """Callbacks receive each step with its whole batch, and each evaluation; destinations receive hyperparameters."""
    seen, memory = Seen(), OurMemory()
    trained(trainer(tmp_path, settings={**QUIET, "callbacks": [seen, memory]}, device_train_microbatch_size=3))
    assert seen.steps == list(range(1, 7))
    assert seen.samples == [8, 8, 4] * 2
    recorded = list(scalars_of(tmp_path, "metrics/eval/accuracy").values())
    assert [results["accuracy"] for results in seen.results] == pytest.approx(recorded)
    assert run_in(tmp_path).lineage().metrics["accuracy"] == pytest.approx(recorded[-1])
    assert memory.hyperparameters["rank_zero_seed"] == 1
    assert {name: len(memory.data[name]) for name in ("loss/train/total", "metrics/eval/accuracy", "time/epoch")} == {
        "loss/train/total": 6,
        "metrics/eval/accuracy": 2,
        "time/epoch": 3,
    }


def test_several_evaluators_are_evaluated_once_each(tmp_path: Path) -> None:
    """Each evaluator has its own label, once per evaluation."""
    seen = Seen()
    evaluators = [composer.Evaluator(label=label, dataloader=data(seed)) for label, seed in (("one", 2), ("two", 3))]
    training = trainer(tmp_path, settings={**QUIET, "callbacks": [seen]}, eval_dataloader=evaluators)
    trained(training)
    assert [list(results) for results in seen.results] == [["accuracy"]] * 4
    for label in ("one", "two"):
        assert list(scalars_of(tmp_path, f"metrics/{label}/accuracy")) == [3, 6]


def test_a_callback_of_ours_stops_the_trainer(tmp_path: Path) -> None:
    """EarlyStopping, which monitors a metric of the model, ends the training."""
    stopping = EarlyStopping("accuracy", min_delta=10.0, patience=1, mode="max")
    training = trained(trainer(tmp_path, settings={**QUIET, "callbacks": [stopping]}, max_duration="9ep"))
    assert int(training.state.timestamp.epoch) == 2
    assert list(scalars_of(tmp_path, "loss/auto")) == list(range(1, 7))
    assert run_in(tmp_path).state.state == "finished"


def test_the_graph_and_the_gradients_are_recorded(tmp_path: Path) -> None:
    """The graph is that of the first call of the model; the gradients are those of the whole batch."""
    settings = {"collect_freq": 1, "collect_specified_data": {"collect_gradient_norm": True, "collect_machine": False}}
    memory = InMemoryLogger()
    monitor = composer.callbacks.OptimizerMonitor(batch_log_interval=1)
    trained(trainer(tmp_path, settings=settings, loggers=[memory], callbacks=monitor, device_train_microbatch_size=3))
    names = [
        node.op_type.lower()
        for path in tmp_path.glob("events*_MS")
        for each in read_events(path)
        for node in each.graph_def.node
    ]
    assert names == ["linear", "tanh", "linear"]
    norms = list(scalars_of(tmp_path, "gradient_norm/global").values())
    assert norms == pytest.approx(list(reported(memory)["l2_norm/grad/global"].values())[:6], rel=1e-5)


def test_checkpoints_are_recorded_at_their_steps(tmp_path: Path) -> None:
    """Each checkpoint of Composer's CheckpointSaver is a text at its step, and the newest is in the lineage."""
    trained(trainer(tmp_path / "run", save_folder=str(tmp_path / "saved"), save_interval="2ba"))
    texts = run_in(tmp_path / "run").text("checkpoint")
    assert texts.step.tolist() == [2, 4, 6]
    paths = [Path(text.texts[0]) for text in texts]
    assert all(path.is_file() and f"-ba{step}-" in path.name for path, step in zip(paths, texts.step, strict=True))
    assert paths[-1].name in str(run_in(tmp_path / "run").lineage().model)


def test_tables_images_and_texts_are_recorded(tmp_path: Path) -> None:
    """What Composer's Logger passes on besides metrics; what cannot be recorded is named in one line of the log."""

    class Logging(composer.Callback):
        def batch_end(self, state: Any, logger: Any) -> None:
            image, mask = np.zeros((3, 4, 5), np.uint8), np.ones((4, 5), np.int64)
            logger.log_images(image, "noise", masks={"truth": mask}, mask_class_labels={1: "cat"})
            logger.log_images("none", "bad")
            logger.log_table(["a", "b"], [[1, "x"]], "answers")
            logger.log_metrics({"good": 1.0, "bad": [1, 2]})

    trained(trainer(tmp_path, callbacks=Logging()))
    run = run_in(tmp_path)
    assert run.images("noise").step.tolist() == list(range(1, 7))
    assert {"noise", "noise/truth"} <= set(run.tags("image"))
    assert "cat" in run.text("noise/classes")[0].texts[0]
    assert run.text("answers")[0].texts == ['{"a": 1, "b": "x"}']
    assert list(scalars_of(tmp_path, "good")) == list(range(1, 7))


def test_an_evaluation_may_precede_follow_and_replace_a_training(tmp_path: Path) -> None:
    """Metrics of Trainer.eval() are points at the steps that Composer gives them, and lineage."""
    training = trainer(tmp_path / "run")
    training.eval()
    training.fit()
    training.eval(composer.Evaluator(label="test", dataloader=data(3)))
    training.close()
    assert list(scalars_of(tmp_path / "run", "metrics/eval/accuracy")) == [0, 3, 6]
    assert list(scalars_of(tmp_path / "run", "metrics/test/accuracy")) == [6]
    assert run_in(tmp_path / "run").attempts == 1
    alone = trainer(tmp_path / "alone")
    alone.eval()
    alone.close()
    (value,) = scalars_of(tmp_path / "alone", "metrics/eval/accuracy").values()
    assert run_in(tmp_path / "alone").lineage().metrics["accuracy"] == pytest.approx(value)


def test_a_further_fit_continues_the_run(tmp_path: Path) -> None:
    """fit() of the same Trainer goes on counting; close() ends the run."""
    training = trainer(tmp_path, max_duration="1ep")
    training.fit()
    training.fit(duration="1ep")
    assert run_in(tmp_path).state.state == "running"
    training.close()
    assert list(scalars_of(tmp_path, "loss/auto")) == list(range(1, 7))
    assert (run_in(tmp_path).attempts, run_in(tmp_path).state.state) == (1, "finished")


def test_a_second_training_in_a_directory_is_an_attempt(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One line in the log says so."""
    for _ in range(2):
        trained(trainer(tmp_path))
    assert run_in(tmp_path).attempts == 2
    assert [each.split(". ")[0] for each in warnings_in(caplog)] == [
        f"{tmp_path} contains an earlier training, up to step 6"
    ]


def test_objects_can_be_pickled_during_a_training(tmp_path: Path) -> None:
    """Copies of the logger are settings: they record nothing by themselves."""
    copies: list[Any] = []

    class Copying(composer.Callback):
        def batch_end(self, state: Any, logger: Any) -> None:
            ours = logger.destinations[0]
            copies.extend([copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))])

    trained(trainer(tmp_path / "run", callbacks=Copying(), max_duration="1ba"))
    assert [each._settings.arguments for each in copies] == [QUIET, QUIET]
    assert len(list((tmp_path / "run").glob("events*_MS"))) == 1


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    """When the logger is created, not when the training begins."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frequency'"):
        ToposcopeLogger(tmp_path, frequency=1)
    with pytest.raises(ValueError, match="not a SummaryCollector"):
        ToposcopeLogger(tmp_path, callbacks=[SummaryCollector(tmp_path)])


def test_examples_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model and data of the reader."""
    names = {"model": Classifier(), "train_loader": data()}
    run_examples(examples("composer.md"), "composer.md", tmp_path, monkeypatch, **names)
    assert list(scalars_of(tmp_path / "runs/first", "loss/auto")) == list(range(1, 7))


def test_what_other_callbacks_log_at_their_end_is_recorded(tmp_path: Path) -> None:
    """Composer closes loggers before other callbacks."""

    class Late(composer.Callback):
        def close(self, state: Any, logger: Any) -> None:
            logger.log_metrics({"late": 1.0})

    trained(trainer(tmp_path, callbacks=Late()))
    assert scalars_of(tmp_path, "late") == {6: 1.0}
    assert run_in(tmp_path).state.state == "finished"


def start(directory: Path, *launcher: str, options: dict[str, Any], **pipes: Any) -> subprocess.Popen[str]:
    """Start the program."""
    tests = str(PROGRAM.parents[1])
    paths = os.pathsep.join([*map(os.path.abspath, os.environ["PYTHONPATH"].split(os.pathsep)), tests])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1"}
    environment["NODE_RANK"] = "0"  # Composer needs it, and torchrun does not set it.
    command = [sys.executable, *launcher, str(PROGRAM), str(directory), json.dumps(options)]
    return subprocess.Popen(command, text=True, env=environment, **pipes)


def finish(directory: Path, *launcher: str, expected: int = 0, **options: Any) -> None:
    """Run the program to its end."""
    with start(directory, *launcher, options=options, stderr=subprocess.PIPE) as process:
        _, errors = process.communicate(timeout=300)
    assert process.returncode == expected, errors


def losses_in(directory: Path, rank: int) -> dict[int, float]:
    """Return the recorded losses of a process by step."""
    points = run_in(directory).scalars("loss/auto", rank)
    return dict(zip(points.step.tolist(), points.value.tolist(), strict=True))


def losses_of(directory: Path, rank: int = 0) -> list[tuple[float, int]]:
    """Return what a process wrote: the losses and the samples of its micro-batches."""
    return [(loss, samples) for loss, samples in json.loads(Path(f"{directory}.{rank}.json").read_text())]


def test_two_processes_are_two_ranks_of_a_run(tmp_path: Path) -> None:
    """Each process records its own losses; the values that are logged, and the lineage, are those of rank 0."""
    directory = tmp_path / "run"
    finish(directory, *TWO_PROCESSES, device_train_microbatch_size=3)
    run = run_in(directory)
    assert run.ranks == [0, 1]
    assert {each.state for each in run.state.recordings} == {"finished"}
    series = [run.scalars("loss/auto", rank) for rank in run.ranks]
    for rank in run.ranks:  # Of ten samples of a process.
        assert series[rank].step.tolist() == [1, 2, 3, 4]
        expected = step_losses(losses_of(directory, rank), [3, 1])
        assert series[rank].value.tolist() == pytest.approx(list(expected.values()))
    assert series[0].value.tolist() != series[1].value.tolist()
    logged = run.scalars("loss/train/total", 0).value
    assert ((series[0].value + series[1].value) / 2).tolist() == pytest.approx(logged.tolist())
    assert not [tag for tag in ("loss/train/total", "metrics/eval/accuracy") if len(run.scalars(tag, 1).step)]
    assert len(run.scalars("metrics/eval/accuracy", 0).step) == 2
    assert run.lineage().custom["trainer/world_size"] == 2
    assert run.text("checkpoint", rank=0).step.tolist() == [2, 4]
    assert not len(run.text("checkpoint", rank=1))
    assert not list(directory.glob("*.1.*_lineage"))


@pytest.mark.parametrize("number", [1, 2])
def test_a_killed_training_continues_in_its_run(tmp_path: Path, number: int) -> None:
    """After kill -9 each process resumes from the last checkpoint: one curve, whose first attempt is kept."""
    directory, checkpoints = tmp_path / "run", Path(f"{tmp_path / 'run'}.checkpoints")
    launcher = () if number == 1 else TWO_PROCESSES
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "start_new_session": True}
    with start(directory, *launcher, options={"ends_at": 5, "max_duration": "3ep"}, **pipes) as process:
        for line in process.stdout or ():
            if "paused" in line:
                break
        for rank in range(number):
            while "loss/auto" not in tags_of(directory, "scalar") or 5 not in losses_in(directory, rank):
                assert process.poll() is None
                time.sleep(0.02)  # Until it is written.
        os.killpg(process.pid, signal.SIGKILL)
    before = [losses_in(directory, rank) for rank in range(number)]
    finish(directory, *launcher, max_duration="3ep", load_path=f"{checkpoints}/latest-rank0.pt", saves=False)
    run = run_in(directory)
    assert run.attempts == 2
    last = 9 if number == 1 else 6  # A process has two batches in an epoch.
    for rank in range(number):
        after = losses_in(directory, rank)
        assert list(after) == list(range(1, last + 1))
        assert run.scalars("loss/auto", rank, attempt=2).step.tolist() == list(range(5, last + 1))
        assert run.scalars("loss/auto", rank, attempt=1).step.tolist()[:5] == [1, 2, 3, 4, 5]
        # The same batch with the restored optimizer: the step that was lost has the same loss.
        assert after[5] == pytest.approx(before[rank][5])
        own = step_losses(losses_of(directory, rank), [1])
        assert list(after.values())[4:] == pytest.approx(list(own.values()))
    assert [each.state for each in run.state.recordings].count("finished") == number


@pytest.mark.parametrize("is_caught", [False, True])
def test_an_error_ends_the_run(tmp_path: Path, is_caught: bool) -> None:
    """The run has failed, with the exception unless the script caught it: Composer does not report it."""
    directory = tmp_path / "run"
    finish(directory, expected=0 if is_caught else 1, ends_at=2, how="raise", is_caught=is_caught, saves=False)
    state = run_in(directory).state
    assert state.state == "failed"
    assert state.error is not None
    expected = ("RuntimeError", "The Trainer was closed before fit() had ended.")
    assert (state.error.type, state.error.text) == (expected if is_caught else ("OSError", "the disk is full"))
    assert {1, 2} <= scalars_of(directory, "loss/auto").keys()


def test_a_signal_interrupts_the_run(tmp_path: Path) -> None:
    """Composer exits at SIGTERM."""
    directory = tmp_path / "run"
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE}
    with start(directory, options={"ends_at": 2, "saves": False}, **pipes) as process:
        for line in process.stdout or ():
            if "paused" in line:
                process.send_signal(signal.SIGTERM)
                break
        process.wait(60)
    assert run_in(directory).state.state == "interrupted"


def test_an_error_that_is_handled_when_the_trainer_is_closed(tmp_path: Path) -> None:
    """close() in a finally block ends the run with the exception."""

    class Failing(composer.Callback):
        def batch_end(self, state: Any, logger: Any) -> None:
            raise OSError("the disk is full")

    training = trainer(tmp_path, callbacks=Failing())
    with pytest.raises(OSError, match="disk"):  # noqa: PT012
        try:
            training.fit()
        finally:
            training.close()
    error = run_in(tmp_path).state.error
    assert error is not None
    assert (error.type, error.text) == ("OSError", "the disk is full")
