"""GET /api/landscapes.html, .npz, .csv, .vti and .vtp, and /api/landscapes/losses: a loss landscape as a file."""

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, HTTPException, Query, Response
from pydantic import Field

from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import Current, find_runs, not_found
from toposcope.server.landscapes.files.appearance import Appearance, Camera, Colours, Lang, Scale, Theme
from toposcope.server.landscapes.files.csv_file import csv_file
from toposcope.server.landscapes.files.html_document import Training, landscape_document
from toposcope.server.landscapes.files.npz_file import npz_file
from toposcope.server.landscapes.files.vtk_files import vti_file, vtp_file
from toposcope.server.landscapes.landscape import Landscape
from toposcope.server.landscapes.landscape_query import (
    FileQuery,
    LandscapeQuery,
    SelectedLandscape,
    find_landscape,
    read_selected,
    select_landscapes,
)
from toposcope.server.loading.publishing.snapshot import Snapshot

router = APIRouter(prefix="/api")
_MAX_OTHERS = 7
"""The limit of the page."""
_NUMBER = r"-?[0-9]{1,6}(\.[0-9]{1,9})?"


class DocumentQuery(FileQuery):
    """Selects a landscape and the appearance of its document."""

    scale: Scale = Field("linear", description="scale of the losses")
    colours: Colours = Field("viridis", description="colour scale of the losses")
    theme: Theme = Field("light", description="theme of the document")
    lang: Lang = Field("en", description="language of the labels")
    top: float | None = Field(
        None, allow_inf_nan=False, description="loss at which the surface is clipped; default: no clipping"
    )
    other: list[Annotated[str, Field(max_length=MAX_NAME)]] = Field(
        [], max_length=_MAX_OTHERS, description="other runs with the same surface, whose paths are also drawn"
    )
    path_colour: list[Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$")]] = Field(
        [],
        max_length=1 + _MAX_OTHERS,
        description="colours of the paths, starting with that of `run`; default: that of the theme",
    )
    camera: str | None = Field(
        None,
        pattern=f"^{_NUMBER}(,{_NUMBER}){{5}}$",
        description="x, y, z of the eye and of the centre in Plotly's coordinates; default: above the lowest corner",
    )


def _file(content_type: str, schema_format: str) -> dict[int | str, dict[str, Any]]:
    return {
        200: {"content": {content_type: {"schema": {"type": "string", "format": schema_format}}}},
        422: {"description": "A parameter is invalid, or the landscape cannot be read."},
    }


_NO_PLOTLY: dict[int | str, dict[str, Any]] = {501: {"description": "The plotly package is not installed."}}
MISSING_EXTRA = "HTML documents need plotly, which is not installed: pip install 'toposcope[figures]'"
_HTML, _NPZ, _CSV, _VTK = "text/html", "application/zip", "text/csv", "application/xml"
_BYTES = "application/octet-stream"


@router.get(
    "/landscapes.html", response_class=Response, responses={**REQUEST_ERRORS, **_file(_HTML, "html"), **_NO_PLOTLY}
)
def read_landscape_document(current: Current, query: Annotated[DocumentQuery, Query()]) -> Response:
    """Read a landscape as a standalone, interactive HTML document, with the paths of runs that share the surface."""
    landscape = _read(find_landscape(current, query))
    trainings = [Training(query.run, landscape), *(_sharing(current, run, query.tag, landscape) for run in query.other)]
    camera = Camera(*map(float, query.camera.split(","))) if query.camera else None
    appearance = Appearance(
        query.scale, query.colours, query.theme, query.lang, query.top, tuple(query.path_colour), camera
    )
    try:
        document = landscape_document(trainings, query.tag, appearance)
    except ImportError:
        raise HTTPException(501, MISSING_EXTRA) from None
    return _attachment(document.encode("utf-8", "replace"), f"{_HTML}; charset=utf-8", "landscape.html")


@router.get("/landscapes.npz", response_class=Response, responses={**REQUEST_ERRORS, **_file(_NPZ, "binary")})
def read_landscape_arrays(current: Current, query: Annotated[FileQuery, Query()]) -> Response:
    """Read a landscape as a NumPy .npz file with exact numbers."""
    return _file_reply(npz_file, current, query, _NPZ, "landscape.npz")


@router.get("/landscapes.csv", response_class=Response, responses={**REQUEST_ERRORS, **_file(_CSV, "csv")})
def read_landscape_lines(current: Current, query: Annotated[FileQuery, Query()]) -> Response:
    """Read a landscape as CSV with exact numbers: the grid, the measured nodes, the path and the convergence point."""
    return _file_reply(csv_file, current, query, _CSV, "landscape.csv")


@router.get("/landscapes.vti", response_class=Response, responses={**REQUEST_ERRORS, **_file(_VTK, "xml")})
def read_landscape_image_data(current: Current, query: Annotated[FileQuery, Query()]) -> Response:
    """Read a landscape as VTK image data, for ParaView; its axes must be evenly spaced."""
    return _file_reply(vti_file, current, query, _VTK, "landscape.vti")


@router.get("/landscapes.vtp", response_class=Response, responses={**REQUEST_ERRORS, **_file(_VTK, "xml")})
def read_landscape_poly_data(current: Current, query: Annotated[FileQuery, Query()]) -> Response:
    """Read the path of a landscape as VTK poly data, for ParaView: the checkpoints at their own losses."""
    return _file_reply(vtp_file, current, query, _VTK, "landscape.vtp")


@router.get("/landscapes/losses", response_class=Response, responses={**REQUEST_ERRORS, **_file(_BYTES, "binary")})
def read_landscape_losses(current: Current, query: Annotated[FileQuery, Query()]) -> Response:
    """Read the losses of a landscape as little-endian doubles in row-major order."""
    losses = _read(find_landscape(current, query)).z
    return Response(np.ascontiguousarray(losses, "<f8").tobytes(), media_type=_BYTES)


def _file_reply(
    write: Callable[[Landscape], bytes], current: Snapshot, query: FileQuery, media_type: str, name: str
) -> Response:
    landscape = _read(find_landscape(current, query))
    try:
        content = write(landscape)
    except ValueError as reason:
        raise HTTPException(422, str(reason)) from None
    return _attachment(content, media_type, name)


def _sharing(current: Snapshot, run: str, tag: str, landscape: Landscape) -> Training:
    """Return another run with its landscape of the same surface; one with the same tag is preferred."""
    surface = landscape.details.diagnostics.surface if landscape.details else None
    candidates = select_landscapes(find_runs(current, [run]), LandscapeQuery.model_validate({}))
    for candidate in sorted(candidates, key=lambda each: each.tag != tag) if surface else []:
        try:
            other = read_selected(candidate)
        except ValueError:
            continue
        if other.details and other.details.diagnostics.surface == surface:
            return Training(run, other)
    raise not_found("landscape of this surface in run", [run])


def _read(selected: SelectedLandscape) -> Landscape:
    try:
        return read_selected(selected)
    except ValueError as reason:
        raise HTTPException(422, str(reason)) from None


def _attachment(content: bytes, media_type: str, name: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
