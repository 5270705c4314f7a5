"""The graph of a PyTorch network: traced if possible, otherwise its module tree."""

import re
from typing import Any

from toposcope.proto.graph_pb2 import GraphProto
from toposcope.recorder.frameworks.torch.graph.call_inputs import CallInputs
from toposcope.recorder.frameworks.torch.graph.exported_graph import exported_graph
from toposcope.recorder.frameworks.torch.graph.module_tree import module_tree
from toposcope.recorder.frameworks.torch.modules import unwrapped
from toposcope.recorder.frameworks.torch.tracing import tracing

_REFUSED = re.compile(r'[<>"\s]+')
_LONGEST_REASON = 300


def graph_of(network: Any, inputs: CallInputs | None) -> GraphProto:
    """Return the graph of a call of *network*, a torch.nn.Module, wrapped or not.

    The name of the graph is that of the module's class. If torch.export fails, the graph is the module tree and is
    named "Net: module tree (torch.export failed: ...)".

    Args:
        network: it is not changed, and nothing is computed.
        inputs: of the call; None if unknown.
    """
    module = unwrapped(network)
    name = type(module).__name__
    with tracing():
        if inputs is None:
            return module_tree(module, None, f"{name}: module tree (inputs unknown)")
        try:
            return exported_graph(module, inputs, name)
        except Exception as error:  # torch.export raises many types.
            return module_tree(module, inputs, f"{name}: module tree (torch.export failed: {_reason(error)})")


def _reason(error: Exception) -> str:
    first_line = next((line for line in str(error).splitlines() if line.strip()), "")
    reason = _REFUSED.sub(" ", f"{type(error).__name__}: {first_line}").strip(" :")
    return reason if len(reason) <= _LONGEST_REASON else reason[:_LONGEST_REASON] + "…"
