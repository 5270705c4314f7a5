"""The cache of graphs."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from toposcope.proto import framing
from toposcope.proto.file_name import parse_file_name
from toposcope.proto.tensorboard_pb2 import Event, GraphDef
from toposcope.server.graphs.graph_cache import GraphCache
from toposcope.server.graphs.model.limits import GraphError
from toposcope.server.graphs.run_graphs import list_graphs
from toposcope.server.reading.event_file import EventFile
from toposcope.server.runs.messages.payload import PayloadError
from toposcope.server.runs.run import RunView


def run_of(directory: Path, *graphs: bytes) -> RunView:
    """Return a run with graphs, each in a separate event."""
    path = directory / "events.out.tfevents.1.host"
    events = [Event(wall_time=1.0, file_version="brain.Event:2")]
    events += [Event(wall_time=i, graph_def=graph) for i, graph in enumerate(graphs, 2)]
    path.write_bytes(b"".join(framing.frame(event.SerializeToString()) for event in events))
    name = parse_file_name(path.name)
    assert name
    file = EventFile(str(path), name)
    file.read(1 << 20)
    view = file.view()
    assert view
    return RunView("run", [view], revision=1, live=False)


def graph_of(length: int) -> bytes:
    """Return a graph with so many nodes."""
    return GraphDef(node=[{"name": b"n%d" % i} for i in range(length)]).SerializeToString()


def test_graph_is_read_once(tmp_path: Path) -> None:
    """Concurrent and later requests share one read."""
    run = run_of(tmp_path, graph_of(1000))
    cache = GraphCache(most_bytes=1 << 30)

    with ThreadPoolExecutor(8) as threads:
        graphs = list(threads.map(lambda _: cache.graph(run, list_graphs(run)[0]), range(16)))

    assert len({id(graph) for graph in graphs}) == 1


def test_least_recently_used_graphs_are_evicted(tmp_path: Path) -> None:
    """The last graph is always kept, and so are summaries."""
    run = run_of(tmp_path, *(graph_of(i) for i in range(1, 5)))
    cache = GraphCache(most_bytes=1)
    places = list_graphs(run)

    summaries = [cache.summary(run, place) for place in places]
    first = cache.graph(run, places[0])

    assert [summary.nodes for summary in summaries] == [1, 2, 3, 4]
    assert cache.graph(run, places[0]) is first
    cache.graph(run, places[1])
    assert cache.graph(run, places[0]) is not first


def test_errors_are_cached(tmp_path: Path) -> None:
    """A malformed graph is not read again, even if its file has been removed."""
    run = run_of(tmp_path, b"\x0a\x7fab", graph_of(1))
    cache = GraphCache(most_bytes=1 << 30)
    bad, good = list_graphs(run)

    with pytest.raises(GraphError, match="malformed"):
        cache.graph(run, bad)
    (tmp_path / "events.out.tfevents.1.host").unlink()
    with pytest.raises(GraphError, match="malformed"):
        cache.summary(run, bad)
    with pytest.raises(PayloadError):
        cache.graph(run, good)


def test_ids_are_unique_and_stable(tmp_path: Path) -> None:
    """They depend on the file name and the position in the file, and are safe in a URL."""
    run = run_of(tmp_path, graph_of(1), graph_of(1))
    again = run_of(tmp_path, graph_of(1), graph_of(1), graph_of(1))

    ids = [place.id for place in list_graphs(run)]
    assert len(set(ids)) == 2
    assert all(each.isalnum() for each in ids)
    assert ids == [place.id for place in list_graphs(again)][:2]
