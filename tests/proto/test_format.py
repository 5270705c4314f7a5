"""The example in FORMAT.md matches the code."""

import re
from pathlib import Path

from support.written_events import read_all_events

from toposcope.proto import framing, summary_pb2

FORMAT = Path(__file__).parents[2] / "proto" / "FORMAT.md"
VERSION = summary_pb2.Event(
    wall_time=1700000000.0, version="MindSpore.Event:1", session_id=bytes(range(16)), rotation=0
)
SCALAR = summary_pb2.Event(
    wall_time=1700000000.5,
    step=300,
    summary=summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag="loss", scalar_value=0.1, scalar_double=0.1)]),
)

HEARTBEAT = summary_pb2.Event(wall_time=1700000030.5, heartbeat=summary_pb2.PHASE_TRAINING)
END = summary_pb2.Event(
    wall_time=1700000040.0,
    end=summary_pb2.RecordingEnd(
        state=summary_pb2.RecordingEnd.STATE_FAILED, error_type="ValueError", error_text="bad"
    ),
)


def example_bytes() -> bytes:
    """Return the bytes of the hex example, without its comments."""
    (block,) = re.findall(r"^```hex\n(.*?)^```", FORMAT.read_text(), re.DOTALL | re.MULTILINE)
    return bytes.fromhex(re.sub(r"#.*", "", block))


def test_encoding_the_events_results_in_the_example() -> None:
    """The bytes of the example are the events, serialized and framed."""
    written = b"".join(framing.frame(event.SerializeToString()) for event in (VERSION, SCALAR, HEARTBEAT, END))

    assert written == example_bytes()


def test_decoding_the_example_results_in_the_events(tmp_path: Path) -> None:
    """Reading the example returns the events."""
    file = tmp_path / "example"
    file.write_bytes(example_bytes())

    assert read_all_events(file) == [VERSION, SCALAR, HEARTBEAT, END]
