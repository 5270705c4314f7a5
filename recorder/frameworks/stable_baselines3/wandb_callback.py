"""WandbCallback of wandb.integration.sb3: it records into the active run of the wandb-shaped front."""

import os
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter

from toposcope.recorder import wandb
from toposcope.recorder.wandb.reports import guarded

_STEP = "global_step"


class RunOutputFormat(KVWriter):
    """Logs the numbers that a Logger dumps, with the number of timesteps as "global_step", their x axis."""

    def __init__(self) -> None:
        """Define the x axis."""
        wandb.define_metric(_STEP)
        wandb.define_metric("*", step_metric=_STEP)

    @guarded
    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
        """Log the numbers of a dump."""
        numbers = {
            name: value
            for name, value in key_values.items()
            if isinstance(value, np.ScalarType)
            and not isinstance(value, str | bytes)
            and "tensorboard" not in (key_excluded.get(name) or ())
        }
        wandb.log({**numbers, _STEP: int(step)})

    def close(self) -> None:
        """Leave the run active."""


class WandbCallback(BaseCallback):
    """Records the settings of the algorithm, saves the model, and watches the gradients of the policy.

    W&B's class takes the metrics from TensorBoard's files (sync_tensorboard=True). Here they are recorded without
    TensorBoard: what the Logger dumps is logged at its number of timesteps.
    """

    def __init__(
        self,
        verbose: int = 0,
        model_save_path: str | None = None,
        model_save_freq: int = 0,
        gradient_save_freq: int = 0,
        log: str | None = "all",
    ) -> None:
        """Set what to save and to watch; the arguments are those of W&B's class."""
        super().__init__(verbose)
        if model_save_path is not None:
            os.makedirs(model_save_path, exist_ok=True)
        self._path = None if model_save_path is None else os.path.join(model_save_path, "model.zip")
        self._save_freq, self._watch_freq, self._log_kind = model_save_freq, gradient_save_freq, log

    @guarded
    def _init_callback(self) -> None:
        settings = {name: value for name, value in vars(self.model).items() if isinstance(value, float | int | str)}
        wandb.config.setdefaults({"algo": type(self.model).__name__, **settings})
        if self._watch_freq > 0:
            wandb.watch(self.model.policy, log=self._log_kind, log_freq=self._watch_freq)
        formats: list[Any] = self.logger.output_formats
        if not any(isinstance(each, RunOutputFormat) for each in formats):
            formats.append(RunOutputFormat())

    def _on_step(self) -> bool:
        self._save_if_due()
        return True

    @guarded
    def _save_if_due(self) -> None:
        if self._path is not None and self._save_freq > 0 and self.n_calls % self._save_freq == 0:
            self.model.save(self._path)

    @guarded
    def _on_training_end(self) -> None:
        if self._path is not None:
            self.model.save(self._path)
