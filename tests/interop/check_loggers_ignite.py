"""Engines of Ignite whose values are recorded, compared with the state of the engines."""

from pathlib import Path
from typing import Any

import pytest
import torch
from ignite.engine import Engine, Events
from ignite.handlers import global_step_from_engine
from ignite.metrics import MeanSquaredError
from support.documentation import examples, run_examples
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import Callback
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
