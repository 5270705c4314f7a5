"""Sampled labels: gradients of the network's own predictive distribution, for the true Fisher information."""

from typing import Any, Literal, get_args

import torch
from torch import Tensor

from toposcope.recorder.values.arrays.foreign_values import short_repr

Likelihood = Literal["categorical", "bernoulli", "normal"]


class LabelSampler:
    """Samples labels from outputs, with its own random numbers: those of the training stay as they are."""

    def __init__(self, rank: int) -> None:
        """Seed the random numbers by PyTorch's seed and the rank of the process."""
        self._seed = torch.initial_seed() + rank
        self._generators: dict[str, torch.Generator] = {}
        self._restored: dict[str, Tensor] = {}

    def gradient(self, outputs: Tensor, likelihood: str) -> Tensor:
        """Return the gradient of minus the log likelihood of sampled labels, summed over the samples.

        Args:
            outputs: logits (..., classes) for "categorical", logits for "bernoulli", means for "normal".
            likelihood: the distribution of the labels; "normal" has unit variance.
        """
        outputs = outputs.detach()
        random = self._generator(outputs.device)
        wide = outputs.to(torch.promote_types(outputs.dtype, torch.float32))
        if likelihood == "categorical":
            probabilities = wide.softmax(-1)
            noise = torch.empty_like(probabilities).exponential_(generator=random)
            labels = (probabilities / noise).argmax(-1, keepdim=True)
            gradient = probabilities.scatter_add(-1, labels, -torch.ones_like(labels, dtype=wide.dtype))
        elif likelihood == "bernoulli":
            probabilities = wide.sigmoid()
            gradient = probabilities - torch.bernoulli(probabilities, generator=random)
        elif likelihood == "normal":
            gradient = torch.empty_like(wide).normal_(generator=random)
        else:
            choices = ", ".join(map(repr, get_args(Likelihood)))
            raise ValueError(f"likelihood must be one of {choices}, not {short_repr(likelihood)}.")
        return gradient.to(outputs.dtype)

    def state_dict(self) -> dict[str, Any]:
        """Return the states of the random numbers, by device."""
        states = {device: generator.get_state() for device, generator in self._generators.items()}
        return {"seed": self._seed, "generators": {**self._restored, **states}}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what state_dict() returned; on another device the random numbers begin again from the seed."""
        self._seed, self._restored = state["seed"], dict(state["generators"])
        self._generators.clear()

    def _generator(self, device: torch.device) -> torch.Generator:
        name = str(device)
        if name not in self._generators:
            self._generators[name] = torch.Generator(device).manual_seed(self._seed)
            if (restored := self._restored.pop(name, None)) is not None:
                self._generators[name].set_state(restored.cpu())
        return self._generators[name]
