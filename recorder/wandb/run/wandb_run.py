"""Run: a run with the attributes and methods of W&B's, recorded by SummaryRecord."""

import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from toposcope.recorder.ends.fork import FirstTime
from toposcope.recorder.record.logged_values import LoggedValues, logged_values
from toposcope.recorder.record.summary_record import SummaryRecord
from toposcope.recorder.values.arrays.deferred_scalar import DeferredScalar
from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.wandb.errors import UsageError
from toposcope.recorder.wandb.inert import reported
from toposcope.recorder.wandb.logged.alerts import Alerts
from toposcope.recorder.wandb.logged.logged_items import logged_items
from toposcope.recorder.wandb.logged.metric_definitions import MetricDefinition, MetricDefinitions, metric_definition
from toposcope.recorder.wandb.logged.step_counter import StepCounter, whole_step
from toposcope.recorder.wandb.logged.watched_models import WatchedModels
from toposcope.recorder.wandb.reports import REPORTS, guarded, report_ignored
from toposcope.recorder.wandb.run.run_config import Config
from toposcope.recorder.wandb.run.run_identity import NAMED_SETTINGS, RunIdentity
from toposcope.recorder.wandb.run.run_record import ExitCodeError, RunRecord
from toposcope.recorder.wandb.run.run_settings import RunSettings
from toposcope.recorder.wandb.run.run_summary import Summary

METRICS = "wandb/metrics"
"""Name of the definitions of metrics in the lineage; their JSON is described in FORMAT.md."""
_RUNS: "weakref.WeakValueDictionary[str, Run]" = weakref.WeakValueDictionary()
"""The runs of the process by id."""


