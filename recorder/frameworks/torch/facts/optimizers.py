"""PyTorch optimizers and schedulers: parameters by name, learning rates and settings."""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from toposcope.recorder.adapters import is_module, is_tensor
from toposcope.recorder.frameworks.torch.modules import library, unwrapped
from toposcope.recorder.frameworks.torch.names import plain_name
from toposcope.recorder.frameworks.torch.plain_settings import attribute, constructor_settings, plain_setting

_DEEPEST = 4
# Settings of the implementation, and values that change or are recorded elsewhere.
_LEFT_OUT = {"params", "param_names", "lr", "initial_lr", "foreach", "fused", "capturable", "differentiable"}


def groups_of(optimizer: object) -> list[MutableMapping[str, Any]]:
    """Return the parameter groups of an optimizer or a tuple of them; an empty list for another object."""
    if isinstance(optimizer, tuple):
        return [group for each in optimizer for group in groups_of(each)]
    groups = attribute(optimizer, "param_groups")
    if not isinstance(groups, list | tuple):
        return []
    # The type first: at every step, checking for an abstract class is most of the time.
    return [group for group in groups if type(group) is dict or isinstance(group, MutableMapping)]


def parameters_of(network: object, optimizer: object) -> dict[str, Any]:
    """Return the optimizer's parameters by the network's names, in the optimizer's order.

    A parameter that is not in the network has the optimizer's name for it, or its position: "group0.3". Without an
    optimizer, all trainable parameters of the network, in its order. Parameters of lazy modules that have no values yet
    are left out.
    """
    is_lazy = library("torch.nn.parameter").is_lazy if is_module(network) or groups_of(optimizer) else bool
    named = list(unwrapped(network).named_parameters()) if is_module(network) else []
    groups = groups_of(optimizer)
    if not groups:
        return {plain_name(name): each for name, each in named if each.requires_grad and not is_lazy(each)}
    names = {id(each): plain_name(name) for name, each in named}
    return {
        names.get(id(each), name): each
        for number, group in enumerate(groups)
        for name, each in _members(number, group)
        if is_tensor(each) and not is_lazy(each)
    }


def _members(number: int, group: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    members = list(group.get("params", ()))
    names = group.get("param_names") or [f"group{number}.{place}" for place in range(len(members))]
    return zip(names, members, strict=False)


def learning_rates_of(optimizer: object) -> list[float]:
    """Return the learning rate of each group; it may be a tensor there."""
    return [
        rate if type(rate := group["lr"]) is float else float(rate) for group in groups_of(optimizer) if "lr" in group
    ]


def set_learning_rates_of(optimizer: object, learning_rates: Sequence[float]) -> None:
    """Set the learning rate of each group that has one; a tensor is filled, because compiled steps refer to it."""
    groups = [group for group in groups_of(optimizer) if "lr" in group]
    for group, learning_rate in zip(groups, learning_rates, strict=True):
        if is_tensor(group["lr"]):
            with library().no_grad():
                group["lr"].fill_(learning_rate)
        else:
            group["lr"] = float(learning_rate)


def optimizer_facts(optimizer: object, schedulers: Any) -> dict[str, str | int | float]:
    """Return the settings of an optimizer, such as momentum, and of its learning-rate schedulers.

    A setting that differs between groups has the values of all groups, in order. Settings of a scheduler have the
    prefix "scheduler/", those of the next ones "scheduler2/" and so on; "scheduler/class" is the class.

    Args:
        optimizer: of torch.optim; or None.
        schedulers: one of torch.optim.lr_scheduler, several, or None.
    """
    facts: dict[str, object] = {}
    groups = groups_of(optimizer)
    for name in dict.fromkeys(name for group in groups for name in group if isinstance(name, str)):
        if name not in _LEFT_OUT:
            values = [plain_setting(group.get(name)) for group in groups]
            facts[name] = values[0] if all(value == values[0] for value in values) else values
    for number, scheduler in enumerate(_all_schedulers(_listed(schedulers)), 1):
        prefix = f"scheduler{number if number > 1 else ''}/"
        settings = {"class": type(scheduler).__name__, **_scheduler_settings(scheduler)}
        facts |= {prefix + name: value for name, value in settings.items()}
    return {name: _fact(value) for name, value in facts.items() if value is not None}


def _listed(schedulers: Any) -> list[Any]:
    if schedulers is None:
        return []
    return list(schedulers) if isinstance(schedulers, Iterable) else [schedulers]


def _all_schedulers(schedulers: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """Yield schedulers, each followed by the schedulers that it combines."""
    for scheduler in schedulers:
        yield scheduler
        inner = attribute(scheduler, "_schedulers")
        if isinstance(inner, list | tuple) and depth < _DEEPEST:
            yield from _all_schedulers(inner, depth + 1)


def _scheduler_settings(scheduler: Any) -> dict[str, object]:
    settings = constructor_settings(scheduler)
    settings.pop("last_epoch", None)  # A counter.
    milestones = attribute(scheduler, "milestones")
    if isinstance(milestones, Mapping):  # MultiStepLR has a Counter.
        settings["milestones"] = plain_setting(sorted(milestones))
    return settings


def _fact(value: object) -> str | int | float:
    if isinstance(value, list):
        return ", ".join(str(_fact(item)) for item in value)
    return value if isinstance(value, str | int | float) else str(value)
