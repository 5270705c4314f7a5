"""Step metrics: the loss and the learning rates of a step, and how many steps were skipped before it."""

from collections.abc import Sequence
from typing import Any

from toposcope.recorder.collecting.job import Job
from toposcope.recorder.collecting.steps.peak import Peak
from toposcope.recorder.collecting.training_network import TrainingNetwork
from toposcope.recorder.training.data.loss import first_output
from toposcope.recorder.values.arrays.deferred_scalar import deferred_scalar, scalar_now_or_later
from toposcope.recorder.values.arrays.foreign_values import short_repr


class StepMetrics:
    """Collects what is recorded at every step by default; a loss on a device is read by the writer's thread."""

    def __init__(self, job: Job, network: TrainingNetwork) -> None:
        """Collect metrics; network is the source of the learning rates."""
        self._params, self._network, self._add = job.params, network, job.recorder.add_value
        self._attempt = job.guard.attempt
        self.peak_learning_rate = Peak()
        """The largest collected learning rate of the first parameter group."""
        self._rates: Sequence[Any] = ()
        self._tags: list[str] = []
        self._skipped_steps = 0
        self._collects_loss = job.collects("collect_metric")
        self._collects_rates = job.collects("collect_learning_rate")
        self._reads_rates = self._collects_rates or job.collects("collect_train_lineage")

    def begin_step(self) -> None:
        """Read the learning rates that the step will use; at its end they may already be those of the next step."""
        if self._reads_rates and not self._network.rates_are_of_last_step:
            number = self._params["cur_step_num"] - 1
            self._rates = self._attempt("the learning rate", self._network.learning_rates, number) or ()

    def add(self) -> None:
        """Add the metrics of a finished step to the next record."""
        if self._collects_loss:
            if not self._params.processed.is_loss_unknown:
                self._attempt("the loss", self.add_loss)
            self.add_skipped_steps()
        if self._reads_rates:
            self._attempt("the learning rate", self._add_learning_rates)

    def add_loss(self) -> None:
        """Add the loss of the newest step; ValueError if it has none."""
        outputs = self._params.get("net_outputs")
        loss = first_output(outputs)
        value = scalar_now_or_later(loss)
        if value is None:
            raise ValueError(
                f"net_outputs must be a number, an array or a tensor, or begin with one; not {short_repr(outputs)}."
            )
        self._add("scalar", "loss/auto", value)

    def add_skipped_steps(self) -> bool:
        """Add the number of steps that GradScaler has skipped if it has grown; return whether it has."""
        skipped = self._params.processed.skipped_steps
        if skipped == self._skipped_steps:
            return False
        self._skipped_steps = skipped
        self._add("scalar", "optimizer/skipped_steps", float(skipped))
        return True

    def _add_learning_rates(self) -> None:
        rates = self._rates or self._network.learning_rates(self._params["cur_step_num"] - 1)
        if not rates:
            return
        self.peak_learning_rate.add(rates[0])
        if not self._collects_rates:
            return
        if not self._tags and len(rates) == 1:
            self._tags = ["learning_rate"]
        # A group that is added during the training leaves the others their names.
        self._tags += [f"learning_rate/group{i}" for i in range(len(self._tags), len(rates))]
        for tag, rate in zip(self._tags, rates, strict=False):
            self._add("scalar", tag, rate if type(rate) is float else deferred_scalar(rate) or rate)
