"""Creates the optimizer from the checked arguments of thor()."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import nn

from toposcope.recorder.arguments import checked_text
from toposcope.recorder.frameworks.torch.thor.curvature.curvature import InverseSettings
from toposcope.recorder.frameworks.torch.thor.curvature.refresh import Thresholds
from toposcope.recorder.frameworks.torch.thor.optimizer import NamedParameter, Thor
from toposcope.recorder.frameworks.torch.thor.preconditioner import RefreshSettings
from toposcope.recorder.frameworks.torch.thor.schedules import Schedule, checked_amount, schedule_from
from toposcope.recorder.values.arrays.foreign_values import short_repr

_CHOICES = {
    "approach": ("expand", "reduce"),
    "reduction": ("mean", "sum"),
    "fisher": ("empirical", "sampled"),
}


def create(
    net: nn.Module,
    *,
    learning_rate: Any,
    damping: Any,
    momentum: Any,
    weight_decay: Any,
    loss_scale: Any,
    nesterov: bool,
    decay_filter: Callable[[NamedParameter], bool],
    clips_gradients: bool,
    frequency: int,
    params: Iterable[Mapping[str, Any]] | None,
    uses_pi: bool,
    block: int | None,
    trust_region: Any,
    trace_thresholds: Any,
    factor_decay: Any,
    approach: Any,
    reduction: Any,
    fisher: Any,
    grad_scaler: Any,
    process_group: Any,
) -> Thor:
    """Return the optimizer; see thor() for the arguments and errors."""
    for name, value in (("approach", approach), ("reduction", reduction), ("fisher", fisher)):
        if checked_text(name, value) not in _CHOICES[name]:
            raise ValueError(f"{name} must be {' or '.join(map(repr, _CHOICES[name]))}, not {short_repr(value)}.")
    if not callable(decay_filter):
        raise TypeError(f"decay_filter must be callable, not {short_repr(decay_filter)}.")
    if grad_scaler is not None and not callable(getattr(grad_scaler, "get_scale", None)):
        raise TypeError(f"grad_scaler must be a torch.amp.GradScaler or None, not {short_repr(grad_scaler)}.")
    if process_group is not None and not isinstance(process_group, torch.distributed.ProcessGroup):
        raise TypeError(f"process_group must be a torch.distributed.ProcessGroup, not {short_repr(process_group)}.")
    rate = schedule_from("learning_rate", learning_rate)
    damp = schedule_from("damping", damping, is_positive=True)
    schedules: dict[str, Schedule] = {name: each for name, each in (("lr", rate), ("damping", damp)) if callable(each)}
    defaults = {
        "lr": rate(0) if callable(rate) else rate,
        "damping": damp(0) if callable(damp) else damp,
        "momentum": checked_amount("momentum", momentum),
        "weight_decay": checked_amount("weight_decay", weight_decay),
    }
    return Thor(
        net,
        _groups(net, params),
        defaults,
        schedules=schedules,
        decay_filter=decay_filter,
        loss_scale=checked_amount("loss_scale", loss_scale, is_positive=True),
        grad_scaler=grad_scaler,
        nesterov=nesterov,
        clips_gradients=clips_gradients,
        trust_region=None if trust_region is None else checked_amount("trust_region", trust_region, is_positive=True),
        approach=approach,
        fisher=fisher,
        refresh=RefreshSettings(
            frequency=frequency,
            thresholds=None if trace_thresholds is None else _thresholds(trace_thresholds),
            decay=_decay(factor_decay),
            # Sampled labels: the gradients are of a sum, whatever the loss is.
            reduction="sum" if fisher == "sampled" else reduction,
            inverses=InverseSettings(uses_pi, block),
            process_group=process_group,
        ),
    )


def _groups(net: nn.Module, params: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    if params is None:
        trainable = [parameter for parameter in net.parameters() if parameter.requires_grad]
        if not trainable:
            raise ValueError(f"net must have trainable parameters; {short_repr(net)} has none.")
        return [{"params": trainable}]
    listed = list(params) if isinstance(params, Iterable) else [params]
    if not all(isinstance(group, Mapping) for group in listed):
        raise TypeError(f"params must be a sequence of dicts or None, not {short_repr(params)}.")
    return [dict(group) for group in listed]


def _decay(value: Any) -> float:
    decay = checked_amount("factor_decay", value)
    if decay >= 1:
        raise ValueError(f"factor_decay must be less than 1, not {value!r}.")
    return decay


def _thresholds(value: Any) -> Thresholds | None:
    """Return the limits of the trace rule; None if they are 0, with which every due step refreshes."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"trace_thresholds must be a tuple of two numbers or None, not {short_repr(value)}.")
    refresh, freeze = (checked_amount("trace_thresholds", each) for each in value)
    if freeze > refresh:
        raise ValueError(f"trace_thresholds must be the larger limit, then the smaller one, not {value!r}.")
    return Thresholds(refresh, freeze) if refresh else None
