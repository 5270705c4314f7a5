"""The newest messages of a run that have no tags, such as the environments of its recordings, and alerts."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from google.protobuf.message import DecodeError

from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.run import ALL, RunView

Message = TypeVar("Message")
_LARGEST_MESSAGE = 4 << 20


class RecordedMessage(NamedTuple, Generic[Message]):
    """A message and who wrote it when."""

    rank: int
    wall_time: float
    """Seconds since 1970."""
    message: Message
    step: int


def recorded_messages(
    run: RunView, plugin: str, decode: Callable[[bytes], Message], most: int, *, largest: int = _LARGEST_MESSAGE
) -> tuple[list[RecordedMessage[Message]], list[str]]:
    """Read the newest messages of a plugin without tags, of all ranks and attempts.

    Args:
        run: contains the messages.
        plugin: "environment", "code" or "alert".
        decode: decodes a payload; raises DecodeError or ValueError if it cannot.
        most: maximum number of messages.
        largest: bytes of a message that is read.

    Returns:
        (the messages, newest first; sentences about those that are damaged or too large).
    """
    tag = Tag(plugin, "")
    series = [(rank, run.payloads(tag, rank, ALL)) for rank in run.covering_ranks]
    places = [
        (float(payloads.wall_time[row]), rank, payloads, row)
        for rank, payloads in series
        for row in np.argsort(payloads.wall_time, kind="stable")[-most:].tolist()
    ]
    messages: list[RecordedMessage[Message]] = []
    problems: list[str] = []
    for wall_time, rank, payloads, row in sorted(places, key=lambda place: -place[0])[:most]:
        try:
            if (length := int(payloads.length[row])) > largest:
                raise ValueError(f"{length} bytes exceed the limit of {largest}")
            message = decode(read_payload(run, payloads, row))
        except (DecodeError, ValueError) as error:
            problems.append(f"{plugin} of rank {rank} of run {run.name!r}: {error}")
        else:
            messages.append(RecordedMessage(rank, wall_time, message, int(payloads.step[row])))
    return messages, problems
