"""Job: the collection of one training or evaluation: its settings, the source of its values, and the recorder."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from toposcope.recorder.collecting.collected_data import CollectedData
from toposcope.recorder.collecting.failure_guard import FailureGuard
from toposcope.recorder.framework import Framework, framework_of
from toposcope.recorder.rank import process_rank
from toposcope.recorder.record.summary_record import SummaryRecord
from toposcope.recorder.training.events.run_context import CallbackParams


class Plan(NamedTuple):
    """The settings of a SummaryCollector."""

    summary_dir: str
    collect_freq: int
    metric_freq: int | None
    """None: collect_freq."""
    collect_tensor_freq: int | None
    data: CollectedData
    custom_lineage_data: Mapping[str, object]
    example_input: tuple[Any, ...] | None
    all_ranks: bool
    machine_seconds: float
    """Time between machine metrics, in seconds."""


class Job(NamedTuple):
    """What all collections of a training or an evaluation share."""

    plan: Plan
    recorder: SummaryRecord
    params: CallbackParams
    """The cb_params of the training; the training keeps this object up to date."""
    framework: Framework
    guard: FailureGuard
    is_leading: bool
    """Whether this process records what only one of several processes records: graph, lineage, images, checkpoints."""

    def collects(self, key: str) -> bool:
        """Return whether a key "collect_..." of collect_specified_data is enabled."""
        return key in self.plan.data.enabled

    def add_scalars(self, scalars: Mapping[str, float]) -> None:
        """Add scalars by tag."""
        for tag, value in scalars.items():
            self.recorder.add_value("scalar", tag, value)

    def record_outside_steps(self, step: int) -> None:
        """Record what was added between training steps, without pending values of MindSpore's summary operators."""
        self.recorder.set_mode("eval")
        self.recorder.record(step)
        self.recorder.set_mode("train")


def job_of(plan: Plan, recorder: SummaryRecord, params: CallbackParams) -> Job:
    """Return the job of a training or an evaluation that is about to start."""
    network = params.get("network")
    framework = framework_of(params.get("optimizer") if network is None else network)
    is_leading = plan.all_ranks or process_rank() == 0
    return Job(plan, recorder, params, framework, FailureGuard(plan.summary_dir), is_leading)
