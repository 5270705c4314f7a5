"""GraphRecording: records the graph of the network once, when the training pauses."""

from collections.abc import Callable
from time import monotonic
from typing import Any, NamedTuple

from google.protobuf.message import Message

from toposcope.recorder.collecting.job import Job
from toposcope.recorder.record.added.network_graph import NetworkGraph
from toposcope.recorder.record.logged_values import nothing_logged
from toposcope.recorder.writing.snapshot import snapshot_of

_TAG = "train_network/auto"
_SECONDS = 10.0


class GraphRecording:
    """Remembers whether the graph of a training is recorded.

    Tracing a network takes PyTorch a quarter of a second and more, most of it imports. The first step does not wait for
    that: the graph is traced at the end of the first epoch, at the first evaluation, at the first collected step after
    ten seconds of training, or at the end of the training, whichever comes first. torch.export cannot run in another
    thread meanwhile, since it replaces methods of torch.nn.Module for all threads.
    """

    def __init__(self, job: Job) -> None:
        """Wait for the first call of the network, which provides its inputs."""
        self._job = job
        self._source: NetworkGraph | _ExampleInputs | None = job.guard.attempt("the graph", _graph_source, job)
        self._due: float | None = None

    @property
    def is_expected(self) -> bool:
        """Whether the graph, not recorded yet, may become known."""
        return isinstance(self._source, _ExampleInputs) or (self._source is not None and self._source.is_pending)

    def record_if_due(self, step: int) -> None:
        """Record the graph at the end of a step if ten seconds have passed since the first call."""
        if self._source is None:
            return
        if self._due is None:
            self._due = monotonic() + _SECONDS
        elif monotonic() >= self._due:
            self.record_in_pause(step)

    def record_in_pause(self, step: int) -> None:
        """Record the graph, if it is known, at the end of an epoch or an evaluation."""
        if self._source is not None:
            self._job.guard.attempt("the graph", self._record, self._source.take, step)

    def end(self, step: int) -> None:
        """Record the graph as far as it is known, unless it is recorded, and release the network."""
        if self._source is not None:
            self._job.guard.attempt("the graph", self._record, self._source.give_up, step)

    def _record(self, take: Callable[[], Message | bytes | None], step: int) -> None:
        if (graph := take()) is not None:
            self._source = None
            values = nothing_logged()
            values.snapshots["graph", _TAG] = snapshot_of("graph", graph)
            self._job.recorder.record_logged(values, step)


class _ExampleInputs(NamedTuple):
    """A network with the user's example_input: its graph is available at any time."""

    job: Job
    network: Any
    inputs: tuple[Any, ...]

    def take(self) -> Message | bytes | None:
        """Return the graph; None while it is not known."""
        return self.job.framework.network_graph(self.network, self.inputs)

    def give_up(self) -> Message | bytes | None:
        """Return the graph if it is known."""
        return self.take()


def _graph_source(job: Job) -> NetworkGraph | _ExampleInputs | None:
    """Return an object whose take() returns the graph as soon as it is known; None if the network has no graph."""
    network, inputs = job.params.get("train_network", job.params.get("network")), job.plan.example_input
    if inputs is not None:
        return _ExampleInputs(job, network, inputs)
    try:
        return NetworkGraph(network)
    except TypeError:  # A network without a framework.
        return None
