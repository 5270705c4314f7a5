"""Perplexity: the effective number of tokens among which a language model chooses."""

import math
from typing import Any

import numpy as np

from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.metrics.metric import Metric


class Perplexity(Metric):
    """The exponential of the mean negative log-probability of the true tokens, as MindSpore's Perplexity."""

    def __init__(self, ignore_label: int | None = None) -> None:
        """Set the label to ignore, that of padding for example; None: all labels count.

        Raises:
            TypeError: ignore_label is neither an integer nor None.
        """
        self._ignored = None if ignore_label is None else checked_integer("ignore_label", ignore_label)
        super().__init__()

    def clear(self) -> None:
        """Reset the metric."""
        self._sum, self._tokens = 0.0, 0

    def update(self, *inputs: Any) -> None:
        """Add a batch: probabilities [..., C], which are clipped at 1e-10, and the true tokens [...].

        Raises:
            ValueError: there are not two inputs, their shapes do not match, or a label is not one of the C tokens.
            TypeError: an input is not an array.
        """
        probabilities, labels = self.checked_inputs(inputs, "probabilities", "labels")
        if probabilities.ndim < 2 or labels.shape != probabilities.shape[:-1]:
            shapes = f"{list(probabilities.shape)} and {list(labels.shape)}"
            raise ValueError(f"Probabilities must have the shape [..., C] and labels [...], not {shapes}.")
        rows, tokens = probabilities.reshape(-1, probabilities.shape[-1]), labels.reshape(-1)
        counts = np.ones(len(tokens), bool) if self._ignored is None else tokens != self._ignored
        rows, tokens = rows[counts], tokens[counts]
        is_token = (tokens >= 0) & (tokens < rows.shape[1]) & (tokens == np.floor(tokens))
        if not is_token.all():
            raise ValueError(
                f"A label must be a whole number from 0 to {rows.shape[1] - 1}, not {tokens[~is_token][0]}."
            )
        of_true_tokens = rows[np.arange(len(rows)), tokens.astype(np.int64)]
        self._sum -= float(np.log(np.maximum(1e-10, of_true_tokens.astype(np.float64))).sum())
        self._tokens += len(tokens)

    def eval(self) -> float:
        """Return the perplexity, at least 1; RuntimeError if no token was counted."""
        return math.exp(self._sum / self.checked_samples(self._tokens))
