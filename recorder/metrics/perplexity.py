"""Perplexity: how many equally probable tokens a language model chooses among, on average."""

import math
from typing import Any

import numpy as np

from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.metrics.metric import Metric


class Perplexity(Metric):
    """exp of the mean negative log-probability of the true tokens; MindSpore's Perplexity."""

    def __init__(self, ignore_label: int | None = None) -> None:
        """Take the label of what does not count, such as padding; None: all count.

        Raises:
            TypeError: ignore_label is neither an integer nor None.
        """
        self._ignored = None if ignore_label is None else checked_integer("ignore_label", ignore_label)
        super().__init__()

    def clear(self) -> None:
        """Forget all batches."""
        self._sum, self._tokens = 0.0, 0

    def update(self, *inputs: Any) -> None:
        """Add a batch: probabilities [..., C] and the true tokens [...]; below 1e-10 a probability counts as that.

        Raises:
            ValueError: there are not two inputs, their shapes do not fit, or a label is none of the C tokens.
            TypeError: an input is no array.
        """
        probabilities, labels = self.checked_inputs(inputs, "probabilities", "labels")
        if probabilities.ndim < 2 or labels.shape != probabilities.shape[:-1]:
            shapes = f"{list(probabilities.shape)} and {list(labels.shape)}"
            raise ValueError(f"Probabilities are of shape [..., C] and labels of [...], not {shapes}.")
        rows, tokens = probabilities.reshape(-1, probabilities.shape[-1]), labels.reshape(-1)
        counts = np.ones(len(tokens), bool) if self._ignored is None else tokens != self._ignored
        rows, tokens = rows[counts], tokens[counts]
        is_token = (tokens >= 0) & (tokens < rows.shape[1]) & (tokens == np.floor(tokens))
        if not is_token.all():
            raise ValueError(f"A label is a whole number from 0 to {rows.shape[1] - 1}, not {tokens[~is_token][0]}.")
        chosen = rows[np.arange(len(rows)), tokens.astype(np.int64)]
        self._sum -= float(np.log(np.maximum(1e-10, chosen.astype(np.float64))).sum())
        self._tokens += len(tokens)

    def eval(self) -> float:
        """Return the perplexity, at least 1; RuntimeError when no token counted."""
        return math.exp(self._sum / self.checked_samples(self._tokens))
