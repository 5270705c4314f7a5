"""Audio clips of TensorBoard."""

import contextlib
import io
import struct
import wave

import numpy as np
import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from support.summary_values import strings

from toposcope.proto.tensorboard_plugins_pb2 import Audio
from toposcope.recorder.tensorboard.kinds.audio import wav_of
from toposcope.server.values.audio import MAX_CLIPS, read_clips
from toposcope.server.values.audio_format import OTHER, SoundFacts, audio_media_type, sound_facts

WAV = wav_of(np.zeros((10, 2)), 8000)


def wav_file(channels: int, width: int, rate: int, frames: int) -> bytes:
    """Return a WAV file that Python's wave module writes."""
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(bytes(frames * channels * width))
    return stream.getvalue()


@given(st.integers(1, 8), st.integers(1, 4), st.integers(1, 192_000), st.integers(0, 50))
def test_header_of_a_wav_file(channels: int, width: int, rate: int, frames: int) -> None:
    """The sample rate, channels and length are those that the module wave wrote."""
    content = memoryview(wav_file(channels, width, rate, frames))

    assert sound_facts(content) == SoundFacts(rate, channels, frames)
    assert audio_media_type(content) == "audio/wav"


def test_header_of_a_flac_file() -> None:
    """STREAMINFO is at a fixed place."""
    content = b"fLaC\x00\x00\x00\x22" + bytes(10) + struct.pack(">Q", 44100 << 44 | 1 << 41 | 15 << 36 | 12345)

    assert sound_facts(memoryview(content)) == SoundFacts(44100, 2, 12345)


@pytest.mark.parametrize(
    ("start", "media_type"),
    [
        (b"ID3\x04", "audio/mpeg"),
        (b"\xff\xfb\x90\x00", "audio/mpeg"),
        (b"OggS\x00", "audio/ogg"),
        (b"fLaC", "audio/flac"),
        (b"RIFF\x00\x00\x00\x00WAVE", "audio/wav"),
        (b"RIFF\x00\x00\x00\x00WEBP", OTHER),
        (b"\xff\xd8\xff\xe0", OTHER),
        (b"<html>", OTHER),
        (b"", OTHER),
    ],
)
def test_media_type_is_that_of_the_content(start: bytes, media_type: str) -> None:
    """What the file says about a clip is not trusted."""
    assert audio_media_type(memoryview(start)) == media_type


def test_message_with_a_clip_that_states_less() -> None:
    """What the clip does not state is taken from the message; numbers out of range are unknown."""
    message = Audio(sample_rate=8000, num_channels=1, length_frames=-3, encoded_audio_string=b"OggS")

    (clip,) = read_clips(message.SerializeToString(), "audio")

    assert clip.facts == SoundFacts(8000, 1, 0)


def test_clip_states_more_than_its_message() -> None:
    """Its own header is more likely to be true."""
    message = Audio(sample_rate=1, num_channels=1, length_frames=1, encoded_audio_string=WAV)

    (clip,) = read_clips(message.SerializeToString(), "audio")

    assert (clip.facts, bytes(clip.encoded), clip.label) == (SoundFacts(8000, 2, 10), WAV, "")


def test_tensors_of_clips_and_labels() -> None:
    """Clips have labels in tensors of the dims [n, 2] only."""
    pairs = read_clips(strings(WAV, b"first", b"OggS", b"\xff", dims=[2, 2]).SerializeToString(), "tensor")
    alone = read_clips(strings(WAV, WAV).SerializeToString(), "tensor")

    assert [(clip.label, len(clip.encoded)) for clip in pairs] == [("first", len(WAV)), ("\ufffd", 4)]
    assert [clip.label for clip in alone] == ["", ""]


def test_clips_of_a_value_are_bounded() -> None:
    """Only the first ones are returned."""
    payload = strings(*[b"x"] * 2000, dims=[1000, 2]).SerializeToString()

    assert len(read_clips(payload, "tensor")) == MAX_CLIPS


@pytest.mark.parametrize(
    ("message", "kind"),
    [(strings(b"a", b"b", b"c", dims=[1, 3]), "tensor"), (strings(b"a", dims=[1, 1, 1]), "tensor")],
)
def test_malformed_values_are_rejected(message: Message, kind: str) -> None:
    """The error names the dims."""
    with pytest.raises(ValueError, match="expected"):
        read_clips(message.SerializeToString(), kind)


@given(
    st.binary(max_size=100), st.sampled_from([b"", b"RIFF0000WAVE", b"RIFF0000WAVEfmt \x10\0\0\0", b"fLaC", b"\xff"])
)
def test_any_bytes_are_read(content: bytes, start: bytes) -> None:
    """No header raises."""
    assert min(sound_facts(memoryview(start + content))) >= 0


@given(st.binary(max_size=200), st.sampled_from(["audio", "tensor"]))
def test_any_payload_is_read_or_rejected(payload: bytes, kind: str) -> None:
    """No other error is raised."""
    with contextlib.suppress(ValueError):
        read_clips(payload, kind)
