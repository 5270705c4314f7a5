"""The methods of SummaryWriter that record the graph of a network."""

import os
from typing import Any

from toposcope.recorder.tensorboard.methods.run_writer import RunWriter
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError


class AddGraphs(RunWriter):
    """The add_ methods for graphs."""

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Record the graph of a network: every operator as torch.export traces it, or the modules if that fails.

        Args:
            model: a torch.nn.Module, or a network of Keras.
            input_to_model: the arguments of a call: a tensor, or a tuple or list of arguments. None: unknown; the graph
                of a module is then that of its submodules.
            verbose: whether the graph is printed.
            use_strict_trace: not used: a container of tensors may be an output.

        Raises:
            TypeError: model is not a network.
        """
        from toposcope.recorder.tensorboard.kinds.graph import GraphMember, graph_of

        try:
            graph = graph_of(model, input_to_model)
        except UnreadableValueError as error:
            self._warn_once("unreadable", "graph", f"skipped: {error}")
            return
        if verbose:
            print(graph)
        self._add("graph", "graph", GraphMember(graph), graph.ByteSize(), None, None)

    def add_onnx_graph(self, prototxt: str | os.PathLike[str]) -> None:
        """Record the graph in an ONNX file.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is not an ONNX model.
        """
        from toposcope.recorder.tensorboard.kinds.onnx_graph import onnx_graph

        self._get_file_writer().add_onnx_graph(onnx_graph(prototxt))
