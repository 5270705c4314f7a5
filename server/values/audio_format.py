"""Format of an encoded audio clip, and what its header states, without decoding the samples."""

import struct
from typing import NamedTuple

WAV, MP3, OGG, FLAC = "audio/wav", "audio/mpeg", "audio/ogg", "audio/flac"
MEDIA_TYPES = (WAV, MP3, OGG, FLAC)
"""Media types that browsers play safely."""
OTHER = "application/octet-stream"
_MAX_CHUNKS = 1000
_MPEG_SYNC, _MPEG_LAYER = 0xFFE0, 0x0006


class SoundFacts(NamedTuple):
    """What a header states; 0 = unknown."""

    sample_rate: int = 0
    """Samples per second of each channel."""
    channels: int = 0
    frames: int = 0
    """Samples of each channel."""


def audio_media_type(encoded: memoryview) -> str:
    """Return the media type of a clip, detected from its first bytes; OTHER if it is not one of MEDIA_TYPES."""
    head = bytes(encoded[:12])
    if head.startswith(b"RIFF") and head.startswith(b"WAVE", 8):
        return WAV
    if head.startswith(b"OggS"):
        return OGG
    if head.startswith(b"fLaC"):
        return FLAC
    if head.startswith(b"ID3") or _is_mpeg_frame(head):
        return MP3
    return OTHER


def sound_facts(encoded: memoryview) -> SoundFacts:
    """Return what the header of a WAV or FLAC clip states; of others, or if it is malformed, nothing."""
    media_type = audio_media_type(encoded)
    try:
        if media_type == WAV:
            return _wav_facts(encoded)
        if media_type == FLAC:
            return _flac_facts(encoded)
    except struct.error:
        pass
    return SoundFacts()


def _is_mpeg_frame(head: bytes) -> bool:
    """See ISO/IEC 11172-3, 2.4.1.3: eleven bits that are set, and a layer other than the reserved one."""
    if len(head) < 4:
        return False
    sync = int.from_bytes(head[:2], "big")
    return sync & _MPEG_SYNC == _MPEG_SYNC and sync & _MPEG_LAYER != 0


def _wav_facts(encoded: memoryview) -> SoundFacts:
    """Read the chunks "fmt " and "data"; the size of a clip that was streamed is that of the bytes there are."""
    at, rate, channels, frame_bytes = 12, 0, 0, 0
    for _ in range(_MAX_CHUNKS):
        name, size = struct.unpack_from("<4sI", encoded, at)
        at += 8
        if name == b"fmt ":
            channels, rate, _, frame_bytes = struct.unpack_from("<HIIH", encoded, at + 2)
        elif name == b"data":
            frames = min(size, len(encoded) - at) // frame_bytes if frame_bytes else 0
            return SoundFacts(rate, channels, frames)
        at += size + size % 2
    return SoundFacts()


def _flac_facts(encoded: memoryview) -> SoundFacts:
    """Read STREAMINFO, see RFC 9639, 8.2."""
    (bits,) = struct.unpack_from(">Q", encoded, 18)
    return SoundFacts(bits >> 44, (bits >> 41 & 7) + 1, bits & 0xF_FFFF_FFFF)
