"""Job: a training or an evaluation that is collected: where its facts come from, and where the values go."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from toposcope.recorder.collecting.collected_data import CollectedData
from toposcope.recorder.collecting.failure_guard import FailureGuard
from toposcope.recorder.framework import Framework, framework_of
from toposcope.recorder.rank import rank_of
from toposcope.recorder.summary_record import SummaryRecord


class Plan(NamedTuple):
    """What a SummaryCollector was asked for."""

    summary_dir: str
    collect_freq: int
    collect_tensor_freq: int | None
    data: CollectedData
    custom_lineage_data: Mapping[str, object]
    example_input: tuple[Any, ...] | None
    all_ranks: bool


class Job(NamedTuple):
    """What all that collects shares."""

    plan: Plan
    recorder: SummaryRecord
    params: Mapping[str, Any]
    """The facts that callbacks are told; the same object is kept up to date."""
    framework: Framework
    switches: FailureGuard
    is_leading: bool
    """Whether this process records what all processes have in common: the graph, the lineage, images, checkpoints."""

    def wants(self, key: str) -> bool:
        """Say whether the user wants what a key of collect_specified_data stands for."""
        return key in self.plan.data.switches

    def add_scalars(self, scalars: Mapping[str, float]) -> None:
        """Add scalars by tag."""
        for tag, value in scalars.items():
            self.recorder.add_value("scalar", tag, value)

    def record_aside(self, step: int) -> None:
        """Record what was added beside the steps, without what MindSpore's summary operators have left."""
        self.recorder.set_mode("eval")
        self.recorder.record(step)
        self.recorder.set_mode("train")


def job_of(plan: Plan, recorder: SummaryRecord, params: Mapping[str, Any]) -> Job:
    """Return the job of a training or an evaluation that begins."""
    network = params.get("network")
    framework = framework_of(params.get("optimizer") if network is None else network)
    is_leading = plan.all_ranks or rank_of(os.environ) == 0
    return Job(plan, recorder, params, framework, FailureGuard(plan.summary_dir), is_leading)
