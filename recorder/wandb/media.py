"""The media of wandb.log(): Image, Histogram, Html, Video, Audio, and the items that they are recorded as."""

import io
import json
import os
import shutil
import wave
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from toposcope.recorder.values.arrays import array_from
from toposcope.recorder.values.foreign_values import short_repr
from toposcope.recorder.values.histogram import Histogram as Buckets
from toposcope.recorder.values.wrapped import Histogram as HistogramValue
from toposcope.recorder.values.wrapped import Image as ImageValue
from toposcope.recorder.values.wrapped import Text
from toposcope.recorder.wandb.reports import report_ignored

_Array = npt.NDArray[Any]
NewFile = Callable[[str, str], Path]
"""Takes a kind ("table") and a suffix (".csv"), and returns the path of a file that does not exist yet."""
_MOST_FRAMES = 16


class Media(Protocol):
    """A value of wandb.log() that is recorded as one or several items."""

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return values of SummaryRecord.log() by the end of their tag ("" or "/caption").

        Files are written to the paths that new_file returns.
        """


class Image:
    """An image; boxes and masks are recorded beside it."""

    def __init__(
        self,
        data_or_path: Any,
        mode: str | None = None,
        caption: str | None = None,
        grouping: int | None = None,
        classes: Any = None,
        boxes: Mapping[str, Any] | None = None,
        masks: Mapping[str, Any] | None = None,
        file_type: str | None = None,
        normalize: bool = True,
        **ignored: Any,
    ) -> None:
        """Copy the pixels.

        Args:
            data_or_path: array [H, W], [H, W, 1, 3 or 4]; tensor of PyTorch [C, H, W] or [N, C, H, W]; an image of
                Pillow, a figure of Matplotlib, or the path of a file. uint8 is recorded unchanged, floats up to 1 are
                multiplied by 255, and negative ones are first scaled to 0..1.
            mode: of Pillow.
            caption: recorded as a text.
            grouping: has no effect.
            classes: has no effect.
            boxes: recorded as JSON.
            masks: recorded as images.
            file_type: has no effect: all images are stored as PNG.
            normalize: whether numbers are scaled.
            ignored: other arguments, which are reported.
        """
        report_ignored("Image", {"grouping": grouping, "classes": classes, "file_type": file_type, **ignored})
        self.image = _pixels(data_or_path, normalize=normalize)
        self.dataformats = _dataformats(data_or_path, self.image)
        if mode is not None and self.image.ndim in (2, 3) and self.dataformats in ("HW", "HWC"):
            self.image = _in_mode(self.image, mode)
            self.dataformats = "HW" if self.image.ndim == 2 else "HWC"
        self.caption = caption
        self._boxes, self._masks = boxes, masks

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return the image, the caption, the boxes and the masks."""
        items: dict[str, Any] = {"": ImageValue(self.image, self.dataformats)}
        if self.caption:
            items["/caption"] = Text(str(self.caption))
        if self._boxes:
            items["/boxes"] = Text(f"```json\n{json.dumps(self._boxes, default=str, indent=1)}\n```")
        for name, mask in (self._masks or {}).items():
            values = mask.get("mask_data") if isinstance(mask, Mapping) else mask
            if values is not None:
                items[f"/masks/{name}"] = ImageValue(np.asarray(values).astype(np.float64), "HW")
        return items


class Histogram:
    """The distribution of values."""

    def __init__(
        self, sequence: Any = None, np_histogram: tuple[Any, Any] | None = None, num_bins: int = 64, **ignored: Any
    ) -> None:
        """Take values, or counts and edges as np.histogram() returns them.

        The number of bins of values is chosen here: see SummaryRecord.
        """
        report_ignored("Histogram", {"num_bins": num_bins if num_bins != 64 else None, **ignored})
        if np_histogram is not None:
            self._value: Any = _buckets(*np_histogram)
        elif sequence is not None:
            self._value = array_from(list(sequence) if not hasattr(sequence, "shape") else sequence).numbers()
        else:
            raise ValueError("A Histogram takes a sequence or np_histogram=(counts, edges).")

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return the histogram."""
        return {"": HistogramValue(self._value)}


class Html:
    """A page of HTML, recorded as a text and as a file."""

    def __init__(self, data: Any, inject: bool = True, data_is_not_path: bool = False, **ignored: Any) -> None:
        """Take HTML, the path of a file of it, or an open file."""
        report_ignored("Html", ignored)
        if isinstance(data, str | Path) and not data_is_not_path and os.path.isfile(data):
            data = Path(data).read_text(encoding="utf-8", errors="replace")
        self.html = str(data.read() if hasattr(data, "read") else data)

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return the text."""
        new_file("html", ".html").write_text(self.html, encoding="utf-8", errors="replace")
        return {"": Text(self.html)}


