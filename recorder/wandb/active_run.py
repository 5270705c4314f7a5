"""The active run of the process: wandb.init() starts it, and wandb.log() and the like use it."""

import atexit
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from toposcope.recorder import log as logger
from toposcope.recorder.ends.fork import OWNER_OF_RECORDERS, close_at_end_of_child
from toposcope.recorder.imported import imported
from toposcope.recorder.rank import process_rank
from toposcope.recorder.record.summary_record import SummaryRecord
from toposcope.recorder.stores.spool import shown_path
from toposcope.recorder.wandb.errors import UsageError
from toposcope.recorder.wandb.logged.metric_definitions import MetricDefinition
from toposcope.recorder.wandb.reports import REPORTS, report_ignored
from toposcope.recorder.wandb.run.run_config import Config, settings_in
from toposcope.recorder.wandb.run.run_directory import find_crashed_run, find_run, new_directory, read_facts
from toposcope.recorder.wandb.run.run_settings import RunSettings, generate_id, run_settings
from toposcope.recorder.wandb.run.run_summary import Summary
from toposcope.recorder.wandb.run.wandb_run import Run
from toposcope.recorder.writing.files.earlier_recordings import last_recorded_step

_IGNORED = {
    "sync_tensorboard": "TensorBoard's files are not copied; the server also shows them in their own directory.",
    "tensorboard": "TensorBoard's files are not copied; the server also shows them in their own directory.",
    "monitor_gym": "videos of Gym are not recorded.",
    "settings": "the settings have no effect.",
    "fork_from": "a new run begins.",
}
_WITHOUT_EFFECT = {"force", "save_code", "anonymous"}
"""Arguments that ask for what is so here anyway: no login is needed, and the version of the code is recorded."""


class _Process:
    """The runs of the process that have not ended, and the configuration and summary before a run."""

    def __init__(self) -> None:
        """Start without a run."""
        self.run: Run | None = None
        self.runs: list[Run] = []
        self.config, self.summary = Config(), Summary()
        self._observed_process: int | None = None

    def add(self, run: Run, *, is_active: bool) -> None:
        """Add a run, which ends with the process at the latest."""
        if self._observed_process != os.getpid():  # In a forked process the handlers of its parent are not called.
            atexit.register(self.end)
            close_at_end_of_child(self, self.end, OWNER_OF_RECORDERS)
            self._observed_process = os.getpid()
        self.runs.append(run)
        if is_active:
            self.run = run

    def forget_inherited(self) -> None:
        """Forget the runs of the process from which this one was forked."""
        self.runs = [run for run in self.runs if run.is_of_this_process]
        if self.run is not None and not self.run.is_of_this_process:
            self.run = None

    def remove(self, run: Run) -> None:
        """Remove a run that has ended."""
        self.runs = [other for other in self.runs if other is not run]
        if self.run is run:
            self.run = None

    def end(self) -> None:
        """End all runs with the process."""
        for run in list(self.runs):
            run.end_with_process()


_PROCESS = _Process()


def current_run() -> Run | None:
    """Return the active run; None before init() and after finish()."""
    return _PROCESS.run


def current_config() -> Config:
    """Return the configuration of the active run; before init() one that init() takes over."""
    return _PROCESS.run.config if _PROCESS.run is not None else _PROCESS.config


def current_summary() -> Summary:
    """Return the summary of the active run, or one that is not recorded."""
    if _PROCESS.run is None:
        REPORTS.differs("summary before init() or after finish() is not recorded.")
        return _PROCESS.summary
    return _PROCESS.run.summary


def replace_config(settings: Any) -> None:
    """Update the configuration of the active run, as wandb.config = {...} means."""
    current_config().update(settings, allow_val_change=True)


