"""GET /api/landscapes and /api/landscapes.html: loss landscapes, the newest of each tag."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from fastapi import APIRouter, HTTPException, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.current import Current, find_runs, not_found
from toposcope.server.api.payload_query import MOST_NAME, REFUSED
from toposcope.server.api.reply import Number, json_reply, numbers
from toposcope.server.json_text import in_json
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.reading.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.payload import read_payload
from toposcope.server.runs.run import RunView
from toposcope.server.values.landscape import Landscape, Path, landscape
from toposcope.server.values.landscape_figure import Colours, Lang, Look, Scale, Theme, landscape_document

router = APIRouter()
MOST_BYTES = 16 << 20
"""Of the messages of one reply together: a surface of 1000 by 1000 points takes 12 MB at the most."""


class LandscapeQuery(BaseModel):
    """Which landscapes."""

    model_config = ConfigDict(extra="forbid")

    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    tag: list[str] = Field([], max_length=1000, description="tags; none: all")
    rank: Annotated[int, Field(ge=0, lt=2**31)] | Literal["all"] | None = Field(
        None, description="absent: the lowest rank that has the tag"
    )
    attempt: Annotated[int, Field(ge=1, lt=2**31)] | Literal["all"] | None = Field(
        None, description="absent: stitched, what a later attempt repeats is hidden; all: every attempt"
    )
    step: int | None = Field(None, ge=-(2**63), lt=2**63, description="absent: the newest landscape, whatever its step")
    limit: int = Field(50, ge=1, le=1000, description="landscapes at most")


class PathReply(BaseModel):
    """Checkpoints of the training on the surface; all lists of one length, or no intervals."""

    x: list[Number]
    y: list[Number]
    z: list[Number]
    intervals: list[int]
    """The epoch or step (see the metadata's unit) of each checkpoint."""


class LandscapeMetadata(BaseModel):
    """How a landscape was made; null what the file does not say."""

    decomposition: str | None
    """"PCA", "Random", ..."""
    unit: str | None
    """Of the intervals: "epoch" or "step"."""
    step_per_epoch: int | None


class LandscapeReply(BaseModel):
    """A surface of losses."""

    run: str
    tag: str
    rank: int
    step: int
    wall_time: Number
    """Seconds since 1970."""
    steps: list[int]
    """The steps at which the tag has landscapes, in ascending order."""
    error: str | None
    """Why it cannot be shown; then what follows is empty."""
    kind: Literal["interval", "final"] | None
    """The landscape of a stretch of the training, whose path has intervals, or the one around its end."""
    x: list[Number]
    y: list[Number]
    z: list[list[Number]]
    """Losses: z[i][j] belongs to y[i], x[j]."""
    path: PathReply | None
    convergence_point: list[Number] | None
    """x, y and loss where the training ended."""
    metadata: LandscapeMetadata
    level: int | None
    """Refinement so far; null for a landscape that was made in one go."""
    diagnostics: dict[str, Any]
    """What its maker tells of its quality."""


class Landscapes(BaseModel):
    """The landscapes that matched, by run and tag."""

    revision: int
    landscapes: list[LandscapeReply]
    total: int
    """How many matched; more than are here when the limit is lower."""
    missing: list[str]
    """Tags asked for that no landscape of the runs has."""


class DocumentQuery(BaseModel):
    """Which landscape, and how it looks."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MOST_NAME, description="a run")
    tag: str = Field(max_length=MOST_NAME, description="a tag of it")
    scale: Scale = Field("linear", description="of the losses")
    colours: Colours = Field("viridis", description="from the lowest loss to the highest")
    theme: Theme = Field("light", description="of the document")
    lang: Lang = Field("en", description="of its words")


class _Chosen(NamedTuple):
    run: RunView
    tag: str
    rank: int
    payloads: Payloads
    row: int


@router.get("/landscapes", response_model=Landscapes, responses=REFUSED)
def read_landscapes(current: Current, query: Annotated[LandscapeQuery, Query()]) -> Response:
    """Read the newest landscape of each tag, or the newest at a step."""
    runs = find_runs(current, query.run)
    chosen = list(_choose(runs, query))
    found = {each.tag for each in chosen}
    missing = [tag for tag in dict.fromkeys(query.tag) if tag not in found]
    # A known tag that the chosen runs happen to lack is an empty answer, as of /api/scalars.
    if missing and not chosen and not _is_known(missing, current):
        raise not_found("landscape tag", missing)
    entries, left = [], MOST_BYTES
    for each in chosen[: query.limit]:
        length = int(each.payloads.length[each.row])
        entries.append(_entry(each, left))
        left -= length if length <= left else 0
    content = {"landscapes": entries, "total": len(chosen), "missing": missing}
    return json_reply({"revision": current.revision, **content})


_DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/html": {"schema": {"type": "string"}}}},
    422: {"description": "what was asked for is not understood, or the landscape cannot be read"},
    501: {"description": "the plotly package is not installed"},
}


@router.get("/landscapes.html", response_class=Response, responses={**REFUSED, **_DOCUMENT})
def read_landscape_document(current: Current, query: Annotated[DocumentQuery, Query()]) -> Response:
    """Read the newest landscape of a tag as an HTML document of its own, to be kept: a surface to turn."""
    runs = find_runs(current, [query.run])
    chosen = next(_choose(runs, LandscapeQuery.model_validate({"tag": [query.tag]})), None)
    if chosen is None:
        raise not_found("landscape tag", [query.tag])
    try:
        read = _read(chosen, MOST_BYTES)
    except ValueError as reason:
        raise HTTPException(422, str(reason)) from None
    look = Look(query.scale, query.colours, query.theme, query.lang)
    try:
        document = landscape_document(read, f"{query.run} · {query.tag}", look)
    except ImportError:
        raise HTTPException(501, "the document is made with the plotly package, which is not installed") from None
    headers = {"Content-Disposition": 'attachment; filename="landscape.html"'}
    return Response(document.encode("utf-8", "replace"), media_type="text/html; charset=utf-8", headers=headers)


def _is_known(tags: list[str], current: Snapshot) -> bool:
    return any(not set(tags).isdisjoint(run.tags_of("landscape")) for run in current.runs.values())


def _choose(runs: list[RunView], query: LandscapeQuery) -> Iterator[_Chosen]:
    wanted = set(query.tag)
    for run in runs:
        for name in run.tags_of("landscape"):
            tag = Tag("landscape", name)
            for rank in _ranks(run, tag, query) if not wanted or name in wanted else []:
                payloads = run.payloads(tag, rank, query.attempt)
                row = _newest(payloads, query.step)
                if row is not None:
                    yield _Chosen(run, name, rank, payloads, row)


def _newest(payloads: Payloads, step: int | None) -> int | None:
    """Return the row of the newest landscape, of one step if it is given; of equal times the last counts."""
    rows = np.arange(payloads.total) if step is None else np.flatnonzero(payloads.step == step)
    return int(rows[np.argsort(payloads.wall_time[rows], kind="stable")[-1]]) if len(rows) else None


def _ranks(run: RunView, tag: Tag, query: LandscapeQuery) -> list[int]:
    ranks = run.ranks_of(tag, query.attempt)
    if query.rank is None:
        return ranks[:1]
    return ranks if query.rank == "all" else [rank for rank in ranks if rank == query.rank]


def _entry(chosen: _Chosen, most_bytes: int) -> dict[str, Any]:
    read, error = None, None
    try:
        read = _read(chosen, most_bytes)
    except ValueError as reason:
        error = str(reason)
    payloads, row = chosen.payloads, chosen.row
    described = {
        "run": chosen.run.name,
        "tag": chosen.tag,
        "rank": chosen.rank,
        "step": int(payloads.step[row]),
        "wall_time": float(payloads.wall_time[row]),
        "error": error,
        "kind": read.kind if read else None,
        "metadata": {name: read.metadata.get(name) if read else None for name in LandscapeMetadata.model_fields},
        "level": None,
        "diagnostics": {},
    }
    return {**in_json(described), **_columns(read), "steps": np.unique(payloads.step)}


def _read(chosen: _Chosen, most_bytes: int) -> Landscape:
    length = int(chosen.payloads.length[chosen.row])
    if length > most_bytes:
        raise ValueError(
            f"left out, its message has {length} bytes: those of one reply have {MOST_BYTES} together, "
            f"{most_bytes} were left; ask for fewer landscapes at once"
        )
    return landscape(read_payload(chosen.run, chosen.payloads, chosen.row))


def _columns(read: Landscape | None) -> dict[str, Any]:
    if read is None:
        return {"x": [], "y": [], "z": [], "path": None, "convergence_point": None}
    return {
        "x": numbers(read.x),
        "y": numbers(read.y),
        "z": [numbers(row) for row in read.z],
        "path": None if read.path is None else _path(read.path),
        "convergence_point": None if read.convergence_point is None else numbers(read.convergence_point),
    }


def _path(path: Path) -> dict[str, Any]:
    return {"x": numbers(path.x), "y": numbers(path.y), "z": numbers(path.z), "intervals": path.intervals}
