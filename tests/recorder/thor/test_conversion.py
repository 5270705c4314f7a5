"""The documented functions of mindspore.train.train_thor, for PyTorch networks and our Model."""

from typing import Any

import pytest
import torch
from torch import nn

from toposcope.recorder.callbacks import LossMonitor
from toposcope.recorder.train_thor import ConvertModelUtils, ConvertNetUtils, thor
from toposcope.recorder.training import FixedLossScaleManager, Model


def dataset() -> list[tuple[torch.Tensor, torch.Tensor]]:
    torch.manual_seed(0)
    return [(torch.randn(8, 6), torch.randint(3, (8,))) for _ in range(4)]


@pytest.mark.parametrize("amp_level", ["O0", "O2", "O3", "auto"])
def test_documented_sample(amp_level: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The documented sample runs with only imports, network and data changed."""
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
    temp = torch.tensor([4e-4, 1e-4, 1e-5, 1e-5])
    opt = thor(net, learning_rate=temp, damping=temp, momentum=0.9, loss_scale=128, frequency=4)
    loss = nn.CrossEntropyLoss(reduction="mean")
    loss_scale = FixedLossScaleManager(128, drop_overflow_update=False)
    arguments: dict[str, Any] = {
        "loss_fn": loss,
        "optimizer": opt,
        "loss_scale_manager": loss_scale,
        "metrics": {"acc"},
        "amp_level": amp_level,
        "keep_batchnorm_fp32": False,
    }
    model = Model(net, **arguments)
    model = ConvertModelUtils.convert_to_thor_model(model=model, network=net, **arguments)
    model.train(1, dataset(), callbacks=LossMonitor(), sink_size=4, dataset_sink_mode=True)

    assert opt.step_number == 4
    assert [group["lr"] for group in opt.param_groups] == [pytest.approx(1e-5)]
    assert "loss" in capsys.readouterr().out


def test_model_without_thor_is_returned() -> None:
    """convert_to_thor_model() returns the model itself if its optimizer is not THOR."""
    net = nn.Linear(6, 3)
    sgd = torch.optim.SGD(net.parameters(), 0.1)
    model = Model(net, nn.CrossEntropyLoss(), sgd)
    assert ConvertModelUtils.convert_to_thor_model(model, net, nn.CrossEntropyLoss(), sgd) is model
    assert ConvertModelUtils.convert_to_thor_model(model, net) is model


def test_wrong_arguments() -> None:
    """Errors name the argument."""
    net = nn.Linear(6, 3)
    ConvertNetUtils().convert_to_thor_net(net)
    with pytest.raises(TypeError, match="net must"):
        ConvertNetUtils().convert_to_thor_net(3)
    with pytest.raises(TypeError, match="model must"):
        ConvertModelUtils.convert_to_thor_model(3, net)
    with pytest.raises(ValueError, match="amp_level"):
        ConvertModelUtils.convert_to_thor_model(Model(net, nn.CrossEntropyLoss()), net, amp_level="O1")
    with pytest.raises(ValueError, match="loss_scale"):
        FixedLossScaleManager(0)


@pytest.mark.parametrize("optimizer", ["thor", "sgd"])
def test_fixed_loss_scale_changes_nothing(optimizer: str) -> None:
    """A loss scale is divided out once, by the optimizer or by Model."""
    trained = []
    for scale in (None, 128):
        torch.manual_seed(1)
        net = nn.Linear(6, 3).double()
        opt = (
            thor(net, 0.1, 0.1, 0.9, loss_scale=scale or 1.0, frequency=2)
            if optimizer == "thor"
            else torch.optim.SGD(net.parameters(), 0.1)
        )
        manager = None if scale is None else FixedLossScaleManager(scale)
        batches = [(inputs.double(), labels) for inputs, labels in dataset()]
        Model(net, nn.CrossEntropyLoss(), opt, loss_scale_manager=manager).train(1, batches)
        trained.append(net.weight.detach().clone())
    torch.testing.assert_close(*trained)


def test_overflow_is_dropped_if_requested() -> None:
    """With drop_overflow_update, a step whose gradients are not finite changes nothing."""
    for drops in (True, False):
        net = nn.Linear(6, 3)
        before = net.weight.detach().clone()
        opt = torch.optim.SGD(net.parameters(), 0.1)
        batch = (torch.full((8, 6), float("inf")), torch.randint(3, (8,)))
        manager = FixedLossScaleManager(128, drop_overflow_update=drops)
        Model(net, nn.CrossEntropyLoss(), opt, loss_scale_manager=manager).train(1, [batch])
        assert torch.equal(before, net.weight) == drops
