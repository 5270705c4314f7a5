"""SummaryCollector: the callback that records what is worth seeing of a training."""

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from toposcope.recorder.arguments import (
    checked_bool,
    checked_directory,
    checked_export_options,
    checked_file_size,
    checked_integer,
)
from toposcope.recorder.collecting.collected_data import checked_custom_lineage, collected_data
from toposcope.recorder.collecting.evaluations import add_evaluation
from toposcope.recorder.collecting.job import Plan, job_of
from toposcope.recorder.collecting.training_collection import TrainingCollection
from toposcope.recorder.summary_record import SummaryRecord
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.callback_list import CallbackList, checked_callbacks
from toposcope.recorder.training.logger_destination import LoggerDestination
from toposcope.recorder.training.run_context import RunContext
from toposcope.recorder.training.watch import watch
from toposcope.recorder.training.watched_run import WatchedRun
from toposcope.recorder.values.foreign import shown

_MODES = ("train", "eval")


class SummaryCollector(Callback):
    """Records the loss, the parameters, the input, the graph, the lineage and more of a training, or of an evaluation.

        model.train(10, loader, callbacks=[SummaryCollector("runs/first")])

    What is recorded, with the key of collect_specified_data that governs it and its default in brackets. At the first
    step and at those that collect_freq divides (epochs where data is sunk), as one event:

    * `loss/auto`: the mean of the first output [collect_metric, True].
    * `<parameter>/auto`: histograms of the parameters whose names match [histogram_regular, None: the first five].
    * `input_data/auto`: the first images of the batch, if its first array holds images [collect_input_data, True].
    * `learning_rate`, of several groups of parameters `learning_rate/group<i>`, as it is when the step begins: what
      changes it then stands before the collector [collect_learning_rate, True].
    * `throughput/steps_per_second` and `throughput/samples_per_second`, of this process, since the last event or the
      beginning of the epoch; evaluations do not count [collect_throughput, True].
    * `machine/...`: processors, memory and GPUs, at most once a second; see MachineMetrics [collect_machine, True].
    * `gradient_norm/global` and `gradient_norm/<parameter>`: Euclidean norms [collect_gradient_norm, False].
    * `gradient/<parameter>`: histograms of those whose names match [gradient_histogram_regular, None: of none].
    * The values of the network's summary operators under their own tags, always.

    Once:

    * The graph of the network [collect_graph, True], as soon as it was called.
    * The pipeline of the dataset [collect_dataset_graph, True].
    * Custom lineage, `optimizer/...` and `scheduler/...`: their settings [collect_optimizer_facts, True].
    * Custom lineage, `environment/...`: command line, commit, versions, host and more; see environment_facts()
      [collect_environment, True].
    * The lineage at the end of the training, also of one that raised [collect_train_lineage, True].

    After each evaluation:

    * `eval/<metric>`, of lists `eval/<metric>/<i>`, at the step that was trained last [collect_eval_metrics, True]. Of
      an evaluation outside of a training there are none.
    * Lineage: the metrics and the dataset [collect_eval_lineage, True].

    The lineage tells the epochs that were begun, and the largest learning rate that was collected (of the first group
    of parameters), which is the base one of the usual schedules.

    Tensors of summary operators are large and are collected less often: see collect_tensor_freq. Of several processes
    (RANK, WORLD_SIZE, ...) each records into its own files; they take the steps of tensors in turns, and the graph, the
    lineage, images and landscape checkpoints come from rank 0, unless all_ranks is set. Of tensors that they share, as
    in FSDP, each records its own part.

    What fails to be collected is logged once and not tried again; it never ends the training. A collector may serve
    several trainings, one after the other; each begins a new file.

    Differences from MindSpore's class: no step is recorded twice, and the first one is one event; an interval of
    evenly spread checkpoints instead of fixed ones, and none unless asked for; tensors reach to the end of the
    training; the lineage is right for trainings that ended early, for schedules, and wherever a ModelCheckpoint stands
    in the list; arrays may be metrics; evaluations within a training are recorded; a long batch of images is cut. It
    runs outside of `if __name__ == "__main__"` too.
    """

    runs_in_fit_evaluation: bool = True

    def __init__(
        self,
        summary_dir: str | os.PathLike[str],
        collect_freq: int = 10,
        collect_specified_data: Mapping[str, Any] | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: Mapping[str, str | int | float] | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: dict[str, str | None] | None = None,
        *,
        example_input: Any = None,
        all_ranks: bool = False,
    ) -> None:
        """Plan what to collect; files begin with the training.

        Args:
            summary_dir: directory of the run, created when missing.
            collect_freq: steps between two collections; epochs where data is sunk.
            collect_specified_data: what to collect otherwise than by default: the keys above, True or False, and

                * histogram_regular: a regular expression that is matched at the beginning of parameters' names; "$^"
                  matches none.
                * collect_landscape: None for no checkpoints, or a dict: landscape_size (40; 3 to 256 points a side),
                  unit of the intervals ("step" or "epoch"), create_landscape ({"train": True, "result": True}),
                  num_samples (128, with which the loss is computed), intervals (a list of lists of at least three steps
                  or epochs each; without it one interval of 20, evenly spread over the training). Checkpoints go to
                  `<summary_dir>/ckpt_dir`, with `train_metadata.json` for SummaryLandscape.
            keep_default_action: whether what collect_specified_data does not name is collected as by default. False:
                nothing but what it names is; summary operators are in any case.
            custom_lineage_data: what to tell of the run, name to str, int or float. It goes before what
                MINDINSIGHT_HYPER_CONFIG, an environment variable of JSON, has under "custom_lineage_data".
            collect_tensor_freq: steps between two collections of tensors. None: twenty times in a training, but not
                more often than other values; see Schedule for trainings of unknown length.
            max_file_size: largest size of a file in bytes, after which the next one begins; None: no limit.
            export_options: {"tensor_format": "npy"} writes each tensor of a summary operator into a file as well.
            example_input: input of the network, or a tuple of its positional inputs, for the graph; None: the first
                that the network is called with.
            all_ranks: whether every process records what otherwise only rank 0 does, but for landscape checkpoints.

        Raises:
            TypeError: an argument, a key or a value in it is of the wrong type.
            ValueError: an argument has a value that is not allowed, or a dict an unknown key.
            NotADirectoryError: summary_dir exists and is no directory.
            OSError: summary_dir cannot be created.
        """
        frequency = checked_integer("collect_freq", collect_freq, lowest=1)
        if collect_tensor_freq is not None:
            collect_tensor_freq = checked_integer("collect_tensor_freq", collect_tensor_freq, lowest=1)
        data = collected_data(collect_specified_data, keep_default_action)
        lineage = checked_custom_lineage(custom_lineage_data, os.environ)
        is_single = example_input is not None and not isinstance(example_input, tuple)
        inputs = (example_input,) if is_single else example_input
        self._max_file_size = checked_file_size(max_file_size)
        checked_export_options(export_options)
        self._export_options = export_options
        checked_bool("all_ranks", all_ranks)
        directory = checked_directory("summary_dir", summary_dir)
        self._plan = Plan(directory, frequency, collect_tensor_freq, data, lineage, inputs, all_ranks)
        self._depth = 0
        self._recorder: SummaryRecord | None = None
        self._collection: TrainingCollection | None = None

    def __enter__(self) -> "SummaryCollector":
        if self._recorder is None:
            size, options = self._max_file_size, self._export_options
            self._recorder = SummaryRecord(
                self._plan.summary_dir, max_file_size=size, export_options=options, collects_operators=False
            )
        self._depth += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Record the lineage of the training and close the files, also after an exception."""
        self._depth -= 1
        if self._depth > 0 or self._recorder is None:
            return
        try:
            if self._collection is not None:
                self._collection.end(error)
        finally:
            recorder, self._recorder, self._collection = self._recorder, None, None
            recorder.close()

    def watch(
        self,
        model: Any = None,
        optimizer: Any = None,
        loader: Any = None,
        *,
        callbacks: CallbackList = None,
        loss_fn: Any = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        schedulers: Any = (),
        valid_loader: Any = None,
        loggers: LoggerDestination | Sequence[LoggerDestination] = (),
    ) -> WatchedRun:
        """Return a run that collects a loop of the user's own.

            with SummaryCollector("runs/first").watch(model, optimizer, loader) as run:
                for inputs, labels in loader:
                    run.step(train(inputs, labels))

        Args:
            model: the network, if there is one.
            optimizer: its optimizer.
            loader: the batches of an epoch.
            callbacks: others that follow the loop too.
            loss_fn: the loss, for the lineage.
            epochs: planned epochs; None: not known.
            steps_per_epoch: as watch() takes it.
            schedulers: one or several, for the lineage.
            valid_loader: the batches of an evaluation, for the lineage.
            loggers: destinations of what is logged.

        Raises:
            TypeError: an argument is of another type.
            ValueError: epochs or steps_per_epoch is not positive.
        """
        return watch(
            [self, *checked_callbacks(callbacks)],
            model,
            optimizer,
            loader,
            loss_fn=loss_fn,
            epochs=epochs,
            steps_per_epoch=steps_per_epoch,
            schedulers=schedulers,
            valid_loader=valid_loader,
            loggers=loggers,
        )

    def begin(self, run_context: RunContext) -> None:
        """Begin to collect a training, or an evaluation that is not part of one.

        Raises:
            ValueError: another SummaryCollector is among the callbacks, the mode is neither "train" nor "eval", or the
                collector was not entered.
        """
        params = run_context.original_args()
        collectors = [other for other in params.get("list_callback") or () if isinstance(other, SummaryCollector)]
        if len(collectors) > 1:
            directories = " and ".join(collector._plan.summary_dir for collector in collectors)
            raise ValueError(
                f"There is one SummaryCollector in a list of callbacks, not {len(collectors)}: {directories}."
            )
        if params.get("mode") not in _MODES:
            raise ValueError(f"cb_params.mode is 'train' or 'eval', not {shown(params.get('mode'))}.")
        if self._recorder is None:
            raise ValueError("A SummaryCollector collects within its context: `with collector:`, as train() has it.")
        if params["mode"] == "eval" and self._collection is not None:
            self._collection.begin_evaluation()
        elif params["mode"] == "train":
            if self._collection is not None:  # Entered by the user, around several trainings.
                self._collection.end()
            self._collection = TrainingCollection(job_of(self._plan, self._recorder, params))

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Note that an epoch begins."""
        if self._collection is not None:
            self._collection.begin_epoch()

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Note what is to be known before a step."""
        if self._collection is not None:
            self._collection.begin_step()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Collect a step."""
        if self._collection is not None:
            self._collection.end_step()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Collect an epoch."""
        if self._collection is not None:
            self._collection.end_epoch()

    def on_eval_end(self, run_context: RunContext) -> None:
        """Collect the metrics of an evaluation."""
        if self._collection is not None:
            self._collection.end_evaluation(run_context.original_args())
        elif self._recorder is not None:
            job = job_of(self._plan, self._recorder, run_context.original_args())
            job.switches.attempt("evaluation metrics", add_evaluation, job, None)
