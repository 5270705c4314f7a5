"""Precision: the fraction of the samples predicted to be of a class that are of that class."""

from toposcope.recorder.metrics.per_class import Counts, Doubles, PerClassMetric


class Precision(PerClassMetric):
    """The fraction of the samples predicted to be of each class that are of that class, as MindSpore's Precision.

    For "multilabel", eval() returns one value per class, where MindSpore returns one per sample.
    """

    def value(self, counts: Counts) -> Doubles:
        """Return correct / predicted."""
        return counts.ratio(counts.correct, counts.predicted)
