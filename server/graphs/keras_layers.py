"""The layers in the JSON of a Keras model, wherever they stand in it; nothing in it is taken for granted."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from toposcope.server.graphs.graph import Output
from toposcope.server.graphs.limits import MOST_DIMENSIONS, MOST_NODES, MOST_OUTPUTS, GraphError, within

Json = Any
"""What json.loads returns."""


class Tensor(NamedTuple):
    """What a layer reads: an output of a layer in the same model."""

    layer: str
    output: int
    type: Output


class Layer(NamedTuple):
    """A layer, or a model, which holds layers."""

    path: str
    """Its name after those of the models around it, separated by "/"."""
    name: str
    op: str
    """Its class."""
    message: dict[str, Json]
    config: dict[str, Json]
    around: int
    """Which model it is in; -1: none."""
    place: int
    """Among the layers of that model."""


class Model(NamedTuple):
    """A model."""

    layer: Layer
    names: list[str]
    """Of its layers, in order."""
    inputs: dict[str, int]
    """Name of each of its input layers to which input that is; none: it is sequential."""
    outputs: list[Tensor]
    """What it puts out."""


def collect(message: Json) -> tuple[list[Model], list[Layer]]:
    """Return the models in the JSON of a model, that first, and the layers that are no models, in order.

    Raises:
        GraphError: it is no model, or there are too many layers.
    """
    models: list[Model] = []
    layers: list[Layer] = []
    if not _layers_in(message):
        raise GraphError("the JSON of the Keras model has no config with layers")
    waiting = [_layer(message, "", -1, 0)]
    while waiting:
        layer = waiting.pop()
        inner = _layers_in(layer.message)
        if not inner:
            layers.append(layer)
            continue
        held = [_layer(each, f"{layer.path}/", len(models), place) for place, each in enumerate(inner)]
        models.append(_model(layer, held))
        within(len(layers) + len(waiting) + len(held), MOST_NODES, "layers")
        waiting.extend(reversed(held))
    return models, layers


def _layers_in(message: Json) -> list[Json]:
    return as_list(as_dict(as_dict(message).get("config")).get("layers"))


def _layer(message: Json, prefix: str, around: int, place: int) -> Layer:
    fields = as_dict(message)
    config = as_dict(fields.get("config"))
    op = as_text(fields.get("class_name")) or "Layer"
    name = as_text(config.get("name")) or as_text(fields.get("name")) or op
    return Layer(prefix + name, name, op, fields, config, around, place)


def _model(layer: Layer, held: list[Layer]) -> Model:
    names = [each.name for each in held]
    inputs = {each.layer: i for i, each in enumerate(_references(layer.config.get("input_layers")))}
    outputs = list(_references(layer.config.get("output_layers")))
    return Model(layer, names, inputs, outputs or [Tensor(names[-1], 0, Output(None, None))])


def inbound_tensors(layer: Layer) -> list[Tensor]:
    """Return what a layer of a functional model says that it reads, of all its calls."""
    return list(_references(layer.message.get("inbound_nodes")))


def tensor_before(layer: Layer, model: Model) -> Tensor:
    """Return what a layer of a sequential model reads: what the layer before it puts out."""
    shape = as_dict(layer.message.get("build_config")).get("input_shape")
    return Tensor(model.names[layer.place - 1], 0, Output(None, as_shape(shape)))


def declared_output(layer: Layer) -> Output:
    """Return the shape that an input layer declares, and the data type of any layer."""
    dtype = layer.config.get("dtype")
    if isinstance(dtype, dict):
        dtype = as_dict(dtype.get("config")).get("name")
    shape = layer.config.get("batch_shape", layer.config.get("batch_input_shape"))
    return Output(as_text(dtype) or None, as_shape(shape))


def _references(value: Json) -> Iterator[Tensor]:
    """Yield the outputs of layers that are named anywhere in a value, in order.

    Since Keras 3 they are objects that tell shape and data type; before, and as inputs and outputs of models, lists of
    name, call and output.
    """
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict) and each.get("class_name") == "__keras_tensor__":
            config = as_dict(each.get("config"))
            type_ = Output(as_text(config.get("dtype")) or None, as_shape(config.get("shape")))
            yield from _named_by(as_list(config.get("keras_history")), type_)
        elif isinstance(each, dict):
            waiting.extend(reversed(each.values()))
        elif isinstance(each, list):
            yield from (named := list(_named_by(each, Output(None, None))))
            waiting.extend([] if named else reversed(each))


def _named_by(history: list[Json], type_: Output) -> Iterator[Tensor]:
    match history:
        case [str(name), int(), int(output), *_]:
            yield Tensor(as_text(name), min(max(output, 0), MOST_OUTPUTS), type_)


def as_dict(value: Json) -> dict[str, Json]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def as_text(value: Json) -> str:
    """Return a text, what UTF-8 lacks spelled out; an empty one for anything else."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else ""


def as_shape(value: Json) -> tuple[int, ...] | None:
    """Return a shape, -1 for null; None for anything else."""
    sizes = as_list(value)
    if not isinstance(value, list) or len(sizes) > MOST_DIMENSIONS:
        return None
    known = [-1 if size is None else size for size in sizes]
    return tuple(known) if all(type(size) is int and -1 <= size < 1 << 63 for size in known) else None
