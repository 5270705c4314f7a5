"""SummaryCollector: the callback that records summaries of a training."""

import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from toposcope.recorder.adapters import framework_name
from toposcope.recorder.arguments import (
    MIN_HEARTBEAT_SECONDS,
    checked_backlog,
    checked_bool,
    checked_directory,
    checked_export_options,
    checked_file_size,
    checked_integer,
    checked_seconds,
)
from toposcope.recorder.collecting.background import Background
from toposcope.recorder.collecting.collected_data import checked_custom_lineage, collected_data
from toposcope.recorder.collecting.job import Plan, job_of
from toposcope.recorder.collecting.requested_exit import requested_exit
from toposcope.recorder.collecting.resuming import resume_of, warn_of_hidden_steps
from toposcope.recorder.collecting.training.evaluations import add_evaluation
from toposcope.recorder.collecting.training.training_collection import TrainingCollection
from toposcope.recorder.collecting.training.training_phase import TrainingPhase
from toposcope.recorder.record.logged_values import LoggedValues
from toposcope.recorder.record.summary_record import SummaryRecord
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.callback_list import CallbackList, checked_callbacks
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.events.run_context import CallbackParams, RunContext
from toposcope.recorder.values.arrays.foreign_values import short_repr

if TYPE_CHECKING:
    from toposcope.recorder.training.own_loops.watched_run import WatchedRun

_MODES = ("train", "eval")


