"""F-beta and F1: combinations of precision and recall."""

from toposcope.recorder.arguments import checked_number
from toposcope.recorder.metrics.per_class import Counts, Doubles, PerClassMetric


class Fbeta(PerClassMetric):
    """The weighted harmonic mean of precision and recall of each class; recall is beta times as important."""

    def __init__(self, beta: float) -> None:
        """Set beta.

        Raises:
            TypeError: beta is not a number.
            ValueError: beta is not positive and finite.
        """
        self._beta = checked_number("beta", beta)
        if self._beta <= 0:
            raise ValueError(f"beta must be positive, not {beta!r}.")
        super().__init__()

    def value(self, counts: Counts) -> Doubles:
        """Return (1 + beta^2) correct / (beta^2 true + predicted)."""
        weight = self._beta**2
        return counts.ratio((1 + weight) * counts.correct, weight * counts.true + counts.predicted)


class F1(Fbeta):
    """The harmonic mean of precision and recall of each class."""

    def __init__(self) -> None:
        super().__init__(1.0)
