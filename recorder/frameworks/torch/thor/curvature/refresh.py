"""The trace rule: decides per layer whether its factors are refreshed, kept, or frozen (Chen et al., AAAI 2021)."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Decision = Literal["refreshed", "kept", "frozen"]


class Thresholds(NamedTuple):
    """Limits of the relative change of the trace of F + damping * I since the last refresh."""

    refresh: float
    """Above it the factors are refreshed."""
    freeze: float
    """Below it they are never refreshed again; in between they are kept."""


@dataclass
class TraceRule:
    """The last trace of one layer."""

    thresholds: Thresholds | None
    """None: every due step refreshes."""
    last_trace: float | None = None
    is_frozen: bool = False

    def decide(self, trace: float) -> Decision:
        """Return what to do on a due step on which the layer has this trace."""
        if self.is_frozen:
            return "frozen"
        if self.thresholds is not None and self.last_trace:
            change = abs(trace - self.last_trace) / abs(self.last_trace)
            if change < self.thresholds.freeze:
                self.is_frozen = True
                return "frozen"
            if change <= self.thresholds.refresh:
                return "kept"
        self.last_trace = trace
        return "refreshed"
