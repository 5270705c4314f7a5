"""The hook for a PyTorch network's first call is always removed, and the best known graph is recorded."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from support.torch_networks import Perceptron
from support.written_events import ReadEvents
from torch import nn

from toposcope.recorder import Node, SummaryRecord, graph
from toposcope.recorder.frameworks.torch.graph.first_inputs import FirstInputs
from toposcope.recorder.record.added.network_graph import NetworkGraph

BATCH = torch.ones(4, 4)


def called_directly(network: nn.Module) -> None:
    """Bypass __call__()."""
    network.forward(BATCH)


def compiled_in_place(network: nn.Module) -> None:
    """Let the compiler see the hook, and skip it."""
    network.compile(backend="eager", fullgraph=True)
    network(BATCH)


def called_compiled(network: nn.Module) -> None:
    """Call a wrapper around the network."""
    torch.compile(network, backend="eager", fullgraph=True)(BATCH)


def never_called(network: nn.Module) -> None:
    """End before the first step."""


UNHEARD = [called_directly, compiled_in_place, called_compiled, never_called]


def test_removed_hook_observes_nothing_and_leaves_nothing() -> None:
    network = Perceptron()
    first = FirstInputs(network)
    first.remove()
    first.remove()
    network(BATCH)
    assert first.inputs is None
    assert not network._forward_pre_hooks


@pytest.mark.parametrize("call", UNHEARD)
def test_network_whose_call_was_not_observed_has_its_module_tree_at_the_end(
    call: Callable[[nn.Module], None],
) -> None:
    network = Perceptron()
    waiting = NetworkGraph(network)
    call(network)
    assert waiting.take(None) is None
    graph: Any = waiting.give_up()
    assert graph.name == "Perceptron: module tree (inputs unknown)"
    assert [node.op_type for node in graph.node] == ["Linear", "BatchNorm1d", "ReLU", "Dropout", "Linear"]
    assert not network._forward_pre_hooks
    assert not waiting.is_pending
    assert waiting.give_up() is None


def test_network_that_was_called_has_its_graph_at_the_end() -> None:
    network = Perceptron()
    waiting = NetworkGraph(network)
    network(BATCH)
    graph: Any = waiting.give_up()
    assert graph.name == "Perceptron"
    assert waiting.give_up() is None


def test_graph_is_not_returned_again_at_the_end() -> None:
    network = Perceptron()
    waiting = NetworkGraph(network)
    network(BATCH)
    assert waiting.take(None) is not None
    assert waiting.give_up() is None
    assert NetworkGraph(None).give_up() is None
    assert NetworkGraph(graph([Node("relu", "ReLU")])).give_up() is not None


@pytest.mark.parametrize("call", UNHEARD)
def test_closed_recorder_leaves_nothing_on_the_network(tmp_path: Path, call: Callable[[nn.Module], None]) -> None:
    first, second = Perceptron(), Perceptron()
    with SummaryRecord(tmp_path, network=first) as recorder:
        recorder.record(1, train_network=second)
        call(first)
        recorder.record(2)
        assert len(first._forward_pre_hooks) == len(second._forward_pre_hooks) == 1
    assert not first._forward_pre_hooks
    assert not second._forward_pre_hooks
    recorder.record(3, train_network=second)
    assert not second._forward_pre_hooks


def test_network_is_released_after_an_exception(tmp_path: Path, read_events: ReadEvents) -> None:
    network = Perceptron()

    def fails() -> None:
        with SummaryRecord(tmp_path, network=network) as recorder:
            recorder.add_value("scalar", "loss", 1.0)
            recorder.record(1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fails()
    assert not network._forward_pre_hooks
    torch.save(network, tmp_path / "network.pt")
