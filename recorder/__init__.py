"""The part of Toposcope that runs inside a training process: SummaryRecord writes values to event files."""

from toposcope.recorder.messages.dataset_graph import dataset_graph
from toposcope.recorder.messages.graph import Node, graph
from toposcope.recorder.messages.landscape import landscape
from toposcope.recorder.messages.lineage import custom_lineage, eval_lineage, train_lineage
from toposcope.recorder.summary_record import SummaryRecord
from toposcope.recorder.values.foreign_values import UnreadableValueError
from toposcope.recorder.values.wrapped import Histogram, Image, Tensor, Text

__all__ = [
    "Histogram",
    "Image",
    "Node",
    "SummaryRecord",
    "Tensor",
    "Text",
    "UnreadableValueError",
    "custom_lineage",
    "dataset_graph",
    "eval_lineage",
    "graph",
    "landscape",
    "train_lineage",
]
