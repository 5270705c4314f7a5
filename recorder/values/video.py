"""Videos: frames encoded as one animated GIF, several videos side by side."""

import io
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.values.arrays.arrays import Array
from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.values.image import Image, to_bytes

_AXES = "NTCHW"
_CHANNELS = (1, 3)
_COLOURS = 256
# GIF counts in hundredths of a second; browsers slow down what is faster than two.
_SHORTEST_FRAME = 10


class VideoFrames(NamedTuple):
    """Videos of the same size."""

    array: Array
    layout: str
    """An order of "NTCHW"."""
    fps: float

    def frames(self) -> npt.NDArray[Any]:
        """Return the frames as [t, height, width, channels], the videos side by side, of the dtype of the array."""
        return side_by_side(self.array.numbers().transpose([self.layout.index(axis) for axis in _AXES]))

    def image(self) -> Image:
        """Return the animated GIF; the pixels are taken as those of images."""
        return gif_of(to_bytes(self.frames()), self.fps)


def checked_video(shape: tuple[int, ...], dataformats: object) -> str:
    """Return the meaning of the dimensions of videos, in capitals.

    Raises:
        TypeError: dataformats is not a str.
        ValueError: dataformats is not an order of NTCHW, or the shape is not one of videos.
    """
    if not isinstance(dataformats, str):
        raise TypeError(f"dataformats must be a str, not {short_repr(dataformats)}.")
    layout = dataformats.upper()
    if sorted(layout) != sorted(_AXES):
        raise ValueError(f"dataformats must be an order of 'NTCHW', not {dataformats!r}.")
    if len(shape) != len(layout) or 0 in shape or shape[layout.index("C")] not in _CHANNELS:
        raise ValueError(
            f"A video must have the dimensions {layout!r}, not empty, with 1 or 3 channels C; its shape is {shape}."
        )
    return layout


def checked_fps(fps: object) -> float:
    """Return the frames per second; TypeError if they are not a number, ValueError if they are not positive."""
    if isinstance(fps, bool) or not isinstance(fps, int | float | np.number):
        raise TypeError(f"fps must be a number, not {short_repr(fps)}.")
    if not 0 < fps < math.inf:
        raise ValueError(f"fps must be positive and finite, not {fps!r}.")
    return float(fps)


def side_by_side(videos: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return videos [n, t, c, h, w] as one [t, rows * h, columns * w, c], with black in place of missing ones.

    The numbers of rows and columns are powers of two, with as many columns as rows or twice as many.
    """
    number, times, channels, height, width = videos.shape
    places = 1 << (number - 1).bit_length()
    rows = 1 << (number.bit_length() - 1) // 2
    padded = np.zeros((places, times, channels, height, width), videos.dtype)
    padded[:number] = videos
    grid = padded.reshape(rows, places // rows, times, channels, height, width).transpose(2, 0, 4, 1, 5, 3)
    return grid.reshape(times, rows * height, places // rows * width, channels)


def gif_of(frames: npt.NDArray[np.uint8], fps: float) -> Image:
    """Return uint8[t, height, width, channels] as an animated GIF with at most 256 colours a frame."""
    from PIL import Image as Pillow  # Not needed by trainings that record no videos.

    _, height, width, channels = frames.shape
    pictures = [Pillow.fromarray(frame[:, :, 0] if channels == 1 else frame) for frame in frames]
    if channels == 3:
        pictures = [picture.quantize(_COLOURS, dither=Pillow.Dither.NONE) for picture in pictures]
    duration = max(_SHORTEST_FRAME, round(1000 / fps))
    stream = io.BytesIO()
    pictures[0].save(
        stream, "GIF", save_all=True, append_images=pictures[1:], duration=duration, loop=0, optimize=False
    )
    return Image(height, width, channels, stream.getvalue())
