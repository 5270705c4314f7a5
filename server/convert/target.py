"""The dialects that logs are converted into, and what their viewers do not show."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from toposcope.proto.file_name import event_file_name, tensorboard_file_name
from toposcope.server.convert.to_mindspore import mindspore_value
from toposcope.server.convert.to_tensorboard import tensorboard_value
from toposcope.server.reading.tag_table import Tag

OWN_EVENTS = ("console", "environment", "code", "alert")
"""Plugins whose values are events of our own, the same in both dialects."""
_HOST = "converted"


class Target(NamedTuple):
    """A dialect that a log is converted into."""

    dialect: str
    viewer: str
    version: str
    """The text of the version event."""
    scalar_field: int
    """The number of the field of Summary.Value with the float32 of a scalar."""
    encode: Callable[[Tag, bytes, str], bytes | None]
    """Returns a Summary with the value of a tag, from (tag, payload, kind) of the other dialect; None if there is none.
    Raises ValueError or DecodeError for a malformed payload."""
    not_shown: Collection[str]
    """Plugins whose values are kept, but that only Toposcope reads."""
    file_name: Callable[[int, int], str]
    """Returns the name of an event file, from (seconds since 1970, rank)."""
    has_nested_runs: bool
    """Whether the viewer finds runs in directories of directories."""


def _tensorboard_name(seconds: int, rank: int) -> str:
    return tensorboard_file_name(seconds, _HOST, rank, 0, "")


def _mindspore_name(seconds: int, rank: int) -> str:
    return event_file_name(_HOST, seconds, rank, _HOST, "_MS")


TENSORBOARD = Target(
    "tensorboard", "TensorBoard", "brain.Event:2", 2, tensorboard_value, OWN_EVENTS, _tensorboard_name, True
)
MINDSPORE = Target(
    "mindspore", "MindInsight", "MindSpore.Event:1", 3, mindspore_value, (*OWN_EVENTS, "text"), _mindspore_name, False
)
