"""Background: what is collected beside the training thread: environment, code, machine metrics and output."""

import os
from collections.abc import Callable
from typing import Protocol

from toposcope.recorder.collecting.environment.environment_thread import EnvironmentThread
from toposcope.recorder.collecting.job import Job
from toposcope.recorder.collecting.machine.machine_thread import MachineThread


class _Collection(Protocol):
    def end(self) -> None:
        """Record what is left and stop collecting."""


class Background:
    """The collections that run while the training does."""

    def __init__(self, job: Job, step: Callable[[], int]) -> None:
        """Start the enabled collections; step returns the step that the training has reached."""
        self._job, self._step, self._process_id = job, step, os.getpid()
        sources: dict[str, tuple[bool, Callable[[], _Collection]]] = {
            "the console": (job.is_leading and job.collects("collect_console"), self._console),
            "the environment": (job.is_leading and self._collects_environment, self._environment),
            "machine metrics": (job.collects("collect_machine"), self._machine),
        }
        self._collections = {
            name: collection
            for name, (is_enabled, start) in sources.items()
            if is_enabled and (collection := job.guard.attempt(name, start)) is not None
        }

    def end(self) -> None:
        """Record what is left and stop; waits for git for at most two seconds."""
        collections, self._collections = self._collections, {}
        if os.getpid() == self._process_id:  # The threads do not run in a forked process.
            for name, collection in reversed(collections.items()):
                self._job.guard.attempt(name, collection.end)

    @property
    def _collects_environment(self) -> bool:
        return self._job.collects("collect_environment") or self._job.collects("collect_code")

    def _environment(self) -> _Collection:
        collects, named_by_user = self._job.collects, self._job.plan.custom_lineage_data
        recorder = self._job.recorder
        return EnvironmentThread(recorder, collects("collect_environment"), collects("collect_code"), named_by_user)

    def _machine(self) -> _Collection:
        plan = self._job.plan
        return MachineThread(self._job.recorder, plan.summary_dir, plan.machine_seconds, self._step)

    def _console(self) -> _Collection:
        from toposcope.recorder.collecting.console.capture import ConsoleCapture  # Off by default.

        return ConsoleCapture(self._job.recorder)
