"""The example in FORMAT.md matches the code."""

import re
from pathlib import Path

from support.written_events import ReadEvents

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


def example_bytes() -> bytes:
    """Return the bytes of the hex example, without its comments."""
    (block,) = re.findall(r"^```hex\n(.*?)^```", FORMAT.read_text(), re.DOTALL | re.MULTILINE)
    return bytes.fromhex(re.sub(r"#.*", "", block))


def test_encoding_the_events_results_in_the_example() -> None:
    """The bytes of the example are the two events, serialized and framed."""
    written = b"".join(framing.frame(event.SerializeToString()) for event in (VERSION, SCALAR))

    assert written == example_bytes()


def test_decoding_the_example_results_in_the_events(tmp_path: Path, read_events: ReadEvents) -> None:
    """Reading the example returns the two events."""
    file = tmp_path / "example"
    file.write_bytes(example_bytes())

    assert read_events(file) == [VERSION, SCALAR]
