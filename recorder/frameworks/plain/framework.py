"""PlainFramework: the facts of networks without a framework and of their optimizers."""

from collections.abc import Mapping, Sequence
from typing import Any

from toposcope.recorder.framework import SEVERAL_OPTIMIZERS, DatasetFacts, Framework
from toposcope.recorder.frameworks.plain.named_arrays import named_arrays
from toposcope.recorder.training.data.batch import length_of
from toposcope.recorder.values.arrays.deferred_array import DeferredArray
from toposcope.recorder.values.arrays.foreign_values import call_foreign
from toposcope.recorder.values.histogram import Histogram


class PlainFramework:
    """Facts of objects that belong to no framework, as far as their attributes provide them."""

    rates_are_of_last_step = False

    def parameters(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the arrays of network.parameters(), of that attribute, or of network itself, by name."""
        parameters = getattr(network, "parameters", network)
        is_method = callable(parameters) and parameters is not network
        return _named(call_foreign(parameters) if is_method else parameters)

    def gradients(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the arrays of network.gradients(), or of that attribute, by name."""
        gradients = getattr(network, "gradients", None)
        return _named(call_foreign(gradients) if callable(gradients) else gradients)

    def learning_rates(self, optimizer: Any) -> list[Any]:
        """Return the attribute learning_rate or lr of optimizer if it is a number."""
        name = _rate_name(optimizer)
        return [float(getattr(optimizer, name))] if name else []

    def set_learning_rates(self, optimizer: Any, learning_rates: Sequence[float]) -> None:
        """Set the attribute that learning_rates() returns; ValueError if there is none."""
        name = _rate_name(optimizer)
        if name is None:
            raise ValueError(f"A {type(optimizer).__name__} has no numeric attribute learning_rate or lr to set.")
        (learning_rate,) = learning_rates
        setattr(optimizer, name, learning_rate)

    def class_name(self, thing: Any) -> str | None:
        """Return the name of a function, or of the class of an object."""
        return None if thing is None else str(getattr(thing, "__name__", type(thing).__name__))

    def network_graph(self, network: Any, batch_inputs: tuple[Any, ...] | None) -> None:
        """Return None: the graph is unknown."""

    def dataset_graph(self, dataset: Any) -> None:
        """Return None: the data pipeline is unknown."""

    def dataset_facts(self, dataset: Any) -> DatasetFacts:
        """Return the attribute batch_size, if it is an integer, and the number of samples in all batches."""
        size, batches = getattr(dataset, "batch_size", None), length_of(dataset)
        if isinstance(size, bool) or not isinstance(size, int):
            return DatasetFacts()
        return DatasetFacts(size, None if batches is None else size * batches)

    def network_state(self, network: Any) -> dict[str, Any]:
        """Return the parameters."""
        return self.parameters(network, None)

    def load_network_state(self, network: Any, state: Mapping[str, Any]) -> None:
        """Call network.load_parameters(state); ValueError if names differ, TypeError if there is no such method."""
        if not callable(getattr(network, "load_parameters", None)):
            raise TypeError(f"A {type(network).__name__} has no method load_parameters(): its state cannot be set.")
        parameters = self.parameters(network, None)
        if missing := sorted(parameters.keys() - state.keys()):
            raise ValueError(f"The state lacks {', '.join(missing)} of the {type(network).__name__}.")
        if unexpected := sorted(state.keys() - parameters.keys()):
            raise ValueError(f"The {type(network).__name__} has no {', '.join(unexpected)}.")
        network.load_parameters(dict(state))

    def optimizer_state(self, optimizer: Any) -> dict[str, Any] | None:
        """Return the result of optimizer.state_dict(), if it has that method; of several under SEVERAL_OPTIMIZERS."""
        if isinstance(optimizer, tuple):
            states = [self.optimizer_state(each) for each in optimizer]
            return None if None in states else {SEVERAL_OPTIMIZERS: states}
        state = getattr(optimizer, "state_dict", None)
        return dict(state()) if callable(state) else None

    def load_optimizer_state(self, optimizer: Any, state: Mapping[str, Any]) -> None:
        """Call optimizer.load_state_dict(state); TypeError if there is no such method."""
        if isinstance(optimizer, tuple):
            for each, state_of_each in zip(optimizer, state[SEVERAL_OPTIMIZERS], strict=True):
                self.load_optimizer_state(each, state_of_each)
            return
        if not callable(getattr(optimizer, "load_state_dict", None)):
            raise TypeError(f"A {type(optimizer).__name__} has no method load_state_dict(): its state cannot be set.")
        optimizer.load_state_dict(state)

    def step_of(self, optimizer: Any) -> int | None:
        """Return None: the steps are unknown."""
        return None

    def histogram(self, tensor: Any) -> Histogram | DeferredArray | None:
        """Return None: arrays are on the CPU."""
        return None

    def facts(self, optimizer: Any, schedulers: Any) -> dict[str, str | int | float]:
        """Return the numbers among the optimizer's public attributes."""
        attributes = getattr(optimizer, "__dict__", {})
        return {
            name: value
            for name, value in attributes.items()
            if not name.startswith("_") and isinstance(value, int | float) and not isinstance(value, bool)
        }


def _named(values: Any) -> dict[str, Any]:
    """Return the arrays of a nested structure by name; a value of a mapping that contains none is kept."""
    if not isinstance(values, Mapping):
        return named_arrays(values)
    named: dict[str, Any] = {}
    for name, value in values.items():
        named |= named_arrays({name: value}) or {name: value}
    return named


def _rate_name(optimizer: Any) -> str | None:
    for name in ("learning_rate", "lr"):
        value = getattr(optimizer, name, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return name
    return None


FRAMEWORK: Framework = PlainFramework()
