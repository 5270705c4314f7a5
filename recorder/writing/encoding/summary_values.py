"""Encodes snapshots in MindSpore's dialect, in buffers so that large values are not copied."""

from toposcope.proto.framing import Buffer
from toposcope.proto.wire import bytes_head, text_bytes
from toposcope.recorder.values import histogram, image, tensor
from toposcope.recorder.values.video import VideoFrames
from toposcope.recorder.writing.snapshot import Snapshot

_VALUE, _TAG = 1, 1
_FIELDS = {"image": 4, "tensor": 8, "histogram": 9, "landscape": 10, "text": 101}


def value_parts(tag: str, snapshot: Snapshot) -> list[Buffer]:
    """Return the entry of Summary.value for snapshot, as consecutive buffers."""
    content = _content(snapshot)
    name = text_bytes(tag)
    head = bytes_head(_TAG, len(name)) + name + bytes_head(_FIELDS[snapshot.plugin], sum(map(len, content)))
    return [bytes_head(_VALUE, len(head) + sum(map(len, content))), head, *content]


def _content(snapshot: Snapshot) -> list[Buffer]:
    content = snapshot.content
    match snapshot.plugin:
        case "tensor":
            return tensor.tensor_parts(content)
        case "histogram":
            is_computed = isinstance(content, histogram.Histogram)
            return [histogram.encode(content if is_computed else histogram.histogram_of(content.numbers()))]
        case "image":
            is_video = isinstance(content, VideoFrames)
            return [
                image.encode(content.image() if is_video else image.image_of(content.array.numbers(), content.layout))
            ]
        case "text":
            return [text_bytes(content)]
    message: bytes = content.SerializeToString()
    return [message]
