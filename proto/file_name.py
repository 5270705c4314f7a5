"""Names of event files: `<prefix>.out.events.summary.<seconds>.<rank>.<host><suffix>`, and those of TensorBoard."""

import re
from typing import NamedTuple

from toposcope.proto.piece_name import PIECE_INFIX, parse_piece_name

# MindInsight accepts any name that contains "summary.<digits>", TensorBoard any name that contains "tfevents". Manual
# pages (`x-summary.1`) and programs (`read_tfevents.py`) have such names too: after a bare "summary" the digits are
# seconds from 1973 on, and names with the ends of other files are theirs.
_SUMMARY = re.compile(r"^(?P<prefix>.*?)\.out\.events\.summary\.(?P<seconds>\d+)\.(?P<rank>\d{1,9})\.(?P<rest>.*)$")
_LOOSE_SUMMARY = re.compile(r"summary\.(?P<seconds>(?<=\.out\.events\.summary\.)\d+|\d{9,})")
_TENSORBOARD = re.compile(r"tfevents\.?(?P<seconds>\d*)")
_OTHER = re.compile(
    r"\.(py[cdi]?|ipynb|c|cc|cpp|h|hpp|so|go|java|js|rs|proto|md|rst|txt|html|json|toml|ya?ml|csv|log|png|gz|zip)$"
)
_PROCESS = re.compile(r"tfevents\.\d+\.(?P<host>.+)\.(?P<process>\d+)\.\d+(?:\.?[^\d.].*)?$")
_SUMMARY_INFIX = ".out.events.summary."
_LINEAGE_SUFFIX = "_lineage"


class FileName(NamedTuple):
    """The information in the name of an event file."""

    dialect: str
    """"mindspore" or "tensorboard"."""
    seconds: int
    """When the file was created, in seconds since 1970; 0 if the name does not contain it."""
    rank: int | None
    """The rank of the writer; None in TensorBoard's names, which do not contain it."""
    is_lineage: bool
    """True for files of LineageEvent records, which contain no summaries."""


class Process(NamedTuple):
    """A process that wrote event files."""

    host: str
    process_id: int


def event_file_name(prefix: str, seconds: int, rank: int, host: str, suffix: str) -> str:
    """Return the name of a recorder's event file."""
    return f"{prefix}.out.events.summary.{seconds}.{rank}.{host}{suffix}"


def tensorboard_file_name(seconds: int, host: str, process_id: int, rank: int, suffix: str) -> str:
    """Return the name of a recorder's event file in TensorBoard's dialect.

    TensorBoard follows the files of a directory in the order of their names.
    """
    return f"events.out.tfevents.{seconds:010d}.{host}.{process_id}.{rank}{suffix}"


def parse_file_name(name: str) -> FileName | None:
    """Parse the name of an event file; return None if it is not one, or that of a piece of one."""
    if PIECE_INFIX in name and parse_piece_name(name):
        return None
    if _SUMMARY_INFIX in name and (match := _SUMMARY.match(name)):  # Looking for the infix alone is faster.
        return FileName("mindspore", int(match["seconds"]), int(match["rank"]), name.endswith(_LINEAGE_SUFFIX))
    if (match := _TENSORBOARD.search(name)) and not _OTHER.search(name):
        return FileName("tensorboard", int(match["seconds"] or 0), None, False)
    if match := _LOOSE_SUMMARY.search(name):
        return FileName("mindspore", int(match["seconds"]), 0, name.endswith(_LINEAGE_SUFFIX))
    return None


def process_of(name: str) -> Process | None:
    """Return the process in a file name of TensorFlow or PyTorch; None if the name has none, as tensorboardX's."""
    found = _PROCESS.search(name)
    # The last numbers may be those of an address in place of the host's name.
    if found is None or (found["host"].replace(".", "").isdigit() and found["host"].count(".") != 3):
        return None
    return Process(found["host"], int(found["process"]))
