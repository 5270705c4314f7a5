"""MindSpore: its networks, optimizers, data pipelines and summary operators, and the bridge into its trainings."""

from toposcope.recorder.frameworks.mindspore.bridge import bridge
from toposcope.recorder.frameworks.mindspore.cell import graph_of, is_cell
from toposcope.recorder.frameworks.mindspore.operators import OperatorValue, is_imported, take_operator_values

__all__ = ["OperatorValue", "bridge", "graph_of", "is_cell", "is_imported", "take_operator_values"]
