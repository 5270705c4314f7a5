"""GET /api/layouts: workspaces made from the layouts of TensorBoard's plugin "custom_scalars"."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from toposcope.server.api.parameters.lineage import RunsQuery
from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.snapshot import Current, find_runs
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.run_messages import read_messages
from toposcope.server.runs.run import RunView
from toposcope.server.values.custom_scalars import CONFIG, RecordedLayout, read_layout

router = APIRouter(prefix="/api")
_TAG = Tag("custom_scalars", CONFIG)
_MAX_RUNS, _MAX_LAYOUTS, _MAX_BYTES = 1000, 100, 4 << 20


class Layout(BaseModel):
    """A layout of charts. Its texts are untrusted: never insert them as HTML."""

    run: str
    """The first run that has it."""
    runs: int
    """How many runs have it."""
    name: str
    """The titles of its categories."""
    workspace: dict[str, Any]
    """A workspace document: a section for each category, and a line chart for each of its charts."""


class Layouts(BaseModel):
    """The layouts that runs have, each of them once; at most 100."""

    revision: int
    layouts: list[Layout]
    problems: list[str]
    """Why others are missing, one sentence each."""


@router.get("/layouts", response_model=Layouts, responses=REQUEST_ERRORS)
def list_layouts(current: Current, query: Annotated[RunsQuery, Query()]) -> Response:
    """List the layouts of charts that TensorBoard writers recorded, as workspaces. The last one of a run is valid."""
    having = [run for run in find_runs(current, query.run) if _TAG.plugin in run.plugins]
    layouts, problems = _layouts(having)
    return json_reply({"revision": current.revision, "layouts": layouts, "problems": problems})


def _layouts(runs: list[RunView]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return (a Layout for each different layout, why others are missing)."""
    problems = [f"{len(runs)} runs have layouts: only {_MAX_RUNS} of them are read"] if len(runs) > _MAX_RUNS else []
    having: dict[bytes, list[str]] = {}
    kept: list[RecordedLayout] = []
    left_out = 0
    for run in runs[:_MAX_RUNS]:
        newest, more_problems = read_messages(run, _TAG, read_layout, most=1)
        problems += more_problems
        for layout in newest:
            if layout.content in having:
                having[layout.content].append(run.name)
            elif len(kept) < _MAX_LAYOUTS and sum(map(len, having)) + len(layout.content) <= _MAX_BYTES:
                having[layout.content] = [run.name]
                kept.append(layout)
            else:
                left_out += 1
    if left_out:
        problems.append(
            f"the layouts of {left_out} runs are left out: a reply has at most {_MAX_LAYOUTS} layouts, "
            f"of at most {_MAX_BYTES} bytes together"
        )
    return [_row(having[layout.content], layout) for layout in kept], problems


def _row(runs: list[str], layout: RecordedLayout) -> dict[str, Any]:
    return {"run": runs[0], "runs": len(runs), "name": layout.name, "workspace": layout.workspace}
