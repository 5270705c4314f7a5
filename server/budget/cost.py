"""What a request costs, as estimated before it is computed."""

from typing import NamedTuple

LIGHT_SECONDS = 0.1
LIGHT_BYTES = 32 << 20
MAX_SECONDS = 60.0


class Cost(NamedTuple):
    """An estimate, within a small factor."""

    seconds: float = 0.0
    """The time of one core."""
    bytes: int = 0
    """The memory beside the columns that the server keeps: for the computation and the reply."""

    @property
    def is_light(self) -> bool:
        """Whether the request is computed at once, whatever others compute."""
        return self.seconds <= LIGHT_SECONDS and self.bytes <= LIGHT_BYTES


class TooExpensiveError(ValueError):
    """A request exceeds a limit, whatever others request; the message names it."""


def check_cost(cost: Cost, most_bytes: int) -> None:
    """Check that a request can be computed at all.

    Raises:
        TooExpensiveError: it would take too long or too much memory.
    """
    advice = "request fewer series, fewer points or a smaller window"
    if cost.seconds > MAX_SECONDS:
        found = f"about {cost.seconds:.0f} s of computing"
        raise TooExpensiveError(f"the request takes {found}: expected at most {MAX_SECONDS:.0f} s; {advice}")
    if cost.bytes > most_bytes:
        found = f"about {cost.bytes >> 20} MiB of memory"
        limit = f"expected at most {most_bytes >> 20} MiB (--memory-limit)"
        raise TooExpensiveError(f"the request takes {found}: {limit}; {advice}")