class SummaryCollector(Callback):
    """Records the loss, the parameters, the input, the graph, the lineage and more of a training, or of an evaluation.

        model.train(10, loader, callbacks=[SummaryCollector("runs/first")])

    The recorded values are listed with the key of collect_specified_data and its default in brackets. At every step, or
    at the first one and at multiples of metric_freq (of epochs in sink mode), and at the last step:

    * `loss/auto`: the mean of the first output; of accumulated micro-batches the mean of their samples. A loss on a
      device is copied without waiting for it, and read by the thread that writes [collect_metric, True].
    * `optimizer/skipped_steps`: the number of steps that GradScaler has skipped so far, when it has grown
      [collect_metric, True].
    * `learning_rate`, with several parameter groups `learning_rate/group<i>`, at the beginning of the step; a callback
      that changes it at that hook must precede the collector [collect_learning_rate, True].

    At the first step and at multiples of collect_freq, as one event with the above:

    * `<parameter>/auto`: histograms of the parameters whose names match [histogram_regular, None: the first five].
    * `input_data/auto`: the first images of the batch if its first array contains images [collect_input_data, True].
    * `throughput/steps_per_second` and `throughput/samples_per_second` of this process since the last such event or the
      beginning of the epoch, without evaluations. A step of accumulated micro-batches has the samples of all of them
      [collect_throughput, True].
    * `gradient_norm/global` and `gradient_norm/<parameter>`: Euclidean norms [collect_gradient_norm, False].
    * `thor_condition/...`, `thor_damping/...`, `thor_gradient_ratio/...`, `thor_refreshes/...`, `thor_trace/...`: the
      curvature of each layer that an optimizer created by thor() preconditions; see its method curvature_statistics().
      If THOR refreshes rarely, values repeat [collect_curvature, False].
    * `gradient/<parameter>`: histograms of gradients of parameters whose names match [gradient_histogram_regular,
      None: no gradients].
    * The values of the network's summary operators under their own tags, always.

    Once:

    * The graph of the network, in the first pause of the training: at the end of the first epoch, after an evaluation,
      after ten seconds or at the end, whichever comes first [collect_graph, True].
    * The pipeline of the dataset [collect_dataset_graph, True].
    * Custom lineage, `optimizer/...` and `scheduler/...`: their settings [collect_optimizer_facts, True].
    * The environment: command line, versions, installed packages, host, accelerators and more, see
      environment_facts(); also as custom lineage, `environment/...` [collect_environment, True].
    * The version of the code: git commit, remote, and the first megabyte of `git diff` [collect_code, True].
    * The lineage at the end of the training, also if it raised [collect_train_lineage, True].

    While the training runs, by threads of their own:

    * `machine/...`: CPUs, memory, disk, network and GPUs every machine_seconds, see MachineMetrics
      [collect_machine, True].
    * What Python writes to stdout and stderr [collect_console, False].

    Whatever looks like a secret in these is recorded as `***`; see hide_secrets().

    After each evaluation:

    * `eval/<metric>`, for a list `eval/<metric>/<i>`, at the last training step [collect_eval_metrics, True]; not for
      evaluations outside of a training, except those that a watched run reports after its end.
    * Lineage: the metrics and the dataset [collect_eval_lineage, True].

    The lineage contains the number of started epochs, and the largest collected learning rate of the first parameter
    group, which is the base learning rate of most schedules.

    Tensors of summary operators are large and are collected less often: see collect_tensor_freq. Each of several
    processes (RANK, WORLD_SIZE, ...) records into its own files. They collect tensors in turns; only rank 0 records the
    graph, the lineage, images and landscape checkpoints, unless all_ranks is set. Of sharded tensors, as in FSDP, each
    process records its own shard.

    A collection that fails is logged once and not attempted again; it never ends the training. A collector may be used
    for several trainings in succession; each starts a new file.

    Differences from MindSpore's class: the loss and the learning rates are recorded at every step by default (with
    metric_freq=None at multiples of collect_freq, as in MindSpore); no step is recorded twice, and the first step is
    one event; landscape checkpoints are evenly spread by default, and are not saved unless requested; tensors are
    collected until the end of the training; the lineage is correct for trainings that ended early, for schedules, and
    regardless of the position of ModelCheckpoint in the list of callbacks; metrics may be arrays; evaluations within a
    training are recorded; a large batch of images is truncated. The collector also runs without
    `if __name__ == "__main__"`.
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
        metric_freq: int | None = 1,
        example_input: Any = None,
        all_ranks: bool = False,
        heartbeat_seconds: float = 30.0,
        on_backlog: str = "wait",
        machine_seconds: float = 10.0,
    ) -> None:
        """Set what to collect; files are created when the training begins.

        Args:
            summary_dir: directory of the run, created if it does not exist.
            collect_freq: steps, or epochs in sink mode, between collections of all other values.
            collect_specified_data: settings that differ from the defaults: the keys above, True or False, and

                * histogram_regular: a regular expression that is matched at the beginning of parameter names; "$^"
                  matches none.
                * collect_landscape: None for no checkpoints, or a dict: landscape_size (40; 3 to 256 points per side),
                  unit of the intervals ("step" or "epoch"), create_landscape ({"train": True, "result": True}),
                  num_samples (128; for computing the loss), intervals (a list of lists of at least three steps or
                  epochs each; by default one interval of 20, evenly spread over the training). Checkpoints are saved in
                  `<summary_dir>/ckpt_dir`, with `train_metadata.json` for SummaryLandscape.
            keep_default_action: whether keys that are not in collect_specified_data keep their defaults. False: they
                are disabled; summary operators are always collected.
            custom_lineage_data: user-defined lineage, name to str, int or float. It takes precedence over
                "custom_lineage_data" in the JSON of the environment variable MINDINSIGHT_HYPER_CONFIG.
            collect_tensor_freq: steps between collections of tensors. None: up to twenty times in a training, at steps
                where other values are collected; see Schedule for trainings of unknown length.
            max_file_size: maximum size of a file in bytes, after which the next file begins; None: unlimited.
            export_options: {"tensor_format": "npy"} also writes each tensor of a summary operator to a file.
            metric_freq: steps, or epochs in sink mode, between records of the loss and the learning rates, which are
                also recorded with every collection of other values and at the last step. None: only with other values.
            example_input: input of the network, or a tuple of its positional inputs, for the graph; None: the inputs of
                the network's first call.
            all_ranks: whether every process records what otherwise only rank 0 records, except landscape checkpoints.
            heartbeat_seconds: as for SummaryRecord; heartbeats contain what the training does.
            on_backlog: as for SummaryRecord.
            machine_seconds: seconds between machine metrics.

        Raises:
            TypeError: an argument, or a key or value in it, has the wrong type.
            ValueError: an argument has an invalid value, or a dict an unknown key.
            NotADirectoryError: summary_dir exists and is not a directory.
            OSError: summary_dir cannot be created.
        """
        frequency = checked_integer("collect_freq", collect_freq, lowest=1)
        if collect_tensor_freq is not None:
            collect_tensor_freq = checked_integer("collect_tensor_freq", collect_tensor_freq, lowest=1)
        if metric_freq is not None:
            metric_freq = checked_integer("metric_freq", metric_freq, lowest=1)
        data = collected_data(collect_specified_data, keep_default_action)
        lineage = checked_custom_lineage(custom_lineage_data, os.environ)
        is_single = example_input is not None and not isinstance(example_input, tuple)
        inputs = (example_input,) if is_single else example_input
        self._max_file_size = checked_file_size(max_file_size)
        checked_export_options(export_options)
        self._export_options = export_options
        checked_bool("all_ranks", all_ranks)
        self._heartbeat_seconds = checked_seconds("heartbeat_seconds", heartbeat_seconds, lowest=MIN_HEARTBEAT_SECONDS)
        self._on_backlog = checked_backlog(on_backlog)
        directory = checked_directory("summary_dir", summary_dir)
        seconds = checked_seconds("machine_seconds", machine_seconds)
        self._plan = Plan(
            directory, frequency, metric_freq, collect_tensor_freq, data, lineage, inputs, all_ranks, seconds
        )
        self._depth = 0
        self._recorder: SummaryRecord | None = None
        self._params = CallbackParams()
        self._collection: TrainingCollection | None = None
        self._background: Background | None = None
        self._phase: TrainingPhase | None = None
        self._exit_request: str | None = None
        self._is_first_step_checked = True

    def __enter__(self) -> "SummaryCollector":
        self._depth += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Record the lineage of the training and close the files; also after an exception."""
        self._depth -= 1
        if self._depth > 0 or self._recorder is None:
            return
        try:
            if self._collection is not None:
                self._collection.end(error)
        finally:
            if self._background is not None:
                self._background.end()
            recorder, self._recorder, self._collection, self._background = self._recorder, None, None, None
            request, self._exit_request = self._exit_request, None
            params, self._params, self._phase = self._params, CallbackParams(), None
            if error is None and request is not None:
                recorder.close(interrupted_by=request)
            elif error is None and params.processed.is_dropped:
                recorder.close_dropped()
            else:
                recorder.__exit__(kind, error, trace)

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
        initial_step: int | None = None,
        initial_epoch: int | None = None,
        parameters: Callable[[], Any] | None = None,
        gradients: Callable[[], Any] | None = None,
        learning_rate: float | Callable[..., Any] | None = None,
    ) -> "WatchedRun":
        """Return a run that a user-written loop reports its steps to, and collect it.

            with SummaryCollector("runs/first").watch(model, optimizer, loader) as run:
                for inputs, labels in loader:
                    run.step(train(inputs, labels))

        Args:
            model: the network, if there is one.
            optimizer: the optimizer or a list of optimizers.
            loader: the batches of an epoch.
            callbacks: further callbacks.
            loss_fn: the loss function, for the lineage.
            epochs: planned number of epochs; None: unknown.
            steps_per_epoch: as for watch().
            schedulers: a scheduler or a list of schedulers, for the lineage.
            valid_loader: the batches of an evaluation, for the lineage.
            loggers: destinations of what is logged.
            initial_step: number of steps trained before, as for watch().
            initial_epoch: number of epochs trained before, as for watch().
            parameters: as for watch(): a function that returns the current parameters.
            gradients: as for watch(): a function that returns the gradients of the newest step.
            learning_rate: as for watch(): a number, or a function without arguments or of the finished steps.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: epochs or steps_per_epoch is not positive, or initial_step or initial_epoch is negative.
        """
        # Not with this module: trainings of Model need nothing of it.
        from toposcope.recorder.training.watch import watch

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
            initial_step=initial_step,
            initial_epoch=initial_epoch,
            parameters=parameters,
            gradients=gradients,
            learning_rate=learning_rate,
        )

    def record_logged(self, values: LoggedValues, step: int) -> None:
        """Record the values of WatchedRun.log()."""
        if self._recorder is not None:
            self._recorder.record_logged(values, step)

    def begin(self, run_context: RunContext) -> None:
        """Start collecting a training, or an evaluation that is not part of a training.

        Raises:
            ValueError: there is another SummaryCollector among the callbacks, the mode is neither "train" nor "eval",
                or the collector was not entered.
        """
        params = run_context.original_args()
        collectors = [each for each in params.get("list_callback") or () if isinstance(each, SummaryCollector)]
        if len(collectors) > 1:
            directories = " and ".join(collector._plan.summary_dir for collector in collectors)
            raise ValueError(
                f"A list of callbacks must contain only one SummaryCollector, not {len(collectors)}: {directories}."
            )
        if params.get("mode") not in _MODES:
            raise ValueError(f"cb_params.mode must be 'train' or 'eval', not {short_repr(params.get('mode'))}.")
        if not self._depth:
            raise ValueError("A SummaryCollector must be entered, `with collector:`, before its hooks are called.")
        self._params = params
        # Not before the first hook: refused callbacks leave no files.
        recorder = self._recorder or self._new_recorder(params)
        if params["mode"] == "train" or self._phase is None:
            self._phase = TrainingPhase(params.get("network"))
            recorder.set_phase(self._phase)
        self._phase.is_evaluating = params["mode"] == "eval"
        if params["mode"] == "eval" and self._collection is not None:
            self._collection.begin_evaluation()
        elif params["mode"] == "train":
            if self._collection is not None:  # The user has entered the collector for several trainings.
                self._collection.end()
            job = job_of(self._plan, recorder, params)
            self._collection = TrainingCollection(job)
            if self._background is None:
                self._background = Background(job, lambda: 0 if self._collection is None else self._collection.step)

    def _new_recorder(self, params: CallbackParams) -> SummaryRecord:
        """Create the recorder, which continues earlier recordings in the directory at the first step of a training."""
        self._recorder = SummaryRecord(
            self._plan.summary_dir,
            max_file_size=self._max_file_size,
            export_options=self._export_options,
            heartbeat_seconds=self._heartbeat_seconds,
            on_backlog=self._on_backlog,
            resume=resume_of(params),
            collects_operators=False,
        )
        self._is_first_step_checked = params["mode"] != "train"
        # MindSpore's Model does not report the initial epoch before the first one begins.
        if framework_name(params.get("network")) != "mindspore":
            self._check_first_step(params)
        return self._recorder

    def _check_first_step(self, params: CallbackParams) -> None:
        if not self._is_first_step_checked:
            self._is_first_step_checked = True
            warn_of_hidden_steps(self._plan.summary_dir, params)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Prepare the collection of an epoch."""
        self._check_first_step(run_context.original_args())
        if self._collection is not None:
            self._collection.begin_epoch()

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Prepare the collection of a step."""
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
        if self._phase is not None:
            self._phase.is_evaluating = False
            self._phase.is_over |= self._collection is None
        if self._collection is not None:
            self._collection.end_evaluation(run_context.original_args())
        elif self._recorder is not None:
            params = run_context.original_args()
            job = job_of(self._plan, self._recorder, params)
            job.guard.attempt("evaluation metrics", add_evaluation, job, params.get("finished_steps"))

    def on_train_end(self, run_context: RunContext) -> None:
        """Note whether a signal ended the training."""
        self._exit_request = requested_exit(run_context.original_args())
        if self._phase is not None:
            self._phase.is_over = True
