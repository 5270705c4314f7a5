"""State dict: a training as plain values, for a user's checkpoint, in the layout of Composer's `State.state_dict()`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.imported import imported

SERIALIZED = (
    "model",
    "optimizers",
    "schedulers",
    "algorithms",
    "callbacks",
    "timestamp",
    "rank_zero_seed",
    "run_name",
)
"""The keys of a state dict besides "metadata"."""


def state_dict_of(state: Any) -> dict[str, Any]:
    """Return the values of SERIALIZED and "metadata" of a State.

    Optimizers, schedulers and callbacks are dicts by the name of their class; the second one of a class has "#2" added.
    "algorithms" is empty: Toposcope has none.
    """
    model = state.model
    own = getattr(model, "state_dict", None)
    return {
        "model": own() if callable(own) else dict(model.parameters()) if hasattr(model, "parameters") else {},
        **{name: {key: each.state_dict() for key, each in _named(getattr(state, name))} for name in _OBJECTS},
        "algorithms": [],
        "timestamp": {"Timestamp": state.timestamp.state_dict()},
        "rank_zero_seed": state.rank_zero_seed,
        "run_name": state.run_name,
        "metadata": _metadata(state),
    }


def load_into(state: Any, values: Mapping[str, Any], *, strict: bool) -> None:
    """Restore what values have; log a warning for each object whose state is missing.

    Args:
        state: the State of a training with the same network, optimizers, schedulers and callbacks.
        values: of state_dict_of().
        strict: whether a network of PyTorch with missing or unexpected parameters is an error.
    """
    if "model" in values:
        _load_model(state.model, values["model"], strict)
    for name in _OBJECTS:
        saved = values.get(name)
        if saved is None:
            continue
        for key, each in _named(getattr(state, name)):
            if key in saved:
                each.load_state_dict(saved[key])
            else:
                log.warn("The state dict has no %s among its %s, whose state is not restored.", key, name)
    if "timestamp" in values:
        timestamp = state.timestamp.load_state_dict(values["timestamp"]["Timestamp"])
        state.timestamp = state.previous_timestamp = timestamp
    for name in ("rank_zero_seed", "run_name"):
        if name in values:
            setattr(state, name, values[name])


_OBJECTS = ("optimizers", "schedulers", "callbacks")


def _named(objects: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the objects that have a state, each with the key of its state."""
    counts: dict[str, int] = {}
    for each in objects:
        if callable(getattr(each, "state_dict", None)):
            name = type(each).__qualname__
            counts[name] = counts.get(name, 0) + 1
            yield name if counts[name] == 1 else f"{name}#{counts[name]}", each


def _load_model(model: Any, values: Mapping[str, Any], strict: bool) -> None:
    if not callable(getattr(model, "load_state_dict", None)):
        model.load_parameters(values)
        return
    missing, unexpected = model.load_state_dict(values, strict=strict)
    for kind, names in (("missing from", missing), ("unexpected in", unexpected)):
        if names:
            log.warn("Parameters are %s the state dict: %s", kind, ", ".join(names))


def _metadata(state: Any) -> dict[str, Any]:
    """Return what a checkpoint says of where it was written."""
    torch = imported("torch")
    return {
        **({} if torch is None else {"torch_version": str(torch.__version__)}),
        "device": state.device.name,
        "precision": state.precision.value,
        "world_size": state.device_number,
        "device_train_microbatch_size": state.device_train_microbatch_size,
        "train_dataloader_batch_size": getattr(state.train_dataloader, "batch_size", None),
    }
