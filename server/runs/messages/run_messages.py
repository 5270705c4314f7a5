"""Reads and decodes the newest messages of a tag."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from google.protobuf.message import DecodeError

from toposcope.server.places.place import reason_of
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.run import ALL, RunView

Message = TypeVar("Message")

LARGEST_MESSAGE = 4 << 20
"""Bytes; MindSpore's are a few hundred."""
_LARGEST_TOTAL = 4 * LARGEST_MESSAGE
_MAX_MESSAGES = 1000


class TemporaryProblem(str):
    """A sentence about what cannot be read at present; what lacks it is not to be kept."""

    __slots__ = ()


def read_messages(
    run: RunView, tag: Tag, decode: Callable[[bytes], Message], most: int = _MAX_MESSAGES
) -> tuple[list[Message], list[str]]:
    """Read the newest payloads of a tag, from all attempts, of the lowest rank that has it.

    Args:
        run: contains the messages.
        tag: of the messages.
        decode: decodes a payload; raises DecodeError or ValueError if it cannot.
        most: maximum number of payloads to read.

    Returns:
        (the decoded payloads, oldest first; sentences about those that are damaged, too large or cannot be read).
    """
    ranks = run.ranks_of(tag, ALL)
    if not ranks:
        return [], []
    payloads = run.payloads(tag, ranks[0], ALL)
    messages: list[Message] = []
    problems: list[str] = []
    left = _LARGEST_TOTAL
    for row in np.argsort(payloads.wall_time, kind="stable")[::-1][:most].tolist():
        length = int(payloads.length[row])
        try:
            if length > min(LARGEST_MESSAGE, left):
                raise ValueError(
                    f"{length} bytes exceed the limit of {LARGEST_MESSAGE} for a message or {_LARGEST_TOTAL} for all"
                )
            messages.append(decode(read_payload(run, payloads, row)))
            left -= length
        except OSError as error:
            problems.append(TemporaryProblem(f"{tag.plugin} {tag.name!r} of run {run.name!r}: {reason_of(error)}"))
        except (DecodeError, ValueError) as error:
            problems.append(f"{tag.plugin} {tag.name!r} of run {run.name!r} at step {payloads.step[row]}: {error}")
    return messages[::-1], problems
