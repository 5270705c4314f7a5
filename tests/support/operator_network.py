"""A network with summary operators, for tests."""

import torch
from torch import nn

from toposcope.recorder import summary


class Net(nn.Module):
    """A layer whose inputs and outputs are recorded, and an activation that works in place."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.activation = nn.ReLU(inplace=True)

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        """Return the activations."""
        hidden = self.layer(samples)
        summary.scalar("mean", hidden.mean())
        summary.tensor("weight", self.layer.weight)
        summary.histogram("hidden", hidden)
        summary.image("samples", samples.reshape(1, 1, -1, 4))
        return self.activation(hidden)


SAMPLES = torch.arange(8.0).reshape(2, 4)
