"""Audio clips of TensorBoard: the encoded clips, as slices of the payload, and what their headers state."""

from typing import NamedTuple

from toposcope.server.values.audio_format import SoundFacts, sound_facts
from toposcope.server.values.fields import fields, integer, single
from toposcope.server.values.tensor import read_strings

MAX_CLIPS = 256
"""Limit on the clips of a value; writers record 3 by default."""
_MAX_LABEL = 10_000
_SAMPLE_RATE, _CHANNELS, _FRAMES, _ENCODED = 1, 2, 3, 4
_LARGEST = 2**32


class Clip(NamedTuple):
    """An encoded audio clip."""

    facts: SoundFacts
    label: str
    """What the writer says about it, Markdown by convention; often empty."""
    encoded: memoryview


def read_clips(payload: bytes, kind: str) -> list[Clip]:
    """Decode the audio clips of a value, at most MAX_CLIPS.

    Args:
        payload: Summary.Audio with kind "audio"; or a string tensor with kind "tensor", of the dims [n] with encoded
            clips, or [n, 2] with pairs of an encoded clip and its label.
        kind: the field that contained the payload, one of scan.KINDS.

    Raises:
        ValueError: the payload is malformed.
    """
    if kind != "tensor":
        return [_of_message(payload)]
    dims, strings = read_strings(payload)
    if len(dims) < 2:
        return [_clip(encoded) for encoded in strings[:MAX_CLIPS]]
    if len(dims) > 2 or dims[1] != 2:
        raise ValueError(f"a tensor of audio has the dims {list(dims)}: expected [n] or [n, 2]")
    pairs = zip(strings[0 : 2 * MAX_CLIPS : 2], strings[1 : 2 * MAX_CLIPS : 2], strict=True)
    return [_clip(encoded, str(label[:_MAX_LABEL], "utf-8", "replace")) for encoded, label in pairs]


def _of_message(payload: bytes) -> Clip:
    """Return the clip of Summary.Audio; what its header states precedes what the message states."""
    rate, numbers, encoded = 0.0, {_CHANNELS: 0, _FRAMES: 0}, memoryview(b"")
    for number, content in fields(memoryview(payload)):
        if number == _SAMPLE_RATE:
            rate = single(content)
        elif number in numbers:
            numbers[number] = integer(content)
        elif number == _ENCODED:
            encoded = content
    stated = [int(number) if 0 < number < _LARGEST else 0 for number in (rate, *numbers.values())]
    found = sound_facts(encoded)
    return Clip(SoundFacts(*(own or other for own, other in zip(found, stated, strict=True))), "", encoded)


def _clip(encoded: memoryview, label: str = "") -> Clip:
    return Clip(sound_facts(encoded), label, encoded)
