"""Engines of Ignite whose values are recorded, compared with the state of the engines."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import cloudpickle
import pytest
import torch
from ignite.engine import Engine, Events
from ignite.handlers import Checkpoint, ModelCheckpoint, global_step_from_engine
from ignite.metrics import MeanSquaredError
from support.documentation import examples, run_examples
from support.recorded_run import graphs_in, run_in, scalars_of, tags_of, texts_of

from toposcope.recorder.callbacks import Callback, EarlyStopping, LambdaCallback
from toposcope.recorder.frameworks.ignite import GradsHistHandler, ToposcopeLogger, WeightsHistHandler

QUIET: dict[str, Any] = {"collect_specified_data": {"collect_machine": False, "collect_code": False}}
EVERY = Events.ITERATION_COMPLETED


class Training:
    """A network with its trainer and its evaluator; the losses of the trainer by iteration."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.network = torch.nn.Linear(4, 1)
        self.optimizer = torch.optim.SGD(self.network.parameters(), lr=0.1)
        self.batches = [torch.randn(8, 4) for _ in range(5)]
        self.losses: dict[int, float] = {}
        self.trainer, self.evaluator = Engine(self._train), Engine(self._evaluate)
        MeanSquaredError().attach(self.evaluator, "mse")

    def _train(self, engine: Any, batch: Any) -> float:
        self.optimizer.zero_grad()
        prediction, labels = self._evaluate(engine, batch)
        loss = (prediction - labels).square().mean()
        loss.backward()
        self.optimizer.step()
        self.losses[engine.state.iteration] = loss.item()
        return loss.item()

    def _evaluate(self, engine: Any, batch: Any) -> tuple[Any, Any]:
        return self.network(batch), batch.sum(1, keepdim=True)


def attach(logger: Any, training: Training) -> None:
    """Record the loss and the learning rate of each iteration."""
    loss = {"tag": "train", "output_transform": lambda loss: {"loss": loss}}
    logger.attach_output_handler(training.trainer, EVERY, **loss)
    logger.attach_opt_params_handler(training.trainer, EVERY, optimizer=training.optimizer)


def test_values_are_those_of_the_engines(tmp_path: Path) -> None:
    """Losses, learning rates, metrics of evaluations once, and histograms."""
    training, metrics = Training(), {}
    trainer, evaluator = training.trainer, training.evaluator
    scheduler = torch.optim.lr_scheduler.StepLR(training.optimizer, 5, 0.5)
    trainer.add_event_handler(EVERY, lambda engine: scheduler.step())

    @trainer.on(Events.EPOCH_COMPLETED)
    def evaluate(engine: Any) -> None:
        metrics[engine.state.iteration] = evaluator.run(training.batches).metrics["mse"]

    with ToposcopeLogger(tmp_path, **QUIET) as logger:
        logger.log_hyperparams({"batch_size": 8, "api_token": "abc"})
        attach(logger, training)
        step_of = global_step_from_engine(trainer, custom_event_name=EVERY)
        evaluation = {"tag": "eval", "metric_names": ["mse"], "global_step_transform": step_of}
        logger.attach_output_handler(evaluator, Events.COMPLETED, **evaluation)
        logger.attach(trainer, WeightsHistHandler(training.network), Events.EPOCH_COMPLETED)
        logger.attach(trainer, GradsHistHandler(training.network), EVERY(every=5))
        trainer.run(training.batches, max_epochs=3)

    assert scalars_of(tmp_path, "train/loss") == training.losses
    assert len(training.losses) == 15
    points = run_in(tmp_path).scalars("eval/mse", attempt="all")
    assert dict(zip(points.step.tolist(), points.value.tolist(), strict=True)) == metrics
    assert list(scalars_of(tmp_path, "lr/group_0").values())[::5] == pytest.approx([0.1, 0.05, 0.025])
    assert tags_of(tmp_path, "histogram") == ["grads/bias", "grads/weight", "weights/bias", "weights/weight"]
    assert run_in(tmp_path).histograms("weights/weight").step.tolist() == [1, 2, 3]
    assert run_in(tmp_path).histograms("grads/weight").step.tolist() == [5, 10, 15]
    custom = run_in(tmp_path).lineage().custom
    assert custom["params/batch_size"] == 8
    assert not [name for name in custom if "token" in name]
    assert run_in(tmp_path).state.state == "finished"