class Video:
    """A video, kept as a file; its frames are recorded as an image."""

    def __init__(
        self,
        data_or_path: Any,
        caption: str | None = None,
        fps: int | None = None,
        format: str | None = None,
        **ignored: Any,
    ) -> None:
        """Take frames [T, C, H, W] or [N, T, C, H, W], the path of a file, or an open file.

        Frames are stored as GIF.
        """
        report_ignored("Video", ignored)
        self._caption, self._fps, self._format = caption, fps or 4, format
        self._frames: _Array | None = None
        self._source: Any = None
        if _is_file(data_or_path):
            self._source = data_or_path
            return
        frames = array_from(data_or_path).numbers()
        if frames.ndim == 5:  # Videos side by side.
            frames = np.concatenate(list(frames), axis=-1)
        if frames.ndim != 4 or frames.shape[1] not in (1, 3, 4) or not len(frames):
            raise ValueError(f"A video has the shape [time, 1, 3 or 4 channels, height, width], not {frames.shape}.")
        self._frames = _as_uint8(frames).transpose(0, 2, 3, 1)
        if format not in (None, "gif"):
            report_ignored("Video", {"format": format}, {"format": "frames are stored as GIF."})

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return a text with the path of the file, and the frames, or some of them, as an image."""
        if self._frames is None:
            path = _copied(self._source, new_file, "videos", f".{self._format or 'gif'}")
            return {"/file": _file_text("Video", path, self._caption)}
        path = new_file("videos", ".gif")
        _write_gif(path, self._frames, self._fps)
        chosen = np.linspace(0, len(self._frames) - 1, min(len(self._frames), _MOST_FRAMES)).round().astype(int)
        facts = f"{len(self._frames)} frames, {self._fps} a second"
        return {
            "": ImageValue(self._frames[chosen], "NHWC"),
            "/file": _file_text("Video", path, self._caption, facts),
        }


class Audio:
    """A sound, kept as a file."""

    def __init__(
        self, data_or_path: Any, sample_rate: int | None = None, caption: str | None = None, **ignored: Any
    ) -> None:
        """Take samples [T] or [T, channels], floats in -1..1 or int16, or the path of a file."""
        report_ignored("Audio", ignored)
        self._caption, self._rate = caption, sample_rate
        self._source: Any = data_or_path if _is_file(data_or_path) else None
        self._samples: _Array | None = None
        if self._source is None:
            if sample_rate is None:
                raise ValueError("The samples of an Audio need a sample_rate.")
            self._samples = _as_int16(array_from(data_or_path).numbers())

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return a text with the path of the file."""
        if self._samples is None or self._rate is None:
            return {"": _file_text("Audio", _copied(self._source, new_file, "audio", ".wav"), self._caption)}
        path = new_file("audio", ".wav")
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1 if self._samples.ndim == 1 else self._samples.shape[1])
            file.setsampwidth(2)
            file.setframerate(int(self._rate))
            file.writeframes(self._samples.astype("<i2").tobytes())
        facts = f"{len(self._samples) / self._rate:.3g} s, {self._rate} Hz"
        return {"": _file_text("Audio", path, self._caption, facts)}


