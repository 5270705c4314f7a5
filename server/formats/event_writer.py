"""Encodes what was read of other formats as events of TensorBoard's dialect, with exact doubles (see FORMAT.md)."""

import itertools
import math
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from google.protobuf.struct_pb2 import Value

from toposcope.proto import framing, hparams_pb2, summary_pb2, tensorboard_pb2
from toposcope.proto.wire import WireType, bytes_head, key, text_bytes, varint

LONGEST_TEXT = 1 << 20
_MAX_PARAMETERS = 10_000
_LARGEST_EXACT = 2**53
_BEYOND_FLOAT32 = (2 - 2**-24) * 2.0**127
"""The smallest number that is rounded to an infinity."""
_MAX_TAGS = 100_000
_SIMPLE_VALUE = 2
_STRING = 7
_EXACT_KEY = b"\xa1\x06"  # Of Summary.Value.scalar_double.
_SESSION_START = "_hparams_/session_start_info"
_DOUBLE = struct.Struct("<d")
_ENDS = {
    "finished": summary_pb2.RecordingEnd.STATE_FINISHED,
    "failed": summary_pb2.RecordingEnd.STATE_FAILED,
    "interrupted": summary_pb2.RecordingEnd.STATE_INTERRUPTED,
}

End = Literal["finished", "failed", "interrupted"]


class EventWriter:
    """Encodes the events of one run.

    Args:
        write: takes the bytes of whole records.
        source_format: the format that they are translated from.
        is_new: whether these are the first events, so that a version event comes first.
        scalar_field: of Summary.Value in the dialect of the file.
    """

    def __init__(
        self,
        write: Callable[[bytes], object],
        source_format: str,
        *,
        is_new: bool,
        scalar_field: int = _SIMPLE_VALUE,
    ) -> None:
        self._write = write
        self._format = source_format
        self._is_new = is_new
        self._scalar_field = scalar_field
        self._rows: dict[tuple[str, ...], _Row] = {}
        self._tags = 0
        """How many the rows have together."""

    def start(self, wall_time: float, start: summary_pb2.RecordingStart | None = None) -> None:
        """Write the version event, if there is none yet; other events do so with their own time.

        Args:
            wall_time: seconds since 1970.
            start: how the recording began, if its end will be known too: without one the run counts as lost.
        """
        if self._is_new:
            self._is_new = False
            version = summary_pb2.Event(wall_time=wall_time, version=f"brain.Event:2 {self._format}")
            if start is not None:
                version.start.CopyFrom(start)
            self._write(framing.frame(version.SerializeToString()))

    def scalars(self, step: int, wall_time: float, values: Sequence[tuple[str, float]]) -> None:
        """Write values of scalar tags at a step."""
        if values:
            tags, numbers = zip(*values, strict=True)
            self.summary(step, wall_time, self._row(tags).encode(numbers))

    def summary(self, step: int, wall_time: float, body: bytes) -> None:
        """Write an encoded Summary."""
        self.start(wall_time)
        head = b"".join((b"\t", _DOUBLE.pack(wall_time), b"\x10", varint(step), b"*", varint(len(body))))
        self._write(framing.frame(head + body))

    def _row(self, tags: tuple[str, ...]) -> "_Row":
        row = self._rows.get(tags)
        if row is None:
            self._tags += len(tags)
            if self._tags > _MAX_TAGS:
                self._rows.clear()
                self._tags = len(tags)
            row = self._rows[tags] = _Row(tags, self._scalar_field)
        return row

    def text(self, step: int, wall_time: float, tag: str, text: str) -> None:
        """Write a text in Markdown, cut to LONGEST_TEXT characters."""
        value = self._value(tag, "text")
        value.tensor.dtype = _STRING
        value.tensor.string_val.append(text_bytes(text[:LONGEST_TEXT]))
        self._summary(step, wall_time, value)

    def content(self, step: int, wall_time: float, tag: str, plugin: str, content: bytes) -> None:
        """Write a value of a plugin that is one string of bytes."""
        value = self._value(tag, plugin)
        value.tensor.dtype = _STRING
        value.tensor.string_val.append(content)
        self._summary(step, wall_time, value)

    def image(self, step: int, wall_time: float, tag: str, encoded: bytes, size: tuple[int, int]) -> None:
        """Write an image as it is encoded: PNG, JPEG or GIF; `size` is its width and height in pixels."""
        image = summary_pb2.Summary.Image(width=size[0], height=size[1], colorspace=3, encoded_image=encoded)
        self._summary(step, wall_time, tensorboard_pb2.Summary.Value(tag=tag, image=image.SerializeToString()))

    def histogram(self, step: int, wall_time: float, tag: str, edges: Sequence[float], counts: Sequence[float]) -> None:
        """Write a histogram of n counts between n + 1 ascending edges."""
        middles = [(left + right) / 2 for left, right in itertools.pairwise(edges)]
        total = sum(middle * count for middle, count in zip(middles, counts, strict=True))
        numbers = {1: edges[0], 2: edges[-1], 3: sum(counts), 4: total}  # Of HistogramProto: min, max, num, sum.
        fields = [key(field, WireType.DOUBLE) + _DOUBLE.pack(number) for field, number in numbers.items()]
        for field, column in ((6, edges[1:]), (7, counts)):  # bucket_limit, bucket.
            fields += [bytes_head(field, 8 * len(column)), struct.pack(f"<{len(column)}d", *column)]
        self._summary(step, wall_time, tensorboard_pb2.Summary.Value(tag=tag, histo=b"".join(fields)))

    def parameters(self, wall_time: float, parameters: Mapping[str, Any]) -> None:
        """Write hyperparameters, plain data by name: they replace those that were written before."""
        value = self._value(_SESSION_START, "hparams")
        data = hparams_pb2.HParamsPluginData(version=0)
        session = data.session_start_info
        session.start_time_secs = wall_time
        for name in list(parameters)[:_MAX_PARAMETERS]:
            _set(session.hparams[str(name)], parameters[name])
        value.metadata.plugin_data.content = data.SerializeToString()
        self._summary(0, wall_time, value)

    def console(self, wall_time: float, lines: Iterable[str], *, is_error: bool) -> None:
        """Write lines that the process printed."""
        stream = summary_pb2.ConsoleOutput.STREAM_STDERR if is_error else summary_pb2.ConsoleOutput.STREAM_STDOUT
        output = summary_pb2.ConsoleOutput()
        for line in lines:
            output.lines.add(wall_time=wall_time, stream=stream, text=line)
        self.event(summary_pb2.Event(wall_time=wall_time, console=output))

    def environment(self, wall_time: float, facts: Mapping[str, str]) -> None:
        """Write facts about the run and where it ran."""
        environment = summary_pb2.Environment()
        for name, value in facts.items():
            environment.facts.add(name=name, value=value)
        self.event(summary_pb2.Event(wall_time=wall_time, environment=environment))

    def end(self, wall_time: float, state: End, reason: str = "") -> None:
        """Write how the run ended."""
        end = summary_pb2.RecordingEnd(state=_ENDS[state])
        if reason:
            end.error_text = reason
        self.event(summary_pb2.Event(wall_time=wall_time, end=end))

    def event(self, event: summary_pb2.Event) -> None:
        """Write an event without a summary."""
        self.start(event.wall_time)
        self._write(framing.frame(event.SerializeToString()))

    def _value(self, tag: str, plugin: str) -> tensorboard_pb2.Summary.Value:
        value = tensorboard_pb2.Summary.Value(tag=tag)
        value.metadata.plugin_data.plugin_name = plugin
        return value

    def _summary(self, step: int, wall_time: float, value: tensorboard_pb2.Summary.Value) -> None:
        self.summary(step, wall_time, tensorboard_pb2.Summary(value=[value]).SerializeToString())


