"""Dialects of event files and kinds of field contents, as the numbers that a scan compares."""

MINDSPORE = 0
LINEAGE = 2
DIALECTS = {"mindspore": MINDSPORE, "tensorboard": 1, "lineage": LINEAGE}
"""Numbers of the dialects of files; lineage files are MindSpore's too, but contain other events."""

# Contents of the fields that become rows; the numbers index KINDS.
SCALAR = 1
IMAGE = 2
TENSOR = 3
HISTOGRAM = 4
LANDSCAPE = 5
TEXT = 6
AUDIO = 7
METADATA_ONLY = 8
GRAPH = 9
TRAIN = 10
EVALUATION = 11
DATASET_GRAPH = 12
CUSTOM = 13
CONSOLE = 14
ENVIRONMENT = 15
CODE = 16
ALERT = 17
KINDS = [
    *("", "scalar", "image", "tensor", "histogram", "landscape", "text", "audio", "metadata"),
    *("graph", "train", "evaluation", "dataset_graph", "custom"),
    *("console", "environment", "code", "alert"),
]

# What an event may contain that does not become a row: a mark of the recording, a version, a summary (its values do).
HEARTBEAT = 18
END = 19
OTHER = -1
