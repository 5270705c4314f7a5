"""The events of a run as they were written, for tests of what belongs to a recording."""

from collections.abc import Iterator
from pathlib import Path

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Code, ConsoleOutput, Environment, Event


def events_in(directory: Path) -> Iterator[Event]:
    """Yield the events of all files of summaries, in the order of the files' names."""
    for path in sorted(path for path in directory.iterdir() if path.is_file() and not path.name.endswith("_lineage")):
        content, offset = path.read_bytes(), 0
        while offset < len(content):
            length = framing.read_header(content[offset : offset + framing.HEADER_BYTES]).length
            offset += framing.HEADER_BYTES
            yield Event.FromString(content[offset : offset + length])
            offset += length + framing.FOOTER_BYTES


def environments_in(directory: Path) -> list[Environment]:
    """Return the environments."""
    return [event.environment for event in events_in(directory) if event.HasField("environment")]


def code_in(directory: Path) -> list[Code]:
    """Return the versions of the code."""
    return [event.code for event in events_in(directory) if event.HasField("code")]


def output_in(directory: Path) -> list[ConsoleOutput]:
    """Return what was written to the console."""
    return [event.console for event in events_in(directory) if event.HasField("console")]


def lines_in(directory: Path) -> list[str]:
    """Return the lines that were written to the console."""
    return [line.text for output in output_in(directory) for line in output.lines]


def machine_steps_in(directory: Path) -> list[int]:
    """Return the steps of machine metrics."""
    return [
        event.step
        for event in events_in(directory)
        if any(value.tag.startswith("machine/") for value in event.summary.value)
    ]
