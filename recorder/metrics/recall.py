"""Recall: the fraction of the samples of a class that are predicted to be of that class."""

from toposcope.recorder.metrics.per_class import Counts, Doubles, PerClassMetric


class Recall(PerClassMetric):
    """The fraction of the samples of each class that are predicted to be of that class, as MindSpore's Recall.

    For "multilabel", eval() returns one value per class, where MindSpore returns one per sample.
    """

    def value(self, counts: Counts) -> Doubles:
        """Return correct / true."""
        return counts.ratio(counts.correct, counts.true)
