"""Networks without a framework: objects with the methods of TrainableNetwork, and whatever else trains."""

from collections.abc import Mapping, Sequence
from typing import Any

from toposcope.recorder.framework import SEVERAL, DatasetFacts, Framework
from toposcope.recorder.training.batch import length_of
from toposcope.recorder.values.foreign import called


class PlainFramework:
    """Facts of objects that belong to no framework, as far as their own attributes tell them."""

    rates_are_of_last_step = False

    def parameters(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return what network.parameters() returns, if it is a mapping."""
        parameters = getattr(network, "parameters", None)
        named = called(parameters) if callable(parameters) else parameters
        return dict(named) if isinstance(named, Mapping) else {}

    def gradients(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return what network.gradients() returns, if it has that method."""
        gradients = getattr(network, "gradients", None)
        named = called(gradients) if callable(gradients) else gradients
        return dict(named) if isinstance(named, Mapping) else {}

    def learning_rates(self, optimizer: Any) -> list[float]:
        """Return the attribute learning_rate or lr of optimizer, when it is a number."""
        name = _rate_name(optimizer)
        return [float(getattr(optimizer, name))] if name else []

    def set_learning_rates(self, optimizer: Any, learning_rates: Sequence[float]) -> None:
        """Set the attribute learning_rate or lr, the one that learning_rates() has found."""
        name = _rate_name(optimizer)
        if name is None:
            raise ValueError(f"A {type(optimizer).__name__} has no number learning_rate or lr to be set.")
        (learning_rate,) = learning_rates
        setattr(optimizer, name, learning_rate)

    def class_name(self, thing: Any) -> str | None:
        """Return the name of a function, or of the class of an object."""
        return None if thing is None else str(getattr(thing, "__name__", type(thing).__name__))

    def network_graph(self, network: Any, batch_inputs: tuple[Any, ...] | None) -> None:
        """Return None: nobody knows the graph."""

    def dataset_graph(self, dataset: Any) -> None:
        """Return None: nobody knows the pipeline."""

    def dataset_facts(self, dataset: Any) -> DatasetFacts:
        """Return batch_size, when the dataset has it as an attribute, and the samples of all its batches."""
        size, batches = getattr(dataset, "batch_size", None), length_of(dataset)
        if isinstance(size, bool) or not isinstance(size, int):
            return DatasetFacts()
        return DatasetFacts(size, None if batches is None else size * batches)

    def network_state(self, network: Any) -> dict[str, Any]:
        """Return the parameters."""
        return self.parameters(network, None)

    def load_network_state(self, network: Any, state: Mapping[str, Any]) -> None:
        """Call network.load_parameters(state); ValueError when names differ, TypeError when it has no such method."""
        if not callable(getattr(network, "load_parameters", None)):
            raise TypeError(f"A {type(network).__name__} has no method load_parameters(): its state cannot be set.")
        own = self.parameters(network, None)
        if missing := sorted(own.keys() - state.keys()):
            raise ValueError(f"The state lacks {', '.join(missing)} of the {type(network).__name__}.")
        if unexpected := sorted(state.keys() - own.keys()):
            raise ValueError(f"The {type(network).__name__} has no {', '.join(unexpected)}.")
        network.load_parameters(dict(state))

    def optimizer_state(self, optimizer: Any) -> dict[str, Any] | None:
        """Return what optimizer.state_dict() returns, if it has that method; of several under one name."""
        if isinstance(optimizer, tuple):
            states = [self.optimizer_state(each) for each in optimizer]
            return None if None in states else {SEVERAL: states}
        state = getattr(optimizer, "state_dict", None)
        return dict(state()) if callable(state) else None

    def load_optimizer_state(self, optimizer: Any, state: Mapping[str, Any]) -> None:
        """Call optimizer.load_state_dict(state); TypeError when it has no such method."""
        if isinstance(optimizer, tuple):
            for each, own in zip(optimizer, state[SEVERAL], strict=True):
                self.load_optimizer_state(each, own)
            return
        if not callable(getattr(optimizer, "load_state_dict", None)):
            raise TypeError(f"A {type(optimizer).__name__} has no method load_state_dict(): its state cannot be set.")
        optimizer.load_state_dict(state)

    def histogram(self, tensor: Any) -> None:
        """Return None: arrays are on the CPU."""

    def facts(self, optimizer: Any, schedulers: Any) -> dict[str, str | int | float]:
        """Return the numbers among the optimizer's public attributes."""
        attributes = getattr(optimizer, "__dict__", {})
        return {
            name: value
            for name, value in attributes.items()
            if not name.startswith("_") and isinstance(value, int | float) and not isinstance(value, bool)
        }


def _rate_name(optimizer: Any) -> str | None:
    for name in ("learning_rate", "lr"):
        value = getattr(optimizer, name, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return name
    return None


FRAMEWORK: Framework = PlainFramework()
