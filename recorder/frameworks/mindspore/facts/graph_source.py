"""The GraphSource of a MindSpore cell, whose graph is known once MindSpore has compiled it."""

from typing import Any

from toposcope.recorder.frameworks.mindspore.facts.cell import graph_of
from toposcope.recorder.values.arrays.foreign_values import call_foreign


class _CellGraph:
    """Reads the compiled graph of a Cell; see GraphSource."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def graph(self) -> bytes | None:
        """Return the serialized ModelProto, None before the first run; UnreadableValueError when MindSpore fails."""
        return call_foreign(lambda: graph_of(self._cell))

    def graph_without_call(self) -> None:
        """Return None: there is no graph before the first run."""

    def stop(self) -> None:
        """Do nothing: the Cell is not observed."""


def graph_source(cell: Any) -> _CellGraph:
    """Return the GraphSource of a mindspore.nn.Cell."""
    return _CellGraph(cell)