class _Row:
    """Encodes the values that some tags have at a step: most rows of a log have the tags of the row before."""

    def __init__(self, tags: Sequence[str], field: int) -> None:
        prefixes = [_prefix(tag, field) for tag in tags]
        self._encoding = struct.Struct("<" + "".join(f"{len(prefix)}sf2sd" for prefix in prefixes))
        self._arguments: list[Any] = [None, None, _EXACT_KEY, None] * len(tags)
        self._arguments[0::4] = prefixes

    def encode(self, values: Sequence[float]) -> bytes:
        """Return the values of a Summary: each as a float and as the exact double."""
        self._arguments[1::4] = self._arguments[3::4] = values
        try:
            return self._encoding.pack(*self._arguments)
        except OverflowError:  # One is beyond float32.
            self._arguments[1::4] = map(_float32, values)
            return self._encoding.pack(*self._arguments)


def _prefix(tag: str, field: int) -> bytes:
    """Return what is before the float in a Summary.Value: the keys and the tag."""
    name = text_bytes(tag)
    head = b"\n" + varint(len(name)) + name + key(field, WireType.FLOAT)
    return b"\n" + varint(len(head) + 4 + len(_EXACT_KEY) + 8) + head


def _float32(value: float) -> float:
    return value if abs(value) < _BEYOND_FLOAT32 else math.copysign(math.inf, value)


def _set(value: Value, content: Any) -> None:
    """Set a value to plain data; what has no form of its own becomes a text."""
    match content:
        case None:
            value.null_value = 0  # type: ignore[assignment]
        case bool():
            value.bool_value = content
        case int() | float() if isinstance(content, float) or abs(content) <= _LARGEST_EXACT:
            value.number_value = content
        case list() | tuple():
            value.list_value.SetInParent()
            for item in content:
                _set(value.list_value.values.add(), item)
        case dict():
            value.struct_value.SetInParent()
            for name, item in content.items():
                _set(value.struct_value.fields[str(name)], item)
        case _:
            value.string_value = text_bytes(str(content)).decode()
