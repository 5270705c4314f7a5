"""Framework: what callbacks ask of PyTorch, MindSpore or a network without framework, always in the same words."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import Message

from toposcope.recorder.adapters import adapter, framework_name
from toposcope.recorder.values.histogram import Histogram

SEVERAL = "several_optimizers"
"""Under it is what several optimizers remember: a name that no optimizer made of others has of itself."""


class DatasetFacts(NamedTuple):
    """What is known of a dataset."""

    batch_size: int | None = None
    size: int | None = None
    """Samples."""
    path: str | None = None


class Framework(Protocol):
    """The facts of one framework. What is unknown, or of another framework, is empty or None, never an error.

    Where an optimizer is asked for, a tuple of several may stand: their groups count as those of one.
    """

    rates_are_of_last_step: bool
    """Whether learning_rates() tells those that the last step has used, not those that the next one will."""

    def parameters(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the optimizer's parameters by the network's names; without optimizer the trainable ones of network."""

    def gradients(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the gradients of those parameters that have one now."""

    def learning_rates(self, optimizer: Any) -> list[float]:
        """Return the learning rate of each group of parameters, as it is now."""

    def set_learning_rates(self, optimizer: Any, learning_rates: Sequence[float]) -> None:
        """Set the learning rate of each group, in the order of learning_rates(); ValueError when that cannot be."""

    def class_name(self, thing: Any) -> str | None:
        """Return the name of the class of a network, an optimizer or a loss, seen through wrappers."""

    def network_graph(self, network: Any, batch_inputs: tuple[Any, ...] | None) -> Message | bytes | None:
        """Return the graph of network, run on inputs such as batch_inputs; None while it is not known."""

    def dataset_graph(self, dataset: Any) -> Message | None:
        """Return the pipeline that dataset ends."""

    def dataset_facts(self, dataset: Any) -> DatasetFacts:
        """Return what is known of dataset."""

    def network_state(self, network: Any) -> dict[str, Any]:
        """Return all parameters and buffers of network, as they are now, not copied."""

    def load_network_state(self, network: Any, state: Mapping[str, Any]) -> None:
        """Give network the state; ValueError naming what is missing or unexpected."""

    def optimizer_state(self, optimizer: Any) -> dict[str, Any] | None:
        """Return what the optimizer remembers, None when it cannot be told."""

    def load_optimizer_state(self, optimizer: Any, state: Mapping[str, Any]) -> None:
        """Give the optimizer its state."""

    def histogram(self, tensor: Any) -> Histogram | None:
        """Return the histogram of a tensor on another device than the CPU, computed there; else None."""

    def facts(self, optimizer: Any, schedulers: Any) -> dict[str, str | int | float]:
        """Return the settings of the optimizer and the schedulers, by name."""


def framework_of(thing: object) -> Framework:
    """Return the framework of a network, an optimizer, a tuple of optimizers or a tensor; plain objects have one."""
    framework: Framework = adapter(framework_name(thing), "framework").FRAMEWORK
    return framework
