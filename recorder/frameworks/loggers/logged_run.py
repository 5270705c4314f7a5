"""LoggedRun: a run of a library that logs named values, with steps that it counts itself."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.callbacks.adapter_settings import checked_settings
from toposcope.recorder.collecting.resuming import warn_of_earlier_training
from toposcope.recorder.frameworks.loggers.audio_files import write_audio
from toposcope.recorder.frameworks.loggers.newest_checkpoint import NewestCheckpoint
from toposcope.recorder.messages.settings import plain_settings
from toposcope.recorder.rank import process_rank
from toposcope.recorder.stores.spool import local_path
from toposcope.recorder.training.events.callback_list import CallbackList
from toposcope.recorder.training.own_loops.driven_run import DrivenRun
from toposcope.recorder.values.wrapped import Text

_COLLECTED = {
    "collect_input_data": False,
    "collect_dataset_graph": False,
    "collect_metric": False,
    "collect_eval_metrics": False,
    "collect_learning_rate": False,
    "histogram_regular": "$^",
}
"""What the library does not report, or logs under names of its own."""


class LoggedRun:
    """Records what a library logs, and what a SummaryCollector records without knowing the training.

    Only the process of rank 0 records. Values that cannot be recorded are named in one warning each, and never end the
    training. A pickled or copied object has the settings, without the run in progress.
    """

    def __init__(self, summary_dir: str | os.PathLike[str], *, callbacks: CallbackList = None, **settings: Any) -> None:
        """Set what to record; files are created when the run begins.

        Args:
            summary_dir: directory of the run.
            callbacks: further callbacks, of both styles, and logger destinations. A step ends where the library logs.
            settings: further arguments of SummaryCollector: collect_freq, collect_specified_data, ...

        Raises:
            TypeError: an argument has the wrong type, or there is no such argument.
            ValueError: an argument has an invalid value, or a SummaryCollector is among the callbacks.
        """
        self._settings = checked_settings(summary_dir, callbacks, **settings)
        self.summary_dir = local_path(summary_dir)
        self._run: DrivenRun | None = None
        self._checkpoint = NewestCheckpoint()

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_run": None, "_checkpoint": NewestCheckpoint()}

    @property
    def is_running(self) -> bool:
        """Whether the run is in progress."""
        return self._run is not None and self._run.is_running

    @property
    def is_stop_requested(self) -> bool:
        """Whether a callback requested the training to stop."""
        return self._run is not None and self._run.is_stop_requested

    def begin(
        self, model: Any = None, *, initial_step: int = 0, steps: int | None = None, has_graph: bool = False
    ) -> None:
        """Begin the run.

        Args:
            model: what is trained, for the lineage.
            initial_step: the step before the first one that is recorded.
            steps: planned steps of the whole training; None: unknown.
            has_graph: whether model is a network, whose graph is recorded when it is called.
        """
        if process_rank():
            return
        if not initial_step:
            warn_of_earlier_training(self.summary_dir)
        graph = {"collect_graph": has_graph and self._settings.collects("collect_graph")}
        data = self._settings.specified_data(_COLLECTED | graph)
        collector = self._settings.new_collector(self.summary_dir, data)
        self._run = DrivenRun(
            [collector, self._checkpoint, *self._settings.callbacks],
            model=model,
            steps=steps,
            initial_step=initial_step,
            learning_rate=None,
        )
        self._run.begin()

    def record_settings(self, settings: Mapping[str, Any], prefix: str = "params") -> None:
        """Record settings as lineage, without secrets; those that the user records otherwise are left out."""
        if self._run is not None and self._run.is_running:
            self._settings.record_facts(self._run, lambda: plain_settings(settings, prefix))

    def log(self, values: Mapping[str, Any], step: int, *, loss: Any = None) -> None:
        """Record values at a step; the first values at a later step than before end a step of the training."""
        if not self.is_running:
            return
        assert self._run is not None
        if step > self._run.step:
            state = self._run.state
            state.timestamp = state.timestamp.copy(batch=step - 1)
            self._run.end_step(loss)
        self._run.log(values, step)

    def evaluate(self, results: Mapping[str, Any], *, ends_epoch: bool = False) -> None:
        """Report the results of an evaluation, which are logged as well, to the callbacks and for the lineage.

        Args:
            results: name to number.
            ends_epoch: whether an epoch is what is trained between two evaluations, as in a loop without epochs.
        """
        if not results or self._run is None or not self._run.is_running:
            return
        if ends_epoch:
            self._run.end_epoch()
        self._run.evaluate(results)
        if ends_epoch:
            self._run.close_epoch()

    def end_epoch(self) -> None:
        """End an epoch, after its evaluations."""
        if self._run is not None and self._run.is_running:
            self._run.end_epoch()
            self._run.close_epoch()

    def record_checkpoint(self, path: str | os.PathLike[str], step: int, *, score: str | None = None) -> None:
        """Record that a checkpoint was saved at a step, with a text such as "reward: 21.5"."""
        if self._run is not None and self._run.is_running:
            self._checkpoint.latest_ckpt_file_name = os.fspath(path)
            name = os.path.basename(path)
            self._run.log({"checkpoint": Text(name if score is None else f"{name} ({score})")}, step)

    def record_audio(self, tag: str, clips: Any, sample_rate: int, step: int) -> None:
        """Record clips of the shape [N, T, C] as WAV files, and a text that names them; a failure is logged."""
        if self._run is None or not self._run.is_running:
            return
        try:
            names = write_audio(self.summary_dir, tag, clips, sample_rate, step)
        except (TypeError, ValueError, OSError) as error:
            log.warn("%s: %r is not recorded: %s", self.summary_dir, tag, error)
        else:
            self._run.log({tag: Text("\n".join(f"Audio: `{name}`" for name in names))}, step)

    def record_graph(self, graph_of: Callable[[], Any]) -> None:
        """Record the graph that a function returns, unless the settings exclude it; a failure is logged."""
        if self._run is None or not self._run.is_running or not self._settings.collects("collect_graph"):
            return
        try:
            if (graph := graph_of()) is not None:
                self._run.log({"train_network/auto": graph}, self._run.step)
        except Exception as error:  # The user's code runs.
            log.warn("%s: the graph is not recorded: %s: %s", self.summary_dir, type(error).__name__, error)

    def end(self) -> None:
        """End the run, unless it has ended."""
        if self._run is not None and self._run.is_running:
            self._run.end()

    def fail(self, error: BaseException) -> None:
        """End the run with an exception, unless it has ended."""
        if self._run is not None and self._run.is_running:
            self._run.fail(error)
