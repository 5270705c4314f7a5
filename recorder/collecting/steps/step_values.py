"""Step values: the collections at a step: parameters, gradients, curvature, input and throughput."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from toposcope.recorder.collecting.job import Job
from toposcope.recorder.collecting.steps.batch_images import images_in
from toposcope.recorder.collecting.steps.curvature_scalars import curvature_scalars
from toposcope.recorder.collecting.steps.gradient_norms import gradient_norms, own_part
from toposcope.recorder.collecting.steps.throughput import Throughput
from toposcope.recorder.collecting.training_network import TrainingNetwork
from toposcope.recorder.framework import DatasetFacts, framework_of
from toposcope.recorder.training.data.batch import sample_count

_FIRST_PARAMETERS = 5


class StepValues:
    """Collects the values of steps; remembers what is measured between steps."""

    def __init__(self, job: Job, network: TrainingNetwork) -> None:
        """Start measuring; network is the source of parameters and gradients."""
        self._job, self._network = job, network
        self._attempt = job.guard.attempt
        self.throughput = Throughput()
        facts = job.framework.dataset_facts(job.params.get("train_dataset"))
        self._batch_size = _mean_batch(facts, job.params.get("batch_num"))

    def add(self, step: int) -> None:
        """Add the values of a finished step to the next record."""
        job, attempt, data = self._job, self._attempt, self._job.plan.data
        if job.collects("collect_throughput"):
            attempt("throughput", self._add_throughput, step)
        if data.collects_histograms:
            attempt("parameter histograms", self._add_parameters)
        if data.gradient_histogram_regular is not None:
            attempt("gradient histograms", self._add_gradients, data.gradient_histogram_regular)
        if job.collects("collect_gradient_norm"):
            attempt("gradient norms", self._add_gradient_norms)
        if job.is_leading and job.collects("collect_curvature"):  # Equal in all processes.
            attempt("the curvature", self._add_curvature)
        if job.is_leading and job.collects("collect_input_data"):
            attempt("the input", self._add_images)

    def restart_throughput(self, step: int, began: float | None = None) -> None:
        """Begin an interval of the throughput at *began*, or now, after *step* finished steps."""
        self.throughput.restart(step, self._job.params.processed.samples, began)

    def _add_throughput(self, step: int) -> None:
        params = self._job.params
        batch_size = self._batch_size or sample_count(params.get("train_dataset_element"))
        self._job.add_scalars(self.throughput.measure(step, params.processed.samples, batch_size))

    def _add_parameters(self) -> None:
        parameters, pattern = self._network.parameters(), self._job.plan.data.histogram_regular
        first = dict(islice(parameters.items(), _FIRST_PARAMETERS))
        self._add_histograms("{}/auto", first if pattern is None else _matching(parameters, pattern))

    def _add_gradients(self, pattern: re.Pattern[str]) -> None:
        self._add_histograms("gradient/{}", _matching(self._network.gradients(), pattern))

    def _add_gradient_norms(self) -> None:
        self._job.add_scalars(gradient_norms(self._network.gradients()))

    def _add_curvature(self) -> None:
        for tag, value in curvature_scalars(self._job.params.get("optimizer")).items():
            self._job.recorder.add_value("scalar", tag, value)

    def _add_histograms(self, tag: str, tensors: Mapping[str, Any]) -> None:
        for name, tensor in tensors.items():
            self._attempt(f"the histogram of {name}", self._add_histogram, tag.format(name), tensor)

    def _add_histogram(self, tag: str, tensor: Any) -> None:
        part = own_part(tensor)
        histogram = framework_of(part).histogram(part)
        self._job.recorder.add_value("histogram", tag, part if histogram is None else histogram)

    def _add_images(self) -> None:
        batch = self._job.params.get("train_dataset_element")
        if batch is None:  # A user-written loop does not always pass it.
            return
        try:
            images = images_in(batch)
        except ValueError:
            if "collect_input_data" in self._job.plan.data.specified:
                raise
            return  # Most trainings have no images: no reason for a warning.
        self._job.recorder.add_value("image", "input_data/auto", images.pixels, dataformats=images.layout)


def _mean_batch(facts: DatasetFacts, batches: object) -> float | None:
    """Return the samples per batch, averaged if the last batch of an epoch is smaller; None: unknown."""
    size = facts.batch_size
    if size and facts.size and isinstance(batches, int) and -(-facts.size // size) == batches:
        return facts.size / batches
    return size


def _matching(tensors: Mapping[str, Any], pattern: re.Pattern[str]) -> dict[str, Any]:
    return {name: tensor for name, tensor in tensors.items() if pattern.match(name)}
