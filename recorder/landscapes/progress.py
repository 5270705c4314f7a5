"""How far the computation of landscapes has come."""

from typing import NamedTuple


class Progress(NamedTuple):
    """Told after every loss that was measured."""

    tag: str
    """Of the landscape."""
    level: int
    """The level that is being measured, of 2 ** level + 1 nodes a side; the first one comes as a preview too."""
    levels: int
    """The last level."""
    done: int
    """Losses of all landscapes that are known, also from an earlier computation."""
    total: int
    """Losses of all landscapes at their last level, previews included."""
    holes: int
    """Places where nothing could be measured."""
    seconds_left: float
    """Until all landscapes are done, by what the losses of this level have taken so far."""
