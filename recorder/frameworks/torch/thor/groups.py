"""Parameter groups: their keys and numbers."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder.frameworks.torch.thor.schedules import checked_amount

_NUMBERS = {"lr", "damping", "momentum", "weight_decay", "initial_lr"}
"""initial_lr is what schedulers of PyTorch need to continue."""


def checked_group(group: Mapping[str, Any]) -> dict[str, Any]:
    """Return a parameter group with its numbers as floats; the parameters are checked by PyTorch.

    Raises:
        TypeError: a number has the wrong type.
        ValueError: a key is missing or unknown, or a number is invalid.
    """
    keys = {"params", *_NUMBERS}
    if "params" not in group:
        raise ValueError(f"A parameter group must have the key 'params', not only {sorted(map(str, group))}.")
    if unknown := sorted(map(str, group.keys() - keys)):
        raise ValueError(f"A parameter group must have keys of {sorted(keys)}, not {unknown[0]!r}.")
    numbers = {
        name: checked_amount(f"{name} of a parameter group", value, is_positive=name == "damping")
        for name, value in group.items()
        if name != "params"
    }
    return {**group, **numbers}
