"""Audio as WAV in TensorBoard's Summary.Audio."""

import io
import wave
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.framing import Buffer
from toposcope.proto.tensorboard_plugins_pb2 import Audio
from toposcope.proto.wire import bytes_head
from toposcope.recorder.values.arrays.arrays import Array
from toposcope.recorder.values.arrays.foreign_values import short_repr

_AUDIO = 6
_CHANNELS = (1, 2)
_LARGEST = np.iinfo(np.int16).max
_LARGEST_RATE = 2**32 - 1


class AudioValue(NamedTuple):
    """Samples of one or two channels."""

    array: Array
    """The samples, of a shape that audio_axes() accepts. int16 is stored unchanged; other numbers are in [-1, 1]."""
    sample_rate: int

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        samples = audio_axes(self.array.numbers())
        frames, channels = samples.shape
        audio = Audio(
            sample_rate=self.sample_rate,
            num_channels=channels,
            length_frames=frames,
            encoded_audio_string=_wav(_integers(samples), self.sample_rate),
            content_type="audio/wav",
        ).SerializeToString()
        return [bytes_head(_AUDIO, len(audio)), audio]


def audio_axes(samples: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return samples as [frames, channels]; they may also be [frames], [channels, frames] or have axes of length 1.

    Raises:
        ValueError: the shape is another one.
    """
    squeezed = samples.squeeze()
    if squeezed.ndim == 0 and samples.size:
        squeezed = squeezed.reshape(1)
    if squeezed.ndim == 1 and squeezed.size:
        return squeezed[:, np.newaxis]
    if squeezed.ndim == 2 and squeezed.size and squeezed.shape[1] in _CHANNELS:
        return squeezed
    if squeezed.ndim == 2 and squeezed.size and squeezed.shape[0] in _CHANNELS:
        return squeezed.T
    raise ValueError(f"Audio must be samples of one or two channels; its shape is {samples.shape}.")


def checked_rate(sample_rate: object) -> int:
    """Return the samples per second; TypeError if they are not a number, ValueError if WAV cannot store them."""
    if isinstance(sample_rate, bool) or not isinstance(sample_rate, int | float | np.number):
        raise TypeError(f"sample_rate must be a number, not {short_repr(sample_rate)}.")
    if not 1 <= sample_rate <= _LARGEST_RATE:
        raise ValueError(f"sample_rate must be in the range 1 to {_LARGEST_RATE}, not {sample_rate!r}.")
    return int(sample_rate)


def wav_of(samples: npt.NDArray[Any], sample_rate: int) -> bytes:
    """Return samples of a shape that audio_axes() accepts, as the content of a WAV file; see AudioValue."""
    return _wav(_integers(audio_axes(samples)), sample_rate)


def _integers(samples: npt.NDArray[Any]) -> npt.NDArray[np.int16]:
    if samples.dtype == np.int16:
        return samples.astype("<i2")
    with np.errstate(over="ignore"):
        numbers = np.nan_to_num(samples.astype(np.float32 if samples.dtype.itemsize <= 4 else np.float64))
    integers: npt.NDArray[np.int16] = (numbers.clip(-1, 1) * _LARGEST).astype("<i2")
    return integers


def _wav(samples: npt.NDArray[np.int16], sample_rate: int) -> bytes:
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(np.ascontiguousarray(samples).tobytes())
    return stream.getvalue()
