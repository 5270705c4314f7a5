"""Outputs of nodes in MindSpore graphs: TypeProto and ValueProto messages as outputs."""

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.graph_pb2 import TypeProto, ValueProto
from toposcope.proto.tensor_pb2 import DataType
from toposcope.server.graphs.model.graph import Output
from toposcope.server.graphs.model.limits import MAX_DIMENSIONS, MAX_OUTPUTS

DTYPES: dict[int, str] = {
    int(code): name.removeprefix("DT_").lower() for name, code in DataType.items() if code != codes.DT_UNDEFINED
}
_SCALARS = {*range(codes.DT_BOOL, codes.DT_STRING), codes.DT_BFLOAT16}


class TypeReader:
    """Converts types; the outputs of equal types are the same object."""

    def __init__(self, by_toposcope: bool) -> None:
        self._default_shape: tuple[int, ...] | None = None if by_toposcope else ()
        self._cache: dict[bytes, tuple[Output, ...]] = {}

    def outputs(self, message: TypeProto) -> tuple[Output, ...]:
        """Return the outputs of a type: those of its elements if it is a tuple."""
        key = message.SerializeToString()
        if key not in self._cache:
            self._cache[key] = self._outputs(message)
        return self._cache[key]

    def _outputs(self, message: TypeProto) -> tuple[Output, ...]:
        outputs: list[Output] = []
        waiting = [message]
        while waiting and len(outputs) < MAX_OUTPUTS:
            each = waiting.pop()
            if each.HasField("sequence_type"):
                waiting.extend(reversed(each.sequence_type.elem_types[:MAX_OUTPUTS]))
            elif each.data_type:
                outputs.append(self._output(each, is_single=each is message))
        return tuple(outputs)

    def _output(self, message: TypeProto, is_single: bool) -> Output:
        if not message.HasField("tensor_type"):
            return Output(DTYPES.get(message.data_type), None)
        tensor = message.tensor_type
        shape = self._default_shape if is_single else None
        if tensor.HasField("shape"):
            shape = shape_of([dim.size for dim in tensor.shape.dim[: MAX_DIMENSIONS + 1]])
        return Output(DTYPES.get(tensor.elem_type), shape)


def value_outputs(value: ValueProto) -> tuple[Output, ...]:
    """Return the output of a constant."""
    if value.dtype == codes.DT_TENSOR:
        tensor = value.tensor_val
        return (Output(DTYPES.get(tensor.data_type), shape_of(tensor.dims[: MAX_DIMENSIONS + 1])),)
    shape = () if value.dtype in _SCALARS else None
    return (Output(DTYPES.get(value.dtype), shape),) if value.dtype else ()


def shape_of(sizes: list[int]) -> tuple[int, ...] | None:
    """Return a shape; None if it has too many dimensions."""
    return tuple(sizes) if len(sizes) <= MAX_DIMENSIONS else None
