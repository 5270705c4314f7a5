"""The settings of a booster, as it reports them itself: its parameters with their defaults, and the learning rate."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

_RATE = re.compile(r'"(?:learning_rate|eta)":"([^"]+)"')
_ALIASES = {"alpha": "reg_alpha", "eta": "learning_rate", "gamma": "min_split_loss", "lambda": "reg_lambda"}
"""Parameters that a configuration contains under two names."""
_LEFT_OUT = frozenset(("debug_synchronize", "max_cached_hist_node", "seed", "version"))
"""Internal settings, and "seed", which is also "random_state"."""
_DIGITS_OF_FLOAT32 = 9


def booster_settings(booster: Any) -> dict[str, Any]:
    """Return the parameters of a xgboost.Booster by name: those of all parts of its configuration."""
    leaves = dict(_leaves(json.loads(booster.save_config())["learner"], ""))
    return {name: value for name, value in leaves.items() if _ALIASES.get(name) not in leaves}


def learning_rate_of(booster: Any) -> float | None:
    """Return the learning rate of the next iteration; None if it has none, as without any booster."""
    match = _RATE.search(booster.save_config())
    return None if match is None else float(_number(match[1]))


def _leaves(part: Any, parent: str) -> Iterator[tuple[str, Any]]:
    """Yield the settings of a part of the configuration; a "name" is named by what it is the name of."""
    if isinstance(part, Mapping):
        for name, value in part.items():
            if name not in _LEFT_OUT:
                yield from _leaves(value, parent if name == "name" else name)
    elif isinstance(part, list):
        if all(isinstance(each, Mapping) and isinstance(each.get("name"), str) for each in part):
            if part:
                yield parent, ",".join(each["name"] for each in part)
        else:
            yield parent, part
    else:
        yield parent, _number(part) if isinstance(part, str) else part


def _number(text: str) -> Any:
    """Return the number that a text is; the text if it is none. Numbers of nine digits are those of a float32."""
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        digits = sum(character.isdigit() for character in text.split("e")[0].split("E")[0])
        return float(str(np.float32(text))) if digits <= _DIGITS_OF_FLOAT32 + 1 else float(text)
    return text
