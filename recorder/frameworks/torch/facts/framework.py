"""TorchFramework: the facts of PyTorch objects."""

from collections.abc import Mapping, Sequence
from typing import Any

from toposcope.proto.graph_pb2 import GraphProto
from toposcope.proto.lineage_pb2 import DatasetGraph
from toposcope.recorder.adapters import is_module, is_tensor
from toposcope.recorder.framework import DatasetFacts, Framework
from toposcope.recorder.frameworks.torch.facts.data_pipeline import facts_of, pipeline_of
from toposcope.recorder.frameworks.torch.facts.device_histogram import device_histogram
from toposcope.recorder.frameworks.torch.facts.optimizer_step import step_of
from toposcope.recorder.frameworks.torch.facts.optimizers import (
    learning_rates_of,
    optimizer_facts,
    parameters_of,
    set_learning_rates_of,
)
from toposcope.recorder.frameworks.torch.facts.state import load_optimizer_state_of, load_state, optimizer_state_of
from toposcope.recorder.frameworks.torch.graph.call_inputs import described
from toposcope.recorder.frameworks.torch.graph.network_graph import graph_of
from toposcope.recorder.frameworks.torch.modules import unwrapped
from toposcope.recorder.frameworks.torch.plain_settings import attribute, name_of
from toposcope.recorder.values.histogram import Histogram


class TorchFramework:
    """Facts of modules, their optimizers and data loaders; objects of other kinds have none."""

    rates_are_of_last_step = False

    def parameters(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the optimizer's parameters by the network's names; without an optimizer, the trainable ones."""
        return parameters_of(network, optimizer)

    def gradients(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the gradients of the parameters that currently have one."""
        parameters = parameters_of(network, optimizer)
        return {name: each.grad for name, each in parameters.items() if each.grad is not None}

    def learning_rates(self, optimizer: Any) -> list[float]:
        """Return the current learning rate of each parameter group."""
        return learning_rates_of(optimizer)

    def set_learning_rates(self, optimizer: Any, learning_rates: Sequence[float]) -> None:
        """Set the learning rate of each group, in the order of learning_rates()."""
        set_learning_rates_of(optimizer, learning_rates)

    def class_name(self, thing: Any) -> str | None:
        """Return the name of a function, or of the class of another object, without its wrappers."""
        if thing is None:
            return None
        if isinstance(thing, tuple):
            return ", ".join(filter(None, map(self.class_name, thing)))
        if is_module(thing):
            return type(unwrapped(thing)).__name__
        # The result of torch.compile refers to the original function.
        return name_of(attribute(thing, "_torchdynamo_orig_callable") or thing)

    def network_graph(self, network: Any, batch_inputs: tuple[Any, ...] | None) -> GraphProto | None:
        """Return the graph of network for batch_inputs; its module tree if it cannot be traced."""
        if not is_module(network):
            return None
        return graph_of(network, None if batch_inputs is None else described(batch_inputs, {}))

    def dataset_graph(self, dataset: Any) -> DatasetGraph | None:
        """Return the graph of a loader, its samplers, datasets and transforms."""
        return pipeline_of(dataset)

    def dataset_facts(self, dataset: Any) -> DatasetFacts:
        """Return the batch size, the number of samples and the first path of a data loader or a dataset."""
        return facts_of(dataset)

    def network_state(self, network: Any) -> dict[str, Any]:
        """Return the parameters and buffers of the module without its wrappers, not copied."""
        return dict(unwrapped(network).state_dict()) if is_module(network) else {}

    def load_network_state(self, network: Any, state: Mapping[str, Any]) -> None:
        """Load a state into the module; ValueError naming what is missing, unexpected or of another shape."""
        load_state(unwrapped(network), state)

    def optimizer_state(self, optimizer: Any) -> dict[str, Any] | None:
        """Return the state of the optimizer, None if it does not provide one."""
        return optimizer_state_of(optimizer)

    def load_optimizer_state(self, optimizer: Any, state: Mapping[str, Any]) -> None:
        """Load a state into one or several optimizers; ValueError if it is the state of other parameters."""
        load_optimizer_state_of(optimizer, state)

    def step_of(self, optimizer: Any) -> int | None:
        """Return the largest step in the optimizer's state; None if it has none."""
        return step_of(optimizer)

    def histogram(self, tensor: Any) -> Histogram | None:
        """Return the histogram of a tensor that is not on the CPU, computed on its device; otherwise None."""
        return device_histogram(tensor) if is_tensor(tensor) and tensor.device.type != "cpu" else None

    def facts(self, optimizer: Any, schedulers: Any) -> dict[str, str | int | float]:
        """Return the settings of the optimizer and the schedulers, by name."""
        return optimizer_facts(optimizer, schedulers)


FRAMEWORK: Framework = TorchFramework()
