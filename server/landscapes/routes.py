"""GET /api/landscapes: loss landscapes, the newest of each tag."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.snapshot import Current, find_runs, not_found
from toposcope.server.landscapes.landscape_query import MAX_BYTES, LandscapeQuery, select_landscapes
from toposcope.server.landscapes.replies import Landscapes, landscape_reply
from toposcope.server.loading.publishing.snapshot import Snapshot

router = APIRouter(prefix="/api")


@router.get("/landscapes", response_model=Landscapes, responses=REQUEST_ERRORS)
def read_landscapes(current: Current, query: Annotated[LandscapeQuery, Query()]) -> Response:
    """Read the newest landscape of each tag, the newest at a step, or an earlier publication."""
    runs = find_runs(current, query.run)
    selected = list(select_landscapes(runs, query))
    existing = {each.tag for each in selected}
    missing = [tag for tag in dict.fromkeys(query.tag) if tag not in existing]
    # If other runs have the tag, the reply is empty instead of 404, as for /api/scalars.
    if missing and not selected and not _exists(missing, current):
        raise not_found("landscape tag", missing)
    replies, remaining_bytes = [], MAX_BYTES
    for each in selected[: query.limit]:
        length = int(each.payloads.length[each.row])
        replies.append(landscape_reply(each, remaining_bytes, query))
        remaining_bytes -= length if length <= remaining_bytes else 0
    content = {"landscapes": replies, "total": len(selected), "missing": missing}
    return json_reply({"revision": current.revision, **content})


def _exists(tags: list[str], current: Snapshot) -> bool:
    return any(not set(tags).isdisjoint(run.tags_of("landscape")) for run in current.runs.values())
