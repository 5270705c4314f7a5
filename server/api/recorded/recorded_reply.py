"""The reply of routes that return one message of each recording of a run."""

from collections.abc import Callable
from typing import Any

from fastapi import Response

from toposcope.server.api.replies.json_reply import json_number, json_reply
from toposcope.server.api.requests.snapshot import find_runs
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.runs.messages.recorded_messages import recorded_messages


def recorded_reply(
    current: Snapshot, name: str, plugin: str, decode: Callable[[bytes], dict[str, Any]], most: int
) -> Response:
    """Return the newest messages of a plugin, newest first, with the rank and the time of each.

    Args:
        current: the runs.
        name: of the run; an HTTPException with status 404 if there is none.
        plugin: "environment" or "code".
        decode: returns the fields of a payload; raises DecodeError or ValueError if it is malformed.
        most: maximum number of messages.
    """
    (run,) = find_runs(current, [name])
    recorded, problems = recorded_messages(run, plugin, decode, most)
    recordings = [{"rank": each.rank, "wall_time": json_number(each.wall_time), **each.message} for each in recorded]
    return json_reply({"revision": current.revision, "run": name, "recordings": recordings, "problems": problems})
