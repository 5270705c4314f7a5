"""The messages of a run recorded by MindSpore 2.10."""

from collections.abc import Iterator

from support.event_files import GOLDEN
from toposcope.proto import framing
from toposcope.proto.graph_pb2 import GraphProto
from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.proto.summary_pb2 import Event

_RUN = GOLDEN / "mindspore" / "digits_momentum"


def lineage_events() -> dict[str, LineageEvent]:
    """Return the lineage of the run: the event for each field of LineageEvent."""
    events = [LineageEvent.FromString(payload) for payload in _payloads("*_lineage")]
    return {str(event.WhichOneof("what")): event for event in events}


def graph() -> GraphProto:
    """Return the graph of the run, which has 89 operators."""
    (message,) = (event.graph_def for event in _events() if event.HasField("graph_def"))
    return message


def landscapes() -> dict[str, LossLandscape]:
    """Return the landscapes of the run by tag; one has a path, one has not."""
    values = [value for event in _events() for value in event.summary.value]
    return {value.tag: value.loss_landscape for value in values if value.HasField("loss_landscape")}


def _events() -> list[Event]:
    return [Event.FromString(payload) for payload in _payloads("*_MS")]


def _payloads(pattern: str) -> Iterator[bytes]:
    for file in sorted(_RUN.glob(pattern)):
        content, start = file.read_bytes(), 0
        while start < len(content):
            payload = start + framing.HEADER_BYTES
            end = payload + framing.read_header(content[start:payload]).length
            yield content[payload:end]
            start = end + framing.FOOTER_BYTES
