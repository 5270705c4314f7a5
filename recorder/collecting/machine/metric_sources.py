"""MetricSources: functions that measure something of the machine, each of which may fail."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from toposcope.recorder import log
from toposcope.recorder.not_copied import NotCopied


class MetricSources(NotCopied):
    """Calls all sources; one that fails is logged and not called again."""

    _why_not_copied: ClassVar[str] = "they measure since their creation in this process: copy before the training"

    def __init__(self, sources: Mapping[str, Callable[[], dict[str, float]]]) -> None:
        """Use functions that return metrics, by the name of what they measure."""
        self._sources = dict(sources)

    def measure(self) -> dict[str, float]:
        """Return the metrics of all sources. Never raises."""
        metrics: dict[str, float] = {}
        for name, source in list(self._sources.items()):
            try:
                metrics |= source()
            except Exception as error:
                del self._sources[name]
                log.warn("%s metrics are no longer recorded: %s: %s", name, type(error).__name__, error)
        return metrics
