"""The graph of the network that is trained, which is recorded once."""

from collections.abc import Callable
from typing import TypeAlias

from google.protobuf.message import Message

from toposcope.recorder.frameworks import mindspore
from toposcope.recorder.frameworks.torch.modules import is_module
from toposcope.recorder.messages.foreign_messages import message_from
from toposcope.recorder.values.foreign import called, shown

_Source: TypeAlias = Callable[[], Message | bytes | None]


class NetworkGraph:
    """Knows whether the graph is still to be recorded, and where it comes from."""

    def __init__(self, network: object) -> None:
        """Take the graph of *network*: a torch.nn.Module, a mindspore.nn.Cell, a GraphProto or None.

        Raises:
            TypeError: it is none of them.
        """
        self._is_taken = False
        # The networks whose graph is waited for, each with what gives it.
        self._waiting: list[tuple[object, _Source]] = []
        if network is not None:
            self._waiting.append((network, _source(network, "network")))

    @property
    def is_wanted(self) -> bool:
        """True while there is a network whose graph was not taken yet."""
        return bool(self._waiting)

    def take(self, train_network: object) -> Message | bytes | None:
        """Return the graph, of train_network if it is given, the first time that it is known; else None.

        Raises:
            TypeError: train_network is no network and no graph.
            UnreadableValueError: the framework failed to tell its graph.
        """
        if train_network is None:
            sources = [source for _, source in self._waiting]
        elif self._is_taken:
            _check(train_network, "train_network")
            return None
        else:
            sources = [self._source_of(train_network)]
        graph = next((graph for source in sources if (graph := source()) is not None), None)
        if graph is not None:
            self._is_taken = True
            self._waiting.clear()
        return graph

    def _source_of(self, train_network: object) -> _Source:
        for network, source in self._waiting:
            if network is train_network:
                return source
        source = _source(train_network, "train_network")
        self._waiting.append((train_network, source))
        return source


def _check(network: object, parameter: str) -> None:
    if not (isinstance(network, Message) or is_module(network) or mindspore.is_cell(network)):
        raise TypeError(
            f"{parameter} is a torch.nn.Module, a mindspore.nn.Cell or a graph made by graph(), not {shown(network)}."
        )


def _source(network: object, parameter: str) -> _Source:
    """Return what gives the graph of a network when it is known, and None before."""
    _check(network, parameter)
    if isinstance(network, Message):
        message = message_from("graph", network)
        return lambda: message
    if is_module(network):
        from toposcope.recorder.frameworks.torch.network_graph import WaitingGraph

        return WaitingGraph(network)
    return lambda: called(lambda: mindspore.graph_of(network))
