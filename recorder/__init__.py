"""The part of Toposcope that runs inside a training process: SummaryRecord writes values to event files."""

from typing import TYPE_CHECKING

from toposcope.recorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from toposcope.recorder.messages.dataset_graph import dataset_graph
    from toposcope.recorder.messages.graph import Node, graph
    from toposcope.recorder.messages.landscape import landscape
    from toposcope.recorder.messages.lineage import custom_lineage, eval_lineage, train_lineage
    from toposcope.recorder.record.summary_record import SummaryRecord
    from toposcope.recorder.tensorboard.replacing.install import install, uninstall
    from toposcope.recorder.tensorboard.summary_writer import SummaryWriter
    from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError
    from toposcope.recorder.values.results.confusion_matrix import ConfusionMatrix
    from toposcope.recorder.values.results.roc import Roc
    from toposcope.recorder.values.results.table import Table
    from toposcope.recorder.values.wrapped import Histogram, Image, Tensor, Text

__all__ = [
    "ConfusionMatrix",
    "Histogram",
    "Image",
    "Node",
    "Roc",
    "SummaryRecord",
    "SummaryWriter",
    "Table",
    "Tensor",
    "Text",
    "UnreadableValueError",
    "custom_lineage",
    "dataset_graph",
    "eval_lineage",
    "graph",
    "install",
    "landscape",
    "train_lineage",
    "uninstall",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ConfusionMatrix": "toposcope.recorder.values.results.confusion_matrix",
        "Histogram": "toposcope.recorder.values.wrapped",
        "Image": "toposcope.recorder.values.wrapped",
        "Node": "toposcope.recorder.messages.graph",
        "Roc": "toposcope.recorder.values.results.roc",
        "SummaryRecord": "toposcope.recorder.record.summary_record",
        "SummaryWriter": "toposcope.recorder.tensorboard.summary_writer",
        "Table": "toposcope.recorder.values.results.table",
        "Tensor": "toposcope.recorder.values.wrapped",
        "Text": "toposcope.recorder.values.wrapped",
        "UnreadableValueError": "toposcope.recorder.values.arrays.foreign_values",
        "custom_lineage": "toposcope.recorder.messages.lineage",
        "dataset_graph": "toposcope.recorder.messages.dataset_graph",
        "eval_lineage": "toposcope.recorder.messages.lineage",
        "graph": "toposcope.recorder.messages.graph",
        "install": "toposcope.recorder.tensorboard.replacing.install",
        "landscape": "toposcope.recorder.messages.landscape",
        "train_lineage": "toposcope.recorder.messages.lineage",
        "uninstall": "toposcope.recorder.tensorboard.replacing.install",
    },
)
