"""Framework: what callbacks and checkpoints need of PyTorch, Keras, JAX, MindSpore or a network without a framework."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import Message

from toposcope.recorder.adapters import adapter, framework_name
from toposcope.recorder.values.arrays.deferred_array import DeferredArray
from toposcope.recorder.values.histogram import Histogram

SEVERAL_OPTIMIZERS = "several_optimizers"
"""Key of the states of several optimizers in one; no framework's optimizer has a state of that name."""


class DatasetFacts(NamedTuple):
    """Facts of a dataset; None where unknown."""

    batch_size: int | None = None
    size: int | None = None
    """Number of samples."""
    path: str | None = None


class Framework(Protocol):
    """The facts of one framework. What is unknown, or of another framework, is empty or None, never an error.

    A tuple of several optimizers may be passed as an optimizer: their parameter groups count as those of one.
    """

    rates_are_of_last_step: bool
    """Whether learning_rates() returns the rates that the last step used, not those that the next step will use."""

    def parameters(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the optimizer's parameters by the network's names; without an optimizer, the trainable ones."""

    def gradients(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the gradients of the parameters that currently have one."""

    def learning_rates(self, optimizer: Any) -> list[Any]:
        """Return the learning rate of each group: numbers, and arrays of one that are not read from their device."""

    def set_learning_rates(self, optimizer: Any, learning_rates: Sequence[float]) -> None:
        """Set the learning rate of each group, in the order of learning_rates(); ValueError if that is impossible."""

    def class_name(self, thing: Any) -> str | None:
        """Return the class name of a network, an optimizer or a loss, without its wrappers."""

    def network_graph(self, network: Any, batch_inputs: tuple[Any, ...] | None) -> Message | bytes | None:
        """Return the graph of network for inputs like batch_inputs; None while it is unknown."""

    def dataset_graph(self, dataset: Any) -> Message | None:
        """Return the graph of the data pipeline whose last stage is dataset."""

    def dataset_facts(self, dataset: Any) -> DatasetFacts:
        """Return the facts of dataset."""

    def network_state(self, network: Any) -> dict[str, Any]:
        """Return all current parameters and buffers of network, not copied."""

    def load_network_state(self, network: Any, state: Mapping[str, Any]) -> None:
        """Load a state into network; ValueError naming what is missing or unexpected."""

    def optimizer_state(self, optimizer: Any) -> dict[str, Any] | None:
        """Return the state of the optimizer, None if it does not provide one."""

    def load_optimizer_state(self, optimizer: Any, state: Mapping[str, Any]) -> None:
        """Load a state into the optimizer."""

    def step_of(self, optimizer: Any) -> int | None:
        """Return the steps that an optimizer has made, in all processes; None if it does not count them.

        Without an optimizer the network is passed, which may contain one.
        """

    def histogram(self, tensor: Any) -> Histogram | DeferredArray | None:
        """Return the histogram computed on a tensor's device, or an array to read later; None for one on the CPU."""

    def facts(self, optimizer: Any, schedulers: Any) -> dict[str, str | int | float]:
        """Return the settings of the optimizer and the schedulers, by name."""


def framework_of(thing: object) -> Framework:
    """Return the framework of a network, an optimizer, a tuple of optimizers or a tensor."""
    framework: Framework = adapter(framework_name(thing), "framework").FRAMEWORK
    return framework
