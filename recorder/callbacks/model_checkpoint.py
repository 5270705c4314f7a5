"""ModelCheckpoint: saves the network and the optimizer during a training."""

import math
import os
import re
from time import monotonic
from types import TracebackType
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_bool
from toposcope.recorder.callbacks.checkpoint_config import CheckpointConfig
from toposcope.recorder.callbacks.monitored_value import MonitoredValue, checked_goal
from toposcope.recorder.checkpoints.checkpoint import Checkpoint
from toposcope.recorder.checkpoints.checkpoint_writer import CheckpointWriter, Job, Outcome
from toposcope.recorder.checkpoints.files.encryption import require_cryptography
from toposcope.recorder.checkpoints.files.protection import Protection
from toposcope.recorder.checkpoints.formats.safetensors_file import require_safetensors
from toposcope.recorder.checkpoints.keeping.manifest import Manifest, manifest_path, read_manifest, write_manifest
from toposcope.recorder.checkpoints.keeping.retention import SavedCheckpoint, surplus_by_count, surplus_by_minutes
from toposcope.recorder.checkpoints.saving import write_checkpoint
from toposcope.recorder.checkpoints.saving_phase import saving
from toposcope.recorder.checkpoints.state.capturing import capture, states_of
from toposcope.recorder.checkpoints.state.sharded_tensors import (
    broadcast_decision,
    has_sharded_tensors,
    is_sharded,
    join_gathering,
)
from toposcope.recorder.framework import framework_of
from toposcope.recorder.rank import process_count, process_rank
from toposcope.recorder.stores.spool import local_path
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import CallbackParams, RunContext, step_in_epoch
from toposcope.recorder.values.arrays.foreign_values import short_repr


