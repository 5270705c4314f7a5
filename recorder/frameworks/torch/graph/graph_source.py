"""The GraphSource of a PyTorch module, whose graph is known once the module has been called."""

from typing import Any

from toposcope.proto.graph_pb2 import GraphProto
from toposcope.recorder.frameworks.torch.graph.first_inputs import FirstInputs
from toposcope.recorder.frameworks.torch.graph.network_graph import graph_of


class _ModuleGraph:
    """Observes a module until its first call; see GraphSource."""

    def __init__(self, module: Any) -> None:
        self._module, self._first = module, FirstInputs(module)

    def graph(self) -> GraphProto | None:
        """Return the graph of the first call, None before it."""
        return None if self._first.inputs is None else graph_of(self._module, self._first.inputs)

    def graph_without_call(self) -> GraphProto:
        """Return the module tree."""
        return graph_of(self._module, None)

    def stop(self) -> None:
        """Remove the hook from the module."""
        self._first.remove()


def graph_source(module: Any) -> _ModuleGraph:
    """Return the GraphSource of a torch.nn.Module."""
    return _ModuleGraph(module)
