"""The graphs of a run: where they stand in its event files, and how those of each dialect are read."""

import hashlib
import os
from collections.abc import Iterator
from typing import NamedTuple

from toposcope.proto.tensorboard_pb2 import TensorProto
from toposcope.server.graphs.graph import Graph
from toposcope.server.graphs.graph_def import read_graph_def, read_traced_functions
from toposcope.server.graphs.keras import read_keras_model
from toposcope.server.graphs.limits import LARGEST_PAYLOAD, GraphError
from toposcope.server.graphs.mindspore import read_graph
from toposcope.server.graphs.wire_fields import nested_fields
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.payload import read_payload
from toposcope.server.runs.run import ALL, RunView

PLUGINS = ("graph", "graph_keras_model", "graph_run_metadata_graph")


class Place(NamedTuple):
    """Where a graph stands."""

    id: str
    """Names it among the graphs of its run, for as long as its event file is there."""
    tag: Tag
    rank: int
    step: int
    wall_time: float
    """Seconds since 1970."""
    path: str
    """Of the event file."""
    payloads: Payloads
    """Of its tag and rank."""
    row: int
    """Which of them it is."""

    @property
    def identity(self) -> tuple[str, float, int, int, int]:
        """What tells it from the graphs of all runs."""
        payloads, row = self.payloads, self.row
        return self.path, self.wall_time, int(payloads.record[row]), int(payloads.start[row]), int(payloads.length[row])


def list_graphs(run: RunView) -> list[Place]:
    """Return all graphs of a run, of every attempt and rank, by wall_time."""
    tags = {tag: None for file in run.files for tag in file.series if tag.plugin in PLUGINS}
    places = [place for tag in tags for rank in run.attempts for place in _places(run, tag, rank)]
    return sorted(places, key=lambda place: place.wall_time)


def _places(run: RunView, tag: Tag, rank: int) -> Iterator[Place]:
    payloads = run.payloads(tag, rank, ALL)
    for row in range(payloads.total):
        path = run.files[int(payloads.file[row])].path
        where = f"{os.path.basename(path)} {payloads.record[row]} {payloads.start[row]}"
        name = hashlib.blake2b(os.fsencode(where), digest_size=6).hexdigest()
        yield Place(name, tag, rank, int(payloads.step[row]), float(payloads.wall_time[row]), path, payloads, row)


def load_graph(run: RunView, place: Place) -> Graph:
    """Read a graph from its event file.

    Raises:
        GraphError: it is malformed, or larger than the limits.
        PayloadError: its record is damaged, or its file changed or went away.
    """
    length = int(place.payloads.length[place.row])
    if length > LARGEST_PAYLOAD:
        raise GraphError(f"a graph of {length:,} bytes is not shown, of {LARGEST_PAYLOAD:,} at most")
    payload = read_payload(run, place.payloads, place.row)
    version = run.files[int(place.payloads.file[place.row])].version
    match place.tag.plugin, KINDS[place.payloads.kind[place.row]]:
        case "graph", "graph" if version.dialect == "tensorboard":
            return read_graph_def(payload)
        case "graph", "graph":
            return read_graph(payload, is_ours=bool(version.session_id))
        case "graph_keras_model", "tensor":
            return read_keras_model(_first_text(payload))
        case "graph_run_metadata_graph", "tensor":
            return read_traced_functions(_first_text(payload))
        case plugin, kind:
            raise GraphError(f"a value of plugin {plugin!r} is a graph or a tensor of one text, not {kind!r}")


def _first_text(payload: bytes) -> bytes:
    """Return the first text of a string tensor of TensorBoard's."""
    for field, start, end in nested_fields(payload, 0, len(payload)):
        if field == TensorProto.STRING_VAL_FIELD_NUMBER:
            return payload[start:end]
    raise GraphError("the tensor that should hold a graph holds no text")
