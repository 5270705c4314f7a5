"""The states of MindSpore networks and optimizers: their parameters by name."""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np


def network_state_of(cell: Any) -> dict[str, Any]:
    """Return the parameters of a network, trained or not."""
    return dict(cell.parameters_dict())


def optimizer_state_of(optimizer: Any) -> dict[str, Any]:
    """Return the parameters of an optimizer that are not the network's."""
    trained = {id(parameter) for parameter in optimizer.parameters}
    return {name: own for name, own in optimizer.parameters_dict().items() if id(own) not in trained}


def load_state(parameters: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    """Assign the arrays or tensors of a state to parameters.

    Raises:
        ValueError: names or a shape differ; nothing is changed.
    """
    if missing := sorted(parameters.keys() - state.keys()):
        raise ValueError(f"The state lacks {', '.join(missing)}.")
    if unexpected := sorted(state.keys() - parameters.keys()):
        raise ValueError(f"The state contains {', '.join(unexpected)}, for which there are no parameters.")
    for name, parameter in parameters.items():
        if (shape := np.shape(state[name])) != parameter.shape:
            raise ValueError(f"{name} has the shape {shape} in the state and {parameter.shape} in the network.")
    mindspore: Any = sys.modules["mindspore"]
    for name, parameter in parameters.items():
        value = state[name]
        array = value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
        # In place: compiled steps keep using their memory, whatever Parameter.set_data() receives.
        mindspore.ops.assign(parameter, mindspore.Tensor(array, parameter.dtype))
