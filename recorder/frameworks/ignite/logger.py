"""ToposcopeLogger: records what handlers of Ignite log."""

import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import ignite.distributed as idist
from ignite.handlers.base_logger import BaseLogger

from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.ignite.handlers import OptimizerParamsHandler, OutputHandler
from toposcope.recorder.frameworks.ignite.observed_engines import ObservedEngines
from toposcope.recorder.frameworks.loggers.logged_run import LoggedRun
from toposcope.recorder.training.events.callback_list import CallbackList


@guarded_hooks("log", "evaluate", "close")
class ToposcopeLogger(BaseLogger):
    """Records what is attached to engines, as Ignite's other loggers do.

        with ToposcopeLogger("runs/first") as logger:
            logger.attach_output_handler(
                trainer, Events.ITERATION_COMPLETED, tag="train", output_transform=lambda loss: {"loss": loss}
            )
            trainer.run(loader, max_epochs=10)

    The run begins with the first values. If the trainer was restored, the run of an earlier process is continued there.
    It ends with close() or the with statement, which also records the exception that ends the training. Only the
    process of rank 0 records.

    `checkpoint` is the name of each file that a Checkpoint attached to these engines saves, at the iteration of the
    engine that runs the training: the one that started first. The graph is that of the network which a Checkpoint
    saves or a handler of this logger observes, if it is called after the first values.
    """

    def __init__(self, summary_dir: str | os.PathLike[str], *, callbacks: CallbackList = None, **settings: Any) -> None:
        """Set what to record; the arguments are those of LoggedRun. A stop that a callback requests ends the engine."""
        self._run = LoggedRun(summary_dir, callbacks=callbacks, **settings)
        self._settings: dict[str, Any] = {}
        self._engines = ObservedEngines(self._run)

    def attach(self, engine: Any, log_handler: Any, event_name: Any, *args: Any, **kwargs: Any) -> Any:
        """Attach a handler to an engine, as BaseLogger.attach() does."""
        self._engines.add(engine, log_handler)
        return super().attach(engine, log_handler, event_name, *args, **kwargs)

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
        if idist.get_rank():  # Also of launchers without torch.distributed.
            return
        if not self._run.is_running:
            network = self._engines.network()
            initial_step = 0 if self._engines.is_resuming is False else max(0, step - 1)
            self._run.begin(network, initial_step=initial_step, has_graph=network is not None)
            self._run.record_settings(self._settings)
        self._run.log(values, step)
        if engine is not None and self._run.is_stop_requested:
            engine.terminate()
            self._engines.terminate()

    def evaluate(self, metrics: Mapping[str, Any], engine: Any) -> None:
        """Report metrics that were logged to the callbacks and for the lineage, except those of the trainer."""
        if not self._engines.is_trainer(engine):
            self._run.evaluate(metrics)

    def close(self) -> None:
        """End the run."""
        self._run.end()

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
