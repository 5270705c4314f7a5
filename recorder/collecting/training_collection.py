"""Training collection: what is collected of one training, at each of its moments."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from toposcope.recorder.collecting.evaluations import add_evaluation
from toposcope.recorder.collecting.job import Job
from toposcope.recorder.collecting.landscape_checkpoints import LandscapeCheckpoints
from toposcope.recorder.collecting.schedule import Due, Schedule
from toposcope.recorder.collecting.step_values import StepValues
from toposcope.recorder.collecting.training_lineage import add_custom_lineage, add_dataset_graph, add_train_lineage
from toposcope.recorder.rank import rank_of, world_size_of
from toposcope.recorder.summary import OperatorValues

_NEVER = 1 << 62


class TrainingCollection:
    """Remembers how far a training has come, and what of it comes next.

    What a collection raises is logged, and that collection is over; the training goes on.
    """

    def __init__(self, job: Job) -> None:
        """Record what is known before the first step, and listen to the summary operators."""
        self._job, params, plan = job, job.params, job.plan
        self._step, self._epoch = int(params.get("cur_step_num", 0)), 0
        self._counts_epochs = bool(params.get("dataset_sink_mode"))
        epochs, steps = _positive(params.get("epoch_num")), _positive(params.get("batch_num"))
        total = epochs * steps if epochs and steps else None
        length, world = epochs if self._counts_epochs else total, (rank_of(os.environ), world_size_of(os.environ))
        self._schedule = Schedule(plan.collect_freq, plan.collect_tensor_freq, length, *world)
        self._values = StepValues(job)
        self._landscape: LandscapeCheckpoints | None = None
        self._reaches_epochs = self._reaches_steps = False
        if (settings := plan.data.landscape) is not None and world[0] == 0:  # Others would write the same files.
            self._reaches_steps, self._reaches_epochs = settings.unit == "step", settings.unit == "epoch"
            self._landscape = LandscapeCheckpoints(job, settings, total if self._reaches_steps else epochs)
        self._outputs_before: Any = None
        self._collected_step = -1
        self._next_step = 0 if self._reaches_steps or not self._counts_epochs else _NEVER
        self._is_evaluated = False
        self._operators = OperatorValues()
        self._listen()
        self._operators.open()
        if job.is_leading:
            self._attempt("custom lineage", add_custom_lineage, job)
            if job.wants("collect_dataset_graph"):
                self._attempt("the dataset graph", add_dataset_graph, job)
            job.record_aside(self._step)

    def begin_epoch(self) -> None:
        """Begin an epoch: its evaluation and what lies between epochs does not count as training."""
        self._epoch = int(self._job.params.get("cur_epoch_num", self._epoch + 1))
        self._values.throughput.restart(self._step)
        if self._counts_epochs:
            self._listen()

    def begin_step(self) -> None:
        """Note what the step that begins will change."""
        self._outputs_before = self._job.params.get("net_outputs")
        # What is collected at the end of an epoch has used more than this step's rate.
        if not self._counts_epochs and self._job.params["cur_step_num"] >= self._next_step:
            self._values.begin_step()

    def end_step(self) -> None:
        """Collect what is due at this step."""
        self._step = step = self._job.params["cur_step_num"]
        if step < self._next_step - 1:
            return
        if not self._counts_epochs:
            if step >= self._schedule.next:
                self._collect(self._schedule.take(step))
            # Now for the step that follows: the forward pass of a plain loop comes before the step is known to begin.
            self._listen()
        if self._reaches_steps:
            self._reach(step)
        self._next_step = min(
            _NEVER if self._counts_epochs else self._schedule.next,
            self._landscape.next if self._landscape is not None and self._reaches_steps else _NEVER,
        )

    def end_epoch(self) -> None:
        """Collect what is due at this epoch, and its evaluation if nobody has told of it before."""
        if self._counts_epochs and self._epoch >= self._schedule.next:
            self._operators.is_active = False
            self._collect(self._schedule.take(self._epoch))
        if self._reaches_epochs:
            self._reach(self._epoch)
        if not self._is_evaluated:
            self.end_evaluation(self._job.params)
        self._is_evaluated = False

    def begin_evaluation(self) -> None:
        """Let the summary operators rest: what follows is no training."""
        self._operators.mode = "eval"

    def end_evaluation(self, params: Mapping[str, Any]) -> None:
        """Collect the metrics that params tell of an evaluation, at the step that was trained last."""
        self._is_evaluated = True
        self._operators.mode = "train"
        self._attempt("evaluation metrics", add_evaluation, self._job._replace(params=params), self._step)

    def end(self, error: BaseException | None = None) -> None:
        """Record what is known at the end only; after an error the loss of the step that it followed, too."""
        self._operators.close()
        if error is not None:
            self._collect_last_loss()
        self._values.end()
        if self._job.is_leading:
            self._job.record_aside(self._step)
        if self._landscape is not None:
            self._attempt("landscape checkpoints", self._landscape.end, self._step, self._epoch)
        if self._job.is_leading and self._job.wants("collect_train_lineage"):
            rate = self._values.peak_learning_rate
            self._attempt("train lineage", add_train_lineage, self._job, rate, self._epoch)
            self._job.record_aside(self._step)

    def _collect_last_loss(self) -> None:
        """Record the loss of a step that ended the training, such as one that is NaN, if it is not recorded."""
        params = self._job.params
        step, outputs = int(params.get("cur_step_num", 0)), params.get("net_outputs")
        if step > self._collected_step and outputs is not self._outputs_before and self._job.wants("collect_metric"):
            self._attempt("the loss", self._values.add_loss)
            self._job.recorder.record(step)

    def _listen(self) -> None:
        """Let the summary operators keep values if the next step, or the epoch that begins, is due."""
        coming = self._epoch if self._counts_epochs else self._step + 1
        self._operators.is_active = coming >= self._schedule.next

    def _collect(self, due: Due) -> None:
        """Record what is due, as one event of the step."""
        recorder = self._job.recorder
        self._collected_step = self._step
        if due.values:
            self._values.add(self._step)
        for plugin, tag, value in self._operators.take():
            if due.tensors if plugin == "tensor" else due.values:
                self._attempt(f"the {plugin} {tag!r}", recorder.add_value, plugin, tag, value)
        # The recorder asks MindSpore's own operators itself.
        if due.values and due.tensors:
            recorder.record(self._step)
        elif due.values or due.tensors:
            recorder.record(self._step, plugin_filter=lambda plugin: (plugin == "tensor") == due.tensors)

    def _reach(self, number: int) -> None:
        if self._landscape is not None and number >= self._landscape.next:
            self._attempt("landscape checkpoints", self._landscape.reach, number)

    def _attempt(self, name: str, collect: Callable[..., object], *arguments: object) -> None:
        self._job.switches.attempt(name, collect, *arguments)


def _positive(number: object) -> int | None:
    return number if isinstance(number, int) and number > 0 else None