class Run(RunIdentity):
    """A run: what log() receives is recorded in its directory."""

    def __init__(
        self,
        settings: RunSettings,
        directory: Path,
        recorder: SummaryRecord | None,
        *,
        first_step: int = 0,
        is_resumed: bool = False,
        replaced_from: int | None = None,
        on_end: Callable[["Run"], None] | None = None,
    ) -> None:
        """Create the run.

        Args:
            settings: who it is.
            directory: an existing directory.
            recorder: records it; None: nothing is recorded.
            first_step: the first step.
            is_resumed: whether it continues an earlier run.
            replaced_from: the step from which on it replaces what was recorded earlier; None: nothing.
            on_end: called when it has ended.
        """
        super().__init__(settings, directory, self._record_settings)
        self._record = RunRecord(directory, recorder, self._facts, replaced_from=replaced_from)
        self._recorder, self._on_end = recorder, on_end
        self._pid, self._lock, self._is_finished = os.getpid(), threading.RLock(), False
        self._first_step, self._is_resumed = first_step, is_resumed
        self.start_time = time.time()
        self._steps = StepCounter(self._write, first_step)
        self._metrics = MetricDefinitions()
        self._config, self._summary = Config(self._record_config), Summary(self._metrics)
        self._watched = WatchedModels(lambda values: self.log(values, commit=False))
        self._has_graph = False
        self._background: list[Any] = []
        self._is_first_report = FirstTime()
        self._alerts = Alerts()
        _RUNS[settings.id] = self

    def start(self, earlier: Mapping[str, Any], config: Mapping[str, Any]) -> None:
        """Record who the run is and its configuration.

        Args:
            earlier: what write_facts() has written for the run that this one continues.
            config: the settings of the script; they precede those of the earlier run.
        """
        self._record.has_values = bool(earlier.get("has_values"))
        self._metrics.restore(earlier.get("metrics") or {}, earlier.get("summary") or {})
        self._summary.put(earlier.get("summary") or {})
        self._config.__dict__["_items"].update({**(earlier.get("config") or {}), **config})
        self._record_config(self._config.as_dict())
        self._record_settings()
        if self._recorder is not None:
            # Imported here: a disabled run does not need them.
            from toposcope.recorder.collecting.console.capture import ConsoleCapture
            from toposcope.recorder.collecting.environment.environment_thread import EnvironmentThread
            from toposcope.recorder.collecting.machine.machine_thread import MachineThread

            directory = str(self._directory)
            self._background = [
                EnvironmentThread(self._recorder, True, True, ()),
                MachineThread(self._recorder, directory, 15.0, lambda: max(0, self._steps.step - 1)),
            ]
            if os.environ.get("WANDB_CONSOLE", "").lower() != "off":
                self._background.append(ConsoleCapture(self._recorder))

    @property
    def url(self) -> str | None:
        """The URL of the directory; None if nothing is recorded."""
        return self._directory.as_uri() if self._recorder is not None else None

    @property
    def step(self) -> int:
        """The current step."""
        return self._steps.step

    @property
    def starting_step(self) -> int:
        """The first step of this process."""
        return self._first_step

    @property
    def resumed(self) -> bool:
        """Whether the run continues an earlier one."""
        return self._is_resumed

    @property
    def is_of_this_process(self) -> bool:
        """Whether this process has started it; in a forked one it has no effect."""
        return os.getpid() == self._pid

    @property
    def offline(self) -> bool:
        """True: nothing is sent."""
        return True

    @property
    def disabled(self) -> bool:
        """Whether nothing is recorded."""
        return self._recorder is None

    @property
    def config(self) -> Config:
        """The configuration."""
        return self._config

    @property
    def summary(self) -> Summary:
        """The results."""
        return self._summary

    @guarded
    def log(
        self, data: Mapping[str, Any] | None = None, step: Any = None, commit: bool | None = None, **ignored: Any
    ) -> None:
        """Record values.

        Args:
            data: name to value; see logged_items(). The names of nested mappings are joined by ".". None: nothing.
            step: their step; the values of a step are collected until a later one. None: the current step, which this
                call completes.
            commit: whether this call completes the step.
            ignored: other arguments, which are reported.
        """
        report_ignored("log", {name: value for name, value in ignored.items() if name != "sync"})
        data = {} if data is None else data
        if not isinstance(data, Mapping):
            raise UsageError(f"log() takes a mapping of names to values, not {short_repr(data)}.")
        if not self._is_usable("log"):
            return
        with self._lock:
            number = whole_step(step)
            if self._recorder is None:
                self._steps.step += number is None and commit in (None, True)
                return
            logged = logged_items(data, self._new_file)
            for path, value in logged.results:
                self._metrics.keep(path, value)
                self._summary.add(path, value)
            self._steps.add(logged.values, number, commit)
            self._summary.put({"_step": self._steps.step - 1, "_runtime": time.time() - self.start_time})
            if self._record.is_summary_due:
                self._record.write_summary(self._summary.plain(), self.step)

    def define_metric(
        self,
        name: str,
        step_metric: Any = None,
        step_sync: bool | None = None,
        hidden: bool | None = None,
        summary: str | None = None,
        overwrite: bool | None = None,
        goal: str | None = None,
        **ignored: Any,
    ) -> MetricDefinition:
        """Define the x axis of a metric and what the summary contains of it, and return the definition.

        A step that has the metric but not its step metric receives the last value of that, unless step_sync is False.
        The definitions are recorded. Values that were logged before keep their step metrics.

        Args:
            name: of the metric; "*" at its end stands for any rest. The longest name that matches counts.
            step_metric: the name of another metric: the x axis of its chart.
            step_sync: None: True if step_metric is given.
            hidden: whether its chart should not be shown by itself.
            summary: "min", "max", "mean", "last", "first", "best" or "none", or several, separated by commas.
            overwrite: whether None replaces what an earlier call has set.
            goal: "minimize" or "maximize", for "best".
            ignored: other arguments, which are reported.
        """
        report_ignored("define_metric", ignored)
        try:
            definition = metric_definition(name, step_metric, step_sync, hidden, summary, goal)
        except UsageError as error:
            REPORTS.fails(error)
            return MetricDefinition(str(name))
        self._define(definition, bool(overwrite))
        return definition

    @guarded
    def _define(self, definition: MetricDefinition, overwrite: bool) -> None:
        with self._lock:
            self._metrics.add(definition, overwrite=overwrite)
            if not self._is_finished:
                self._record.write_lineage({METRICS: self._metrics.as_json()}, self.step)

    @guarded
    def watch(
        self,
        models: Any,
        criterion: Any = None,
        log: str | None = "gradients",
        log_freq: int = 1000,
        idx: int | None = None,
        log_graph: bool = False,
    ) -> None:
        """Record histograms of gradients and parameters of modules: see WatchedModels.watch().

        criterion and idx have no effect. With log_graph the graph of the first module is recorded.
        """
        report_ignored("watch", {"idx": idx})
        if self._recorder is None or not self._is_usable("watch"):
            return
        self._watched.watch(models, log, log_freq)
        if log_graph:
            self._has_graph = True
            self._recorder.record(self.step, models[0] if isinstance(models, list | tuple) else models)

    @guarded
    def unwatch(self, models: Any = None) -> None:
        """Remove what watch() has added to modules; None: to all."""
        self._watched.unwatch(models)

    @guarded
    def alert(self, title: str, text: str = "", level: Any = None, wait_duration: Any = None) -> None:
        """Log and record a message for the people who watch the run.

        Args:
            title: of the message.
            text: the message.
            level: "INFO", "WARN" or "ERROR".
            wait_duration: the time, in seconds or a timedelta, in which another alert of the same title is left out.
        """
        kind = self._alerts.add(str(title), str(text), level, wait_duration)
        if kind and self._recorder is not None and self._is_usable("alert"):
            self._recorder.alert(str(title) or kind, str(text), kind, step=self.step)

    @guarded
    def finish(self, exit_code: int | None = None, quiet: bool | None = None) -> None:
        """Write what is collected and close the files; again: do nothing.

        Args:
            exit_code: another one than 0: the run is shown as failed. None: it failed if an exception is being handled.
            quiet: has no effect.
        """
        error = ExitCodeError(f"exit code {exit_code}") if exit_code else None
        self._end(lambda: self._record.close(error), "failed" if exit_code else self._record.state_at_close)

    def join(self, exit_code: int | None = None) -> None:
        """See finish()."""
        self.finish(exit_code)

    def end_with_process(self) -> None:
        """Write what is collected and close the files of a run without finish(), at the end of the process."""
        if self.is_of_this_process:
            self._guarded_end(self._record.close_with_process, self._record.state_with_process)

    @guarded
    def _guarded_end(self, close: Callable[[], None], state: str) -> None:
        self._end(close, state)

    def _end(self, close: Callable[[], None], state: str) -> None:
        if not self.is_of_this_process:
            return
        with self._lock:
            if self._is_finished:
                return
            self._is_finished = True
            try:
                self._watched.unwatch()
                self._steps.flush()
                self._record.write_summary(self._summary.plain(), self.step, state)
            finally:
                for thread in self._background:
                    thread.end()
                close()
                if self._on_end is not None:
                    self._on_end(self)

    def get_url(self) -> str | None:
        """Return url."""
        return self.url

    def __enter__(self) -> "Run":
        """Return the run."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish the run; if an exception leaves the block, it is shown as failed with it."""
        if error is None:
            self.finish()
        else:
            self._guarded_end(lambda: self._record.close(error), "failed")

    def __getattr__(self, name: str) -> Any:
        """Return an inert object for a name that has no effect here, with a report.

        Raises:
            AttributeError: the name begins with "_".
            UsageError: in strict mode.
        """
        if name.startswith("_"):
            raise AttributeError(f"A run has no attribute {name!r}.")
        return reported(f"run.{name}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle who the run is: in this process it is the run itself, in another one nothing is recorded."""
        return _run_of, (self._settings, str(self._directory))

    def __repr__(self) -> str:
        """Return a text with the path and the directory."""
        return f"<wandb run {self.path} in {self.dir}>"

    def _is_usable(self, method: str) -> bool:
        if not self.is_of_this_process:
            if REPORTS.is_strict or self._is_first_report.take():  # Of all workers that a DataLoader forks.
                REPORTS.fails(UsageError(f"{method}() has no effect in a process forked from that of run {self.id}."))
            return False
        if self._is_finished:
            REPORTS.fails(UsageError(f"{method}() has no effect: run {self.id} is finished."))
        return not self._is_finished

    def _write(self, values: LoggedValues, step: int) -> None:
        self._add_step_metrics(values)
        self._record.write(values, step)
        if self._has_graph and self._recorder is not None:
            self._recorder.record(step)  # Adds the graph when there is one.

    def _add_step_metrics(self, values: LoggedValues) -> None:
        """Add the last values of the step metrics that a step lacks."""
        names = {*values.scalars, *(tag for _, tag in values.snapshots)}
        for name, (path, value) in self._metrics.missing_steps(names).items():
            if isinstance(value, DeferredScalar):
                value = value.read()
            values.update(logged_values({name: value}))
            self._summary.add(path, value)

    def _new_file(self, kind: str, suffix: str) -> Path:
        return self._record.new_file(kind, suffix, self.step)

    def _record_settings(self) -> None:
        named = {name: getattr(self, name) for name in ("id", *NAMED_SETTINGS) if getattr(self, name)}
        if tags := named.get("tags"):
            named["tags"] = ", ".join(tags)
        if not self._is_finished:
            self._record.write_settings(named, "wandb/", self.step)

    def _record_config(self, settings: Mapping[str, Any]) -> None:
        if not self._is_finished:
            self._record.write_settings(settings, "", self.step)

    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {name: getattr(self, name) for name in ("id", *NAMED_SETTINGS)}
        facts |= {"config": self._config.as_dict(), "summary": self._summary.plain()}
        return facts | {"metrics": self._metrics.plain()}


def _run_of(settings: RunSettings, directory: str) -> Run:
    """Return the run of a pickled one: the same in its process, in another one a run that records nothing."""
    if (run := _RUNS.get(settings.id)) is not None:
        return run
    REPORTS.differs(f"run {settings.id} of another process is not recorded in this one.")
    return Run(settings, Path(directory), None)
