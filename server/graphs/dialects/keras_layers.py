"""Extraction of the layers from the JSON of a Keras model, which may be malformed anywhere."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from toposcope.server.graphs.model.graph import Output
from toposcope.server.graphs.model.limits import MAX_DIMENSIONS, MAX_NODES, MAX_OUTPUTS, GraphError, within

Json = Any
"""What json.loads returns."""


class Tensor(NamedTuple):
    """An input of a layer: an output of a layer in the same model."""

    layer: str
    output: int
    type: Output


class Layer(NamedTuple):
    """A layer or a model, which contains layers."""

    path: str
    """Names of the enclosing models and of the layer, separated by "/"."""
    name: str
    op: str
    """Class of the layer."""
    message: dict[str, Json]
    config: dict[str, Json]
    around: int
    """Number of the enclosing model; -1 if there is none."""
    place: int
    """Index among the layers of this model."""


class Model(NamedTuple):
    """A model."""

    layer: Layer
    names: list[str]
    """Names of the layers, in order."""
    inputs: dict[str, int]
    """Index of the input for the name of each input layer; empty for a sequential model."""
    outputs: list[Tensor]
    """The outputs of the model."""


def collect(message: Json) -> tuple[list[Model], list[Layer]]:
    """Return (models, layers) in the JSON of a model, in order; the outermost model is the first.

    Raises:
        GraphError: there is no model, or there are too many layers.
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
        inner_layers = [_layer(each, f"{layer.path}/", len(models), place) for place, each in enumerate(inner)]
        models.append(_model(layer, inner_layers))
        within(len(layers) + len(waiting) + len(inner_layers), MAX_NODES, "layers")
        waiting.extend(reversed(inner_layers))
    return models, layers


def _layers_in(message: Json) -> list[Json]:
    return as_list(as_dict(as_dict(message).get("config")).get("layers"))


def _layer(message: Json, prefix: str, around: int, place: int) -> Layer:
    fields = as_dict(message)
    config = as_dict(fields.get("config"))
    op = as_text(fields.get("class_name")) or "Layer"
    name = as_text(config.get("name")) or as_text(fields.get("name")) or op
    return Layer(prefix + name, name, op, fields, config, around, place)


def _model(layer: Layer, inner_layers: list[Layer]) -> Model:
    names = [each.name for each in inner_layers]
    inputs = {each.layer: i for i, each in enumerate(_references(layer.config.get("input_layers")))}
    outputs = list(_references(layer.config.get("output_layers")))
    return Model(layer, names, inputs, outputs or [Tensor(names[-1], 0, Output(None, None))])


def inbound_tensors(layer: Layer) -> list[Tensor]:
    """Return the inputs of a layer of a functional model, of all its calls."""
    return list(_references(layer.message.get("inbound_nodes")))


def tensor_before(layer: Layer, model: Model) -> Tensor:
    """Return the input of a layer of a sequential model: the output of the previous layer."""
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
    """Yield the outputs of layers that are referred to anywhere in a value, in order.

    Since Keras 3 they are objects with shape and data type; before, and as inputs and outputs of models, they are lists
    of name, call and output.
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
            yield Tensor(as_text(name), min(max(output, 0), MAX_OUTPUTS), type_)


def as_dict(value: Json) -> dict[str, Json]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def as_text(value: Json) -> str:
    """Return a string, with surrogates escaped; an empty one for anything else."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else ""


def as_shape(value: Json) -> tuple[int, ...] | None:
    """Return a shape, -1 for null; None for anything else."""
    sizes = as_list(value)
    if not isinstance(value, list) or len(sizes) > MAX_DIMENSIONS:
        return None
    sizes_or_unknown = [-1 if size is None else size for size in sizes]
    is_shape = all(type(size) is int and -1 <= size < 1 << 63 for size in sizes_or_unknown)
    return tuple(sizes_or_unknown) if is_shape else None
