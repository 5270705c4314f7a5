"""Small networks, a PyTorch module and a TrainableNetwork, trained for a few steps."""

from typing import Any

import numpy as np

from support.line_network import Line, line_batches
from support.pytorch import torch
from toposcope.recorder.checkpoints.checkpoint import leaves_of


def trained_torch(seed: int = 0) -> "tuple[torch.nn.Module, torch.optim.Optimizer]":
    """Return a module with buffers, and an optimizer with moments."""
    torch.manual_seed(seed)
    network = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    network(torch.randn(8, 4)).square().sum().backward()
    optimizer.step()
    return network, optimizer


def trained_line() -> Line:
    """Return a line after some steps."""
    line = Line()
    for batch in line_batches(3):
        line.train_step(*batch)
    return line


def numbers_of(tree: Any) -> list[Any]:
    """Return all leaves of a state as lists and numbers that can be compared."""
    return [leaf.tolist() if hasattr(leaf, "tolist") else leaf for leaf in leaves_of(tree)]


class Momentum:
    """An optimizer without a framework, whose state has arrays in nested dicts, lists and tuples."""

    def __init__(self) -> None:
        self.state: dict[Any, Any] = {
            "moments": {"weight": np.arange(3.0), 7: [np.float32(1.5), (np.int64(2), None, True)]},
            "lr": 0.1,
            "name": "momentum",
        }

    def state_dict(self) -> dict[Any, Any]:
        """Return the state."""
        return self.state

    def load_state_dict(self, state: dict[Any, Any]) -> None:
        """Set the state."""
        self.state = state
