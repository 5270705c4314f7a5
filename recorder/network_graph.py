"""The graph of the network that is trained, which is recorded once."""

from google.protobuf.message import Message

from toposcope.recorder.frameworks import mindspore
from toposcope.recorder.messages.foreign_messages import message_from
from toposcope.recorder.values.foreign import called, shown


class NetworkGraph:
    """Knows whether the graph is still to be recorded, and where it comes from."""

    def __init__(self, network: object) -> None:
        """Take the graph of *network*: a mindspore.nn.Cell, a GraphProto or None; TypeError when it is none of them."""
        self._network = _checked(network)
        self._is_taken = False

    @property
    def is_wanted(self) -> bool:
        """True until the graph of the network was taken."""
        return self._network is not None and not self._is_taken

    def take(self, train_network: object) -> Message | bytes | None:
        """Return the graph, of train_network if it is given, the first time that it is known; else None.

        Raises:
            TypeError: train_network is no Cell and no graph.
            UnreadableValueError: the framework failed to tell its graph.
        """
        network = _checked(train_network, "train_network") if train_network is not None else self._network
        if network is None or self._is_taken:
            return None
        graph = network if isinstance(network, Message) else called(lambda: mindspore.graph_of(network))
        self._is_taken = graph is not None
        return graph


def _checked(network: object, parameter: str = "network") -> object:
    if isinstance(network, Message):
        return message_from("graph", network)
    if network is not None and not mindspore.is_cell(network):
        raise TypeError(f"{parameter} is a mindspore.nn.Cell or a graph made by graph(), not {shown(network)}.")
    return network
