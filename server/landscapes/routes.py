"""GET /api/landscapes: loss landscapes, the newest of each tag."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from toposcope.server.api.json_reply import json_reply
from toposcope.server.api.payload_query import REFUSED
from toposcope.server.api.snapshot import Current, find_runs, not_found
from toposcope.server.landscapes.landscape_query import MOST_BYTES, LandscapeQuery, choose
from toposcope.server.landscapes.replies import Landscapes, entry
from toposcope.server.loading.logdir import Snapshot

router = APIRouter()


@router.get("/landscapes", response_model=Landscapes, responses=REFUSED)
def read_landscapes(current: Current, query: Annotated[LandscapeQuery, Query()]) -> Response:
    """Read the newest landscape of each tag, or the newest at a step, or an older publication."""
    runs = find_runs(current, query.run)
    chosen = list(choose(runs, query))
    found = {each.tag for each in chosen}
    missing = [tag for tag in dict.fromkeys(query.tag) if tag not in found]
    # A known tag that the chosen runs happen to lack is an empty answer, as of /api/scalars.
    if missing and not chosen and not _is_known(missing, current):
        raise not_found("landscape tag", missing)
    entries, left = [], MOST_BYTES
    for each in chosen[: query.limit]:
        length = int(each.payloads.length[each.row])
        entries.append(entry(each, left, query))
        left -= length if length <= left else 0
    content = {"landscapes": entries, "total": len(chosen), "missing": missing}
    return json_reply({"revision": current.revision, **content})


def _is_known(tags: list[str], current: Snapshot) -> bool:
    return any(not set(tags).isdisjoint(run.tags_of("landscape")) for run in current.runs.values())
