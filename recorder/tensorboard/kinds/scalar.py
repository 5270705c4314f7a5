"""A scalar with a name and a description for TensorBoard's page."""

import struct
from typing import NamedTuple

import numpy as np

from toposcope.proto.framing import Buffer
from toposcope.proto.wire import WireType, key
from toposcope.recorder.tensorboard.kinds.metadata import metadata_field

_SIMPLE_VALUE, _DOUBLE = 2, 100


class DescribedScalar(NamedTuple):
    """A number."""

    number: float
    display_name: str
    description: str
    """Markdown."""

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        with np.errstate(over="ignore"):
            single = float(np.float32(self.number))
        fields = [
            metadata_field("", b"", self.display_name, self.description),
            key(_SIMPLE_VALUE, WireType.FLOAT) + struct.pack("<f", single),
            key(_DOUBLE, WireType.DOUBLE) + struct.pack("<d", self.number),
        ]
        return [b"".join(fields)]
