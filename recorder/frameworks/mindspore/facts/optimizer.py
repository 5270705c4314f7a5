"""MindSpore optimizers: their learning rates, fixed or scheduled, and their settings."""

import inspect
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

# The types that the lineage can store.
Setting = str | int | float

_PLAIN = (str, int, float)


def rates_of(optimizer: Any) -> list[float]:
    """Return the learning rates of an optimizer's groups; for a schedule, the rate of the last step."""
    if hasattr(optimizer, "param_groups"):
        return [_number(group["lr"]) for group in optimizer.param_groups]
    step = max(int(_array(optimizer.global_step).item()) - 1, 0)
    return [_rate(source, step) for source in _sources(optimizer)]


def set_rates(optimizer: Any, rates: Sequence[float]) -> None:
    """Set the learning rate of each group of an optimizer, in the order of rates_of().

    Raises:
        ValueError: the rate of a group follows a schedule.
    """
    if hasattr(optimizer, "param_groups"):
        sources = [group["lr"] for group in optimizer.param_groups]
    else:
        sources = _sources(optimizer)
    if scheduled := [type(source).__name__ for source in sources if not hasattr(source, "set_data")]:
        raise ValueError(f"The learning rate follows the schedule {scheduled[0]}: it cannot be set to {rates[0]}.")
    mindspore: Any = sys.modules["mindspore"]
    for source, rate in zip(sources, rates, strict=True):
        mindspore.ops.assign(source, mindspore.Tensor(rate, source.dtype))


def step_of(optimizer: Any) -> int | None:
    """Return the steps that an optimizer has made; None if it does not count them."""
    step = getattr(optimizer, "global_step", None)
    return None if step is None else int(_array(step).item())


def settings_of(optimizer: Any) -> dict[str, Setting]:
    """Return the settings of an optimizer, and the class and settings of its learning-rate schedule."""
    named = dict(getattr(optimizer, "init_args", {})) | _group_settings(optimizer)
    settings = {name: value for name, value in named.items() if isinstance(value, _PLAIN)}
    schedule = next((source for source in _sources(optimizer) if not hasattr(source, "set_data")), None)
    if schedule is not None:
        settings["lr_schedule"] = type(schedule).__name__.lstrip("_")
        settings |= {f"lr_schedule_{name}": value for name, value in _constructor_values(schedule).items()}
    return settings


def _sources(optimizer: Any) -> list[Any]:
    """Return the source of each group's learning rate: a Parameter, or a Cell that computes it."""
    rate = getattr(optimizer, "learning_rate", None)
    if not getattr(optimizer, "is_group_lr", False):
        return [] if rate is None else [rate]
    # There is one source for each parameter; the parameters of a group share theirs.
    return list({id(source): source for source in map(_unwrapped, optimizer.group_lr)}.values())


def _unwrapped(source: Any) -> Any:
    """Return the Parameter inside the Cell that converts it to a schedule, as other groups have one."""
    return source.learning_rate if type(source).__name__ == "_ConvertToCell" else source


def _rate(source: Any, step: int) -> float:
    if hasattr(source, "set_data"):
        return _number(source)
    if type(source).__name__ == "_IteratorLearningRate":
        rates = _array(source.learning_rate)
        return float(rates[min(step, rates.size - 1)])
    mindspore: Any = sys.modules["mindspore"]
    return _number(source(mindspore.Tensor([step], mindspore.int32)))


def _group_settings(optimizer: Any) -> dict[str, Any]:
    groups = getattr(optimizer, "param_groups", [{}])
    return {name: value for name, value in groups[0].items() if name not in ("params", "lr")}


def _constructor_values(schedule: Any) -> dict[str, Setting]:
    names = inspect.signature(type(schedule).__init__).parameters
    values = {name: getattr(schedule, name, None) for name in names if name != "self"}
    return {name: value for name, value in values.items() if isinstance(value, _PLAIN)}


def _number(value: Any) -> float:
    return float(np.mean(_array(value)))


def _array(value: Any) -> Any:
    return value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
