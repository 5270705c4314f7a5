"""GET /api/undrawn: what a run contains that the page does not draw, with the names of its files."""

import os
from contextlib import closing
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.errors import REQUEST_ERRORS
from toposcope.server.api.json_reply import json_reply
from toposcope.server.api.request_limits import MOST_NAME
from toposcope.server.api.snapshot import Current, find_runs
from toposcope.server.loading.discovery import printable
from toposcope.server.places.place import is_gone, reason_of
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.payload import READERS
from toposcope.server.runs.run import RunView
from toposcope.server.values.projector_config import read_projector_config

router = APIRouter()
_READ = frozenset(
    [
        *("scalar", "histogram", "image", "tensor", "text", "landscape", "lineage", "hparams", "dataset_graph"),
        *("graph", "graph_keras_model", "graph_run_metadata_graph", "console", "environment", "code", "alert"),
        *("audio", "pr_curves", "custom_scalars"),
    ]
)
"""Plugins that a page draws, a run's page among them."""
_LIST_OF_EMBEDDINGS = "projector_config.pbtxt"
_MOST_TAGS, _MOST_FILES, _MOST_BYTES = 1000, 20, 1 << 20


class UndrawnQuery(BaseModel):
    """Selects a run."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MOST_NAME, description="name of a run")


class UndrawnTag(BaseModel):
    """A tag of a plugin without a page. Its texts are untrusted: never insert them as HTML."""

    plugin: str
    """The plugin in the event files, such as "mesh" or "custom_scalars"; "projector" for embeddings."""
    tag: str
    files: list[str]
    """Paths below the directory of the run; at most 20."""


class Undrawn(BaseModel):
    """What a run contains that the page does not draw."""

    revision: int
    run: str
    tags: list[UndrawnTag]
    """The tags, ordered by plugin and name; at most 1000."""
    problems: list[str]
    """Why others cannot be listed, one sentence each."""


@router.get("/undrawn", response_model=Undrawn, responses=REQUEST_ERRORS)
def list_undrawn(current: Current, query: Annotated[UndrawnQuery, Query()]) -> Response:
    """List the tags of a run that the page does not draw, and its embeddings."""
    (run,) = find_runs(current, [query.run])
    embeddings, problems = _embeddings(run)
    tags = [*_tags(run), *embeddings]
    return json_reply({"revision": current.revision, "run": run.name, "tags": tags[:_MOST_TAGS], "problems": problems})


def _tags(run: RunView) -> list[dict[str, Any]]:
    files: dict[Tag, list[str]] = {}
    for file in run.files:
        for tag in file.series:
            if tag.plugin not in _READ:
                files.setdefault(tag, []).append(printable(file.path_in_run))
    return [
        {"plugin": tag.plugin, "tag": tag.name, "files": sorted(names)[:_MOST_FILES]}
        for tag, names in sorted(files.items())
    ]


def _embeddings(run: RunView) -> tuple[list[dict[str, Any]], list[str]]:
    """Return (the embeddings that the run's directory lists, why others cannot be listed)."""
    file = next((file for file in run.files if not file.part), None)
    if file is None:
        return [], []
    path = os.path.join(os.path.dirname(file.path), _LIST_OF_EMBEDDINGS)
    try:
        with READERS.admitted(), closing(file.place.open(path)) as opened:
            content = opened.read(0, _MOST_BYTES + 1)
    except OSError as error:
        if is_gone(error) or isinstance(error, IsADirectoryError):
            return [], []
        return [], [f"{_LIST_OF_EMBEDDINGS} of run {run.name!r} cannot be read: {reason_of(error)}"]
    embeddings = read_projector_config(content[:_MOST_BYTES], _MOST_TAGS)
    problems = []
    if len(content) > _MOST_BYTES:
        problems.append(f"{_LIST_OF_EMBEDDINGS} of run {run.name!r} is read up to {_MOST_BYTES} bytes only")
    tags = [
        {"plugin": "projector", "tag": each.name, "files": each.files[:_MOST_FILES] or [_LIST_OF_EMBEDDINGS]}
        for each in embeddings
    ]
    return tags, problems