def init(
    entity: str | None = None,
    project: str | None = None,
    dir: Any = None,
    id: str | None = None,
    name: str | None = None,
    notes: str | None = None,
    tags: Any = None,
    config: Any = None,
    config_exclude_keys: Iterable[str] | None = None,
    allow_val_change: bool | None = None,
    group: str | None = None,
    job_type: str | None = None,
    mode: str | None = None,
    force: bool | None = None,
    reinit: Any = None,
    resume: Any = None,
    resume_from: str | None = None,
    *,
    strict: bool = False,
    **ignored: Any,
) -> Run:
    """Start a run and return it; if one is active, return that, or finish it in a notebook, unless reinit is given.

    Args:
        entity: a user or a team, recorded.
        project: the directory below "wandb" in which the run is.
        dir: where the directory "wandb" is, or an address in an object store, where no run is resumed; None: WANDB_DIR,
            or the working directory.
        id: of the run.
        name: of the run.
        notes: recorded.
        tags: recorded.
        config: a mapping, an argparse.Namespace, an object with attributes, or the path of a YAML file.
        config_exclude_keys: settings that are left out.
        allow_val_change: whether a setting of an active run that config changes needs no warning.
        group: a directory below that of the project.
        job_type: recorded.
        mode: "disabled": nothing is recorded. "online" and "offline" are the same here.
        force: has no effect.
        reinit: "finish_previous" or True: the active runs end first. "create_new": the new run is not the active one.
            "return_previous": the active run is returned. None: "finish_previous" in a notebook, whose cells are run
            again, otherwise "return_previous".
        resume: "must": the run with the id is continued. "allow": likewise if it exists. "never": it must not exist.
            "auto": the newest run of the project is continued if it failed, or if its process was killed.
        resume_from: "<id>?_step=<step>": the run is continued after the step; later ones are hidden.
        strict: whether errors, and names without effect, raise from now on. Otherwise they are logged, once each.
        ignored: other arguments of W&B's, which are reported.

    Raises:
        UsageError: in strict mode, an argument is invalid, or resume does not fit the runs that exist.
        OSError: in strict mode, the files cannot be created. Otherwise the run then records nothing.
    """
    arguments = dict(locals())
    REPORTS.is_strict = REPORTS.is_strict or strict
    report_ignored("init", {key: value for key, value in ignored.items() if key not in _WITHOUT_EFFECT}, _IGNORED)
    settings = _chosen_settings(config, config_exclude_keys or ())
    _PROCESS.forget_inherited()
    if reinit in (True, "finish_previous") or (reinit is None and _is_notebook()):
        for previous in list(_PROCESS.runs):
            previous.finish()
    elif _PROCESS.run is not None and reinit != "create_new":
        _PROCESS.run.config.update(settings, allow_val_change=allow_val_change)
        REPORTS.differs(f"init() returns run {_PROCESS.run.id}, which is not finished; reinit=True starts a new one.")
        return _PROCESS.run
    run = _new_run(arguments, settings)
    _PROCESS.add(run, is_active=reinit != "create_new")
    return run


