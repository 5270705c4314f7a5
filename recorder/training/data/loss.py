"""The loss in the outputs of a training step, as one number."""

from typing import Any

import numpy as np

from toposcope.recorder.values.arrays.mean import mean_of


def loss_in(net_outputs: object) -> float | None:
    """Return the loss in net_outputs: the mean of the first output, as MindSpore's callbacks compute it.

    Args:
        net_outputs: a number, an array or a tensor of any framework, or a tuple or list that begins with one.

    Returns:
        The mean of its elements in double precision, NaN if it is empty; None if the first output is not numeric or
        is complex.
    """
    return mean_of(first_output(net_outputs))


def first_output(net_outputs: Any) -> Any:
    """Return the first item of nested tuples and lists, None if there is none; anything else unchanged."""
    while isinstance(net_outputs, tuple | list):
        if not net_outputs:
            return None
        net_outputs = net_outputs[0]
    return net_outputs


def scalar_loss(net_outputs: Any) -> Any:
    """Return the loss in net_outputs as one number in single precision or better, not read from its device."""
    loss = first_output(net_outputs)
    if isinstance(loss, int | float):
        return float(loss)
    if isinstance(loss, np.ndarray | np.generic):
        return float(np.asarray(loss, np.float64).mean())
    if callable(getattr(loss, "float", None)):  # A tensor of PyTorch or MindSpore.
        loss = loss.float()
    elif callable(getattr(loss, "astype", None)):
        loss = loss.astype("float32")
    return loss.mean() if getattr(loss, "shape", ()) else loss
