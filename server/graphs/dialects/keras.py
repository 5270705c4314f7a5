"""Reader of Keras models: the JSON of Model.to_json().

Layers are nodes, models are scopes. In a sequential model each layer reads the previous one; in a functional model each
layer lists its inputs. A nested model reads through its input layers, and is read through its output layers.
"""

import json

from toposcope.server.graphs.dialects.keras_layers import (
    Json,
    Layer,
    Tensor,
    as_text,
    collect,
    declared_output,
    inbound_tensors,
    tensor_before,
)
from toposcope.server.graphs.model.attributes import Attributes, Room, Text, attribute, text
from toposcope.server.graphs.model.graph import Graph, Kind, Output
from toposcope.server.graphs.model.graph_builder import GraphBuilder, Input
from toposcope.server.graphs.model.limits import MAX_OUTPUTS, GraphError

_LARGEST_JSON = 8 << 20


def read_keras_model(content: bytes) -> Graph:
    """Read the JSON of a model.

    Raises:
        GraphError: the JSON is malformed, or the model exceeds the limits.
    """
    if len(content) > _LARGEST_JSON:
        raise GraphError(f"the Keras model has {len(content):,} bytes, and the limit is {_LARGEST_JSON:,}")
    try:
        message = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise GraphError(f"the Keras model is not valid JSON: {error}") from None
    return _GraphReader(message).graph()


class _GraphReader:
    """Reads a model."""

    def __init__(self, message: Json) -> None:
        self._models, self._layers = collect(message)
        self._inner = {(model.layer.around, model.layer.name): number for number, model in enumerate(self._models)}
        self._outputs: dict[str, dict[int, Output]] = {}
        """The outputs of each layer that are read, by the path of the layer."""

    def graph(self) -> Graph:
        """Return the graph."""
        builder = GraphBuilder()
        inputs = [self._inputs(layer) for layer in self._layers]
        for layer, read in zip(self._layers, inputs, strict=True):
            kind = Kind.INPUT if layer.op == "InputLayer" else Kind.OPERATOR
            builder.add(layer.path, layer.name, layer.path, layer.op, kind, self._outputs_of(layer), read)
        layers = self._layers
        return builder.build("keras", self._models[0].layer.name, lambda node, room: _attributes(layers[node], room))

    def _inputs(self, layer: Layer) -> list[Input]:
        around, tensors = self._read_by(layer)
        inputs = [self._resolved(around, tensor) for tensor in tensors]
        for (path, output, _), tensor in zip(inputs, tensors, strict=True):
            self._outputs.setdefault(path, {}).setdefault(output, tensor.type)
        return inputs

    def _read_by(self, layer: Layer) -> tuple[int, list[Tensor]]:
        """Return (number of the model that contains their layers, tensors) of the inputs of a layer.

        An input layer, and the first layer of a sequential model, read the inputs of the model.
        """
        picked: list[slice] = []
        tensors: list[Tensor] = []
        while layer.around >= 0:
            model = self._models[layer.around]
            if layer.name in model.inputs:
                # The inputs of a model that is called several times are repeated for each call.
                picked.append(slice(model.inputs[layer.name], None, len(model.inputs)))
            elif model.inputs:
                tensors = inbound_tensors(layer)
                break
            elif layer.place:
                tensors = [tensor_before(layer, model)]
                break
            layer = model.layer
        for pick in reversed(picked):
            tensors = tensors[pick]
        return layer.around, tensors

    def _resolved(self, around: int, tensor: Tensor) -> Input:
        """Resolve an output of a layer or nested model to the output of a layer."""
        name, output = tensor.layer, tensor.output
        while (inner := self._inner.get((around, name))) is not None:
            outputs = self._models[inner].outputs
            around, (name, output, _) = inner, outputs[min(output, len(outputs) - 1)]
        return Input(f"{self._models[around].layer.path}/{name}", output)

    def _outputs_of(self, layer: Layer) -> tuple[Output, ...]:
        declared = declared_output(layer)
        read = self._outputs.get(layer.path, {})
        outputs = [read.get(i, Output(None, None)) for i in range(min(max(read, default=0) + 1, MAX_OUTPUTS))]
        outputs[0] = Output(outputs[0].dtype, declared.shape if outputs[0].shape is None else outputs[0].shape)
        return tuple(Output(dtype or declared.dtype, shape) for dtype, shape in outputs)


def _attributes(layer: Layer, room: Room) -> Attributes:
    settings = [(name, value) for name, value in layer.config.items() if name != "name"]
    listed = [attribute(as_text(name), _shown(value, room.characters)) for name, value in settings[: room.attributes]]
    return Attributes(listed, len(settings))


def _shown(value: Json, most: int) -> Text:
    if isinstance(value, str):
        return text(as_text(value), most)
    try:
        return text(as_text(json.dumps(value, ensure_ascii=False)), most)
    except RecursionError:
        return Text("…")
