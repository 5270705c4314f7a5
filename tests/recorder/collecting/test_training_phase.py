"""The phase of a training, which heartbeats contain."""

from pathlib import Path
from typing import Any

import pytest
from support.line_network import Line, line_batches

from toposcope.proto.summary_pb2 import PHASE_EVALUATING, PHASE_SAVING, PHASE_TRAINING, PHASE_UNKNOWN, Phase
from toposcope.recorder import SummaryRecord
from toposcope.recorder.callbacks import CheckpointConfig, ModelCheckpoint, SummaryCollector
from toposcope.recorder.checkpoints import save_checkpoint
from toposcope.recorder.checkpoints.saving_phase import is_saving
from toposcope.recorder.collecting.training.training_phase import TrainingPhase
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.model import Model


class Saved(Line):
    """A network that notes whether it is being saved when its parameters are read."""

    def __init__(self) -> None:
        super().__init__()
        self.saves: list[bool] = []

    def parameters(self) -> Any:
        """Return the parameters."""
        self.saves.append(is_saving())
        return super().parameters()


def test_saving_a_checkpoint(tmp_path: Path) -> None:
    """save_checkpoint() and ModelCheckpoint save in the phase of saving, which ends with them."""
    network = Saved()
    save_checkpoint(network, tmp_path / "line.ckpt")
    assert network.saves
    assert all(network.saves)
    network.saves.clear()
    checkpoint = ModelCheckpoint(directory=str(tmp_path), config=CheckpointConfig(save_checkpoint_steps=1))
    Model(network).train(1, line_batches(2), checkpoint)

    assert any(network.saves)
    assert not is_saving()


def test_failed_save_ends_the_phase(tmp_path: Path) -> None:
    """An error in save_checkpoint() ends the phase too."""
    with pytest.raises(TypeError):
        save_checkpoint(object(), tmp_path / "line.ckpt")

    assert not is_saving()


def test_network_is_not_kept_alive() -> None:
    """The phase refers to the network weakly; without it, or with None, the training counts as training."""
    network = Line()
    phase = TrainingPhase(network)
    del network

    assert phase() == PHASE_TRAINING
    assert TrainingPhase(None)() == PHASE_TRAINING


class Phases(Callback):
    """Notes the phase at each hook, after the collector."""

    def __init__(self) -> None:
        self.phases: dict[str, Phase] = {}
        self.current: Any = None

    def _note(self, hook: str) -> None:
        self.phases.setdefault(hook, self.current())

    def on_train_begin(self, run_context: RunContext) -> None:
        """Note the phase."""
        self._note("train begin")

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Note the phase."""
        self._note("eval step")

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Note the phase."""
        self._note("train step")

    def on_eval_end(self, run_context: RunContext) -> None:
        """Note the phase."""
        self._note("eval end")

    def on_train_end(self, run_context: RunContext) -> None:
        """Note the phase."""
        self._note("train end")


def test_phases_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A training with evaluations trains, evaluates and trains again; an evaluation by itself ends unknown."""
    noted = Phases()
    monkeypatch.setattr(SummaryRecord, "set_phase", lambda _, phase: setattr(noted, "current", phase))
    model = Model(Line(), metrics={"loss"})
    model.fit(2, line_batches(2), line_batches(2), callbacks=[SummaryCollector(tmp_path / "fit"), noted])

    assert noted.phases == {
        "train begin": PHASE_TRAINING,
        "train step": PHASE_TRAINING,
        "eval step": PHASE_EVALUATING,
        "eval end": PHASE_TRAINING,
        "train end": PHASE_UNKNOWN,
    }
    noted.phases.clear()
    model.eval(line_batches(2), callbacks=[SummaryCollector(tmp_path / "eval"), noted])
    assert noted.phases == {"eval step": PHASE_EVALUATING, "eval end": PHASE_UNKNOWN}
    assert PHASE_SAVING not in noted.phases.values()
