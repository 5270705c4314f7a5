"""F-beta and F1: precision and recall of a class in one figure."""

from toposcope.recorder.arguments import checked_number
from toposcope.recorder.metrics.per_class import Counts, Doubles, PerClassMetric


class Fbeta(PerClassMetric):
    """The harmonic mean of precision and recall of each class, with recall beta times as important."""

    def __init__(self, beta: float) -> None:
        """Take beta.

        Raises:
            TypeError: beta is no number.
            ValueError: beta is not positive and finite.
        """
        self._beta = checked_number("beta", beta)
        if self._beta <= 0:
            raise ValueError(f"beta is positive, not {beta!r}.")
        super().__init__()

    def figure(self, counts: Counts) -> Doubles:
        """Return (1 + beta^2) right / (beta^2 true + chosen)."""
        weight = self._beta**2
        return counts.ratio((1 + weight) * counts.right, weight * counts.true + counts.chosen)


class F1(Fbeta):
    """The harmonic mean of precision and recall of each class."""

    def __init__(self) -> None:
        super().__init__(1.0)
