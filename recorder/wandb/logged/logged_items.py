"""Logged items: what wandb.log() received, as values of SummaryRecord.log() and as results of the summary."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from toposcope.recorder.record.logged_values import LoggedValues, logged_values, nothing_logged
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError, short_repr
from toposcope.recorder.values.results.confusion_matrix import ConfusionMatrix
from toposcope.recorder.values.results.roc import Roc
from toposcope.recorder.values.results.table import Table as Rows
from toposcope.recorder.values.wrapped import Histogram as HistogramValue
from toposcope.recorder.values.wrapped import Image as ImageValue
from toposcope.recorder.values.wrapped import Tensor, Text
from toposcope.recorder.wandb.errors import UsageError
from toposcope.recorder.wandb.inert import Inert
from toposcope.recorder.wandb.media.audio import Audio
from toposcope.recorder.wandb.media.drawn_values import PLUGIN, Drawn
from toposcope.recorder.wandb.media.kept_objects import Molecule, Object3D, PlotlyFigure, is_plotly
from toposcope.recorder.wandb.media.media import Histogram, Html, Image, Media
from toposcope.recorder.wandb.media.media_files import NewFile
from toposcope.recorder.wandb.media.pixels import is_figure
from toposcope.recorder.wandb.media.table import Table
from toposcope.recorder.wandb.media.video import Video
from toposcope.recorder.wandb.reports import REPORTS

_MEDIA = (Image, Histogram, Html, Video, Audio, Table, Object3D, Molecule, PlotlyFigure)
_OURS = (HistogramValue, ImageValue, Tensor, Text, Rows, ConfusionMatrix, Roc)
_FEW = 32
Path = tuple[str, ...]


class LoggedItems(NamedTuple):
    """What a call of log() records."""

    values: LoggedValues
    results: list[tuple[Path, Any]]
    """Numbers, texts and short lists by the names in nested mappings, for the summary."""


def logged_items(data: Mapping[Any, Any], new_file: NewFile) -> LoggedItems:
    """Return what data records: the names of nested mappings are joined by "." as in W&B's charts.

    Numbers and arrays with one element are scalars, lists and arrays with up to 32 numbers tensors, arrays with more
    numbers histograms, texts and all objects texts. A value that cannot be recorded is reported; the others are kept.
    """
    logged = LoggedItems(nothing_logged(), [])
    for path, value in _flattened(data, ()):
        tag = ".".join(path)
        try:
            items, result = _classified(tag, value, new_file)
            drawn = {name: item for name, item in items.items() if isinstance(item, Drawn)}
            logged.values.update(logged_values({name: item for name, item in items.items() if name not in drawn}))
            logged.values.snapshots.update({(PLUGIN, name): item.snapshot() for name, item in drawn.items()})
        except Exception as error:
            REPORTS.fails(_with_tag(tag, error))
            continue
        scalar = logged.values.scalars.get(tag)
        if result is _SCALAR:
            result = scalar if scalar is not None else _deferred(logged.values, tag)
        if result is not None:
            logged.results.append((path, result))
    return logged


def _with_tag(tag: str, error: Exception) -> Exception:
    """Return an exception that names a tag: of the same type if that is one of a message only."""
    if type(error) in (TypeError, ValueError):
        return type(error)(f"{tag!r} is not recorded: {error}")
    return UsageError(f"{tag!r} is not recorded: {type(error).__name__}: {error}")


_SCALAR = object()


def _deferred(values: LoggedValues, tag: str) -> Any:
    snapshot = values.snapshots.get(("scalar", tag))
    return None if snapshot is None else snapshot.content


def _flattened(data: Mapping[Any, Any], prefix: Path) -> Iterator[tuple[Path, Any]]:
    for name, value in data.items():
        if not isinstance(name, str):
            REPORTS.fails(UsageError(f"A name of log() must be a str, not {short_repr(name)}: its str() is used."))
        path = (*prefix, str(name) or "unnamed")
        if isinstance(value, Mapping) and value:
            yield from _flattened(value, path)
        else:
            yield path, value


def _classified(tag: str, value: Any, new_file: NewFile) -> tuple[dict[str, Any], Any]:
    """Return values of SummaryRecord.log() by tag, and the result for the summary; None: there is none."""
    if type(value) in (float, int, bool):
        return {tag: value}, value
    if value is None or isinstance(value, Inert):
        REPORTS.differs(f"{tag!r} is {'None' if value is None else 'inert'}: nothing is recorded.")
        return {}, None
    if isinstance(value, str):
        return {tag: Text(value)}, value
    if isinstance(value, _OURS):
        return {tag: value}, None
    if (media := _media(value)) is not None:
        return _tagged(tag, media, new_file), None
    if isinstance(value, list | tuple) and value and all(_media(item) is not None for item in value):
        return _of_list(tag, list(value), new_file), None
    return _numbers(tag, value)


def _media(value: Any) -> Media | None:
    if isinstance(value, _MEDIA):
        return value
    if is_plotly(value):
        return PlotlyFigure(value)
    return Image(value) if is_figure(value) or _is_pillow(value) else None


def _is_pillow(value: Any) -> bool:
    return any(kind.__module__ == "PIL.Image" for kind in type(value).__mro__)


def _tagged(tag: str, media: Media, new_file: NewFile) -> dict[str, Any]:
    items = media.items(new_file).items()
    return {f"{tag}{end}": item.named(tag) if isinstance(item, Drawn) else item for end, item in items}


def _of_list(tag: str, values: list[Any], new_file: NewFile) -> dict[str, Any]:
    """Return the items of a list of media: tag/0, tag/1, ..., or tag if it is only one."""
    if len(values) == 1:
        return _tagged(tag, _checked(values[0]), new_file)
    tagged: dict[str, Any] = {}
    for number, value in enumerate(values):
        tagged |= _tagged(f"{tag}/{number}", _checked(value), new_file)
    return tagged


def _checked(value: Any) -> Media:
    media = _media(value)
    assert media is not None
    return media


def _numbers(tag: str, value: Any) -> tuple[dict[str, Any], Any]:
    size = _size(value)
    if size == 1 and not isinstance(value, list | tuple):
        return {tag: value}, _SCALAR
    if size is not None and size > _FEW and not isinstance(value, list | tuple):
        return {tag: HistogramValue(value)}, None
    if size:
        numbers = Tensor(value)
        try:
            logged_values({tag: numbers})
        except (TypeError, ValueError, UnreadableValueError):
            pass
        else:
            return {tag: numbers}, value if isinstance(value, list) else np.asarray(value).tolist()
    if not isinstance(value, list | tuple | set | Mapping):
        REPORTS.differs(f"{tag!r} is of type {type(value).__name__}: its str() is recorded as a text.")
    return {tag: Text(str(value))}, value if isinstance(value, list) else None


def _size(value: Any) -> int | None:
    """Return the number of elements of an array or of nested lists; None if value has none."""
    if isinstance(value, list | tuple):
        sizes = [_size(item) if isinstance(item, list | tuple) else 1 for item in value]
        return sum(size or 0 for size in sizes)
    shape: Any = getattr(value, "shape", None)
    if shape is None:
        return 1 if isinstance(value, np.generic) or hasattr(value, "__float__") else None
    return int(np.prod(shape)) if isinstance(shape, tuple) else None
