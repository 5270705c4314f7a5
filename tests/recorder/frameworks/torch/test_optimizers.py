"""The facts of PyTorch's optimizers, schedulers and their parameters."""

from functools import partial
from typing import Any, cast

import numpy as np
import pytest
import torch
from support.torch_networks import DigitsNet, Perceptron
from torch import nn
from torch.optim import lr_scheduler

from toposcope.recorder.framework import framework_of
from toposcope.recorder.frameworks.torch.facts.framework import FRAMEWORK


def test_the_framework_of_a_module_is_found() -> None:
    optimizer = torch.optim.SGD(DigitsNet().parameters(), lr=0.1)
    assert framework_of(DigitsNet()) is framework_of(optimizer) is framework_of(torch.ones(1)) is FRAMEWORK


def test_parameters_are_named_as_in_the_network_and_ordered_as_in_the_optimizer() -> None:
    network = DigitsNet()
    optimizer = torch.optim.SGD([{"params": network.fc.parameters()}, {"params": network.conv1.parameters()}], lr=0.1)

    assert list(FRAMEWORK.parameters(network, optimizer)) == ["fc.weight", "fc.bias", "conv1.weight", "conv1.bias"]
    assert FRAMEWORK.parameters(network, optimizer)["fc.bias"] is network.fc.bias


def test_without_optimizer_all_trainable_parameters_are_returned() -> None:
    network = DigitsNet()
    network.conv1.requires_grad_(False)

    assert list(FRAMEWORK.parameters(network, None)) == ["conv2.weight", "conv2.bias", "fc.weight", "fc.bias"]


def compiled(module: nn.Module) -> nn.Module:
    """Return a compiled module; torch.compile() is annotated as returning a function."""
    return cast(nn.Module, torch.compile(module, backend="eager"))


@pytest.mark.parametrize(
    "wrap",
    [
        nn.DataParallel,
        compiled,
        lambda module: nn.DataParallel(compiled(module)),
    ],
)
def test_wrappers_do_not_show_in_names(wrap: Any) -> None:
    network = DigitsNet()
    wrapped = wrap(network)

    assert list(FRAMEWORK.parameters(wrapped, None)) == list(FRAMEWORK.parameters(network, None))
    assert FRAMEWORK.network_state(wrapped).keys() == network.state_dict().keys()
    assert FRAMEWORK.class_name(wrapped) == "DigitsNet"


def test_compiled_submodules_keep_their_names() -> None:
    network = nn.Sequential(compiled(nn.Linear(2, 2)))

    assert list(FRAMEWORK.parameters(network, None)) == ["0.weight", "0.bias"]


def test_parameters_outside_the_network_are_named_by_the_optimizer_or_their_position() -> None:
    one, two = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(2))
    named = torch.optim.SGD([("temperature", one)], lr=0.1)

    assert list(FRAMEWORK.parameters(DigitsNet(), torch.optim.SGD([one, two], lr=0.1))) == ["group0.0", "group0.1"]
    assert list(FRAMEWORK.parameters(None, named)) == ["temperature"]


def test_lazy_parameters_appear_with_their_values() -> None:
    network = nn.Sequential(nn.LazyLinear(2), nn.Linear(2, 1))
    assert list(FRAMEWORK.parameters(network, None)) == ["1.weight", "1.bias"]


def test_only_existing_gradients_are_returned() -> None:
    network = Perceptron()
    assert FRAMEWORK.gradients(network, None) == {}
    network[0](torch.randn(2, 4)).sum().backward()
    assert list(FRAMEWORK.gradients(network, None)) == ["0.weight", "0.bias"]


@pytest.mark.parametrize("rate", [0.5, torch.tensor(0.5)])
def test_the_learning_rate_of_each_group_is_returned_and_set(rate: Any) -> None:
    network = DigitsNet()
    groups: list[dict[str, Any]] = [
        {"params": network.fc.parameters()},
        {"params": network.conv1.parameters(), "lr": 0.25},
    ]
    optimizer = torch.optim.Adam(groups, lr=rate)
    held = optimizer.param_groups[0]["lr"]

    assert FRAMEWORK.learning_rates(optimizer) == [0.5, 0.25]
    FRAMEWORK.set_learning_rates(optimizer, [0.125, 0.0625])
    assert FRAMEWORK.learning_rates(optimizer) == [0.125, 0.0625]
    assert not isinstance(rate, torch.Tensor) or optimizer.param_groups[0]["lr"] is held


