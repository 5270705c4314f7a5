"""Step values: the collections at a step: loss, learning rates, parameters, gradients, input and machine."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from toposcope.recorder.collecting.batch_images import images_in
from toposcope.recorder.collecting.gradient_norms import gradient_norms, own_part
from toposcope.recorder.collecting.job import Job
from toposcope.recorder.collecting.machine_metrics import MachineMetrics
from toposcope.recorder.collecting.missing_values import warn_of_missing
from toposcope.recorder.collecting.peak import Peak
from toposcope.recorder.collecting.throughput import Throughput
from toposcope.recorder.collecting.training_network import TrainingNetwork
from toposcope.recorder.framework import DatasetFacts, framework_of
from toposcope.recorder.training.batch import sample_count
from toposcope.recorder.training.loss import loss_in
from toposcope.recorder.values.foreign_values import short_repr

_FIRST_PARAMETERS = 5
_NONE = "$^"
"""The documented pattern that matches no name."""


class StepValues:
    """Collects the values of steps; remembers what is measured between steps."""

    def __init__(self, job: Job, has_graph: bool | None) -> None:
        """Start measuring; has_graph says whether the network has a graph, None if that is not collected."""
        self._job = job
        self._attempt = job.guard.attempt
        self.throughput = Throughput()
        self.peak_learning_rate = Peak()
        """The largest collected learning rate of the first parameter group."""
        self._is_found: dict[str, bool] | None = {}
        """Whether values were found at the first step, by their names in the warning of missing ones; None after it."""
        self._network = TrainingNetwork(job.params, job.framework)
        self._rates: list[Any] = []
        facts = job.framework.dataset_facts(job.params.get("train_dataset"))
        self._batch_size = _mean_batch(facts, job.params.get("batch_num"))
        self._machine: MachineMetrics | None = None
        if job.collects("collect_machine"):
            self._machine = self._attempt("machine metrics", MachineMetrics)
        if has_graph is not None:
            self._is_found["the graph"] = has_graph

    def begin_step(self) -> None:
        """Read the learning rates that the step will use; at its end they may already be those of the next step."""
        if not self._network.rates_are_of_last_step:
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
        if self._is_found is not None:
            is_found, self._is_found = self._is_found, None
            attempt("missing values", warn_of_missing, job, is_found, self._network.is_unchanged)

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

    def _learning_rates(self) -> list[Any]:
        return self._network.learning_rates(self._job.params["cur_step_num"] - 1)

    def _add_learning_rates(self) -> None:
        rates = self._rates or self._learning_rates()
        self._note("the learning rate", bool(rates) or not self._job.collects("collect_learning_rate"))
        if not rates:
            return
        self.peak_learning_rate.add(rates[0])
        if self._job.collects("collect_learning_rate"):
            tags = ["learning_rate"] if len(rates) == 1 else [f"learning_rate/group{i}" for i in range(len(rates))]
            self._job.add_scalars(dict(zip(tags, rates, strict=True)))

    def _add_parameters(self) -> None:
        pattern = self._job.plan.data.histogram_regular
        if pattern is not None and pattern.pattern == _NONE:
            return
        parameters = self._network.parameters()
        self._note("parameters", bool(parameters))
        first = dict(islice(parameters.items(), _FIRST_PARAMETERS))
        self._add_histograms("{}/auto", first if pattern is None else _matching(parameters, pattern))

    def _add_gradients(self, pattern: re.Pattern[str]) -> None:
        self._add_histograms("gradient/{}", _matching(self._gradients(), pattern))

    def _add_gradient_norms(self) -> None:
        self._job.add_scalars(gradient_norms(self._gradients()))

    def _gradients(self) -> dict[str, Any]:
        gradients = self._network.gradients()
        if not gradients and self._network.sources.gradients is None and self._network.parameters():
            raise ValueError("no parameter has a gradient; in your own loop, call step() before zero_grad().")
        self._note("gradients", bool(gradients))
        return gradients

    def _note(self, name: str, is_found: bool) -> None:
        if self._is_found is not None:
            self._is_found[name] = is_found

    def _add_histograms(self, tag: str, tensors: Mapping[str, Any]) -> None:
        for name, tensor in tensors.items():
            self._attempt(f"the histogram of {name}", self._add_histogram, tag.format(name), tensor)

    def _add_histogram(self, tag: str, tensor: Any) -> None:
        part = own_part(tensor)
        histogram = framework_of(part).histogram(part)
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
