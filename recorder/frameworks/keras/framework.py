"""KerasFramework: the facts of Keras models and optimizers, with any backend."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toposcope.recorder.adapters import adapter, is_module
from toposcope.recorder.framework import Framework
from toposcope.recorder.frameworks.plain.framework import PlainFramework


class KerasFramework(PlainFramework):
    """Facts of models, layers and optimizers. Variables have the names that Keras prints, `variable.path`.

    Values are those of the backend: tensors of PyTorch, variables of TensorFlow, arrays of JAX.
    """

    rates_are_of_last_step = True

    def parameters(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the trainable variables of a model or a layer."""
        return _by_path(getattr(network, "trainable_variables", ()))

    def gradients(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the gradients that PyTorch keeps; other backends keep none."""
        gradients = {name: getattr(each, "grad", None) for name, each in self._tensors(network).items()}
        return {name: gradient for name, gradient in gradients.items() if gradient is not None}

    def learning_rates(self, optimizer: Any) -> list[Any]:
        """Return the learning rate of an optimizer, or of a compiled model; of a schedule that of the last step."""
        if isinstance(optimizer, tuple):
            return [rate for each in optimizer for rate in self.learning_rates(each)]
        if (optimizer := _optimizer_in(optimizer)) is None:
            return []
        schedule = _schedule_of(optimizer)
        return [_value(optimizer.learning_rate) if schedule is None else schedule(_last_step(optimizer))]

    def set_learning_rates(self, optimizer: Any, learning_rates: Sequence[float]) -> None:
        """Set the learning rate of an optimizer, or of a compiled model; ValueError if it follows a schedule."""
        optimizer = _optimizer_in(optimizer)
        if (schedule := _schedule_of(optimizer)) is not None:
            raise ValueError(f"The learning rate follows a {type(schedule).__name__} and cannot be set.")
        (optimizer.learning_rate,) = learning_rates

    def step_of(self, optimizer: Any) -> int | None:
        """Return the iterations of an optimizer, or of a compiled model."""
        optimizer = _optimizer_in(optimizer)
        return None if optimizer is None else int(float(_value(optimizer.iterations)))

    def network_graph(self, network: Any, batch_inputs: tuple[Any, ...] | None) -> Any:
        """Return the graph of a model whose backend is PyTorch; None for the other backends."""
        return _torch().network_graph(network, batch_inputs) if is_module(network) else None

    def network_state(self, network: Any) -> dict[str, Any]:
        """Return all variables of a model by name; of a model whose backend is PyTorch its state_dict()."""
        return _torch().network_state(network) if is_module(network) else _by_path(network.variables)

    def load_network_state(self, network: Any, state: Mapping[str, Any]) -> None:
        """Load what network_state() returned; ValueError if names differ."""
        if is_module(network):
            _torch().load_network_state(network, state)
            return
        variables = {variable.path: variable for variable in network.variables}
        if different := sorted(variables.keys() ^ state.keys()):
            raise ValueError(f"The state and the {type(network).__name__} do not both have {', '.join(different)}.")
        for name, variable in variables.items():
            variable.assign(state[name])

    def facts(self, optimizer: Any, schedulers: Any) -> dict[str, str | int | float]:
        """Return the settings of the optimizer, and those of its schedule with the prefix "scheduler/"."""
        if (optimizer := _optimizer_in(optimizer)) is None:
            return {}
        facts = _plain(optimizer.get_config())
        if (schedule := _schedule_of(optimizer)) is not None:
            facts["scheduler/class"] = type(schedule).__name__
            facts |= {f"scheduler/{name}": value for name, value in _plain(schedule.get_config()).items()}
        return facts

    def _tensors(self, network: Any) -> dict[str, Any]:
        return self.parameters(network, None) if is_module(network) else {}


def _by_path(variables: Iterable[Any]) -> dict[str, Any]:
    """Return the values of variables by path; a path that occurs again is followed by a number."""
    named: dict[str, Any] = {}
    for variable in variables:
        path = name = str(getattr(variable, "path", variable.name))
        number = 0
        while name in named:
            number += 1
            name = f"{path}_{number}"
        named[name] = _value(variable)
    return named


def _value(variable: Any) -> Any:
    """Return the backend's value of a variable; another value unchanged."""
    return variable.value if hasattr(variable, "value") and not callable(variable.value) else variable


def _optimizer_in(thing: Any) -> Any:
    """Return an optimizer, the one of a compiled model, or the one inside an optimizer that scales the loss."""
    optimizer = getattr(thing, "optimizer", None) if hasattr(thing, "trainable_variables") else thing
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)
    return optimizer if hasattr(optimizer, "learning_rate") else None


def _schedule_of(optimizer: Any) -> Any:
    """Return the learning-rate schedule of an optimizer; None if it has none."""
    rate = getattr(optimizer, "_learning_rate", None)
    return rate if callable(rate) and hasattr(rate, "get_config") else None


def _last_step(optimizer: Any) -> Any:
    """Return the number that the schedule received in the last step, not read from its device."""
    count = getattr(optimizer, "_iterations", optimizer.iterations)
    return sys.modules["keras"].ops.maximum(_value(count) - 1, 0)


def _plain(config: Mapping[str, Any]) -> dict[str, str | int | float]:
    return {
        name: value
        for name, value in config.items()
        if isinstance(value, str | int | float)
        and not isinstance(value, bool)
        and name not in ("name", "learning_rate")
    }


def _torch() -> Any:
    return adapter("torch", "framework").FRAMEWORK


FRAMEWORK: Framework = KerasFramework()
