"""The methods of SummaryWriter that record arrays of numbers: tensors, histograms and precision-recall curves."""

from typing import Any

import numpy as np

from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.tensorboard.methods.run_writer import RunWriter


class AddArrays(RunWriter):
    """The add_ methods for tensors, histograms and precision-recall curves."""

    def add_tensor(self, tag: str, tensor: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """Record an array or a tensor of any framework, with its shape and dtype.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the tensor takes 2 GiB or more, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.kinds.tensor import TensorValue, check_size

        check_size(tensor)
        if (array := self._array(tag, tensor)) is not None:
            self._add("tensor", tag, TensorValue(array), array.values.nbytes, global_step, walltime)

    @property
    def default_bins(self) -> list[float]:
        """The edges of the buckets of add_histogram(), as a new list."""
        from toposcope.recorder.tensorboard.kinds.histogram import default_limits

        return [float(limit) for limit in default_limits()[1:-1]]

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Record the histogram of an array or a tensor of any framework.

        Args:
            tag: its name.
            values: real numbers, in any shape.
            global_step: the step.
            bins: "tensorflow": buckets whose limits grow by a tenth. Otherwise what numpy.histogram() takes.
            walltime: in seconds since 1970. None: now.
            max_bins: adjacent buckets are joined until there are about as many.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: there are no values, bins is invalid, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.kinds.bins import checked_bins
        from toposcope.recorder.tensorboard.kinds.histogram import HistogramValue

        checked, most = (
            checked_bins(bins),
            None if max_bins is None else checked_integer("max_bins", max_bins, lowest=1),
        )
        if (array := self._real_array(tag, values)) is None:
            return
        if not array.values.size:
            raise ValueError(f"The histogram {tag!r} must have a value.")
        self._add("histogram", tag, HistogramValue(array, checked, most), array.values.nbytes, global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: float,
        sum: float,
        sum_squares: float,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Record a histogram that was computed elsewhere.

        Args:
            tag: its name.
            min: of the values, like the next four.
            max: the largest value.
            num: number of values.
            sum: sum of the values.
            sum_squares: sum of their squares.
            bucket_limits: [n], the right edges of the buckets, ascending.
            bucket_counts: [n], the number of values in each.
            global_step: the step.
            walltime: in seconds since 1970. None: now.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: there is not one count for each limit, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.kinds.histogram import RawHistogram, Statistics

        statistics = [self._number(tag, each) for each in (min, max, num, sum, sum_squares)]
        limits, counts = self._real_array(tag, bucket_limits), self._real_array(tag, bucket_counts)
        if limits is None or counts is None or None in statistics:
            return
        if limits.values.ndim != 1 or limits.values.shape != counts.values.shape:
            raise ValueError(
                "bucket_limits and bucket_counts must be lists of the same length; "
                f"their shapes are {limits.values.shape} and {counts.values.shape}."
            )
        edges, numbers = (each.numbers().astype(np.float64) for each in (limits, counts))
        value = RawHistogram(Statistics(*(each or 0.0 for each in statistics)), edges, numbers)
        self._add("histogram", tag, value, edges.nbytes + numbers.nbytes, global_step, walltime)

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Record the precision-recall curve of predictions.

        Args:
            tag: its name.
            labels: [n], 0 or 1, or False or True.
            predictions: [n], the probabilities that the labels are 1.
            global_step: the step.
            num_thresholds: number of thresholds from 0 to 1, at least 2; 127 if it is larger.
            weights: [n]. None: 1.
            walltime: in seconds since 1970. None: now.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the numbers of labels, predictions and weights differ, or an argument is out of range.
        """
        from toposcope.recorder.tensorboard.kinds.pr_curve import MAX_THRESHOLDS, PredictionsValue

        thresholds = min(checked_integer("num_thresholds", num_thresholds, lowest=2), MAX_THRESHOLDS)
        arrays = [self._real_array(tag, each) for each in (labels, predictions, 1.0 if weights is None else weights)]
        if any(array is None for array in arrays):
            return
        truth, probabilities, weight = (array.numbers() for array in arrays if array is not None)
        if truth.size != probabilities.size or weight.size not in (1, truth.size):
            raise ValueError(
                f"labels, predictions and weights must have the same size; their shapes are {truth.shape}, "
                f"{probabilities.shape} and {weight.shape}."
            )
        value = PredictionsValue(truth, probabilities, weight, thresholds)
        self._add("pr_curve", tag, value, truth.nbytes + probabilities.nbytes, global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Record a precision-recall curve that was computed elsewhere.

        Args:
            tag: its name.
            true_positive_counts: [n], for each threshold, like the next five.
            false_positive_counts: [n]
            true_negative_counts: [n]
            false_negative_counts: [n]
            precision: [n]
            recall: [n]
            global_step: the step.
            num_thresholds: n; 127 if it is larger.
            weights: not used.
            walltime: in seconds since 1970. None: now.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the lists differ in length, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.kinds.pr_curve import MAX_THRESHOLDS, PrCurveValue

        thresholds = min(checked_integer("num_thresholds", num_thresholds, lowest=1), MAX_THRESHOLDS)
        counts = true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts
        read = [self._real_array(tag, each) for each in (*counts, precision, recall)]
        arrays = [array.numbers() for array in read if array is not None]
        if len(arrays) < len(read):
            return
        if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
            raise ValueError(
                f"The six lists of {tag!r} must have the same length; their shapes are "
                f"{[array.shape for array in arrays]}."
            )
        value = PrCurveValue(np.stack(arrays).astype(np.float32), thresholds)
        self._add("pr_curve", tag, value, value.data.nbytes, global_step, walltime)
