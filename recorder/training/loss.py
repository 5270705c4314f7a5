"""Loss: the one number in what a network put out."""

import numpy as np

from toposcope.recorder.values.arrays import array_from
from toposcope.recorder.values.foreign import UnreadableValueError


def loss_in(net_outputs: object) -> float | None:
    """Return the loss in net_outputs, as the callbacks of MindSpore find it: the first output, averaged.

    Args:
        net_outputs: a number, an array or a tensor of any framework, or a tuple or list that begins with one.

    Returns:
        The mean of its elements in double precision, NaN if it has none; None when there is nothing to average.
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
