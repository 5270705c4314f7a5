"""MindSporeFramework: the facts of MindSpore objects."""

from collections.abc import Mapping, Sequence
from typing import Any

from toposcope.proto.lineage_pb2 import DatasetGraph
from toposcope.recorder.adapters import is_cell
from toposcope.recorder.framework import DatasetFacts, Framework
from toposcope.recorder.frameworks.mindspore.facts import dataset as pipelines
from toposcope.recorder.frameworks.mindspore.facts.cell import backbone_of, graph_of, is_optimizer, optimizer_in
from toposcope.recorder.frameworks.mindspore.facts.optimizer import rates_of, set_rates, settings_of, step_of
from toposcope.recorder.frameworks.mindspore.facts.state import load_state, network_state_of, optimizer_state_of


class MindSporeFramework:
    """Facts of Cells, their optimizers and data pipelines; objects of other kinds have none."""

    rates_are_of_last_step = True

    def parameters(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the parameters of the optimizer, or of the one in the network; without any, the trainable ones."""
        own_optimizer = optimizer if is_optimizer(optimizer) else optimizer_in(network)
        if own_optimizer is not None:
            return {parameter.name: parameter for parameter in own_optimizer.parameters}
        return {parameter.name: parameter for parameter in network.trainable_params()} if is_cell(network) else {}

    def gradients(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return an empty dict: gradients exist only inside the training step; see MindSpore's summary operators."""
        return {}

    def learning_rates(self, optimizer: Any) -> list[float]:
        """Return the learning rate of each group; for a schedule, the rate of the last step."""
        return rates_of(optimizer) if is_optimizer(optimizer) else []

    def set_learning_rates(self, optimizer: Any, learning_rates: Sequence[float]) -> None:
        """Set the learning rate of each group; ValueError if one follows a schedule."""
        set_rates(optimizer, learning_rates)

    def class_name(self, thing: Any) -> str | None:
        """Return the class name of an object, without the cells that wrap the user's network."""
        if thing is None:
            return None
        return type(backbone_of(thing) if is_cell(thing) and not is_optimizer(thing) else thing).__name__

    def network_graph(self, network: Any, batch_inputs: tuple[Any, ...] | None) -> bytes | None:
        """Return the compiled graph; None before the first run, and in PyNative mode."""
        return graph_of(network) if is_cell(network) else None

    def dataset_graph(self, dataset: Any) -> DatasetGraph | None:
        """Return the stages of the pipeline."""
        return pipelines.stages_of(dataset) if pipelines.is_dataset(dataset) else None

    def dataset_facts(self, dataset: Any) -> DatasetFacts:
        """Return the facts of a pipeline's batches and files."""
        if not pipelines.is_dataset(dataset):
            return DatasetFacts()
        batch_size, size = pipelines.batch_size_of(dataset), pipelines.samples_of(dataset)
        return DatasetFacts(batch_size, size, pipelines.path_of(dataset))

    def network_state(self, network: Any) -> dict[str, Any]:
        """Return the parameters of the user's network, not copied."""
        return network_state_of(backbone_of(network)) if is_cell(network) else {}

    def load_network_state(self, network: Any, state: Mapping[str, Any]) -> None:
        """Load a state into the user's network; ValueError naming what is missing or unexpected."""
        load_state(network_state_of(backbone_of(network)), state)

    def optimizer_state(self, optimizer: Any) -> dict[str, Any] | None:
        """Return the optimizer's own parameters: moments, steps, learning rates."""
        return optimizer_state_of(optimizer) if is_optimizer(optimizer) else None

    def load_optimizer_state(self, optimizer: Any, state: Mapping[str, Any]) -> None:
        """Load a state into the optimizer; ValueError naming what is missing or unexpected."""
        load_state(optimizer_state_of(optimizer), state)

    def step_of(self, optimizer: Any) -> int | None:
        """Return the global_step of an optimizer, or of the one in a network; None if it has none."""
        own_optimizer = optimizer if is_optimizer(optimizer) else optimizer_in(optimizer)
        return None if own_optimizer is None else step_of(own_optimizer)

    def histogram(self, tensor: Any) -> None:
        """Return None: MindSpore's tensors are copied to the host for histograms."""

    def facts(self, optimizer: Any, schedulers: Any) -> dict[str, str | int | float]:
        """Return the settings of the optimizer and of its learning-rate schedule."""
        return settings_of(optimizer) if is_optimizer(optimizer) else {}


FRAMEWORK: Framework = MindSporeFramework()
