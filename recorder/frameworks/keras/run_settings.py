"""What the lineage of a model that fit() trains contains: "fit/...", "compile/...", "model/..." and "keras/..."."""

from typing import Any

import keras

from toposcope.recorder import log
from toposcope.recorder.messages.settings import plain_settings


def lineage_of(model: Any, params: dict[str, Any], initial_epoch: int) -> dict[str, str | int | float]:
    """Return the settings of a training by name.

    Args:
        model: a compiled model.
        params: what Keras passes to callbacks: epochs, steps.
        initial_epoch: the epoch with which it begins.
    """
    fit = {name: value for name, value in params.items() if name != "verbose"}
    facts = plain_settings(fit | {"initial_epoch": initial_epoch}, "fit")
    facts |= plain_settings(_compiled(model), "compile")
    described = {"name": model.name, "class": type(model).__name__}
    if model.built:
        described["parameters"] = model.count_params()
        described["trainable_parameters"] = sum(_size(weight) for weight in model.trainable_weights)
    facts |= plain_settings(described, "model")
    policy = keras.config.dtype_policy().name
    return facts | plain_settings(
        {"backend": keras.backend.backend(), "version": keras.__version__, "dtype_policy": policy}, "keras"
    )


def _compiled(model: Any) -> dict[str, Any]:
    """Return the arguments of compile(), classes and their settings; empty if they cannot be serialized."""
    try:
        config = model.get_compile_config() or {}
    except Exception as error:  # A loss or a metric of the user that has no configuration.
        log.warn("The arguments of compile() are not recorded: %s: %s", type(error).__name__, error)
        return {}
    return {name: _without_registration(value) for name, value in config.items()}


def _without_registration(value: Any) -> Any:
    """Return a serialized object as its settings and its class, without what Keras needs to create it."""
    if isinstance(value, list | tuple):
        return [_without_registration(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "class_name" in value and isinstance(value.get("config"), dict | str):
        if isinstance(value["config"], str):  # A function.
            return value["config"]
        return {"class": value["class_name"]} | _without_registration(value["config"])
    return {name: _without_registration(each) for name, each in value.items()}


def _size(weight: Any) -> int:
    size = 1
    for length in weight.shape:
        size *= length
    return size
