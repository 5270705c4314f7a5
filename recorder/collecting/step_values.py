"""Step values: the collections at a step: loss, learning rates, parameters, gradients, input and machine."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from toposcope.recorder.collecting.batch_images import images_in
from toposcope.recorder.collecting.gradient_norms import gradient_norms, own_part
from toposcope.recorder.collecting.job import Job
from toposcope.recorder.collecting.machine_metrics import MachineMetrics
from toposcope.recorder.collecting.throughput import Throughput
from toposcope.recorder.framework import DatasetFacts
from toposcope.recorder.training.batch import sample_count
from toposcope.recorder.training.loss import loss_in
from toposcope.recorder.values.foreign_values import short_repr

_FIRST_PARAMETERS = 5


class StepValues:
    """Collects the values of steps; remembers what is measured between steps."""

    def __init__(self, job: Job) -> None:
        """Start measuring."""
        self._job = job
        self._attempt = job.guard.attempt
        self.throughput = Throughput()
        self.peak_learning_rate: float | None = None
        """The largest collected learning rate of the first parameter group; None: unknown."""
        self._rates: list[float] = []
        facts = job.framework.dataset_facts(job.params.get("train_dataset"))
        self._batch_size = _mean_batch(facts, job.params.get("batch_num"))
        self._machine: MachineMetrics | None = None
        if job.collects("collect_machine"):
            self._machine = self._attempt("machine metrics", MachineMetrics)

    def begin_step(self) -> None:
        """Read the learning rates that the step will use; at its end they may already be those of the next step."""
        if not self._job.framework.rates_are_of_last_step:
            self._rates = self._attempt("the learning rate", self._learning_rates) or []

    def add(self, step: int) -> None:
        """Add the values of a finished step to the next record."""
        job, attempt, data = self._job, self._attempt, self._job.plan.data
        if job.collects("collect_throughput"):
            attempt("throughput", self._add_throughput, step)
        if job.collects("collect_metric"):
            attempt("the loss", self.add_loss)
        attempt("the learning rate", self._add_learning_rates)
        if data.collects_histograms:
            attempt("parameter histograms", self._add_parameters)
        if data.gradient_histogram_regular is not None:
            attempt("gradient histograms", self._add_gradients, data.gradient_histogram_regular)
        if job.collects("collect_gradient_norm"):
            attempt("gradient norms", self._add_gradient_norms)
        if self._machine is not None:
            attempt("machine metrics", self._add_machine_metrics, self._machine)
        if job.is_leading and job.collects("collect_input_data"):
            attempt("the input", self._add_images)

    def _add_throughput(self, step: int) -> None:
        batch_size = self._batch_size or sample_count(self._job.params.get("train_dataset_element"))
        self._job.add_scalars(self.throughput.measure(step, batch_size))

    def add_loss(self) -> None:
        """Add the loss of the newest step; ValueError if it has none."""
        outputs = self._job.params.get("net_outputs")
        loss = loss_in(outputs)
        if loss is None:
            raise ValueError(
                f"net_outputs must be a number, an array or a tensor, or begin with one; not {short_repr(outputs)}."
            )
        self._job.recorder.add_value("scalar", "loss/auto", loss)

    def _learning_rates(self) -> list[float]:
        params = self._job.params
        optimizer = params.get("optimizer")
        # A TrainableNetwork may have a learning rate itself.
        return self._job.framework.learning_rates(params.get("network") if optimizer is None else optimizer)

    def _add_learning_rates(self) -> None:
        rates = self._rates or self._learning_rates()
        if not rates:
            return
        self.peak_learning_rate = max(rates[0], self.peak_learning_rate or 0.0)
        if self._job.collects("collect_learning_rate"):
            tags = ["learning_rate"] if len(rates) == 1 else [f"learning_rate/group{i}" for i in range(len(rates))]
            self._job.add_scalars(dict(zip(tags, rates, strict=True)))

    def _add_parameters(self) -> None:
        params, pattern = self._job.params, self._job.plan.data.histogram_regular
        parameters = self._job.framework.parameters(params.get("network"), params.get("optimizer"))
        first = dict(islice(parameters.items(), _FIRST_PARAMETERS))
        self._add_histograms("{}/auto", first if pattern is None else _matching(parameters, pattern))

    def _add_gradients(self, pattern: re.Pattern[str]) -> None:
        self._add_histograms("gradient/{}", _matching(self._gradients(), pattern))

    def _add_gradient_norms(self) -> None:
        self._job.add_scalars(gradient_norms(self._gradients()))

    def _gradients(self) -> dict[str, Any]:
        params, framework = self._job.params, self._job.framework
        gradients = framework.gradients(params.get("network"), params.get("optimizer"))
        if not gradients and framework.parameters(params.get("network"), params.get("optimizer")):
            raise ValueError("no parameter has a gradient; in your own loop, call step() before zero_grad().")
        return gradients

    def _add_histograms(self, tag: str, tensors: Mapping[str, Any]) -> None:
        for name, tensor in tensors.items():
            self._attempt(f"the histogram of {name}", self._add_histogram, tag.format(name), tensor)

    def _add_histogram(self, tag: str, tensor: Any) -> None:
        part = own_part(tensor)
        histogram = self._job.framework.histogram(part)
        self._job.recorder.add_value("histogram", tag, part if histogram is None else histogram)

    def _add_machine_metrics(self, machine: MachineMetrics) -> None:
        self._job.add_scalars(machine.measure())

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