class ModelCheckpoint(Callback):
    """Saves checkpoints `<prefix>-<epoch>_<step in the epoch>.ckpt` as set in its CheckpointConfig, and the last step.

    A file contains the network, the optimizer, the step and the appended values; load_checkpoint() reads them, and
    restore() restores them. If the directory has files with the prefix from another training, the prefix becomes
    `<prefix>_<k>`.

    A checkpoint that cannot be written because of the disk does not end the training: each failure is logged, and the
    next checkpoint is attempted when it is due. If the last step cannot be saved, the end of the training raises the
    OSError. Any other error, such as an unsupported network, is raised at the next hook.

    With monitor, the step after an epoch in which the monitored value is better than before is saved as well, and the
    best of these checkpoints is kept; best_ckpt_file_name is its path. keep_checkpoint_max and the best value count
    over restarts: a hidden file in the directory lists what was saved with the prefix.

    Differences from MindSpore's class: files are created atomically; only files that this class saved with the prefix
    are deleted, and only after the new one is saved; a relative directory is resolved at construction; of several
    processes only rank 0 saves, the others only take part in gathering; exception_save works regardless of how
    callbacks are passed; no graph file is written, since SummaryCollector records the graph. Nothing is saved in
    evaluations.
    """

    runs_in_fit_evaluation: bool = False

    def __init__(
        self,
        prefix: str = "CKP",
        directory: str | os.PathLike[str] | None = None,
        config: CheckpointConfig | None = None,
        *,
        all_ranks: bool = False,
        monitor: str | None = None,
        mode: str = "auto",
        save_best_only: bool = False,
    ) -> None:
        """Save into *directory*, which is created if it does not exist.

        Args:
            prefix: prefix of the file names, without "/".
            directory: directory of the files; None: the current directory.
            config: the policy; None: CheckpointConfig().
            all_ranks: whether each of several processes saves, with `_rank_<n>` in the file name; False: only rank 0.
            monitor: the value of an epoch whose best checkpoint is kept, as for EarlyStopping; None: none.
            mode: "min", "max" or "auto", as for EarlyStopping.
            save_best_only: whether only checkpoints that are better than all before are saved.

        Raises:
            ValueError: prefix is not a str, is empty or contains "/"; directory is not a path; mode is another str;
                save_best_only without monitor.
            TypeError: config is not a CheckpointConfig, all_ranks or save_best_only is not a bool, or monitor or mode
                is not a str.
            NotADirectoryError: directory is a file.
            OSError: the directory cannot be created.
        """
        if not isinstance(prefix, str) or not prefix or "/" in prefix or "\0" in prefix:
            raise ValueError(f"prefix must be a non-empty str without '/', not {short_repr(prefix)}.")
        if config is not None and not isinstance(config, CheckpointConfig):
            raise TypeError(f"config must be a CheckpointConfig or None, not {short_repr(config)}.")
        self._prefix, self._config = prefix, config or CheckpointConfig()
        self._all_ranks = checked_bool("all_ranks", all_ranks) and process_count() > 1
        if checked_bool("save_best_only", save_best_only) and monitor is None:
            raise ValueError("save_best_only requires monitor, the value that decides which checkpoint is the best.")
        self._monitored = None if monitor is None else MonitoredValue(monitor, type(self).__name__)
        self._goal = None if monitor is None else checked_goal(monitor, mode, 0.0)
        self._saves_best_only = save_best_only
        self._rank = process_rank()
        self._directory = _checked_directory(directory)
        self._writer = CheckpointWriter(self._config.async_save)
        self._manifest_path = manifest_path(
            self._directory, prefix if not (self._rank or self._all_ranks) else f"{prefix}_rank_{self._rank}"
        )
        self._saved: list[SavedCheckpoint] = []
        self._best: str | None = None
        self._best_value: float | None = None
        self._latest = ""
        self._params: CallbackParams | None = None
        self._begin(step=0)

    @property
    def latest_ckpt_file_name(self) -> str:
        """Path of the newest complete checkpoint; "" before the first."""
        return self._latest

    @property
    def best_ckpt_file_name(self) -> str:
        """Path of the best checkpoint; "" before the first, and without monitor."""
        return self._best or ""

    def begin(self, run_context: RunContext) -> None:
        """Start counting steps; ImportError if a package that the config requires is not installed."""
        if (params := self._params_of(run_context)) is not None:
            self._begin(step=params.get("cur_step_num", 0))
            self._read_manifest()
            if self._config.format == "safetensors":
                require_safetensors()
            elif self._config.enc_key is not None and not _is_of_mindspore(params):
                require_cryptography()

    def epoch_begin(self, run_context: RunContext) -> None:
        """Remember the first step of the epoch."""
        if (params := self._params_of(run_context)) is not None:
            self._steps_before_epoch = params.get("cur_step_num", 0)

    def step_end(self, run_context: RunContext) -> None:
        """Save a checkpoint if it is due."""
        if (params := self._params_of(run_context)) is not None:
            self._process_outcome(params, waits=False)
            if self._monitored is not None:
                self._monitored.add_step(params)
            if not self._saves_best_only and self._is_due(params):
                self._save(params)

    def epoch_end(self, run_context: RunContext) -> None:
        """Save the step if the monitored value of the epoch is better than before."""
        if self._monitored is None or (params := self._params_of(run_context)) is None:
            return
        assert self._goal is not None
        value = self._monitored.value(params)
        before = self._goal.worst if self._best_value is None else self._best_value
        is_better = value is not None and self._goal.is_better(value, before)
        # Only the first process may know the best value of an earlier start.
        if not (broadcast_decision(is_better) if self._is_gathering(params) else is_better):
            return
        step = params["cur_step_num"]
        self._process_outcome(params, waits=True)
        if step != self._saved_step:
            self._save(params)
            self._process_outcome(params, waits=True)
        if step == self._saved_step:
            self._best, self._best_value = self._latest or None, value
            self._thin_out()

    def end(self, run_context: RunContext) -> None:
        """Save the last step unless it is saved.

        Raises:
            OSError: the last step cannot be saved.
        """
        if (params := self._params_of(run_context)) is not None:
            self._process_outcome(params, waits=True)
            if not self._saves_best_only and self._is_end_pending(params):
                self._save(params)
                self._process_outcome(params, waits=True)
            if self._failure is not None:
                raise OSError(f"The last step of the training could not be saved: {self._failure}") from self._failure

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Save a breakpoint if the training raised and exception_save is True; wait for the file being written."""
        params, self._params = self._params, None
        if params is None:
            return
        if error is None:
            self._process_outcome(params, waits=True)
        else:
            self._end_after_exception(params)

    def _begin(self, step: int) -> None:
        self._saved_step = self._tried_step = self._steps_before_epoch = step
        self._tried_seconds = monotonic()
        self._failure: OSError | None = None
        self._stem: str | None = None
        self._shares: bool | None = None

    def _params_of(self, run_context: RunContext) -> CallbackParams | None:
        """Return the params of a training; None for an evaluation."""
        params = run_context.original_args()
        if params.get("mode") == "eval":
            return None
        self._params = params
        return params

    def _is_due(self, params: CallbackParams) -> bool:
        config = self._config
        if config.save_checkpoint_steps:
            return bool(params["cur_step_num"] >= self._tried_step + config.save_checkpoint_steps)
        if not config.save_checkpoint_seconds:
            return False
        is_due = monotonic() - self._tried_seconds >= config.save_checkpoint_seconds
        # Clocks differ, but all processes must take part in gathering.
        return broadcast_decision(is_due) if self._is_gathering(params) else is_due

    def _is_end_pending(self, params: CallbackParams) -> bool:
        step = params["cur_step_num"]
        if step == self._saved_step:
            return False
        # A failed write is retried, unless other processes would have to gather the tensors again.
        return step != self._tried_step or not self._is_gathering(params)

    def _is_gathering(self, params: CallbackParams) -> bool:
        return self._config.integrated_save and self._is_sharing(params)

    def _is_sharing(self, params: CallbackParams) -> bool:
        """Return whether tensors of the network are sharded over processes."""
        if self._shares is None:
            self._shares = has_sharded_tensors(states_of(self._network(params), None))
        return self._shares

    @saving()
    def _save(self, params: CallbackParams, *, breaks: bool = False) -> None:
        """Start writing a checkpoint, or take part in gathering that of rank 0."""
        self._process_outcome(params, waits=True)
        step, seconds = params["cur_step_num"], monotonic()
        self._tried_step, self._tried_seconds = step, seconds
        # After an exception, other processes may not take part in gathering.
        is_apart = self._is_sharing(params) and (breaks or not self._config.integrated_save)
        if self._rank and not (self._all_ranks or is_apart):
            if self._is_gathering(params):
                join_gathering(states_of(self._network(params), self._optimizer(params)))
            self._saved_step = step
            return
        checkpoint = self._captured(params, is_apart)
        path = self._path(params, is_apart, breaks)
        seal = Protection(self._config.enc_key, self._config.enc_mode, self._config.crc_check)
        format = self._config.format
        self._writer.start(Job(path, step, seconds, lambda: write_checkpoint(checkpoint, path, seal, format)))
        self._process_outcome(params, waits=not self._config.async_save)

    def _captured(self, params: CallbackParams, is_apart: bool) -> Checkpoint:
        network, optimizer = states_of(self._network(params), self._optimizer(params))
        if is_apart and self._rank and self._config.remove_redundancy:
            network = {name: tensor for name, tensor in network.items() if is_sharded(tensor)}
        appended = self._config.appended_at(params.get("cur_epoch_num", 1), params["cur_step_num"])
        step = params["cur_step_num"]
        return capture(network, optimizer, appended, step, gathers=not is_apart, copies=self._config.async_save)

    def _network(self, params: CallbackParams) -> Any:
        return params["network"] if self._config.saved_network is None else self._config.saved_network

    def _optimizer(self, params: CallbackParams) -> Any:
        return params.get("optimizer") if self._network(params) is params.get("network") else None

    def _path(self, params: CallbackParams, is_apart: bool, breaks: bool) -> str:
        rank = f"_rank_{self._rank}" if is_apart or self._all_ranks else ""
        if self._stem is None:
            self._stem = _fresh_stem(self._directory, self._prefix, rank)
        name = f"{self._stem}-{params.get('cur_epoch_num', 1)}_{step_in_epoch(params, self._steps_before_epoch)}{rank}"
        return os.path.join(self._directory, f"{name}{'_breakpoint' if breaks else ''}.{self._config.format}")

    def _process_outcome(self, params: CallbackParams, *, waits: bool) -> None:
        """Process the result of the last write, if there is one."""
        outcome = self._writer.take_outcome(waits=waits)
        if outcome is None:
            return
        job, error = outcome
        if error is None:
            self._keep(outcome, params)
        elif isinstance(error, OSError):
            self._failure = error
            log.error("%s could not be saved, the training continues: %s.", job.path, error)
        else:
            raise error

    def _keep(self, outcome: Outcome, params: CallbackParams) -> None:
        """Publish the new checkpoint, and delete checkpoints that the retention rule no longer keeps."""
        job = outcome.job
        self._failure = None
        self._latest, self._saved_step = job.path, job.step
        params["latest_ckpt_file"], params["last_save_ckpt_step"] = job.path, job.step
        if job.path.endswith(f"_breakpoint.{self._config.format}"):
            return
        self._saved = [saved for saved in self._saved if saved.path != job.path]
        self._saved.append(SavedCheckpoint(job.path, job.seconds))
        self._thin_out()

    def _thin_out(self) -> None:
        """Delete checkpoints that the retention rule no longer keeps, the best one excluded."""
        most, minutes = self._config.keep_checkpoint_max, self._config.keep_checkpoint_per_n_minutes
        # The clock of the minutes is that of this process: earlier checkpoints are kept.
        counted = self._saved if most else [each for each in self._saved if math.isfinite(each.seconds)]
        surplus = surplus_by_count(counted, most) if most else surplus_by_minutes(counted, minutes)
        surplus = [each for each in surplus if each.path != self._best]
        for saved in surplus:
            _delete(saved.path)
        self._saved = [saved for saved in self._saved if saved not in surplus]
        write_manifest(self._manifest_path, Manifest(self._saved, self._best, self._best_value))

    def _read_manifest(self) -> None:
        """Take over the checkpoints of earlier starts, which a callback of this process may have thinned out since."""
        manifest = read_manifest(self._manifest_path)
        own = {each.path: each for each in self._saved}
        self._saved = [own.get(each.path, each) for each in manifest.saved]
        if self._monitored is not None:
            self._monitored.begin()
            self._best, self._best_value = manifest.best, manifest.best_value

    def _end_after_exception(self, params: CallbackParams) -> None:
        """Save a breakpoint; a failure is only logged, so that it does not hide the exception."""
        try:
            if self._config.exception_save and self._network(params) is not None:
                self._save(params, breaks=True)
            self._process_outcome(params, waits=True)
        except Exception as error:
            log.error("No checkpoint could be saved after the exception: %s: %s", type(error).__name__, error)


def _checked_directory(directory: object) -> str:
    path = (
        os.getcwd() if directory is None else os.fspath(directory) if isinstance(directory, str | os.PathLike) else None
    )
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        raise ValueError(f"directory must be a non-blank path or None, not {short_repr(directory)}.")
    path = local_path(path)
    if os.path.exists(path) and not os.path.isdir(path):
        raise NotADirectoryError(f"directory {path!r} exists and is not a directory.")
    os.makedirs(path, exist_ok=True)
    return path


def _fresh_stem(directory: str, prefix: str, rank: str) -> str:
    """Return the prefix of a new training's files, which differs from those of earlier trainings."""
    name = re.compile(rf"{re.escape(prefix)}(?:_(\d+))?-\d+_\d+{rank}(?:_breakpoint)?\.(?:ckpt|safetensors)")
    matches = [match for file in os.listdir(directory) if (match := name.fullmatch(file))]
    return f"{prefix}_{1 + max(int(match[1] or 0) for match in matches)}" if matches else prefix


def _is_of_mindspore(params: CallbackParams) -> bool:
    """Return whether the network is MindSpore's, which has its own encryption."""
    return type(framework_of(params.get("network"))).__name__ == "MindSporeFramework"


def _delete(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass  # The user has deleted it.
    except OSError as error:
        log.warn("%s is no longer needed, but cannot be deleted: %s.", path, error)
