"""CollectedData: the checked settings of what a SummaryCollector collects."""

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from toposcope.proto.lineage_pb2 import UserDefinedInfo
from toposcope.recorder import log
from toposcope.recorder.arguments import checked_bool
from toposcope.recorder.landscapes.plan.settings import LandscapeSettings, landscape_settings
from toposcope.recorder.messages.lineage import set_custom
from toposcope.recorder.messages.plain_data import items_of
from toposcope.recorder.values.arrays.foreign_values import short_repr

HYPER_CONFIG_VARIABLE = "MINDINSIGHT_HYPER_CONFIG"
"""Environment variable by which MindInsight's tuner passes hyperparameters to a training, as JSON."""
_MAX_HYPER_CONFIG = 100_000
_FLAGS = {
    "collect_metric": True,
    "collect_graph": True,
    "collect_train_lineage": True,
    "collect_eval_lineage": True,
    "collect_input_data": True,
    "collect_dataset_graph": True,
    "collect_eval_metrics": True,
    "collect_learning_rate": True,
    "collect_throughput": True,
    "collect_machine": True,
    "collect_environment": True,
    "collect_code": True,
    "collect_optimizer_facts": True,
    "collect_gradient_norm": False,
    "collect_curvature": False,
    "collect_console": False,
}
_HISTOGRAMS, _GRADIENTS, _LANDSCAPE = "histogram_regular", "gradient_histogram_regular", "collect_landscape"
_NO_NAME = "$^"
"""The documented pattern that matches no name."""
_KEYS = (*_FLAGS, _HISTOGRAMS, _GRADIENTS, _LANDSCAPE)


class CollectedData(NamedTuple):
    """What is collected; see `collect_specified_data` of SummaryCollector."""

    enabled: frozenset[str]
    """The enabled keys "collect_..."."""
    collects_histograms: bool
    histogram_regular: re.Pattern[str] | None
    """Matched at the beginning of parameter names; None: the first five parameters."""
    gradient_histogram_regular: re.Pattern[str] | None
    """Matched at the beginning of the names of parameters whose gradients are collected; None: no gradients."""
    landscape: LandscapeSettings | None
    specified: frozenset[str]
    """The keys that the user specified."""


def collected_data(specified: object, keep_default_action: object) -> CollectedData:
    """Return the checked settings.

    Args:
        specified: dict of settings that differ from the defaults, or None.
        keep_default_action: whether keys that are not in specified keep their defaults or are disabled.

    Raises:
        TypeError: an argument, a key or a value has the wrong type.
        ValueError: a key is unknown, or a value is invalid.
    """
    keeps_defaults = checked_bool("keep_default_action", keep_default_action)
    data = dict(items_of("collect_specified_data", {} if specified is None else specified))
    if unknown := [key for key in data if key not in _KEYS]:
        raise ValueError(
            f"The keys of collect_specified_data must be among {', '.join(map(repr, _KEYS))}; not {unknown[0]!r}."
        )
    flags = {key: checked_bool(key, data.get(key, default and keeps_defaults)) for key, default in _FLAGS.items()}
    return CollectedData(
        frozenset(key for key, is_enabled in flags.items() if is_enabled),
        (keeps_defaults or _HISTOGRAMS in data) and data.get(_HISTOGRAMS) != _NO_NAME,
        _checked_pattern(_HISTOGRAMS, data.get(_HISTOGRAMS)),
        _checked_pattern(_GRADIENTS, data.get(_GRADIENTS)),
        landscape_settings(data.get(_LANDSCAPE)),
        frozenset(data),
    )


def checked_custom_lineage(data: object, environment: Mapping[str, str]) -> dict[str, object]:
    """Return custom_lineage_data merged with the data in MINDINSIGHT_HYPER_CONFIG, over which it takes precedence.

    Raises:
        TypeError: data is neither None nor a dict of str to str, int or float.
        ValueError: an int in it does not fit into 64 bits.
    """
    lineage = _checked_lineage({} if data is None else data)
    return {**_from_hyper_config(environment.get(HYPER_CONFIG_VARIABLE, "")), **lineage}


def _checked_lineage(data: object) -> dict[str, object]:
    items = dict(items_of("custom_lineage_data", data))
    for name, value in items.items():
        set_custom(UserDefinedInfo(), f"custom_lineage_data[{name!r}]", name, value, takes_bool=False)
    return items


def _from_hyper_config(text: str) -> dict[str, object]:
    """Return the custom lineage in the environment variable; an invalid one is logged and ignored."""
    if not text:
        return {}
    try:
        if len(text) > _MAX_HYPER_CONFIG:
            raise ValueError(f"it has {len(text)} characters, more than {_MAX_HYPER_CONFIG}")
        config = dict(items_of(HYPER_CONFIG_VARIABLE, json.loads(text)))
        return _checked_lineage(config.get("custom_lineage_data") or {})
    except (TypeError, ValueError, RecursionError) as error:
        log.warn("%s is ignored: %s", HYPER_CONFIG_VARIABLE, error)
        return {}


def _checked_pattern(parameter: str, pattern: object) -> re.Pattern[str] | None:
    if pattern is None:
        return None
    if not isinstance(pattern, str):
        raise TypeError(f"{parameter} must be a regular expression of type str or None, not {short_repr(pattern)}.")
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{parameter} must be a valid regular expression, not {pattern!r}: {error}.") from None
