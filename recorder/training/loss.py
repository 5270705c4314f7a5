"""The loss in the outputs of a training step, as one number."""

import numpy as np

from toposcope.recorder.values.arrays import array_from
from toposcope.recorder.values.foreign_values import UnreadableValueError


def loss_in(net_outputs: object) -> float | None:
    """Return the loss in net_outputs: the mean of the first output, as MindSpore's callbacks compute it.

    Args:
        net_outputs: a number, an array or a tensor of any framework, or a tuple or list that begins with one.

    Returns:
        The mean of its elements in double precision, NaN if it is empty; None if the first output is not numeric or
        is complex.
    """
    while isinstance(net_outputs, tuple | list):
        if not net_outputs:
            return None
        net_outputs = net_outputs[0]
    try:
        numbers = array_from(net_outputs).numbers()
    except (TypeError, UnreadableValueError):
        return None
    if numbers.dtype.kind == "c":
        return None
    return float(np.mean(numbers, dtype=np.float64)) if numbers.size else float("nan")
