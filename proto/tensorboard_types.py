"""The types of elements in TensorBoard's dialect, by the names of NumPy and bfloat16."""

from types import MappingProxyType

TYPES = MappingProxyType(
    {
        "float32": 1,
        "float64": 2,
        "int32": 3,
        "uint8": 4,
        "int16": 5,
        "int8": 6,
        "complex64": 8,
        "int64": 9,
        "bool": 10,
        "bfloat16": 14,
        "uint16": 17,
        "complex128": 18,
        "float16": 19,
        "uint32": 22,
        "uint64": 23,
    }
)
"""DataType of tensorboard/compat/proto/types.proto, by the name of the dtype."""