def test_restored_trainer_continues_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its iterations go on."""
    first, second = Training(), Training()
    with ToposcopeLogger(tmp_path, **QUIET) as logger:
        attach(logger, first)
        first.trainer.run(first.batches, max_epochs=2)
    with ToposcopeLogger(tmp_path, **QUIET) as logger:
        attach(logger, second)
        second.trainer.load_state_dict({"epoch_length": 5, "max_epochs": 4, "iteration": 8})
        second.trainer.run(second.batches, max_epochs=4)

    expected = {step: loss for step, loss in first.losses.items() if step not in second.losses} | second.losses
    assert scalars_of(tmp_path, "train/loss") == expected
    assert max(expected) == 20
    assert not caplog.records


def test_another_training_in_the_directory_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Also if the first values are not those of its first iteration."""
    for _ in range(2):
        training = Training()
        with ToposcopeLogger(tmp_path, **QUIET) as logger:
            loss = {"tag": "train", "output_transform": lambda loss: {"loss": loss}}
            logger.attach_output_handler(training.trainer, EVERY(every=5), **loss)
            training.trainer.run(training.batches, max_epochs=2)
    assert "contains an earlier training, up to step 10" in caplog.text
    assert run_in(tmp_path).attempts == 2


def test_exceptions_and_stops(tmp_path: Path) -> None:
    """An exception is a failed end; a stop that a callback requests ends the engine."""
    training = Training()

    @training.trainer.on(EVERY(once=4))
    def fail(engine: Any) -> None:
        raise ValueError("a full disk")

    logger = ToposcopeLogger(tmp_path / "failed", **QUIET)
    attach(logger, training)
    with pytest.raises(ValueError, match="a full disk"), logger:
        training.trainer.run(training.batches, max_epochs=3)
    state = run_in(tmp_path / "failed").state
    assert (state.state, state.error.type, state.error.text) == ("failed", "ValueError", "a full disk")

    class Stopping(Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            if run_context.original_args().cur_step_num == 7:
                run_context.request_stop()

    training = Training()
    with ToposcopeLogger(tmp_path / "stopped", callbacks=[Stopping()], **QUIET) as logger:
        attach(logger, training)
        training.trainer.run(training.batches, max_epochs=3)
    assert max(training.losses) == 7
    assert max(scalars_of(tmp_path / "stopped", "train/loss")) == 7


def test_checkpoints_are_recorded_at_their_steps(tmp_path: Path) -> None:
    """Of Checkpoints of the trainer and of the evaluator, also under a name that stays the same."""
    training = Training()
    trainer, evaluator = training.trainer, training.evaluator
    parts = {"network": training.network, "optimizer": training.optimizer, "trainer": trainer}
    score = {"score_function": lambda engine: -engine.state.metrics["mse"], "score_name": "mse"}
    best = Checkpoint(
        {"network": training.network}, str(tmp_path / "best"), filename_pattern="best.{ext}", n_saved=1, **score
    )
    evaluator.add_event_handler(Events.COMPLETED, best)
    trainer.add_event_handler(EVERY(every=4), Checkpoint(parts, str(tmp_path / "last"), n_saved=1))
    trainer.add_event_handler(Events.EPOCH_COMPLETED, lambda: evaluator.run(training.batches))
    scores = []
    evaluator.add_event_handler(Events.COMPLETED, lambda engine: scores.append(-engine.state.metrics["mse"]))
    with ToposcopeLogger(tmp_path / "run", **QUIET) as logger:
        attach(logger, training)
        logger.attach_output_handler(evaluator, Events.COMPLETED, tag="eval", metric_names="all")
        trainer.run(training.batches, max_epochs=2)

    expected = {step: [f"checkpoint_{step}.pt"] for step in (4, 8)}
    expected |= {5 * i: [f"best.pt (mse: {score:g})"] for i, score in enumerate(scores, 1) if score == max(scores[:i])}
    assert texts_of(tmp_path / "run", "checkpoint") == expected
    assert run_in(tmp_path / "run").lineage().model["path"].startswith(str(tmp_path))


def test_graph_is_that_of_the_network_that_is_known(tmp_path: Path) -> None:
    """From a handler of the logger, or a Checkpoint; without one there is none."""
    for name in ("handler", "checkpoint", "unknown"):
        training = Training()
        if name == "checkpoint":
            to_save = {"network": training.network, "optimizer": training.optimizer}
            saving = ModelCheckpoint(str(tmp_path / "saved"), n_saved=1)
            training.trainer.add_event_handler(Events.EPOCH_COMPLETED, saving, to_save)
        with ToposcopeLogger(tmp_path / name, **QUIET) as logger:
            attach(logger, training)
            if name == "handler":
                logger.attach(training.trainer, WeightsHistHandler(training.network), Events.EPOCH_COMPLETED)
            training.trainer.run(training.batches, max_epochs=2)
    for name in ("handler", "checkpoint"):
        assert graphs_in(tmp_path / name) == {"Linear": {"linear"}}
        assert run_in(tmp_path / name).lineage().model["network"] == "Linear"
    assert not tags_of(tmp_path / "unknown", "graph")


@pytest.mark.parametrize("module", [pickle, cloudpickle])
def test_a_copy_records(tmp_path: Path, module: Any) -> None:
    """A logger that is pickled before or during a training; the copy is attached to engines again."""
    logger = module.loads(module.dumps(ToposcopeLogger(tmp_path, **QUIET)))
    logger.log_hyperparams({"batch_size": 8})
    first, copies = Training(), []
    attach(logger, first)
    first.trainer.add_event_handler(EVERY(once=3), lambda: copies.append(module.loads(module.dumps(logger))))
    with logger:
        first.trainer.run(first.batches, max_epochs=1)
    second = Training()
    second.trainer.load_state_dict({"epoch_length": 5, "max_epochs": 2, "iteration": 5})
    with copies[0] as copy:
        attach(copy, second)
        second.trainer.run(second.batches, max_epochs=2)

    assert scalars_of(tmp_path, "train/loss") == first.losses | second.losses
    assert run_in(tmp_path).lineage().custom["params/batch_size"] == 8
    for handler in (WeightsHistHandler(first.network), GradsHistHandler(first.network)):
        assert type(module.loads(module.dumps(handler))) is type(handler)


def test_only_rank_0_of_two_processes_records(tmp_path: Path) -> None:
    """Which idist.Parallel starts, with gloo; the logger was created before them."""
    program = """
import sys; sys.path[:0] = ["tests", "tests/interop"]
from check_loggers_ignite import *
import ignite.distributed as idist
def train(local_rank, loggers):
    training = Training()
    training.network = idist.auto_model(training.network)
    for logger in (*loggers, ToposcopeLogger(Path(sys.argv[1]) / "inside", **QUIET)):
        with logger:
            attach(logger, training)
            training.trainer.run(training.batches, max_epochs=2)
        training.trainer.state.iteration = training.trainer.state.epoch = 0
        training.trainer._event_handlers.clear()
    idist.barrier()
if __name__ == "__main__":
    with idist.Parallel(backend="gloo", nproc_per_node=2) as parallel:
        parallel.run(train, [ToposcopeLogger(Path(sys.argv[1]) / "outside", **QUIET)])
"""
    script = tmp_path / "training.py"
    script.write_text(program)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, script, tmp_path], env=environment, check=True, timeout=300)
    for name in ("inside", "outside"):
        assert list(scalars_of(tmp_path / name, "train/loss")) == list(range(1, 11))
        assert len(run_in(tmp_path / name).state.recordings) == 1


