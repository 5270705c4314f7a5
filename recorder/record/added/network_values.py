"""Values that a recorder reads from networks: their graph, and what summary operators kept in the forward pass."""

from typing import Any

from google.protobuf.message import Message

from toposcope.recorder.adapters import adapter
from toposcope.recorder.record.added.network_graph import NetworkGraph
from toposcope.recorder.summary import OperatorValue, OperatorValues
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError, call_foreign


class NetworkValues:
    """The graph that one recorder has still to record, and the operator values that it collects."""

    def __init__(self, network: object) -> None:
        """Record the graph of *network*, unless it is None.

        Raises:
            TypeError: network is neither a network nor a graph.
        """
        self.operators = OperatorValues()
        """The values of toposcope.recorder.summary; collected while they are open."""
        self._graph = NetworkGraph(network)
        self._mindspore: Any = None
        self._is_training = True
        self.has_sources = False
        """Whether there is more to take than what operators.is_filled reports: a graph or MindSpore's values."""

    def set_mode(self, mode: str) -> None:
        """Set the phase of the network: in "train" operator values are returned, in "eval" they are dropped."""
        self._is_training = mode == "train"
        self.operators.mode = mode
        self._mindspore = _mindspore_operators()
        self._update_sources()

    def take_graph(self, train_network: object = None) -> Message | bytes | None:
        """Return the graph once, as soon as it is available; None before and afterwards.

        Args:
            train_network: the network, if it was not passed before.

        Raises:
            TypeError: train_network is neither a network nor a graph.
            UnreadableValueError: the framework failed to return the graph.
        """
        try:
            return self._graph.take(train_network)
        finally:
            self._update_sources()

    def take_operator_values(self) -> list[OperatorValue]:
        """Return the values that operators have kept since the last call; none in "eval".

        Raises:
            UnreadableValueError: MindSpore failed to return its values. They are left out of all further calls.
        """
        try:
            values = [] if self._mindspore is None else call_foreign(self._mindspore.take_operator_values)
        except UnreadableValueError:
            self._mindspore = None
            self._update_sources()
            raise
        values += self.operators.take()
        return values if self._is_training else []

    def close(self) -> None:
        """Stop collecting operator values and waiting for a graph."""
        self.operators.close()
        self._graph.stop()

    def _update_sources(self) -> None:
        self.has_sources = self._mindspore is not None or self._graph.is_pending


def _mindspore_operators() -> Any:
    """Return the module that reads MindSpore's summary operators, or None if MindSpore is not in use."""
    operators = adapter("mindspore", "operators")
    return operators if operators is not None and operators.is_imported() else None
