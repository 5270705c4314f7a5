"""Recall: of the samples that belong to a class, the part put there."""

from toposcope.recorder.metrics.per_class import Counts, Doubles, PerClassMetric


class Recall(PerClassMetric):
    """Of the samples that belong to each class, the part put there; MindSpore's Recall.

    In "multilabel" its eval() gives one figure a class, where MindSpore gives one a sample.
    """

    def figure(self, counts: Counts) -> Doubles:
        """Return right / true."""
        return counts.ratio(counts.right, counts.true)
