"""TrainingCollection: collects one training: at its beginning, at steps, epochs and evaluations, and at its end."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toposcope.recorder.collecting.job import Job
from toposcope.recorder.collecting.steps.schedule import NOTHING_DUE, Due, Schedule
from toposcope.recorder.collecting.steps.step_metrics import StepMetrics
from toposcope.recorder.collecting.steps.step_values import StepValues
from toposcope.recorder.collecting.training.evaluations import add_evaluation
from toposcope.recorder.collecting.training.graph_recording import GraphRecording
from toposcope.recorder.collecting.training.missing_values import warn_of_missing
from toposcope.recorder.collecting.training.training_lineage import (
    add_custom_lineage,
    add_dataset_graph,
    add_train_lineage,
)
from toposcope.recorder.collecting.training_network import TrainingNetwork
from toposcope.recorder.landscapes.plan.settings import LandscapeSettings
from toposcope.recorder.rank import process_count, process_rank
from toposcope.recorder.summary import OperatorValues
from toposcope.recorder.training.events.run_context import CallbackParams

if TYPE_CHECKING:
    from toposcope.recorder.collecting.training.landscape_checkpoints import LandscapeCheckpoints

_NEVER = 1 << 62


class TrainingCollection:
    """Remembers the progress of a training and what is collected next.

    A collection that raises is logged and disabled; the training continues.
    """

    def __init__(self, job: Job) -> None:
        """Record what is known before the first step, and observe the summary operators."""
        self._job, params, plan = job, job.params, job.plan
        self._step, self._epoch = int(params.get("cur_step_num", 0)), 0
        self._counts_epochs = bool(params.get("dataset_sink_mode"))
        world = process_rank(), process_count()
        self._schedule = Schedule(
            plan.collect_freq, plan.collect_tensor_freq, _length(params, in_epochs=self._counts_epochs), *world
        )
        # Before the first step, as the first call of a PyTorch network provides its inputs.
        self._graph = GraphRecording(job) if job.is_leading and job.collects("collect_graph") else None
        self._network = TrainingNetwork(params, job.framework)
        self._values, self._metrics = StepValues(job, self._network), StepMetrics(job, self._network)
        self._has_graph, self._is_checked = self._graph is None or self._graph.is_expected, False
        self._metric_freq = plan.metric_freq
        # The loss and the learning rates are due from this step on, without anything else.
        self._next_metric = _NEVER if self._metric_freq is None or self._counts_epochs else 0
        self._landscape: LandscapeCheckpoints | None = None
        self._saves_at_epochs = self._saves_at_steps = False
        if (settings := plan.data.landscape) is not None and world[0] == 0:  # Other ranks would write the same files.
            self._saves_at_steps, self._saves_at_epochs = settings.unit == "step", settings.unit == "epoch"
            self._landscape = _landscape_checkpoints(job, settings, _length(params, in_epochs=not self._saves_at_steps))
        self._outputs_before: Any = None
        self._first_step, self._metric_step = self._step, -1
        self._next_step = 0 if self._saves_at_steps or not self._counts_epochs else _NEVER
        self._is_evaluated, self._is_first_step = False, True
        self._operators = OperatorValues()
        self._activate_operators()
        self._operators.open()
        if job.is_leading:
            self._attempt("custom lineage", add_custom_lineage, job)
            if job.collects("collect_dataset_graph"):
                self._attempt("the dataset graph", add_dataset_graph, job)
            job.record_outside_steps(self._step)

    @property
    def step(self) -> int:
        """The last finished step."""
        return self._step

    def begin_epoch(self) -> None:
        """Begin an epoch: the time since the last step does not count for the throughput."""
        self._epoch = int(self._job.params.get("cur_epoch_num", self._epoch + 1))
        # MindSpore's Model does not report the initial epoch, and so the first step, before its first epoch.
        self._step = int(self._job.params.get("cur_step_num", self._step))
        self._values.restart_throughput(self._step, self._job.params.processed.epoch_began)
        if self._counts_epochs:
            self._activate_operators()

    def begin_step(self) -> None:
        """Remember values that the step will change."""
        self._outputs_before = self._job.params.get("net_outputs")
        # In sink mode, values are collected of an epoch, which may use several learning rates.
        is_due = self._metric_freq is not None or self._job.params["cur_step_num"] >= self._next_step
        if is_due and not self._counts_epochs:
            self._metrics.begin_step()

    def end_step(self) -> None:
        """Collect what is due at this step."""
        self._step = step = self._job.params["cur_step_num"]
        is_metric = step >= self._next_metric
        if is_metric and self._metric_freq is not None:
            self._next_metric = self._metric_freq * (step // self._metric_freq + 1)
        if step < self._next_step - 1:
            if is_metric:
                self._collect_metrics()
            return
        if self._is_first_step:
            self._is_first_step = False
            self._plan_steps()
        if not self._counts_epochs:
            due = self._schedule.advance(step) if step >= self._schedule.next else NOTHING_DUE
            self._collect(due, is_metric)
            if self._graph is not None and due.values:
                self._graph.record_if_due(step)
            # For the next step, already now: the forward pass of a user-written loop precedes begin_step().
            self._activate_operators()
        if self._saves_at_steps:
            self._save_landscape_checkpoint(step)
        self._next_step = min(
            _NEVER if self._counts_epochs else self._schedule.next,
            self._landscape.next if self._landscape is not None and self._saves_at_steps else _NEVER,
        )

    def _plan_steps(self) -> None:
        """Take over the planned steps, once the first one has shown whether a loop accumulates gradients."""
        length = _length(self._job.params, in_epochs=False)
        if not self._counts_epochs:
            self._schedule.length = length
        if self._landscape is not None and self._saves_at_steps:
            self._landscape.length = length

    def end_epoch(self) -> None:
        """Collect what is due at this epoch, and its evaluation unless end_evaluation() has collected it."""
        if self._counts_epochs:
            self._operators.is_active = False
            due = self._schedule.advance(self._epoch) if self._epoch >= self._schedule.next else NOTHING_DUE
            freq = self._metric_freq
            is_metric = freq is not None and (self._metric_step < 0 or self._epoch % freq == 0)
            self._collect(due, is_metric)
        if self._graph is not None:
            self._graph.record_in_pause(self._step)
        if self._saves_at_epochs:
            self._save_landscape_checkpoint(self._epoch)
        if not self._is_evaluated:
            self.end_evaluation(self._job.params)
        self._is_evaluated = False

    def begin_evaluation(self) -> None:
        """Keep the values of summary operators in an evaluation apart from those of the training."""
        self._operators.mode = "eval"

    def end_evaluation(self, params: CallbackParams) -> None:
        """Collect the metrics of an evaluation in params, at the last training step."""
        self._is_evaluated = True
        self._operators.mode = "train"
        self._attempt("evaluation metrics", add_evaluation, self._job._replace(params=params), self._step)
        if self._graph is not None:
            self._graph.record_in_pause(self._step)
        self._values.restart_throughput(self._step)

    def end(self, error: BaseException | None = None) -> None:
        """Record what is known only at the end; after an error also the loss of the last step."""
        self._operators.close()
        if error is not None or self._metric_freq is not None:
            self._collect_last_metrics(error)
        if self._graph is not None:
            self._graph.end(self._step)
        if self._job.is_leading:
            self._job.record_outside_steps(self._step)
        if self._landscape is not None:
            self._attempt("landscape checkpoints", self._landscape.end, self._step, self._epoch)
        if self._job.is_leading and self._job.collects("collect_train_lineage"):
            rate = self._job.guard.attempt("the peak learning rate", self._metrics.peak_learning_rate.value)
            self._attempt("train lineage", add_train_lineage, self._job, rate, self._epoch)
            self._job.record_outside_steps(self._step)

    def _collect_last_metrics(self, error: BaseException | None) -> None:
        """Record the metrics of the last step, NaN for example, unless they are already recorded."""
        params = self._job.params
        outputs = params.get("net_outputs")
        # A callback before this one may have raised at the end of a step.
        has_ended = error is not None and outputs is not self._outputs_before
        step = int(params.get("cur_step_num", 0)) if has_ended else self._step
        if step > self._metric_step and step > self._first_step and outputs is not None:
            self._metrics.add()
        else:
            self._metrics.add_skipped_steps()
        self._job.recorder.record_added(step)

    def _activate_operators(self) -> None:
        """Collect the values of summary operators if the next step, or in sink mode the new epoch, is due."""
        number = self._epoch if self._counts_epochs else self._step + 1
        self._operators.is_active = number >= self._schedule.next

    def _collect(self, due: Due, is_metric: bool) -> None:
        """Record what is due as one event of the step; is_metric: whether that includes the loss."""
        recorder = self._job.recorder
        if due.values or is_metric:
            self._metric_step = self._step
            self._metrics.add()
        if due.values:
            self._values.add(self._step)
            if not self._is_checked:
                self._is_checked = True
                warn_of_missing(self._job, self._network, self._has_graph)
        for plugin, tag, value in self._operators.take():
            if due.tensors if plugin == "tensor" else due.values:
                self._attempt(f"the {plugin} {tag!r}", recorder.add_value, plugin, tag, value)
        # The recorder itself adds the values of MindSpore's own operators.
        if due.values and due.tensors:
            recorder.record(self._step)
        elif due.values or due.tensors:
            recorder.record(self._step, plugin_filter=lambda plugin: (plugin == "tensor") == due.tensors)
        elif is_metric:
            recorder.record_added(self._step)

    def _collect_metrics(self) -> None:
        """Record the metrics of a step at which nothing else is due."""
        self._metric_step = self._step
        self._metrics.add()
        self._job.recorder.record_added(self._step)

    def _save_landscape_checkpoint(self, number: int) -> None:
        if self._landscape is not None and number >= self._landscape.next:
            self._attempt("landscape checkpoints", self._landscape.save_if_due, number)

    def _attempt(self, name: str, collect: Callable[..., object], *arguments: object) -> None:
        self._job.guard.attempt(name, collect, *arguments)


def _landscape_checkpoints(job: Job, settings: LandscapeSettings, planned: int | None) -> "LandscapeCheckpoints":
    # Imported on demand: it imports all formats of checkpoints.
    from toposcope.recorder.collecting.training.landscape_checkpoints import LandscapeCheckpoints

    return LandscapeCheckpoints(job, settings, planned)


def _length(params: CallbackParams, *, in_epochs: bool) -> int | None:
    """Return the planned epochs or steps of a training; None if they are unknown."""
    epochs, steps = _positive(params.get("epoch_num")), _positive(params.get("batch_num"))
    return epochs if in_epochs else epochs * steps if epochs and steps else None


def _positive(number: object) -> int | None:
    return number if isinstance(number, int) and number > 0 else None
