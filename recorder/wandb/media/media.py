"""The media of wandb.log(): Image, Histogram and Html, and the items that they are recorded as."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.histogram import Histogram as Buckets
from toposcope.recorder.values.wrapped import Histogram as HistogramValue
from toposcope.recorder.values.wrapped import Image as ImageValue
from toposcope.recorder.values.wrapped import Text
from toposcope.recorder.wandb.media.media_files import NewFile
from toposcope.recorder.wandb.media.pixels import dataformats_of, in_mode, pixels_of
from toposcope.recorder.wandb.reports import guarded_media, report_ignored

_Array = npt.NDArray[Any]


class Media(Protocol):
    """A value of wandb.log() that is recorded as one or several items."""

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return values of SummaryRecord.log() by the end of their tag ("" or "/caption").

        Files are written to the paths that new_file returns.
        """


@guarded_media
class Image:
    """An image; boxes and masks are recorded beside it."""

    def __init__(
        self,
        data_or_path: Any,
        mode: str | None = None,
        caption: str | None = None,
        *,
        boxes: Mapping[str, Any] | None = None,
        masks: Mapping[str, Any] | None = None,
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
            boxes: recorded as JSON.
            masks: recorded as images.
            normalize: whether numbers are scaled.
            ignored: other arguments, which are reported. All images are stored as PNG.
        """
        report_ignored("Image", ignored)
        self.image = pixels_of(data_or_path, normalize=normalize)
        self.dataformats = dataformats_of(data_or_path, self.image)
        if mode is not None and self.image.ndim in (2, 3) and self.dataformats in ("HW", "HWC"):
            self.image = in_mode(self.image, mode)
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


@guarded_media
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


@guarded_media
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