def test_our_callbacks_work(tmp_path: Path) -> None:
    """They receive evaluations and the ends of epochs; a stop that one requests ends the trainer."""
    training, epochs = Training(), []
    trainer, evaluator = training.trainer, training.evaluator
    trainer.add_event_handler(Events.EPOCH_COMPLETED, lambda: evaluator.run(training.batches))
    ours = [
        LambdaCallback(on_train_epoch_end=lambda context: epochs.append(context.original_args().cur_epoch_num)),
        EarlyStopping("eval/mse", mode="min", patience=1, min_delta=1e9),
    ]
    with ToposcopeLogger(tmp_path, callbacks=ours, **QUIET) as logger:
        attach(logger, training)
        step = global_step_from_engine(trainer, Events.ITERATION_COMPLETED)
        logger.attach_output_handler(
            evaluator, Events.COMPLETED, tag="eval", metric_names="all", global_step_transform=step
        )
        trainer.run(training.batches, max_epochs=9)

    assert epochs == [1, 2]
    assert max(training.losses) == 10
    trainer.run(training.batches, max_epochs=4)  # Without the logger, nothing stops it.
    assert max(training.losses) == 20
    assert list(scalars_of(tmp_path, "eval/mse")) == [5, 10]
    lineage = run_in(tmp_path).lineage()
    assert lineage.metrics["eval/mse"] == scalars_of(tmp_path, "eval/mse")[10]
    assert lineage.hyper_parameters["epoch"] == 2


def test_other_ranks_record_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that torchrun started."""
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    training = Training()
    with ToposcopeLogger(tmp_path, **QUIET) as logger:
        attach(logger, training)
        training.trainer.run(training.batches)
    assert not list(tmp_path.iterdir())


def test_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They record what the page says."""
    run_examples(examples("ignite.md"), "ignite.md", tmp_path, monkeypatch)
    assert list(scalars_of(tmp_path / "runs/first", "train/loss")) == list(range(1, 31))
