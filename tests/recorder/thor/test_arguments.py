"""The arguments of thor()."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from toposcope.recorder.train_thor import thor

NAN, INFINITY = float("nan"), float("inf")


def create(**arguments: Any) -> Any:
    """Return the optimizer of a small layer; arguments replace valid ones."""
    return thor(nn.Linear(3, 2), **{"learning_rate": 0.1, "damping": 0.1, "momentum": 0.9, **arguments})


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("learning_rate", None, TypeError),
        ("learning_rate", True, TypeError),
        ("learning_rate", "0.1", TypeError),
        ("learning_rate", torch.ones(2, 2), TypeError),
        ("learning_rate", torch.tensor([True]), TypeError),
        ("learning_rate", -0.1, ValueError),
        ("learning_rate", NAN, ValueError),
        ("learning_rate", INFINITY, ValueError),
        ("learning_rate", [0.1, -0.1], ValueError),
        ("learning_rate", [], ValueError),
        ("learning_rate", lambda step: None, TypeError),
        ("damping", "0.1", TypeError),
        ("damping", 0.0, ValueError),
        ("damping", [0.1, 0.0], ValueError),
        ("damping", lambda step: -1.0, ValueError),
        ("momentum", None, TypeError),
        ("momentum", True, TypeError),
        ("momentum", -0.1, ValueError),
        ("momentum", INFINITY, ValueError),
        ("weight_decay", "0", TypeError),
        ("weight_decay", -1, ValueError),
        ("loss_scale", None, TypeError),
        ("loss_scale", 0, ValueError),
        ("loss_scale", NAN, ValueError),
        ("batch_size", 1.5, TypeError),
        ("batch_size", -1, ValueError),
        ("use_nesterov", 1, TypeError),
        ("decay_filter", "weight", TypeError),
        ("split_indices", 26, TypeError),
        ("split_indices", [26, 5.5], TypeError),
        ("enable_clip_grad", None, TypeError),
        ("frequency", True, TypeError),
        ("frequency", 2.0, TypeError),
        ("frequency", 0, ValueError),
        ("params", 5, TypeError),
        ("params", (torch.ones(2),), TypeError),
        ("params", [{"params": [], "learning_rate": 1}], ValueError),
        ("params", [{"params": [], "damping": 0}], ValueError),
        ("params", [{"params": [], "lr": "high"}], TypeError),
        ("params", [{"lr": 0.1}], ValueError),
        ("pi", 1, TypeError),
        ("block_size", 0, ValueError),
        ("block_size", 1.5, TypeError),
        ("trust_region", 0, ValueError),
        ("trust_region", "small", TypeError),
        ("trace_thresholds", 0.01, TypeError),
        ("trace_thresholds", (0.01,), TypeError),
        ("trace_thresholds", (0.01, 0.1), ValueError),
        ("trace_thresholds", (NAN, 0.0), ValueError),
        ("approach", "shrink", ValueError),
        ("approach", np.ones(2), TypeError),
        ("reduction", "none", ValueError),
        ("fisher", None, TypeError),
        ("grad_scaler", 128, TypeError),
        ("process_group", 0, TypeError),
    ],
)
def test_invalid_argument_is_an_error(name: str, value: Any, error: type[Exception]) -> None:
    """The error names the argument, or the key of a parameter group."""
    with pytest.raises(error, match="parameter group" if isinstance(value, list) and name == "params" else name):
        create(**{name: value})


def test_invalid_network_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"net must be .*not 3"):
        thor(3, 0.1, 0.1, 0.9)


@pytest.mark.parametrize("value", [0.25, np.float32(0.25), torch.tensor(0.25), [0.25, 0.5], torch.tensor([0.25, 0.5])])
def test_kinds_of_rates(value: Any) -> None:
    """Numbers of any library, and sequences, whose first value is that of the first step."""
    group = create(learning_rate=value, damping=value).param_groups[0]
    assert (group["lr"], group["damping"]) == (0.25, 0.25)


def test_invalid_value_of_a_function_is_an_error_at_its_step() -> None:
    """The error names the step, which changes nothing."""
    optimizer = create(learning_rate=lambda step: 0.1 - step)
    optimizer.step()
    with pytest.raises(ValueError, match=r"learning_rate\(1\) must be at least 0, not -0.9"):
        optimizer.step()
    assert optimizer.step_number == 1


def test_functions_need_no_value_for_a_step_that_never_comes() -> None:
    """A table of a value per step may be as long as the training, and a damping may decrease to 0 at its end."""
    optimizer = create(learning_rate=[0.2, 0.1].__getitem__, damping=lambda step: 0.1 * (1 - step / 2))
    optimizer.step()
    optimizer.step()
    with pytest.raises(IndexError):
        optimizer.step()


@pytest.mark.parametrize(
    ("group", "error", "text"),
    [
        ({"damping": 0.0}, ValueError, "damping of a parameter group must be positive, not 0.0"),
        ({"lr": "high"}, TypeError, "lr of a parameter group must be a number, not 'high'"),
        ({"rate": 0.1}, ValueError, "not 'rate'"),
    ],
)
def test_invalid_group_is_not_added(group: dict[str, Any], error: type[Exception], text: str) -> None:
    """The error names the key, and the training continues with the groups that there are."""
    optimizer = create(learning_rate=[0.2, 0.1])
    with pytest.raises(error, match=text):
        optimizer.add_param_group({"params": [nn.Parameter(torch.ones(2))], **group})
    optimizer.step()
    assert [each["lr"] for each in optimizer.param_groups] == [0.1]


def test_group_of_a_known_parameter_is_not_added() -> None:
    """After PyTorch's error the training continues."""
    net = nn.Linear(3, 2)
    optimizer = thor(net, [0.2, 0.1], 0.1, 0.9)
    with pytest.raises(ValueError, match="more than one parameter group"):
        optimizer.add_param_group({"params": net.parameters()})
    optimizer.step()


def test_network_without_trainable_parameters_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"net must have trainable parameters; ReLU\(\) has none"):
        thor(nn.ReLU(), 0.1, 0.1, 0.9)


def test_parameters_of_another_network_are_named(caplog: pytest.LogCaptureFixture) -> None:
    """They are updated by plain momentum: the optimizer observes the layers of its network only."""
    create(params=[{"params": nn.Linear(3, 2).parameters()}])
    assert "without preconditioning: 2 outside the network." in caplog.text
