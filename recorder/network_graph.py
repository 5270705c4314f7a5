"""The graph of the network that is trained, which is recorded once."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from toposcope.recorder.frameworks import mindspore
from toposcope.recorder.frameworks.torch.modules import is_module
from toposcope.recorder.messages.foreign_messages import message_from
from toposcope.recorder.values.foreign import called, shown

_Graph: TypeAlias = Message | bytes | None


def _nothing() -> None:
    """Do nothing, return nothing."""


class _Waiting(NamedTuple):
    """A network whose graph is waited for."""

    network: object
    source: Callable[[], _Graph]
    """Returns the graph when it is known, None before."""
    source_without_call: Callable[[], _Graph] = _nothing
    """Returns what is known of it though nobody has heard the network being called."""
    stop: Callable[[], None] = _nothing
    """Takes from the network what listens to it."""


class NetworkGraph:
    """Knows whether the graph is still to be recorded, and where it comes from."""

    def __init__(self, network: object) -> None:
        """Take the graph of *network*: a torch.nn.Module, a mindspore.nn.Cell, a GraphProto or None.

        Raises:
            TypeError: it is none of them.
        """
        self._is_over = False
        self._waiting: list[_Waiting] = []
        if network is not None:
            self._waiting.append(_waiting_for(network, "network"))

    @property
    def is_wanted(self) -> bool:
        """True while there is a network whose graph was not taken yet."""
        return bool(self._waiting)

    def take(self, train_network: object = None) -> _Graph:
        """Return the graph, of train_network if it is given, the first time that it is known; else None.

        Raises:
            TypeError: train_network is no network and no graph.
            UnreadableValueError: the framework failed to tell its graph.
        """
        if train_network is None:
            waiting = self._waiting
        elif self._is_over:
            _check(train_network, "train_network")
            return None
        else:
            waiting = [self._waiting_for(train_network)]
        graph = next((graph for each in waiting if (graph := each.source()) is not None), None)
        if graph is not None:
            self.stop()
        return graph

    def give_up(self) -> _Graph:
        """Return what is known of the graph at the end, and wait no longer; None when it was taken before.

        Of a module of PyTorch that was not heard being called this is the module tree, whose name says so.

        Raises:
            UnreadableValueError: the framework failed to tell its graph.
        """
        try:
            graph = self.take(None)
            trees = (each.source_without_call() for each in self._waiting)
            return next((tree for tree in trees if tree is not None), None) if graph is None else graph
        finally:
            self.stop()

    def stop(self) -> None:
        """Wait no longer, and let go of the networks."""
        self._is_over = True
        while self._waiting:
            self._waiting.pop().stop()

    def _waiting_for(self, train_network: object) -> _Waiting:
        for waiting in self._waiting:
            if waiting.network is train_network:
                return waiting
        waiting = _waiting_for(train_network, "train_network")
        self._waiting.append(waiting)
        return waiting


def _check(network: object, parameter: str) -> None:
    if not (isinstance(network, Message) or is_module(network) or mindspore.is_cell(network)):
        raise TypeError(
            f"{parameter} is a torch.nn.Module, a mindspore.nn.Cell or a graph made by graph(), not {shown(network)}."
        )


def _waiting_for(network: object, parameter: str) -> _Waiting:
    _check(network, parameter)
    if isinstance(network, Message):
        message = message_from("graph", network)
        return _Waiting(network, lambda: message)
    if is_module(network):
        return _waiting_for_call(network)
    return _Waiting(network, lambda: called(lambda: mindspore.graph_of(network)))


def _waiting_for_call(network: Any) -> _Waiting:
    """Listen to a module of PyTorch, whose graph is known when it was called once."""
    # Only now: those who use no PyTorch do not pay for the modules about it.
    from toposcope.recorder.frameworks.torch.first_inputs import FirstInputs
    from toposcope.recorder.frameworks.torch.network_graph import graph_of

    first = FirstInputs(network)
    return _Waiting(
        network,
        lambda: None if first.inputs is None else graph_of(network, first.inputs),
        lambda: graph_of(network, None),
        first.remove,
    )
