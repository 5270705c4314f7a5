"""The graphs of a run: their positions in event files, and the reader of each dialect."""

import hashlib
import os
from collections.abc import Iterator
from typing import NamedTuple

from toposcope.proto.tensorboard_pb2 import TensorProto
from toposcope.server.graphs.dialects.graph_def import read_graph_def, read_traced_functions
from toposcope.server.graphs.dialects.keras import read_keras_model
from toposcope.server.graphs.dialects.mindspore import read_graph
from toposcope.server.graphs.model.graph import Graph
from toposcope.server.graphs.model.limits import LARGEST_PAYLOAD, GraphError
from toposcope.server.graphs.model.wire_fields import nested_fields
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.series.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.run import ALL, RunView

PLUGINS = ("graph", "graph_keras_model", "graph_run_metadata_graph")


class Place(NamedTuple):
    """Position of a graph in an event file."""

    id: str
    """Identifies the graph in its run, as long as the event file exists."""
    tag: Tag
    rank: int
    step: int
    wall_time: float
    """Seconds since 1970."""
    path: str
    """Path of the event file."""
    payloads: Payloads
    """Payloads of the tag and rank."""
    row: int
    """Index of the graph in payloads."""

    @property
    def identity(self) -> tuple[str, float, int, int, int]:
        """A key that identifies the graph among the graphs of all runs."""
        payloads, row = self.payloads, self.row
        return self.path, self.wall_time, int(payloads.record[row]), int(payloads.start[row]), int(payloads.length[row])


def list_graphs(run: RunView) -> list[Place]:
    """Return all graphs of a run, of all attempts and ranks, ordered by wall_time."""
    tags = {tag: None for file in run.files for tag in file.series if tag.plugin in PLUGINS}
    places = [place for tag in tags for rank in run.covering_ranks for place in _places(run, tag, rank)]
    return sorted(places, key=lambda place: place.wall_time)


def _places(run: RunView, tag: Tag, rank: int) -> Iterator[Place]:
    payloads = run.payloads(tag, rank, ALL)
    for row in range(payloads.total):
        path = run.files[int(payloads.file[row])].path
        position = f"{os.path.basename(path)} {payloads.record[row]} {payloads.start[row]}"
        name = hashlib.blake2b(os.fsencode(position), digest_size=6).hexdigest()
        yield Place(name, tag, rank, int(payloads.step[row]), float(payloads.wall_time[row]), path, payloads, row)


def load_graph(run: RunView, place: Place) -> Graph:
    """Read a graph from its event file.

    Raises:
        GraphError: the graph is malformed, or exceeds the limits.
        PayloadError: the record is damaged, or its file was changed or removed.
    """
    length = int(place.payloads.length[place.row])
    if length > LARGEST_PAYLOAD:
        raise GraphError(f"the graph has {length:,} bytes, and the limit is {LARGEST_PAYLOAD:,}")
    payload = read_payload(run, place.payloads, place.row)
    version = run.files[int(place.payloads.file[place.row])].version
    match place.tag.plugin, KINDS[place.payloads.kind[place.row]]:
        case "graph", "graph" if version.dialect == "tensorboard":
            return read_graph_def(payload)
        case "graph", "graph":
            return read_graph(payload, by_toposcope=bool(version.session_id))
        case "graph_keras_model", "tensor":
            return read_keras_model(_first_text(payload))
        case "graph_run_metadata_graph", "tensor":
            return read_traced_functions(_first_text(payload))
        case plugin, kind:
            raise GraphError(f"the value of plugin {plugin!r} is a {kind}: expected a graph or a tensor of one string")


def _first_text(payload: bytes) -> bytes:
    """Return the first string of a TensorBoard string tensor."""
    for field, start, end in nested_fields(payload, 0, len(payload)):
        if field == TensorProto.STRING_VAL_FIELD_NUMBER:
            return payload[start:end]
    raise GraphError("the tensor with the graph has no string")
