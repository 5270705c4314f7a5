"""GET /api/undrawn: what a run contains that the page does not draw, with the names of its files."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import Current, find_runs
from toposcope.server.loading.finding.discovery import printable
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import RunView

router = APIRouter(prefix="/api")
_READ = frozenset(
    [
        *("scalar", "histogram", "image", "tensor", "text", "landscape", "lineage", "hparams", "dataset_graph"),
        *("graph", "graph_keras_model", "graph_run_metadata_graph", "console", "environment", "code", "alert"),
        *("audio", "pr_curves", "custom_scalars", "projector", "mesh"),
    ]
)
"""Plugins that a page draws, a run's page among them."""
_MAX_TAGS, _MAX_FILES = 1000, 20


class UndrawnQuery(BaseModel):
    """Selects a run."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")


class UndrawnTag(BaseModel):
    """A tag of a plugin without a page. Its texts are untrusted: never insert them as HTML."""

    plugin: str
    """The plugin in the event files, such as "profile"."""
    tag: str
    files: list[str]
    """Paths below the directory of the run; at most 20."""


class Undrawn(BaseModel):
    """What a run contains that the page does not draw."""

    revision: int
    run: str
    tags: list[UndrawnTag]
    """The tags, ordered by plugin and name; at most 1000."""


@router.get("/undrawn", response_model=Undrawn, responses=REQUEST_ERRORS)
def list_undrawn(current: Current, query: Annotated[UndrawnQuery, Query()]) -> Response:
    """List the tags of a run that the page does not draw."""
    (run,) = find_runs(current, [query.run])
    return json_reply({"revision": current.revision, "run": run.name, "tags": _tags(run)[:_MAX_TAGS]})


def _tags(run: RunView) -> list[dict[str, Any]]:
    files: dict[Tag, list[str]] = {}
    for file in run.files:
        for tag in file.series:
            if tag.plugin not in _READ:
                files.setdefault(tag, []).append(printable(file.path_in_run))
    return [
        {"plugin": tag.plugin, "tag": tag.name, "files": sorted(names)[:_MAX_FILES]}
        for tag, names in sorted(files.items())
    ]
