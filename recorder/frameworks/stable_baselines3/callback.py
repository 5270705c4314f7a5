"""ToposcopeCallback: records the trainings of Stable-Baselines3."""

import os
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from stable_baselines3.common.callbacks import BaseCallback

from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.stable_baselines3.output_format import ToposcopeOutputFormat
from toposcope.recorder.frameworks.stable_baselines3.policy_graph import policy_graph
from toposcope.recorder.frameworks.stable_baselines3.saved_models import SavedModels
from toposcope.recorder.training.events.callback_list import CallbackList

_COUNTERS = frozenset(("num_timesteps", "start_time", "verbose"))


@guarded_hooks("_on_training", "_record")
class ToposcopeCallback(BaseCallback):
    """Records what the logger of a model dumps, the graph of the policy, and the settings of the model as lineage.

        model.learn(10_000, callback=ToposcopeCallback("runs/first"))

    `checkpoint` is the name of each model that a CheckpointCallback saves, and of the best one of an EvalCallback.

    The step is the number of timesteps: a training that continues (`reset_num_timesteps=False`) continues the run. A
    stop that one of callbacks requests ends the training. In a with statement around the training an exception that
    ends it is recorded also if the program handles it; without one, if it ends the program.
    """

    def __init__(
        self, summary_dir: str | os.PathLike[str], *, callbacks: CallbackList = None, verbose: int = 0, **settings: Any
    ) -> None:
        """Set what to record; files are created when the training begins.

        Args:
            summary_dir: directory of the run.
            callbacks: further callbacks of this package, of both styles; a step ends where the logger dumps.
            verbose: as for BaseCallback.
            settings: further arguments of SummaryCollector: collect_freq, collect_specified_data, ...

        Raises:
            TypeError: an argument has the wrong type, or there is no such argument.
            ValueError: an argument has an invalid value.
        """
        super().__init__(verbose)
        self._format = ToposcopeOutputFormat(summary_dir, callbacks=callbacks, **settings)
        self._saved_models: SavedModels | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings: a training that runs is not copied."""
        own = {name: value for name, value in vars(self).items() if name not in ("model", "parent")}
        return own | {"locals": {}, "globals": {}, "parent": None, "_saved_models": None}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the run, if it has not ended, with the exception if there is one."""
        self._detach()
        if error is None:
            self._format.run.end()
        else:
            self._format.run.fail(error)

    def _on_training_start(self) -> None:
        """Begin a run."""
        run, model = self._format.run, self.model
        run.fail(RuntimeError("Another training began before this one had ended."))
        run.begin(
            model, initial_step=int(model.num_timesteps), steps=int(getattr(model, "_total_timesteps", 0)) or None
        )
        run.record_settings(_settings_of(model))
        run.record_graph(lambda: policy_graph(model))
        if self._saved_models is not None:
            self._saved_models.stop()
        self._saved_models = SavedModels(self.locals.get("callback"), self._record_checkpoint)
        if self._format not in model.logger.output_formats:
            model.logger.output_formats.append(self._format)

    def _on_step(self) -> bool:
        return not self._format.run.is_stop_requested

    def _on_training_end(self) -> None:
        """End the run."""
        self._detach()
        self._format.run.end()

    def _record_checkpoint(self, path: str, score: str | None) -> None:
        self._format.run.record_checkpoint(path, int(self.model.num_timesteps), score=score)

    def _detach(self) -> None:
        if self._saved_models is not None:
            self._saved_models.stop()
        formats = self.model.logger.output_formats if getattr(self, "model", None) is not None else []
        if self._format in formats:
            formats.remove(self._format)


def _settings_of(model: Any) -> dict[str, Any]:
    """Return the settings of a model by name: those of its attributes that are plain, its policy and environment."""
    settings: dict[str, Any] = {
        name: value
        for name, value in vars(model).items()
        if not name.startswith("_") and name not in _COUNTERS and isinstance(value, bool | int | float | str | dict)
    }
    policy = getattr(model, "policy_class", None)
    settings |= {"algorithm": type(model).__name__, "policy": getattr(policy, "__name__", None)}
    with suppress(Exception):  # Environments without a specification, or in other processes.
        settings["environment"] = model.get_env().get_attr("spec")[0].id
    return settings
