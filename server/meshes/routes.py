"""GET /api/meshes: the steps of a mesh; GET /api/meshes/geometry: its vertices, faces and colours at a step."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from fastapi import APIRouter, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field

from toposcope.server.api.payloads.payload_query import (
    PayloadList,
    PayloadQuery,
    Series,
    WindowQuery,
    find_series,
    find_window,
    window_reply,
)
from toposcope.server.api.replies.cbor import MEDIA_TYPE
from toposcope.server.api.replies.columns import accepts_cbor, columns_reply, json_column
from toposcope.server.api.replies.errors import REQUEST_ERRORS, Problem, Replies
from toposcope.server.api.replies.json_reply import Number, json_number, json_reply
from toposcope.server.api.requests.budgeted import Work, within_budget
from toposcope.server.api.requests.snapshot import Current, find_runs
from toposcope.server.budget.cost import Cost
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.meshes.decimation import decimated
from toposcope.server.meshes.geometry import Recorded, read_geometry
from toposcope.server.runs.messages.payload import read_payload

router = APIRouter(prefix="/api")
PLUGIN = "mesh"
_ENDINGS = {"VERTEX": ("_VERTEX", "_1"), "FACE": ("_FACE", "_2"), "COLOR": ("_COLOR", "_3")}
"""What follows the name of a mesh in the tags of its components: tensorboardX writes the second ones."""
_MAX_SAMPLES = 1 << 20
_BYTES_PER_SECOND = 100e6
"""How fast a geometry is read and decimated."""
_COPIES = 6
"""How often the recorded bytes are in memory, decimation included."""


class MeshStep(BaseModel):
    """A mesh at a step."""

    step: int
    wall_time: Number
    """Seconds since 1970."""


class Meshes(PayloadList):
    """The steps of a mesh; `tag` is its name."""

    meshes: list[MeshStep]


class GeometryQuery(PayloadQuery):
    """Selects a mesh at a step; its tag is its name."""

    step: int = Field(ge=-(2**63), lt=2**63, description="a step of the mesh; of several records the last one counts")
    sample: int = Field(0, ge=0, lt=_MAX_SAMPLES, description="number of the mesh in its batch, from 0 on")


class GeometryReply(BaseModel):
    """A mesh or a cloud of points. In CBOR, columns are typed arrays: float32, uint32 and uint8."""

    run: str
    tag: str
    step: int
    sample: int
    samples: int
    """Meshes in the batch."""
    vertices: list[Number]
    """x, y, z of each vertex, all finite. Of more than a million, the mesh is decimated."""
    faces: list[int]
    """Three indices of vertices for each triangle; empty for a cloud of points."""
    colours: list[int] | None
    """Red, green and blue of each vertex, 0 to 255."""
    vertex_count: int
    """Recorded vertices."""
    face_count: int
    """Recorded faces."""
    is_decimated: bool
    """Whether there are fewer vertices or faces than could be drawn."""
    lost_vertices: int
    """Vertices with a NaN or an infinity, which are left out."""
    lost_faces: int
    """Faces that name a vertex which is not there, which are left out."""
    problems: list[str]
    """What else cannot be drawn, one sentence each, without its full stop. They are untrusted."""


_GEOMETRY: Replies = {
    **REQUEST_ERRORS,
    200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}},
    410: {"model": Problem, "description": "The vertices are damaged or malformed, or their event file was replaced."},
}


@router.get("/meshes", response_model=Meshes, responses=REQUEST_ERRORS)
def list_meshes(current: Current, query: Annotated[WindowQuery, Query()]) -> Response:
    """List the steps of a mesh. Its geometry is not read."""
    window = find_window(current, PLUGIN, query.model_copy(update={"tag": _tag(current, query, "VERTEX")}))
    payloads = window.series.payloads
    meshes = [
        {"step": int(payloads.step[row]), "wall_time": json_number(float(payloads.wall_time[row]))}
        for row in window.rows
    ]
    return json_reply(window_reply(current, query, window, {"meshes": meshes, "damaged": 0}))


@router.get("/meshes/geometry", response_model=GeometryReply, responses=_GEOMETRY)
async def read_mesh(request: Request, current: Current, query: Annotated[GeometryQuery, Query()]) -> Response:
    """Read the vertices, faces and colours of a mesh at a step."""

    def plan() -> Work:
        vertices, faces, colours = _parts(current, query)
        size = sum(part.size for part in (vertices, faces, colours) if part)
        return Work(Cost(size / _BYTES_PER_SECOND, size * _COPIES), lambda: compute(vertices, faces, colours))

    def compute(vertices: _Part, faces: _Part | None, colours: _Part | None) -> Response:
        with _refusals(query):
            recorded = read_geometry(
                vertices.read(), faces.read() if faces else None, colours.read() if colours else None, query.sample
            )
        return _geometry_reply(query, recorded, accepts_cbor(request))

    return await within_budget(request, plan)


class _Part(NamedTuple):
    """A recorded tensor of a mesh."""

    series: Series
    row: int

    @property
    def size(self) -> int:
        """Recorded bytes."""
        return int(self.series.payloads.length[self.row])

    def read(self) -> bytes:
        """Return the tensor; raises as read_payload()."""
        return read_payload(self.series.run, self.series.payloads, self.row)


def _parts(current: Snapshot, query: GeometryQuery) -> tuple[_Part, _Part | None, _Part | None]:
    """Return the vertices, faces and colours that were recorded last at a step; None of those that were not.

    Raises:
        HTTPException: 404 if there is no such mesh.
    """
    vertices = _part(find_series(current, PLUGIN, _of(current, query, "VERTEX")), query.step)
    if vertices is None:
        raise HTTPException(404, f"no mesh {query.tag!r} at step {query.step} in run {query.run!r}")
    names = vertices.series.run.tags_of(PLUGIN)
    faces, colours = (
        _part(find_series(current, PLUGIN, part), query.step) if part.tag in names else None
        for part in (_of(current, query, "FACE"), _of(current, query, "COLOR"))
    )
    return vertices, faces, colours


def _of(current: Snapshot, query: GeometryQuery, component: str) -> PayloadQuery:
    tag = _tag(current, query, component)
    return PayloadQuery(run=query.run, tag=tag, rank=query.rank, attempt=query.attempt)


def _tag(current: Snapshot, query: PayloadQuery, component: str) -> str:
    """Return the tag of a component; that of most writers if the run has none."""
    (run,) = find_runs(current, [query.run])
    names = frozenset(run.tags_of(PLUGIN))
    usual, other = (query.tag + ending for ending in _ENDINGS[component])
    return other if other in names and usual not in names else usual


def _part(series: Series, step: int) -> _Part | None:
    rows = np.flatnonzero(series.payloads.step == step)
    return _Part(series, int(rows[-1])) if len(rows) else None


@contextmanager
def _refusals(query: GeometryQuery) -> Iterator[None]:
    """Turn what is wrong with the vertices into replies."""
    try:
        yield
    except IndexError as error:
        raise HTTPException(404, f"no mesh {query.sample} in the batch of {query.tag!r}") from error
    except ValueError as error:
        raise HTTPException(410, str(error)) from error


def _geometry_reply(query: GeometryQuery, recorded: Recorded, is_cbor: bool) -> Response:
    drawn = decimated(recorded.geometry)

    def column(values: npt.NDArray[Any] | None) -> Any:
        if values is None:
            return None
        flat = np.ascontiguousarray(values).reshape(-1)
        return flat if is_cbor else json_column(flat)

    return columns_reply(
        {
            "run": query.run,
            "tag": query.tag,
            "step": query.step,
            "sample": query.sample,
            "samples": recorded.samples,
            "vertices": column(drawn.vertices),
            "faces": column(drawn.faces),
            "colours": column(drawn.colours),
            "vertex_count": recorded.vertex_count,
            "face_count": recorded.face_count,
            "is_decimated": drawn is not recorded.geometry,
            "lost_vertices": recorded.lost_vertices,
            "lost_faces": recorded.lost_faces,
            "problems": recorded.problems,
        },
        is_cbor,
    )
