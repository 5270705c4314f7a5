"""OnRequestExit: ends a training or an evaluation after its step when a signal or a file requests it, and saves it."""

import json
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, TypeVarTuple

from toposcope.recorder import log
from toposcope.recorder.adapters import adapter, is_module
from toposcope.recorder.arguments import checked_bool, checked_integer, checked_local_directory, checked_text
from toposcope.recorder.callbacks.rank_decision import RankDecision
from toposcope.recorder.callbacks.training_checkpoint import restore_training, save_training
from toposcope.recorder.checkpoints.arguments import checked_path
from toposcope.recorder.checkpoints.saving import save_checkpoint
from toposcope.recorder.rank import process_rank
from toposcope.recorder.training.data.batch import parts_of
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.state.state import State

_KEY = "GracefulExit"
_Arguments = TypeVarTuple("_Arguments")


class OnRequestExit(Callback):
    """Ends a training after its step on a signal, saves it, and continues it when it is started again.

        model.train(10, loader, callbacks=[OnRequestExit(file_name="net", directory="exits")])

    When the process receives SIGTERM, or when the JSON file config_file contains {"GracefulExit": 1}, the training is
    saved and stopped after the current step; an evaluation is stopped after its step. A request during an evaluation
    inside a training takes effect after it. Saved are, in `<directory>/rank_<rank>`:

    * `<file_name>_train.ckpt`: the training, see BackupAndRestore; its appended values contain epoch_num, step_num and
      batch_num. A training that finds the file continues it, and deletes it when it has reached its end.
    * `<file_name>_train.pt2`: the network in evaluation mode as a program, which torch.export.load() reads, for batches
      of the same size. PyTorch has no MindIR. A network that torch.export cannot trace is logged and not saved.
    * `<file_name>_eval.ckpt`, `<file_name>_eval.pt2`: the network of an evaluation that was stopped.

    A SummaryCollector records the training as interrupted. If one of several processes of torch.distributed receives
    the request, all of them end after the same step; all of them must have this callback. What cannot be saved is
    logged.

    Differences from MindSpore's class: the environment variable MS_ENABLE_GRACEFUL_EXIT is not needed; the previous
    handler of the signal is restored after the training; evaluations do not load checkpoints; the optimizer, the step
    and the epoch are restored as well.
    """

    runs_in_fit_evaluation: bool = False
    exit: bool
    """Whether the signal was received."""
    stop_train: bool
    """Whether the training was stopped because of a request."""

    def __init__(
        self,
        save_ckpt: bool = True,
        save_mindir: bool = True,
        file_name: str = "Net",
        directory: str | os.PathLike[str] | None = "./",
        config_file: str | os.PathLike[str] | None = None,
        sig: int = signal.SIGTERM,
    ) -> None:
        """Set what is saved where; the directory is created if it does not exist.

        Args:
            save_ckpt: whether a checkpoint is saved.
            save_mindir: whether the network is saved as a program.
            file_name: first part of the names of the files, without "/".
            directory: directory of the files; None: the current directory.
            config_file: path of a JSON file that need not exist; None: only the signal.
            sig: number of the signal, which must be one that a process can handle.

        Raises:
            ValueError: an argument has the wrong type or an invalid value.
            NotADirectoryError: directory is a file.
            OSError: the directory cannot be created.
        """
        try:
            self._saves_checkpoint = checked_bool("save_ckpt", save_ckpt)
            self._saves_program = checked_bool("save_mindir", save_mindir)
            self._signal = checked_integer("sig", sig)
            name = checked_text("file_name", file_name)
            parent = checked_path("directory", "." if directory is None else directory)
            self._config_file = None if config_file is None else checked_path("config_file", config_file)
        except TypeError as error:  # MindSpore documents ValueError for all invalid values.
            raise ValueError(str(error)) from None
        if self._signal not in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            raise ValueError(f"sig must be a signal that a process can handle, not {sig!r}.")
        if not name or "/" in name or "\0" in name:
            raise ValueError(f"file_name must be a non-empty str without '/', not {name!r}.")
        folder = os.path.join(parent, f"rank_{process_rank()}")
        if self._saves_checkpoint or self._saves_program:
            checked_local_directory("directory", parent)
            os.makedirs(folder, exist_ok=True)
        self._path = os.path.join(folder, name)
        self.exit = self.stop_train = False
        self._state: State | None = None
        self._restored = ""
        self._decision: RankDecision | None = None
        self._config_changed: tuple[int, int] | None = None
        self._is_in_config = False
        self._previous: Any = None

    def restore_training(self, state: State) -> None:
        """Restore the training from the file of an earlier exit; FileNotFoundError if only other processes have one."""
        self._state, self._restored = state, ""
        if not self._saves_checkpoint:
            return
        path = f"{self._path}_train.ckpt"
        exists = os.path.exists(path)
        if RankDecision().is_wanted(exists):
            if not exists:
                raise FileNotFoundError(f"{path!r} does not exist, while other processes have files of the training.")
            restore_training(state, path)
            self._restored = path

    def on_train_begin(self, run_context: RunContext) -> None:
        """Handle the signal until the end of the training."""
        self._begin()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Save and stop the training if this is requested."""
        self._end_if_requested(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Save and stop the training if this was requested after the last step of the epoch."""
        self._end_if_requested(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """Delete the file from which the training was restored, if it has reached its end."""
        if self._restored and not self.stop_train and os.path.exists(self._restored):
            os.unlink(self._restored)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Handle the signal until the end of the evaluation."""
        self._begin()

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Stop the evaluation if this is requested."""
        if self._is_requested():
            self.exit = True
            run_context.request_stop()

    def on_eval_end(self, run_context: RunContext) -> None:
        """Save the network of an evaluation that was stopped."""
        if self.exit:
            params = run_context.original_args()
            if self._saves_checkpoint:
                _attempt("checkpoint", save_checkpoint, params.eval_network, f"{self._path}_eval.ckpt")
            self._save_program(params.eval_network, params.get("eval_dataset_element"), "eval")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restore the previous handler of the signal."""
        if self._previous is not None and signal.getsignal(self._signal) == self._handle:
            signal.signal(self._signal, self._previous)
        self._previous = None

    def _begin(self) -> None:
        self.exit = self.stop_train = False
        self._config_changed, self._is_in_config = None, False
        self._decision = RankDecision()
        if threading.current_thread() is threading.main_thread():
            previous = signal.signal(self._signal, self._handle)
            self._previous = signal.SIG_DFL if previous is None else previous
        else:
            log.warn("OnRequestExit handles no signal: Python handles signals only in the main thread.")

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.exit = True

    def _is_requested(self) -> bool:
        """Return whether a request has reached any process."""
        assert self._decision is not None
        return self._decision.is_wanted(self.exit or self._is_requested_by_file())

    def _is_requested_by_file(self) -> bool:
        if self._config_file is None:
            return False
        try:
            status = os.stat(self._config_file)
            if (changed := (status.st_mtime_ns, status.st_size)) != self._config_changed:
                self._config_changed, self._is_in_config = changed, False
                with open(self._config_file, encoding="utf-8") as file:
                    content = json.load(file)
                self._is_in_config = isinstance(content, dict) and content.get(_KEY) == 1
        except FileNotFoundError:
            return False
        except (OSError, ValueError) as error:  # Once for each version of the file.
            log.warn("%s is ignored until it changes: %s", self._config_file, error)
        return self._is_in_config

    def _end_if_requested(self, run_context: RunContext) -> None:
        if self.stop_train or not self._is_requested():
            return
        self.stop_train = True
        params = run_context.original_args()
        if self._saves_checkpoint and self._state is not None:
            values = {
                "epoch_num": int(params.get("cur_epoch_num", 1)),
                "step_num": int(params.cur_step_num),
                "batch_num": int(params.get("batch_num", -1)),
            }
            _attempt("checkpoint", save_training, self._state, f"{self._path}_train.ckpt", values)
        run_context.request_stop()
        self._save_program(params.get("network"), params.get("train_dataset_element"), "train")

    def _save_program(self, network: Any, batch: Any, phase: str) -> None:
        if not self._saves_program:
            return
        if not is_module(network) or batch is None:
            log.warn("The network is not saved as a program: it must be a torch.nn.Module whose batch is known.")
            return
        exporting = adapter("torch", "export")
        _attempt("program", exporting.save_program, network, _inputs(batch), f"{self._path}_{phase}{exporting.SUFFIX}")


def _inputs(batch: Any) -> tuple[Any, ...]:
    """Return the inputs of the network: all parts of the batch but the last one, which is the label."""
    parts = parts_of(batch)
    return parts[:-1] if len(parts) > 1 else parts


def _attempt(what: str, save: Callable[[*_Arguments], object], *arguments: *_Arguments) -> None:
    """Save a file; a failure is logged, because the process is about to end."""
    try:
        save(*arguments)
    except Exception as error:
        log.error("The %s could not be saved at the exit: %s: %s", what, type(error).__name__, error)
