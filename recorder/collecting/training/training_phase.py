"""TrainingPhase: what a collected training does at present, for heartbeats: training, evaluating or saving."""

import weakref
from collections.abc import Callable
from typing import Any

from toposcope.proto.summary_pb2 import PHASE_EVALUATING, PHASE_SAVING, PHASE_TRAINING, PHASE_UNKNOWN, Phase
from toposcope.recorder.checkpoints.saving_phase import is_saving


class TrainingPhase:
    """Remembers whether an evaluation is running; returns the phase when it is called."""

    def __init__(self, network: Any) -> None:
        """Follow a network without keeping it alive."""
        self.is_evaluating = False
        """Whether the callbacks know of a running evaluation."""
        self.is_over = False
        """Whether the training, or the evaluation outside of a training, has ended."""
        self._network: Callable[[], Any]
        try:
            self._network = weakref.ref(network)
        except TypeError:  # None, for instance.
            self._network = _none

    def __call__(self) -> Phase:
        """Return the phase.

        In a loop of the user, an evaluation is known only by its results. Until then a network in evaluation mode, as
        of torch.nn.Module.eval(), indicates it.
        """
        if is_saving():
            return PHASE_SAVING
        if self.is_evaluating:
            return PHASE_EVALUATING
        if self.is_over:
            return PHASE_UNKNOWN
        return PHASE_EVALUATING if getattr(self._network(), "training", None) is False else PHASE_TRAINING


def _none() -> None:
    return None
