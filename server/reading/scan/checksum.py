"""The masked crc32c of a byte range; it verifies headers and small payloads.

By the processor's instruction where there is one, else by tables, eight bytes at a time.
"""

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.scan.uncompiled import crc32c_of, has_crc32c
from toposcope.server.reading.scan.wire import MASK_32, u32

_MASK_DELTA = 0xA282EAD8


def _crc_tables() -> npt.NDArray[np.uint32]:
    """Return the eight tables of slicing-by-8 crc32c, concatenated."""
    tables = np.zeros((8, 256), np.uint32)
    crc = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        crc = np.where(crc & 1, (crc >> 1) ^ np.uint32(0x82F63B78), crc >> 1).astype(np.uint32)
    tables[0] = crc
    for k in range(1, 8):
        tables[k] = (tables[k - 1] >> 8) ^ tables[0][tables[k - 1] & 0xFF]
    return tables.reshape(-1)


_CRC_TABLES = _crc_tables().data
_has_instruction = has_crc32c()


def crc_by_tables(data: memoryview, at: int, end: int) -> int:
    """Return the crc32c of data[at:end] without the processor's instruction, eight bytes at a time."""
    crc = MASK_32
    while at + 8 <= end:
        low = crc ^ u32(data, at)
        high = u32(data, at + 4)
        crc = (
            _CRC_TABLES[1792 + (low & 0xFF)]
            ^ _CRC_TABLES[1536 + ((low >> 8) & 0xFF)]
            ^ _CRC_TABLES[1280 + ((low >> 16) & 0xFF)]
            ^ _CRC_TABLES[1024 + (low >> 24)]
            ^ _CRC_TABLES[768 + (high & 0xFF)]
            ^ _CRC_TABLES[512 + ((high >> 8) & 0xFF)]
            ^ _CRC_TABLES[256 + ((high >> 16) & 0xFF)]
            ^ _CRC_TABLES[high >> 24]
        )
        at += 8
    if at + 4 <= end:
        low = crc ^ u32(data, at)
        crc = (
            _CRC_TABLES[768 + (low & 0xFF)]
            ^ _CRC_TABLES[512 + ((low >> 8) & 0xFF)]
            ^ _CRC_TABLES[256 + ((low >> 16) & 0xFF)]
            ^ _CRC_TABLES[low >> 24]
        )
        at += 4
    while at < end:
        crc = (crc >> 8) ^ _CRC_TABLES[(crc ^ data[at]) & 0xFF]
        at += 1
    return crc ^ MASK_32


def masked_crc(data: memoryview, at: int, end: int) -> int:
    """Return the masked crc32c of data[at:end]."""
    crc = crc32c_of(data, at, end) if _has_instruction else crc_by_tables(data, at, end)
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & MASK_32