class FigureFile:
    """A figure of Plotly, kept as a file of JSON."""

    def __init__(self, figure: Any) -> None:
        """Take a plotly.graph_objects.Figure."""
        self._json = figure.to_json()

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return a text with the path of the file."""
        path = new_file("plotly", ".json")
        path.write_text(self._json, encoding="utf-8")
        return {"": _file_text("Plotly figure", path, None)}


def is_figure(value: Any) -> bool:
    """Return whether value is a figure of Matplotlib, or its module pyplot."""
    return hasattr(value, "savefig") and (hasattr(value, "axes") or hasattr(value, "gcf"))


def _pixels(source: Any, *, normalize: bool) -> _Array:
    """Return the pixels of an image in uint8."""
    from PIL import Image as Pillow

    if is_figure(source):
        buffer = io.BytesIO()
        source.savefig(buffer, format="png")
        source = buffer
    if _is_file(source):
        source = Pillow.open(source)
    if isinstance(source, Pillow.Image):
        if source.mode not in ("L", "RGB", "RGBA"):
            source = source.convert("RGBA" if source.has_transparency_data else "RGB")
        return np.asarray(source)
    array = array_from(source).numbers()
    if not array.size or array.ndim not in (2, 3, 4):
        raise ValueError(f"An image has 2 to 4 dimensions, not the shape {array.shape}.")
    return _as_uint8(array) if normalize else array.clip(0, 255).astype(np.uint8)


def _dataformats(source: Any, pixels: _Array) -> str:
    """Return the meaning of the dimensions: tensors of PyTorch have their channels first."""
    if pixels.ndim == 2:
        return "HW"
    is_first = hasattr(source, "detach")
    if pixels.ndim == 4:
        return "NCHW" if is_first else "NHWC"
    return "CHW" if is_first and pixels.shape[0] in (1, 3, 4) else "HWC"


def _in_mode(pixels: _Array, mode: str) -> _Array:
    from PIL import Image as Pillow

    flat = pixels[:, :, 0] if pixels.ndim == 3 and pixels.shape[2] == 1 else pixels
    image = Pillow.fromarray(flat)
    return np.asarray(image if image.mode == mode else image.convert(mode))


def _as_uint8(array: _Array) -> _Array:
    """Return pixels in 0..255: floats up to 1 are multiplied, negative ones scaled before."""
    if array.dtype == np.uint8:
        return array
    values = array.astype(np.float64)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low < 0:
        values = (values - low) / ((high - low) or 1.0) * 255
    elif high <= 1:
        values = values * 255
    return np.nan_to_num(values).clip(0, 255).astype(np.uint8)


def _as_int16(samples: _Array) -> _Array:
    if samples.dtype == np.int16:
        return samples
    return (samples.astype(np.float64).clip(-1, 1) * 32767).round().astype(np.int16)


def _buckets(counts: Any, edges: Any) -> Buckets:
    """Return the histogram of np.histogram()'s result; densities are rounded to whole numbers."""
    numbers, bounds = np.asarray(counts, np.float64), np.asarray(edges, np.float64)
    if numbers.ndim != 1 or bounds.shape != (len(numbers) + 1,):
        raise ValueError(f"np_histogram takes n counts and n + 1 edges, not {numbers.shape} and {bounds.shape}.")
    if (numbers != numbers.round()).any():
        report_ignored("Histogram", {"np_histogram": True}, {"np_histogram": "counts are rounded to whole numbers."})
    whole = numbers.round().astype(np.int64)
    total = float((whole * (bounds[:-1] + bounds[1:]) / 2).sum())
    return Buckets(int(whole.sum()), 0, 0, 0, float(bounds[0]), float(bounds[-1]), total, bounds, whole)


def _is_file(source: Any) -> bool:
    if isinstance(source, str | os.PathLike):
        if not os.path.isfile(source):
            raise FileNotFoundError(f"There is no file {short_repr(os.fspath(source))}.")
        return True
    return hasattr(source, "read")


def _copied(source: Any, new_file: NewFile, kind: str, suffix: str) -> Path:
    """Copy a file, open or named, and return the path of the copy."""
    if hasattr(source, "read"):
        path = new_file(kind, suffix)
        content = source.read()
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path
    path = new_file(kind, Path(source).suffix or suffix)
    shutil.copyfile(source, path)
    return path


def _write_gif(path: Path, frames: Sequence[_Array] | _Array, fps: float) -> None:
    from PIL import Image as Pillow

    images = [Pillow.fromarray(frame[:, :, 0] if frame.shape[2] == 1 else frame) for frame in frames]
    images[0].save(path, save_all=True, append_images=images[1:], duration=max(10, round(1000 / fps)), loop=0)


def _file_text(kind: str, path: Path, caption: str | None, facts: str = "") -> Text:
    about = ", ".join(part for part in (facts, caption) if part)
    return Text(f"{kind}: `{path}`" + (f" ({about})" if about else ""))
