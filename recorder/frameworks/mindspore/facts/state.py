"""What a checkpoint keeps of MindSpore's networks and optimizers: their parameters, by name."""

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
    """Set the parameters to the arrays or tensors of state.

    Raises:
        ValueError: names or a shape differ; nothing is changed then.
    """
    if missing := sorted(parameters.keys() - state.keys()):
        raise ValueError(f"The state lacks {', '.join(missing)}.")
    if unexpected := sorted(state.keys() - parameters.keys()):
        raise ValueError(f"The state has {', '.join(unexpected)}, which there is no parameter for.")
    for name, parameter in parameters.items():
        if (shape := np.shape(state[name])) != parameter.shape:
            raise ValueError(f"{name} is of shape {shape} in the state, and of shape {parameter.shape} here.")
    mindspore: Any = sys.modules["mindspore"]
    for name, parameter in parameters.items():
        value = state[name]
        array = value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
        # In place: compiled steps go on with the memory that they know, whatever Parameter.set_data() is given.
        mindspore.ops.assign(parameter, mindspore.Tensor(array, parameter.dtype))
