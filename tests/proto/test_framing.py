"""Record framing."""

import struct

import google_crc32c
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.proto import framing


@given(st.binary(max_size=5000))
def test_frame_is_header_payload_footer(payload: bytes) -> None:
    """A record consists of a valid header with the length, the payload, and the checksum of the payload."""
    record = framing.frame(payload)

    header = framing.read_header(record[: framing.HEADER_BYTES])
    assert header.length == len(payload)
    assert framing.header_is_sound(header)
    assert record[framing.HEADER_BYTES : -framing.FOOTER_BYTES] == payload
    assert record[-framing.FOOTER_BYTES :] == framing.masked_crc(payload).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("message", "crc"),
    [(bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43), (bytes(range(32)), 0x46DD794E), (b"123456789", 0xE3069283)],
)
def test_crc_is_crc32c(message: bytes, crc: int) -> None:
    """The checksum is that of RFC 3720 B.4, rotated right by 15 bits, plus the constant of TFRecord."""
    assert google_crc32c.value(message) == crc

    rotated = crc >> 15 | (crc << 17) & 0xFFFFFFFF
    assert framing.masked_crc(message) == (rotated + 0xA282EAD8) % 2**32


@given(st.binary(min_size=1, max_size=40), st.integers(0, 95))
def test_header_with_a_flipped_bit_is_invalid(payload: bytes, bit: int) -> None:
    """A single wrong bit anywhere in the header is detected."""
    header = bytearray(framing.frame(payload)[: framing.HEADER_BYTES])
    header[bit // 8] ^= 1 << bit % 8

    assert not framing.header_is_sound(framing.read_header(bytes(header)))


def test_incomplete_header_is_an_error() -> None:
    """Reading a header requires all of its bytes."""
    with pytest.raises(struct.error):
        framing.read_header(bytes(framing.HEADER_BYTES - 1))
