"""The layout of TensorProto.raw_data: a NumPy dtype for each DataType that has one."""

from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from toposcope.proto import tensor_pb2 as codes

DTYPES = MappingProxyType(
    {
        int(code): np.dtype(dtype)
        for code, dtype in (
            (codes.DT_BOOL, "?"),
            (codes.DT_INT8, "i1"),
            (codes.DT_INT16, "<i2"),
            (codes.DT_INT32, "<i4"),
            (codes.DT_INT64, "<i8"),
            (codes.DT_UINT8, "u1"),
            (codes.DT_UINT16, "<u2"),
            (codes.DT_UINT32, "<u4"),
            (codes.DT_UINT64, "<u8"),
            (codes.DT_FLOAT16, "<f2"),
            (codes.DT_FLOAT32, "<f4"),
            (codes.DT_FLOAT64, "<f8"),
            (codes.DT_COMPLEX64, "<c8"),
            (codes.DT_COMPLEX128, "<c16"),
            # NumPy has no bfloat16: the bits as integers.
            (codes.DT_BFLOAT16, "<u2"),
        )
    }
)
"""DataType to little-endian dtype. bfloat16 is represented by the uint16 of its bits, see bfloat16_values()."""


def bfloat16_values(bits: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """Return the exact values of bfloat16 bits: a bfloat16 is the upper half of a float32."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
