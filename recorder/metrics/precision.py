"""Precision: of the samples put into a class, the part that belongs there."""

from toposcope.recorder.metrics.per_class import Counts, Doubles, PerClassMetric


class Precision(PerClassMetric):
    """Of the samples put into each class, the part that belongs there; MindSpore's Precision.

    In "multilabel" its eval() gives one figure a class, where MindSpore gives one a sample.
    """

    def figure(self, counts: Counts) -> Doubles:
        """Return right / chosen."""
        return counts.ratio(counts.right, counts.chosen)
