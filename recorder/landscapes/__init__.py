"""Loss landscapes: the loss around the path of a training, computed from its checkpoints."""

from typing import TYPE_CHECKING

from toposcope.recorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from toposcope.recorder.landscapes.progress import Progress
    from toposcope.recorder.landscapes.summary_landscape import SummaryLandscape

__all__ = [
    "Progress",
    "SummaryLandscape",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Progress": "toposcope.recorder.landscapes.progress",
        "SummaryLandscape": "toposcope.recorder.landscapes.summary_landscape",
    },
)
