"""Progress: how much of the landscapes of a call has been computed."""

from typing import NamedTuple


class Progress(NamedTuple):
    """The progress after a loss has been measured."""

    tag: str
    """The tag of the landscape."""
    level: int
    """The current level, of 2 ** level + 1 nodes a side; the first level is also measured as a preview."""
    levels: int
    """The last level."""
    done: int
    """Measured losses of all landscapes, including those of an earlier computation."""
    total: int
    """Losses of all landscapes up to their last level, including previews."""
    holes: int
    """Places whose loss could not be measured."""
    seconds_left: float
    """Estimated seconds until all landscapes are complete, from the durations at this level."""