def _is_notebook() -> bool:
    """Return whether the program is a notebook: the kernel of Jupyter is an IPython shell with a kernel."""
    shell = getattr(imported("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def _chosen_settings(config: Any, exclude: Iterable[str]) -> dict[str, Any]:
    """Return the settings of init(), those that were set before it included."""
    try:
        settings = settings_in(config)
    except Exception as error:
        REPORTS.fails(error)
        settings = {}
    settings = _PROCESS.config.as_dict() | settings
    _PROCESS.config = Config()
    if os.path.exists("config-defaults.yaml"):
        REPORTS.differs("config-defaults.yaml is not read: pass it as init(config=...).")
    return {name: value for name, value in settings.items() if name not in exclude}


def _new_run(arguments: Mapping[str, Any], config: Mapping[str, Any]) -> Run:
    try:
        settings = run_settings(arguments, os.environ)
        if settings.mode != "disabled":
            return _recorded_run(settings, config)
    except Exception as error:
        REPORTS.fails(error)
        logger.error("wandb: the run is not recorded: %s: %s", type(error).__name__, error)
        settings = run_settings({**arguments, "mode": "disabled", "resume_from": None, "tags": ()}, {})
    run = Run(settings, Path(tempfile.mkdtemp(prefix="toposcope-wandb-")), None, on_end=_PROCESS.remove)
    run.start({}, config)
    return run


def _recorded_run(settings: RunSettings, config: Mapping[str, Any]) -> Run:
    """Start a run that is recorded, new or continued.

    Raises:
        UsageError: in strict mode, resume does not fit the runs that exist.
        OSError: the files cannot be created.
    """
    settings, directory = _place(settings)
    is_resumed = directory is not None
    resume: bool | int = is_resumed
    first_step = 0
    if directory is None:
        directory = new_directory(settings)
        resume = 0 if read_facts(directory) else False
    elif settings.from_step is not None:
        resume = first_step = settings.from_step + 1
    else:
        first_step = _next_step(directory)
    recorder = SummaryRecord(directory, resume=resume, collects_operators=False)
    run = Run(
        settings,
        directory,
        recorder,
        first_step=first_step,
        is_resumed=is_resumed,
        replaced_from=None if isinstance(resume, bool) else resume,
        on_end=_PROCESS.remove,
    )
    run.start(read_facts(directory) if is_resumed else {}, config)
    if os.environ.get("WANDB_SILENT", "").lower() not in ("true", "1"):
        print(
            f"toposcope: run {settings.name} ({settings.id}) is recorded in {shown_path(str(directory))}",
            file=sys.stderr,
        )
    return run


def _place(settings: RunSettings) -> tuple[RunSettings, Path | None]:
    """Return the settings, and the directory of the run that is continued; None: the run is new."""
    if settings.resume is None:
        return settings, None
    if settings.resume == "auto" and not settings.has_own_id:
        crashed = find_crashed_run(settings)
        return (settings, None) if crashed is None else (settings._replace(id=crashed[1]), crashed[0])
    found = find_run(settings)
    if settings.resume == "must" and found is None:
        REPORTS.fails(UsageError(f"resume='must', but there is no run {settings.id}: a new run begins."))
    if settings.resume == "never" and found is not None:
        fresh = settings._replace(id=generate_id())
        REPORTS.fails(UsageError(f"resume='never', but run {settings.id} exists: run {fresh.id} begins."))
        return fresh, None
    return settings, found


def _next_step(directory: Path) -> int:
    """Return the step after the last one of the recordings in a directory."""
    last = last_recorded_step(str(directory), process_rank())
    return int(bool(read_facts(directory).get("has_values"))) if last is None else last + 1


def _needed(function: str) -> Run | None:
    if _PROCESS.run is None:
        REPORTS.fails(UsageError(f"{function}() has no effect before init() and after finish()."))
    return _PROCESS.run


def log(data: Mapping[str, Any] | None = None, step: Any = None, commit: bool | None = None, **ignored: Any) -> None:
    """Record values of the active run: see Run.log()."""
    if (run := _needed("log")) is not None:
        run.log(data, step, commit, **ignored)


def define_metric(name: str, *arguments: Any, **options: Any) -> MetricDefinition:
    """Define a metric of the active run: see Run.define_metric()."""
    run = _needed("define_metric")
    return MetricDefinition(str(name)) if run is None else run.define_metric(name, *arguments, **options)


def finish(exit_code: int | None = None, quiet: bool | None = None) -> None:
    """Finish the active run: see Run.finish()."""
    if _PROCESS.run is not None:
        _PROCESS.run.finish(exit_code, quiet)


def watch(models: Any, *arguments: Any, **options: Any) -> None:
    """Watch modules in the active run: see Run.watch()."""
    if (run := _needed("watch")) is not None:
        run.watch(models, *arguments, **options)


def unwatch(models: Any = None) -> None:
    """Undo watch(): see Run.unwatch()."""
    if _PROCESS.run is not None:
        _PROCESS.run.unwatch(models)


def alert(title: str, text: str = "", level: Any = None, wait_duration: Any = None) -> None:
    """Log and record a warning of the active run: see Run.alert()."""
    if (run := _needed("alert")) is not None:
        run.alert(title, text, level, wait_duration)
