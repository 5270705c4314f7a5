"""Decisions that all processes of torch.distributed take together."""

import sys
from typing import Any

from toposcope.recorder.imported import imported


def distributed_of_process() -> Any:
    """Return torch.distributed if this process has initialized it, otherwise None."""
    distributed: Any = imported("torch.distributed")
    return distributed if distributed and distributed.is_available() and distributed.is_initialized() else None


class RankDecision:
    """Whether any process wants something. All processes must create it, and ask, at the same steps.

    The answers are exchanged by the CPU, so that a process does not wait for its device.
    """

    def __init__(self) -> None:
        self._distributed = distributed_of_process()
        self._group: Any = None
        if self._distributed is not None and self._distributed.get_backend() != "gloo":
            self._group = self._distributed.new_group(backend="gloo")

    def is_wanted(self, is_wanted_here: bool) -> bool:
        """Return whether this or another process wants it."""
        if self._distributed is None:
            return is_wanted_here
        wanted = sys.modules["torch"].tensor(int(is_wanted_here))
        self._distributed.all_reduce(wanted, op=self._distributed.ReduceOp.MAX, group=self._group)
        return bool(wanted)