def test_classes_and_functions_are_named() -> None:
    assert FRAMEWORK.class_name(torch.optim.AdamW([nn.Parameter(torch.ones(1))])) == "AdamW"
    assert FRAMEWORK.class_name(nn.CrossEntropyLoss()) == "CrossEntropyLoss"
    assert FRAMEWORK.class_name(nn.functional.mse_loss) == "mse_loss"
    assert FRAMEWORK.class_name(partial(nn.functional.mse_loss, reduction="sum")) == "mse_loss"
    assert FRAMEWORK.class_name(torch.compile(nn.functional.mse_loss, backend="eager")) == "mse_loss"
    assert FRAMEWORK.class_name(None) is None


def test_settings_of_an_optimizer_are_facts() -> None:
    network = DigitsNet()
    sgd = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4, nesterov=True)
    facts = FRAMEWORK.facts(sgd, None)
    assert facts == {"momentum": 0.9, "dampening": 0, "weight_decay": 1e-4, "nesterov": True, "maximize": False}

    groups: list[dict[str, Any]] = [
        {"params": network.fc.parameters(), "weight_decay": 0.0},
        {"params": network.conv1.parameters()},
    ]
    facts = FRAMEWORK.facts(torch.optim.AdamW(groups, betas=(0.9, 0.95), weight_decay=0.1), ())
    assert facts["betas"] == "0.9, 0.95"
    assert facts["weight_decay"] == "0.0, 0.1"
    assert "lr" not in facts


def test_settings_of_schedulers_are_facts() -> None:
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    warmup = lr_scheduler.LinearLR(optimizer, start_factor=0.25, total_iters=5)
    cosine = lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
    facts = FRAMEWORK.facts(None, lr_scheduler.SequentialLR(optimizer, [warmup, cosine], milestones=[5]))
    assert facts["scheduler/class"] == "SequentialLR"
    assert (facts["scheduler2/class"], facts["scheduler2/start_factor"]) == ("LinearLR", 0.25)
    assert (facts["scheduler3/class"], facts["scheduler3/T_max"]) == ("CosineAnnealingLR", 20)

    steps = lr_scheduler.MultiStepLR(optimizer, [30, 80], gamma=0.5)
    plateau = lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
    facts = FRAMEWORK.facts(optimizer, [steps, plateau])
    assert (facts["scheduler/milestones"], facts["scheduler/gamma"]) == ("30, 80", 0.5)
    assert (facts["scheduler2/class"], facts["scheduler2/patience"]) == ("ReduceLROnPlateau", 3)
    assert not [name for name in facts if name.endswith(("last_epoch", "best", "num_bad_epochs"))]


@pytest.mark.parametrize("thing", [None, 1, "text", object()])
def test_unknown_objects_have_no_facts(thing: Any) -> None:
    assert FRAMEWORK.parameters(thing, thing) == FRAMEWORK.gradients(thing, thing) == {}
    assert FRAMEWORK.learning_rates(thing) == []
    assert FRAMEWORK.facts(thing, None) == {}
    assert FRAMEWORK.network_state(thing) == {}
    assert FRAMEWORK.optimizer_state(thing) is None
    FRAMEWORK.set_learning_rates(thing, [])


def test_states_are_saved_and_restored() -> None:
    network, other = Perceptron(), Perceptron()
    optimizer = torch.optim.Adam(network.parameters(), lr=0.1)
    network(torch.randn(4, 4)).sum().backward()
    optimizer.step()
    arrays = {name: tensor.numpy() for name, tensor in FRAMEWORK.network_state(network).items()}

    FRAMEWORK.load_network_state(torch.compile(other, backend="eager"), arrays)
    restored = torch.optim.Adam(other.parameters(), lr=0.2)
    state = FRAMEWORK.optimizer_state(optimizer)
    assert state is not None
    FRAMEWORK.load_optimizer_state(restored, state)

    assert all(torch.equal(value, other.state_dict()[name]) for name, value in network.state_dict().items())
    assert FRAMEWORK.learning_rates(restored) == [0.1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": None}, "lacks 'weight' of Linear"),
        ({"extra": np.ones(1)}, "'extra', which Linear does not have"),
        ({"bias": np.ones(3)}, r"'bias' has the shape \(3,\) in the state and \(2,\) in the module"),
    ],
)
def test_states_of_other_networks_are_refused(change: dict[str, Any], message: str) -> None:
    network = nn.Linear(2, 2)
    state = {**network.state_dict(), **change}
    before = network.weight.detach().clone()
    with pytest.raises(ValueError, match=message):
        FRAMEWORK.load_network_state(network, {name: value for name, value in state.items() if value is not None})
    assert torch.equal(network.weight, before)
