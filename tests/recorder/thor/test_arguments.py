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
    """The error names the argument, or the key of a group of params."""
    with pytest.raises(error, match="group of params" if isinstance(value, list) and name == "params" else name):
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
    """The error names the step."""
    optimizer = create(learning_rate=lambda step: 0.1 - step)
    with pytest.raises(ValueError, match=r"learning_rate\(1\) must be at least 0, not -0.9"):
        optimizer.step()
