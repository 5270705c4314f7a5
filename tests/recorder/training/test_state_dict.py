"""A training that was stopped inside an epoch continues from its state dict as if it had not been stopped."""

import logging
from pathlib import Path
from typing import Any

import pytest
import torch

from toposcope.recorder.callbacks import LossMonitor
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.trainer import Trainer


class Losses(EventCallback):
    """Counts batches in its state, and stops the training after a batch."""

    def __init__(self, stop: int = -1) -> None:
        self.count, self.stop = 0, stop

    def batch_end(self, state: State, logger: Logger) -> None:
        self.count += 1
        if state.timestamp.batch == self.stop:
            state.stop_training()

    def state_dict(self) -> dict[str, Any]:
        return {"count": self.count}

    def load_state_dict(self, state: Any) -> None:
        self.count = state["count"]


def trainer_of(stop: int = -1, **options: Any) -> Trainer:
    torch.manual_seed(1)
    network = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.1)
    batches = [(torch.full((4, 3), float(number)), torch.tensor([0, 1, 0, 1])) for number in range(3)]
    return Trainer(
        model=network,
        loss_fn=torch.nn.CrossEntropyLoss(),
        optimizers=optimizer,
        schedulers=torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5),
        train_dataloader=batches,
        max_duration="3ep",
        callbacks=[Losses(stop), Losses(), LossMonitor()],
        run_name="first",
        seed=7,
        **options,
    )


def test_a_training_continues_from_its_state_dict_to_the_same_bits(tmp_path: Path) -> None:
    whole = trainer_of()
    whole.fit()
    stopped = trainer_of(stop=4)
    stopped.fit()
    torch.save(stopped.state.state_dict(), tmp_path / "state.pt")
    values = torch.load(tmp_path / "state.pt", weights_only=False)
    resumed = trainer_of(load=lambda state: state.load_state_dict(values))
    assert resumed.state.timestamp == stopped.state.timestamp
    resumed.fit()

    assert resumed.state.timestamp.epoch == 3
    for name, weights in whole.state.model.state_dict().items():
        assert torch.equal(resumed.state.model.state_dict()[name], weights)
    assert resumed.state.schedulers[0].get_last_lr() == whole.state.schedulers[0].get_last_lr()
    assert [each.count for each in resumed.state.callbacks if isinstance(each, Losses)] == [9, 9]
    for trainer in (whole, stopped, resumed):
        trainer.close()


def test_a_state_dict_has_the_layout_of_composer() -> None:
    with trainer_of() as trainer:
        values = trainer.state.state_dict()
    assert set(values) == {*trainer.state.serialized_attributes, "metadata"}
    assert set(values["callbacks"]) == {"Losses", "Losses#2"}
    assert list(values["optimizers"]) == ["Adam"]
    assert values["timestamp"]["Timestamp"]["batch"] == 0
    assert (values["rank_zero_seed"], values["run_name"]) == (7, "first")
    assert values["metadata"]["precision"] == "fp32"


def test_what_a_state_dict_lacks_keeps_its_state_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with trainer_of() as trainer, caplog.at_level(logging.WARNING):
        before = trainer.state.state_dict()
        trainer.state.load_state_dict({"model": {"weight": torch.zeros(2, 3)}, "optimizers": {}})
        assert torch.equal(trainer.state.model.bias, before["model"]["bias"])
        with pytest.raises(RuntimeError, match="bias"):
            trainer.state.load_state_dict({"model": {"weight": torch.zeros(2, 3)}}, strict=True)
    assert "bias" in caplog.text
    assert "no Adam among its optimizers" in caplog.text
