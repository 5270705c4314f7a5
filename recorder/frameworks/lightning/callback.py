"""ToposcopeCallback for `lightning`."""

from lightning.pytorch.callbacks import Callback

from toposcope.recorder.frameworks.lightning.trainer_hooks import TrainerHooks


class ToposcopeCallback(TrainerHooks, Callback):
    """Records the trainings of a Trainer, see TrainerHooks."""
