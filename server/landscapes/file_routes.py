"""GET /api/landscapes.html, .npz, .csv, .vti and .vtp: a loss landscape as a file, to be kept; its losses as bytes."""

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, HTTPException, Query, Response
from pydantic import Field

from toposcope.server.api.payload_query import MOST_NAME, REFUSED
from toposcope.server.api.snapshot import Current, find_runs, not_found
from toposcope.server.landscapes.appearance import Camera, Colours, Lang, Look, Scale, Theme
from toposcope.server.landscapes.csv_file import csv
from toposcope.server.landscapes.html_document import Training, landscape_document
from toposcope.server.landscapes.landscape import Landscape
from toposcope.server.landscapes.landscape_query import Chosen, FileQuery, LandscapeQuery, choose, choose_one, read
from toposcope.server.landscapes.npz_file import npz
from toposcope.server.landscapes.vtk_files import vti, vtp
from toposcope.server.loading.logdir import Snapshot

router = APIRouter()
_MOST_OTHERS = 7
"""As many as the page draws."""
_NUMBER = r"-?[0-9]{1,6}(\.[0-9]{1,9})?"


class DocumentQuery(FileQuery):
    """Which landscape, and how it looks."""

    scale: Scale = Field("linear", description="of the losses")
    colours: Colours = Field("viridis", description="from the lowest loss to the highest")
    theme: Theme = Field("light", description="of the document")
    lang: Lang = Field("en", description="of its words")
    top: float | None = Field(
        None, allow_inf_nan=False, description="loss at which the surface ends; absent: it is drawn in full"
    )
    other: list[Annotated[str, Field(max_length=MOST_NAME)]] = Field(
        [], max_length=_MOST_OTHERS, description="runs that share the surface, whose paths are drawn too"
    )
    path_colour: list[Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$")]] = Field(
        [], max_length=1 + _MOST_OTHERS, description="of each path, that of `run` first; absent: the theme's"
    )
    camera: str | None = Field(
        None,
        pattern=f"^{_NUMBER}(,{_NUMBER}){{5}}$",
        description="x, y, z of the eye and of the centre, in plotly's terms; absent: over the lowest corner",
    )


def _file(content_type: str, format_of_it: str) -> dict[int | str, dict[str, Any]]:
    return {
        200: {"content": {content_type: {"schema": {"type": "string", "format": format_of_it}}}},
        422: {"description": "what was asked for is not understood, or the landscape cannot be read"},
    }


_NO_PLOTLY: dict[int | str, dict[str, Any]] = {501: {"description": "the plotly package is not installed"}}
MISSING_EXTRA = "HTML documents need plotly, which is not installed: pip install 'toposcope[figures]'"
_HTML, _NPZ, _CSV, _VTK = "text/html", "application/zip", "text/csv", "application/xml"
_BYTES = "application/octet-stream"


@router.get("/landscapes.html", response_class=Response, responses={**REFUSED, **_file(_HTML, "html"), **_NO_PLOTLY})
def read_landscape_document(current: Current, query: Annotated[DocumentQuery, Query()]) -> Response:
    """Read a landscape as an HTML document of its own: a surface to turn, with the paths of the runs that share it."""
    landscape = _read(choose_one(current, query))
    trainings = [Training(query.run, landscape), *(_sharing(current, run, query.tag, landscape) for run in query.other)]
    camera = Camera(*map(float, query.camera.split(","))) if query.camera else None
    look = Look(query.scale, query.colours, query.theme, query.lang, query.top, tuple(query.path_colour), camera)
    try:
        document = landscape_document(trainings, query.tag, look)
    except ImportError:
        raise HTTPException(501, MISSING_EXTRA) from None
    return _attachment(document.encode("utf-8", "replace"), f"{_HTML}; charset=utf-8", "landscape.html")


@router.get("/landscapes.npz", response_class=Response, responses={**REFUSED, **_file(_NPZ, "binary")})
def read_landscape_arrays(current: Current, query: Annotated[FileQuery, Query()]) -> Response:
    """Read a landscape as a file of NumPy's: every number exact."""
    return _written(npz, current, query, _NPZ, "landscape.npz")


@router.get("/landscapes.csv", response_class=Response, responses={**REFUSED, **_file(_CSV, "csv")})
def read_landscape_lines(current: Current, query: Annotated[FileQuery, Query()]) -> Response:
    """Read a landscape as lines: the grid, the measured nodes, the path; every number exact."""
    return _written(csv, current, query, _CSV, "landscape.csv")


@router.get("/landscapes.vti", response_class=Response, responses={**REFUSED, **_file(_VTK, "xml")})
def read_landscape_image_data(current: Current, query: Annotated[FileQuery, Query()]) -> Response:
    """Read a landscape as VTK's image data, for ParaView; its axes are evenly spaced."""
    return _written(vti, current, query, _VTK, "landscape.vti")


@router.get("/landscapes.vtp", response_class=Response, responses={**REFUSED, **_file(_VTK, "xml")})
def read_landscape_poly_data(current: Current, query: Annotated[FileQuery, Query()]) -> Response:
    """Read the path of a landscape as VTK's poly data, for ParaView: the checkpoints at their real losses."""
    return _written(vtp, current, query, _VTK, "landscape.vtp")


@router.get("/landscapes/losses", response_class=Response, responses={**REFUSED, **_file(_BYTES, "binary")})
def read_landscape_losses(current: Current, query: Annotated[FileQuery, Query()]) -> Response:
    """Read the losses of a landscape: row by row, little-endian doubles."""
    losses = _read(choose_one(current, query)).z
    return Response(np.ascontiguousarray(losses, "<f8").tobytes(), media_type=_BYTES)


def _written(
    write: Callable[[Landscape], bytes], current: Snapshot, query: FileQuery, media_type: str, name: str
) -> Response:
    landscape = _read(choose_one(current, query))
    try:
        content = write(landscape)
    except ValueError as reason:
        raise HTTPException(422, str(reason)) from None
    return _attachment(content, media_type, name)


def _sharing(current: Snapshot, run: str, tag: str, landscape: Landscape) -> Training:
    """Return another run with its landscape of the same surface: of several that with the same tag."""
    surface = landscape.details.diagnostics.surface if landscape.details else None
    every = choose(find_runs(current, [run]), LandscapeQuery.model_validate({}))
    for chosen in sorted(every, key=lambda each: each.tag != tag) if surface else []:
        try:
            found = read(chosen)
        except ValueError:
            continue
        if found.details and found.details.diagnostics.surface == surface:
            return Training(run, found)
    raise not_found("landscape of this surface in the run", [run])


def _read(chosen: Chosen) -> Landscape:
    try:
        return read(chosen)
    except ValueError as reason:
        raise HTTPException(422, str(reason)) from None


def _attachment(content: bytes, media_type: str, name: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
