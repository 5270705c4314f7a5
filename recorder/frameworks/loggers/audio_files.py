"""Audio as WAV files in the directory of a run, as the format of event files has none."""

import os
import re
from typing import Any

from toposcope.recorder.tensorboard.kinds.audio import checked_rate, wav_of
from toposcope.recorder.values.arrays.arrays import array_from

_DIRECTORY = os.path.join("media", "audio")
_UNSAFE = re.compile(r"[^\w.\-]+")


def write_audio(directory: str, tag: str, clips: Any, sample_rate: int, step: int) -> list[str]:
    """Write clips of the shape [N, T, C] and return the paths of the files in the directory of the run.

    Raises:
        TypeError: the clips are not real numbers, or sample_rate is not a number.
        ValueError: their shape is another one, or sample_rate is out of range.
        OSError: a file cannot be written.
    """
    samples = array_from(clips).numbers()
    if samples.ndim != 3:
        raise ValueError(f"Audio must have the shape [N, T, C], not {samples.shape}.")
    rate = checked_rate(sample_rate)
    os.makedirs(os.path.join(directory, _DIRECTORY), exist_ok=True)
    names = []
    for number, clip in enumerate(samples):
        name = os.path.join(_DIRECTORY, f"{_UNSAFE.sub('_', tag)}_{step}_{number}.wav")
        with open(os.path.join(directory, name), "wb") as file:
            file.write(wav_of(clip, rate))
        names.append(name)
    return names
