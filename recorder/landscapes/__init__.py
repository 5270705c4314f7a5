"""Loss landscapes: what surrounds the way that a training has taken, computed from its checkpoints."""

from toposcope.recorder.landscapes.progress import Progress
from toposcope.recorder.landscapes.summary_landscape import SummaryLandscape

__all__ = ["Progress", "SummaryLandscape"]
