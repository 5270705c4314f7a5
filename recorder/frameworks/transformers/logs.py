"""What the Trainer logs: names of scalars, and which values belong to an evaluation."""

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

_POSITIONS = {"epoch", "step", "learning_rate"}
"""Recorded otherwise: the epoch and the step of a value, and the learning rate of every step."""
_EVALUATIONS = {"eval": "eval_", "test": "test_"}
"""The first part of a tag to the prefix of the Trainer's names."""


def tagged(logs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was logged by tag: "train/<name>", "eval/<name>" or "test/<name>"."""
    return {_tag(name): value for name, value in logs.items() if name not in _POSITIONS and value is not None}


def evaluation_results(metrics: Mapping[str, Any], label: str) -> dict[str, Any]:
    """Return the metrics of an evaluation without their prefix, "eval_loss" as "loss" for example."""
    prefix = _EVALUATIONS[label]
    return {name.removeprefix(prefix): value for name, value in metrics.items() if name not in _POSITIONS}


def without(logs: Mapping[str, Any], metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was logged besides the metrics of an evaluation."""
    return {name: value for name, value in logs.items() if name not in metrics or not _equal(value, metrics[name])}


def _tag(name: str) -> str:
    for label, prefix in _EVALUATIONS.items():
        if name.startswith(prefix):
            return f"{label}/{name.removeprefix(prefix)}"
    return f"train/{name}"


def _equal(first: Any, second: Any) -> bool:
    if first is second:
        return True
    if not isinstance(first, Real) or not isinstance(second, Real):
        return False
    return bool(first == second) or (math.isnan(first) and math.isnan(second))
