"""The step of a PyTorch optimizer, as its state counts it."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from toposcope.recorder.adapters import is_module
from toposcope.recorder.frameworks.torch.facts.optimizers import groups_of
from toposcope.recorder.frameworks.torch.plain_settings import attribute


def step_of(optimizer: object) -> int | None:
    """Return how many steps an optimizer has made, including those before its state was saved and loaded.

    That is the largest "step" in the state of a parameter (Adam, AdamW, NAdam, RAdam, Adagrad, RMSprop and others) or
    of a group (Apex). A parameter has fewer if it was frozen, or had no gradient, for some time.

    Args:
        optimizer: of torch.optim, an object like those, or a tuple of several. Of several, the least: one of two
            networks that are trained in turns may make several steps for each of the training.

    Returns:
        None if the state has no step, as SGD's has none, or before the first step.
    """
    if isinstance(optimizer, tuple):
        return min((step for each in optimizer if (step := step_of(each)) is not None), default=None)
    return None if is_module(optimizer) else max(_steps_in(optimizer), default=0) or None


def _steps_in(optimizer: object) -> Iterator[int]:
    state = attribute(optimizer, "state")
    states = list(state.values()) if isinstance(state, Mapping) else []
    for each in (*states, *groups_of(optimizer)):
        if isinstance(each, Mapping) and (step := _number(each.get("step"))) is not None:
            yield step


def _number(step: Any) -> int | None:
    """Return a step, which is a number or a tensor with one element; None if it is neither."""
    if step is None or isinstance(step, str | bool):
        return None
    try:
        number = float(step)
    except (TypeError, ValueError, RuntimeError):
        return None
    return int(number) if math.isfinite(number) and number >= 0 else None
