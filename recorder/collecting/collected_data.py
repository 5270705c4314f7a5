"""Settings: what a SummaryCollector was asked to collect, checked."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from toposcope.proto.lineage_pb2 import UserDefinedInfo
from toposcope.recorder import log
from toposcope.recorder.arguments import checked_bool
from toposcope.recorder.landscapes.plan.settings import LandscapeSettings, landscape_settings
from toposcope.recorder.messages.lineage import set_custom
from toposcope.recorder.messages.plain_data import items_of
from toposcope.recorder.values.foreign import shown

HYPER_CONFIG_VARIABLE = "MINDINSIGHT_HYPER_CONFIG"
"""Environment variable by which MindInsight's tuner tells a training what it tries: JSON."""
_MAX_HYPER_CONFIG = 100_000
_SWITCHES = {
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
    "collect_optimizer_facts": True,
    "collect_gradient_norm": False,
}
_HISTOGRAMS, _GRADIENTS, _LANDSCAPE = "histogram_regular", "gradient_histogram_regular", "collect_landscape"
_KEYS = (*_SWITCHES, _HISTOGRAMS, _GRADIENTS, _LANDSCAPE)


@dataclass(frozen=True)
class CollectedData:
    """What is collected; see `collect_specified_data` of SummaryCollector."""

    switches: frozenset[str]
    """The keys "collect_..." that are on."""
    collects_histograms: bool
    histogram_regular: re.Pattern[str] | None
    """Of the names of parameters, matched at their beginning; None: the first five parameters."""
    gradient_histogram_regular: re.Pattern[str] | None
    """Of the names of parameters whose gradients are collected; None: of none."""
    landscape: LandscapeSettings | None
    asked_for: frozenset[str]
    """The keys that the user has named."""


def collected_data(specified: object, keep_default_action: object) -> CollectedData:
    """Return what is to be collected.

    Args:
        specified: dict of what the user wants otherwise than by default, or None.
        keep_default_action: whether all that specified does not name is collected as by default, or not at all.

    Raises:
        TypeError: an argument, a key or a value is of another type.
        ValueError: a key is unknown, or a value is not allowed.
    """
    is_kept = checked_bool("keep_default_action", keep_default_action)
    given = dict(items_of("collect_specified_data", {} if specified is None else specified))
    if unknown := [key for key in given if key not in _KEYS]:
        raise ValueError(f"collect_specified_data has the keys {', '.join(map(repr, _KEYS))}; not {unknown[0]!r}.")
    wanted = {key: checked_bool(key, given.get(key, default and is_kept)) for key, default in _SWITCHES.items()}
    return CollectedData(
        frozenset(key for key, is_wanted in wanted.items() if is_wanted),
        is_kept or _HISTOGRAMS in given,
        _checked_pattern(_HISTOGRAMS, given.get(_HISTOGRAMS)),
        _checked_pattern(_GRADIENTS, given.get(_GRADIENTS)),
        landscape_settings(given.get(_LANDSCAPE)),
        frozenset(given),
    )


def checked_custom_lineage(data: object, environment: Mapping[str, str]) -> dict[str, object]:
    """Return custom_lineage_data, with what MINDINSIGHT_HYPER_CONFIG says beside it.

    Raises:
        TypeError: data is neither None nor a dict of str to str, int or float.
        ValueError: an int in it is beyond 64 bits.
    """
    given = _checked_lineage({} if data is None else data)
    return {**_from_hyper_config(environment.get(HYPER_CONFIG_VARIABLE, "")), **given}


def _checked_lineage(data: object) -> dict[str, object]:
    items = dict(items_of("custom_lineage_data", data))
    for name, value in items.items():
        set_custom(UserDefinedInfo(), f"custom_lineage_data[{name!r}]", name, value, takes_bool=False)
    return items


def _from_hyper_config(text: str) -> dict[str, object]:
    """Return the custom lineage that the environment asks for; what is wrong with it must not stop the training."""
    if not text:
        return {}
    try:
        if len(text) > _MAX_HYPER_CONFIG:
            raise ValueError(f"it has {len(text)} characters, more than {_MAX_HYPER_CONFIG}")
        config = dict(items_of(HYPER_CONFIG_VARIABLE, json.loads(text)))
        return _checked_lineage(config.get("custom_lineage_data") or {})
    except (TypeError, ValueError, RecursionError) as error:
        log.warn("%s is passed over: %s", HYPER_CONFIG_VARIABLE, error)
        return {}


def _checked_pattern(parameter: str, pattern: object) -> re.Pattern[str] | None:
    if pattern is None:
        return None
    if not isinstance(pattern, str):
        raise TypeError(f"{parameter} is a regular expression of type str or None, not {shown(pattern)}.")
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{parameter} is a regular expression; {pattern!r} is none: {error}.") from None
