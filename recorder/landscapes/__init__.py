"""Loss landscapes: the loss around the path of a training, computed from its checkpoints."""

from typing import TYPE_CHECKING, Any

from toposcope.recorder.landscapes.progress import Progress

if TYPE_CHECKING:
    from toposcope.recorder.landscapes.summary_landscape import SummaryLandscape

__all__ = ["Progress", "SummaryLandscape"]


def __getattr__(name: str) -> Any:
    if name == "SummaryLandscape":
        # Imported on first use: a training that only saves checkpoints for landscapes does not need it.
        from toposcope.recorder.landscapes.summary_landscape import SummaryLandscape

        return SummaryLandscape
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
