"""NetworkGraph: the graph of the network in training, which is recorded once."""

from typing import Protocol, TypeAlias

from google.protobuf.message import Message

from toposcope.recorder.adapters import adapter, is_cell, is_module
from toposcope.recorder.messages.foreign_messages import message_from
from toposcope.recorder.values.arrays.foreign_values import short_repr

Graph: TypeAlias = Message | bytes | None


class GraphSource(Protocol):
    """Where the graph of one network comes from; it may observe the network until stop()."""

    def graph(self) -> Graph:
        """Return the graph, None while it is unknown; UnreadableValueError when the framework fails to return it."""

    def graph_without_call(self) -> Graph:
        """Return what is known of the graph of a network that was not observed being called, None for nothing."""

    def stop(self) -> None:
        """Stop observing the network."""


class NetworkGraph:
    """Returns the graph of a network once, as soon as it is known."""

    def __init__(self, network: object) -> None:
        """Wait for the graph of *network*: a torch.nn.Module, a mindspore.nn.Cell, a GraphProto or None.

        Raises:
            TypeError: it is of another type.
        """
        self._is_over = False
        self._sources: list[tuple[object, GraphSource]] = []
        if network is not None:
            self._sources.append((network, _source_of(network, "network")))

    @property
    def is_pending(self) -> bool:
        """True while there is a network whose graph has not been taken."""
        return bool(self._sources)

    def take(self, train_network: object = None) -> Graph:
        """Return the graph, of train_network unless that is None, the first time that it is known; otherwise None.

        Raises:
            TypeError: train_network is neither a network nor a graph.
            UnreadableValueError: the framework failed to return its graph.
        """
        if train_network is None:
            sources = [source for _, source in self._sources]
        elif self._is_over:
            _check(train_network, "train_network")
            return None
        else:
            sources = [self._source_for(train_network)]
        graph = next((graph for source in sources if (graph := source.graph()) is not None), None)
        if graph is not None:
            self.stop()
        return graph

    def give_up(self) -> Graph:
        """Return what is known of the graph at the end and stop waiting; None if it has been taken before.

        For a PyTorch module that was not observed being called, that is the module tree, whose name says so.

        Raises:
            UnreadableValueError: the framework failed to return its graph.
        """
        try:
            graph = self.take(None)
            trees = (source.graph_without_call() for _, source in self._sources)
            return next((tree for tree in trees if tree is not None), None) if graph is None else graph
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop waiting and release the networks."""
        self._is_over = True
        while self._sources:
            self._sources.pop()[1].stop()

    def _source_for(self, train_network: object) -> GraphSource:
        for network, source in self._sources:
            if network is train_network:
                return source
        source = _source_of(train_network, "train_network")
        self._sources.append((train_network, source))
        return source


class _ReadyGraph:
    """The source of a graph that the user passes as a message."""

    def __init__(self, message: Message) -> None:
        self._message = message

    def graph(self) -> Message:
        """Return the message."""
        return self._message

    graph_without_call = graph

    def stop(self) -> None:
        """Do nothing."""


def _check(network: object, parameter: str) -> None:
    if not (isinstance(network, Message) or is_module(network) or is_cell(network)):
        raise TypeError(
            f"{parameter} must be a torch.nn.Module, a mindspore.nn.Cell or a result of graph(), "
            f"not {short_repr(network)}."
        )


def _source_of(network: object, parameter: str) -> GraphSource:
    _check(network, parameter)
    if isinstance(network, Message):
        return _ReadyGraph(message_from("graph", network))
    source: GraphSource = adapter("torch" if is_module(network) else "mindspore", "graph").graph_source(network)
    return source
