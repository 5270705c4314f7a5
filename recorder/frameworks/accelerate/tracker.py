"""ToposcopeTracker: records what Accelerator.log() and init_trackers() receive."""

import os
from collections.abc import Mapping
from typing import Any

from accelerate import tracking

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_integer, checked_text
from toposcope.recorder.callbacks.adapter_settings import checked_settings
from toposcope.recorder.ends.end_observer import EndObserver
from toposcope.recorder.frameworks.accelerate.images import images_in
from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.messages.settings import plain_settings
from toposcope.recorder.rank import process_rank
from toposcope.recorder.stores.spool import local_path
from toposcope.recorder.training.events.callback_list import CallbackList
from toposcope.recorder.training.own_loops.driven_run import DrivenRun
from toposcope.recorder.writing.files.earlier_recordings import last_recorded_step

_NOT_KNOWN: dict[str, Any] = {"collect_metric": False, "collect_learning_rate": False, "collect_graph": False}
_NOT_KNOWN |= {"collect_throughput": False, "collect_train_lineage": False, "histogram_regular": "$^"}
"""What a tracker does not know of a training."""


@guarded_hooks("start", "store_", "log", "finish")
class ToposcopeTracker(tracking.GeneralTracker):
    """A run in `<project_dir>/<project_name>`, recorded by the main process.

        accelerator = Accelerator(log_with="toposcope", project_dir="runs")
        accelerator.init_trackers("first", config={"learning_rate": 0.1})
        accelerator.log({"loss": loss}, step=step)
        accelerator.end_training()

    The configuration is lineage, without secrets; also recorded are the environment, the code and the machine, as by a
    SummaryCollector. A tracker receives nothing else of a training: for losses of every step, gradients or the graph
    use SummaryCollector.watch() with the objects that prepare() returns.

    A training that is resumed continues in the run with the step of the first log().
    """

    name = "toposcope"
    requires_logging_directory = True
    main_process_only = True

    def __init__(
        self,
        run_name: str,
        logging_dir: str | os.PathLike[str] = ".",
        *,
        callbacks: CallbackList = None,
        **settings: Any,
    ) -> None:
        """Set what to record; files are created by start(), which init_trackers() calls.

        Args:
            run_name: the name of the project; it may contain slashes.
            logging_dir: the directory that contains the run.
            callbacks: further callbacks of the run, and logger destinations.
            settings: further arguments of SummaryCollector, as init_kwargs={"toposcope": {...}}.

        Raises:
            TypeError: an argument has the wrong type, or there is no such argument.
        """
        super().__init__()
        directory = os.path.join(logging_dir, checked_text("run_name", run_name))
        self._settings = checked_settings(directory, callbacks, **settings)
        self._directory = local_path(directory)
        self._reset()

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings: a run is not copied."""
        return {name: vars(self)[name] for name in ("_directory", "_settings")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    def _reset(self) -> None:
        self._run: DrivenRun | None = None
        self._observer: EndObserver | None = None
        self._config: dict[str, str | int | float] = {}
        self._step = -1
        self._skipped: set[str] = set()

    @property
    def tracker(self) -> DrivenRun | None:
        """The run; None before start()."""
        return self._run

    @tracking.on_main_process
    def start(self) -> None:
        """Begin the run; if the directory has an earlier one, the first log() decides whether it is continued.

        Accelerate before 1.8 does not call it: the run begins with the first other call.
        """
        if self._run is None and last_recorded_step(self._directory, process_rank()) is None:
            self._begin(None)

    @tracking.on_main_process
    def store_init_configuration(self, values: Mapping[str, Any]) -> None:
        """Record the settings of the training as lineage; names that indicate secrets are left out."""
        self._config = plain_settings(values)
        self.start()
        if self._run is not None:
            self._record_config(self._run)

    @tracking.on_main_process
    def log(self, values: Mapping[str, Any], step: int | None = None, **kwargs: Any) -> None:
        """Record numbers, texts, and nested mappings of them; step None: the one after the last that was logged."""
        if kwargs:
            self._skip("log_kwargs", f"no such options: {', '.join(kwargs)}")
        self._record(values, step)

    @tracking.on_main_process
    def log_images(self, values: Mapping[str, Any], step: int | None = None, **kwargs: Any) -> None:
        """Record images: by tag a list of arrays or of images of Pillow, or an array of a batch.

        Args:
            values: the images.
            step: None: the one after the last that was logged.
            kwargs: "dataformats" of the arrays, "NHWC" for example; others are ignored with a warning.
        """
        layout = kwargs.pop("dataformats", None)
        if kwargs:
            self._skip("log_kwargs", f"no such options: {', '.join(kwargs)}")
        batches: dict[str, Any] = {}
        for tag, images in values.items():
            try:
                batches[str(tag)] = images_in(images, layout)
            except (TypeError, ValueError) as error:
                self._skip(str(tag), str(error))
        self._record(batches, step)

    @tracking.on_main_process
    def finish(self) -> None:
        """End the run: it has failed if end_training() is called because of an exception, in a finally block."""
        if self._run is None or not self._run.is_running:
            return
        error = None if self._observer is None else self._observer.handled_exception()
        if error is None:
            self._run.end()
        else:
            self._run.fail(error)

    def _begin(self, first_step: int | None) -> DrivenRun:
        collector = self._settings.new_collector(self._directory, self._settings.specified_data(_NOT_KNOWN))
        initial_step = None if first_step is None else max(0, first_step - 1)
        self._run = run = DrivenRun([collector, *self._settings.callbacks], initial_step=initial_step)
        self._observer = EndObserver()
        run.begin()
        self._record_config(run)
        return run

    def _record_config(self, run: DrivenRun) -> None:
        if self._config:
            config, self._config = self._config, {}
            self._settings.record_facts(run, lambda: config)

    def _record(self, values: Mapping[str, Any], step: int | None) -> None:
        self._step = self._step + 1 if step is None else checked_integer("step", step)
        run = self._run or self._begin(self._step)
        if not run.is_running:
            self._skip("the run", "it has ended")
            return
        run.log(values, self._step)

    def _skip(self, what: str, reason: str) -> None:
        """Log once that something is not recorded."""
        if what not in self._skipped:
            self._skipped.add(what)
            log.warn("%s: not recorded: %s: %s", self._directory, what, reason)


def register(tracker: type) -> None:
    """Make the name of a tracker known; with Accelerate before 1.15, log_with must be a tracker object."""
    if hasattr(tracking, "register_tracker_class"):
        tracking.register_tracker_class(tracker)
