"""ToposcopeCallback for `lightning`."""

from lightning.pytorch.callbacks import Callback

from toposcope.recorder.frameworks.lightning.trainer_hooks import TrainerHooks


class ToposcopeCallback(TrainerHooks, Callback):  # type: ignore[misc]
    """Records the trainings of a Trainer, see TrainerHooks."""
