"""Names of event files: `<prefix>.out.events.summary.<seconds>.<rank>.<host><suffix>` and TensorBoard's."""

import re
from typing import NamedTuple

# MindSpore's reader takes every name that holds "summary.<digits>"; TensorBoard's takes every one with "tfevents".
_SUMMARY = re.compile(r"^(?P<prefix>.*?)\.out\.events\.summary\.(?P<seconds>\d+)\.(?P<rank>\d{1,9})\.(?P<rest>.*)$")
_LOOSE_SUMMARY = re.compile(r"summary\.(?P<seconds>\d+)")
_TENSORBOARD = re.compile(r"tfevents\.?(?P<seconds>\d*)")
_LINEAGE_SUFFIX = "_lineage"


class FileName(NamedTuple):
    """What the name of an event file says about it."""

    dialect: str
    """"mindspore" or "tensorboard"."""
    seconds: int
    """When the file was begun, in seconds since 1970; 0 when the name does not say."""
    rank: int | None
    """The writer's rank; None in TensorBoard's names, which have none."""
    is_lineage: bool
    """True for files of LineageEvent records, which hold no summaries."""


def event_file_name(prefix: str, seconds: int, rank: int, host: str, suffix: str) -> str:
    """Return the name that a recorder gives its event file."""
    return f"{prefix}.out.events.summary.{seconds}.{rank}.{host}{suffix}"


def parse_file_name(name: str) -> FileName | None:
    """Return what the name of an event file says, or None when it is no event file's name."""
    if match := _SUMMARY.match(name):
        return FileName("mindspore", int(match["seconds"]), int(match["rank"]), name.endswith(_LINEAGE_SUFFIX))
    if match := _TENSORBOARD.search(name):
        return FileName("tensorboard", int(match["seconds"] or 0), None, False)
    if match := _LOOSE_SUMMARY.search(name):
        return FileName("mindspore", int(match["seconds"]), 0, name.endswith(_LINEAGE_SUFFIX))
    return None
