"""ToposcopeLogger: records what handlers of Ignite log."""

import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from ignite.handlers.base_logger import BaseLogger

from toposcope.recorder.frameworks.ignite.handlers import OptimizerParamsHandler, OutputHandler
from toposcope.recorder.frameworks.loggers.logged_run import LoggedRun
from toposcope.recorder.training.callback_list import CallbackList


class ToposcopeLogger(BaseLogger):
    """Records what is attached to engines, as Ignite's other loggers do.

        with ToposcopeLogger("runs/first") as logger:
            logger.attach_output_handler(
                trainer, Events.ITERATION_COMPLETED, tag="train", output_transform=lambda loss: {"loss": loss}
            )
            trainer.run(loader, max_epochs=10)

    The run begins with the first values: with those at a later step than the first, the run of an earlier process is
    continued there. It ends with close() or the with statement, which also records the exception that ends the
    training. Only the process of rank 0 records.
    """

    def __init__(self, summary_dir: str | os.PathLike[str], *, callbacks: CallbackList = None, **settings: Any) -> None:
        """Set what to record; the arguments are those of LoggedRun. A stop that a callback requests ends the engine."""
        self._run = LoggedRun(summary_dir, callbacks=callbacks, **settings)
        self._settings: dict[str, Any] = {}
        self._is_started = False

    def log_hyperparams(self, params: Mapping[str, Any]) -> None:
        """Record hyperparameters as lineage, without secrets."""
        self._settings |= params
        self._run.record_settings(self._settings)

    def log(self, values: Mapping[str, Any], step: int, engine: Any = None) -> None:
        """Record values; handlers call this.

        Args:
            values: name to number, array, tensor, or a value of toposcope.recorder.
            step: of the values.
            engine: the engine that is ended if a callback requests a stop.
        """
        if not self._is_started:
            self._is_started = True
            self._run.begin(initial_step=max(0, step - 1))
            self._run.record_settings(self._settings)
        self._run.log(values, step)
        if engine is not None and self._run.is_stop_requested:
            engine.terminate()

    def close(self) -> None:
        """End the run."""
        self._run.end()
        self._is_started = False

    def __exit__(
        self, type: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if value is not None:
            self._run.fail(value)
        self.close()

    def _create_output_handler(self, *args: Any, **kwargs: Any) -> OutputHandler:
        return OutputHandler(*args, **kwargs)

    def _create_opt_params_handler(self, *args: Any, **kwargs: Any) -> OptimizerParamsHandler:
        return OptimizerParamsHandler(*args, **kwargs)
