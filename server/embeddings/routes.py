"""GET /api/embeddings and what follows it: embeddings, their projections, metadata, neighbours and images."""

import csv
import hashlib
import io
import json
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import numpy as np
from fastapi import APIRouter, Body, Header, HTTPException, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from toposcope.server.api.replies.cbor import MEDIA_TYPE
from toposcope.server.api.replies.columns import accepts_cbor, cbor_column, columns_reply, json_column
from toposcope.server.api.replies.download_name import attachment
from toposcope.server.api.replies.errors import REQUEST_ERRORS, Problem, Replies, body_errors
from toposcope.server.api.replies.json_reply import etag_matches, json_number, json_reply
from toposcope.server.api.requests.budgeted import Work, within_budget
from toposcope.server.api.requests.request_limits import MAX_BODY_BYTES
from toposcope.server.api.requests.snapshot import Current, find_runs, logdir_of
from toposcope.server.embeddings import contents, queries, replies
from toposcope.server.embeddings.contents import Located
from toposcope.server.embeddings.files.column import Numbers
from toposcope.server.embeddings.files.embedding import PLUGIN, embeddings_of
from toposcope.server.embeddings.files.folder import UnreadableError
from toposcope.server.embeddings.files.metadata import NO_METADATA, Metadata
from toposcope.server.embeddings.files.sprite import check_grid
from toposcope.server.embeddings.projections import neighbours
from toposcope.server.embeddings.projections.pca import Projection
from toposcope.server.embeddings.projections.reduction import MissingLibraryError, Reduction, check_library
from toposcope.server.embeddings.projections.stored import StoredProjections
from toposcope.server.embeddings.reducing import ReductionError, progress_of
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.places.addresses import addresses_in, is_remote
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.values.image_format import image_format, image_size

router = APIRouter(prefix="/api")
_UNREADABLE: Replies = {
    **REQUEST_ERRORS,
    410: {"model": Problem, "description": "A file of the embedding is missing, malformed or outside the logdir."},
}
_COLUMNS: Replies = {200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}}
_NOT_COMPUTED: Replies = {409: {"model": Problem, "description": "It was not computed yet: POST the same fields."}}
_PROGRESS: Replies = {
    200: {"content": {"application/x-ndjson": {"schema": replies.Report.model_json_schema()}}},
    501: {"model": Problem, "description": "The library of the method is not installed."},
}
_IMAGE_BYTES: Replies = {
    200: {"content": {"image/*": {"schema": {"type": "string", "format": "binary"}}}},
    304: {"description": "The sprite has not changed: its ETag matches If-None-Match."},
}
_CSV: Replies = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}


@router.get("/embeddings", response_model=replies.Embeddings, responses=REQUEST_ERRORS)
def list_embeddings(current: Current, query: Annotated[queries.RunQuery, Query()]) -> Response:
    """List the embeddings of a run."""
    (run,) = find_runs(current, [query.run])
    rows = [{"name": name, "steps": _steps(run, name)} for name in run.tags_of(PLUGIN)]
    return json_reply({"revision": current.revision, "run": run.name, "embeddings": rows})


def _steps(run: RunView, name: str) -> list[int]:
    steps: list[int] = np.unique(run.payloads(Tag(PLUGIN, name), 0, ALL).step).tolist()
    return steps


@router.get("/embeddings/projection", response_model=replies.Projection, responses={**_UNREADABLE, **_COLUMNS})
async def read_projection(
    request: Request, current: Current, query: Annotated[queries.ProjectionQuery, Query()]
) -> Response:
    """Read the principal components of an embedding."""

    def compute(located: Located) -> Response:
        return _projection_reply(request, query, located, contents.projection_of(located, query.components))

    return await _reply(request, current, query, compute)


@router.get(
    "/embeddings/reduction", response_model=replies.Projection, responses={**_UNREADABLE, **_COLUMNS, **_NOT_COMPUTED}
)
async def read_reduction(
    request: Request, current: Current, query: Annotated[queries.ReductionQuery, Query()]
) -> Response:
    """Read a reduction by UMAP or t-SNE that was computed before."""

    def compute(located: Located) -> Response:
        found = contents.reduction_of(located, _reduction(query))
        if found is None:
            raise HTTPException(409, f"{query.method} of {query.name!r} was not computed yet")
        return _projection_reply(request, query, located, found)

    return await _reply(request, current, query, compute)


@router.post("/embeddings/reduction", response_class=StreamingResponse, responses={**_UNREADABLE, **_PROGRESS})
async def compute_reduction(
    request: Request, current: Current, query: Annotated[queries.ReductionQuery, Body()]
) -> Response:
    """Compute a reduction by UMAP or t-SNE, and report its progress: a line of JSON for each report.

    It ends when the client leaves.
    """
    with _refusals(query):
        located = await run_in_threadpool(_locate, current, query, request)
    if located.stored is None:
        raise HTTPException(501, "this server has no folder in which it keeps what it computes")
    try:
        check_library(query.method)
    except MissingLibraryError as error:
        raise HTTPException(501, str(error)) from error
    return StreamingResponse(_reports(located, _reduction(query)), media_type="application/x-ndjson")


def _reduction(query: queries.ReductionQuery) -> Reduction:
    return Reduction(query.method, query.components, query.seed)


async def _reports(located: Located, reduction: Reduction) -> AsyncIterator[str]:
    """Yield the lines of replies.Report."""
    try:
        async with aclosing(progress_of(located, reduction)) as shares:
            async for share in shares:
                yield json.dumps({"progress": share, "problem": None}) + "\n"
    except ReductionError as error:
        yield json.dumps({"progress": 0, "problem": str(error)}) + "\n"


def _projection_reply(
    request: Request, query: queries.ProjectionQuery, located: Located, found: Projection
) -> Response:
    total = len(found.positions)
    rows = contents.drawn_rows(total)
    column = cbor_column if accepts_cbor(request) else json_column
    metadata, problems = _metadata(located, total)
    sprite, sprite_problems = _sprite(located, total, query)
    drawn = found.positions[:: rows.step]
    return columns_reply(
        {
            "run": query.run,
            "name": query.name,
            "step": located.embedding.step,
            "total": total,
            "dimensions": found.dimensions,
            "stride": rows.step,
            "left_out": found.left_out,
            "placed": int(np.count_nonzero(np.isfinite(found.positions[:, 0]))),
            "explained": [json_number(share) for share in found.explained.tolist()],
            "axes": [column(np.ascontiguousarray(axis)) for axis in drawn.T],
            "columns": list(metadata.columns),
            "sprite": sprite,
            "problems": problems + sprite_problems,
        },
        accepts_cbor(request),
    )


def _metadata(located: Located, total: int) -> tuple[Metadata, list[str]]:
    """Return (the metadata, what of them cannot be shown)."""
    try:
        metadata = contents.metadata_of(located)
    except UnreadableError as error:
        return NO_METADATA, [str(error)]
    problems = []
    name = os.path.basename(located.embedding.metadata_path)
    if metadata.columns and metadata.row_count != total:
        problems.append(f"{name!r} has {metadata.row_count} rows for {total} vectors")
    if metadata.left_out:
        problems.append(f"{name!r} has {metadata.left_out} more columns, which are not read")
    return metadata, problems


def _sprite(located: Located, total: int, query: queries.EmbeddingQuery) -> tuple[dict[str, Any] | None, list[str]]:
    """Return (where the images of the vectors are, why they cannot be shown)."""
    embedding = located.embedding
    if not embedding.sprite_path:
        return None, []
    try:
        encoded = contents.sprite_of(located)
        width, height = check_grid(encoded, embedding.image_size, total, os.path.basename(embedding.sprite_path))
    except UnreadableError as error:
        return None, [str(error)]
    size = image_size(memoryview(encoded)) or (0, 0)
    address = {"run": query.run, "name": query.name, "step": embedding.step, "content": _digest(encoded)}
    sprite = {"url": f"api/embeddings/sprite?{urlencode(address)}", "image_width": width, "image_height": height}
    return sprite | {"width": size[0], "height": size[1]}, []


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@router.get("/embeddings/column", response_model=replies.ColumnReply, responses={**_UNREADABLE, **_COLUMNS})
async def read_column(request: Request, current: Current, query: Annotated[queries.ColumnQuery, Query()]) -> Response:
    """Read a column of the metadata, by which points are coloured."""

    def compute(located: Located) -> Response:
        if query.column >= len(contents.metadata_of(located).columns):
            raise HTTPException(404, f"no column {query.column} in the metadata of {query.name!r}")
        found = contents.column_of(located, query.column)
        column = cbor_column if accepts_cbor(request) else json_column
        reply: dict[str, Any] = {"column": query.column, "numbers": None, "names": [], "counts": [], "codes": None}
        if isinstance(found, Numbers):
            reply |= {"numbers": column(found.values), "distinct": 0}
        else:
            reply |= {"names": found.names, "counts": found.counts, "distinct": found.distinct}
            reply["codes"] = found.codes if accepts_cbor(request) else json_column(found.codes)
        return columns_reply(reply, accepts_cbor(request))

    return await _reply(request, current, query, compute)


@router.get("/embeddings/points", response_model=replies.Points, responses=_UNREADABLE)
async def read_points(request: Request, current: Current, query: Annotated[queries.PointsQuery, Query()]) -> Response:
    """Read the metadata of some vectors."""

    def compute(located: Located) -> Response:
        metadata = contents.metadata_of(located)
        return json_reply({"points": [{"row": row, "values": metadata.row(row)} for row in query.row]})

    return await _reply(request, current, query, compute)


@router.get("/embeddings/neighbours", response_model=replies.Neighbours, responses=_UNREADABLE)
async def read_neighbours(
    request: Request, current: Current, query: Annotated[queries.NeighboursQuery, Query()]
) -> Response:
    """Read the nearest neighbours of a vector in the original space."""

    def compute(located: Located) -> Response:
        vectors, (metadata, _) = contents.vectors_of(located), _metadata(located, 0)
        if query.row >= len(vectors):
            raise HTTPException(404, f"no vector in row {query.row} of {query.name!r}, which has {len(vectors)}")
        found = neighbours.nearest(vectors, query.row, query.count, query.metric)
        rows = [
            {"row": row, "distance": distance, "values": metadata.row(row)}
            for row, distance in zip(found.rows.tolist(), found.distances.tolist(), strict=True)
        ]
        return json_reply({"row": query.row, "values": metadata.row(query.row), "neighbours": rows})

    return await _reply(request, current, query, compute)


@router.get("/embeddings/search", response_model=replies.Found, responses=_UNREADABLE)
async def search_rows(request: Request, current: Current, query: Annotated[queries.SearchQuery, Query()]) -> Response:
    """Find the vectors whose metadata contain a text."""

    def compute(located: Located) -> Response:
        rows, total = contents.metadata_of(located).find(query.text, queries.MAX_FOUND)
        return json_reply({"rows": rows, "total": total})

    return await _reply(request, current, query, compute)


@router.post(
    "/embeddings/rows.csv",
    response_class=Response,
    responses={**_UNREADABLE, **_CSV, **body_errors(MAX_BODY_BYTES)},
    max_body_size=MAX_BODY_BYTES,
)
async def read_rows_csv(request: Request, current: Current, query: Annotated[queries.RowsBody, Body()]) -> Response:
    """Read some vectors with their metadata as CSV: the columns row, those of the metadata, then the dimensions."""

    def compute(located: Located) -> Response:
        vectors, (metadata, _) = contents.vectors_of(located), _metadata(located, 0)
        text = io.StringIO()
        write = csv.writer(text, lineterminator="\n").writerow
        write(["row", *metadata.columns, *(f"dimension {number}" for number in range(vectors.shape[1]))])
        for row in query.rows:
            if 0 <= row < len(vectors):
                write([row, *metadata.row(row), *vectors[row].tolist()])
        headers = {"Content-Disposition": attachment([query.name], "embedding", "csv")}
        return Response(text.getvalue(), media_type="text/csv", headers=headers)

    return await _reply(request, current, query, compute)


@router.get("/embeddings/sprite", response_class=Response, responses={**_UNREADABLE, **_IMAGE_BYTES})
async def read_sprite(
    request: Request,
    current: Current,
    query: Annotated[queries.SpriteQuery, Query()],
    if_none_match: Annotated[str | None, Header(description="ETags of cached sprites")] = None,
) -> Response:
    """Read the sprite of an embedding."""

    def compute(located: Located) -> Response:
        encoded = contents.sprite_of(located)
        etag = f'"{_digest(encoded)}"'
        if etag_matches(etag, if_none_match):
            return Response(status_code=304, headers={"ETag": etag})
        detected = image_format(memoryview(encoded))
        return Response(encoded, media_type=detected.media_type if detected else None, headers={"ETag": etag})

    return await _reply(request, current, query, compute)


async def _reply(
    request: Request, current: Snapshot, query: queries.EmbeddingQuery, compute: Callable[[Located], Response]
) -> Response:
    """Return what is computed of an embedding.

    Raises:
        HTTPException: 404 if there is none, 410 if a file of it cannot be read.
    """

    def plan() -> Work:
        with _refusals(query):
            located = _locate(current, query, request)
            return Work(contents.cost_of(located), lambda: work(located))

    def work(located: Located) -> Response:
        with _refusals(query):
            return compute(located)

    return await within_budget(request, plan)


@contextmanager
def _refusals(query: queries.EmbeddingQuery) -> Iterator[None]:
    """Turn what is wrong with the files of an embedding into replies."""
    try:
        yield
    except UnreadableError as error:
        raise HTTPException(410, f"embedding {query.name!r} of run {query.run!r} cannot be read: {error}") from error


def _locate(current: Snapshot, query: queries.EmbeddingQuery, request: Request) -> Located:
    """Return the embedding that a query selects.

    Raises:
        HTTPException: 404 if there is none.
    """
    (run,) = find_runs(current, [query.run])
    found = [each for each in embeddings_of(run, query.name) if query.step in (None, each.step)]
    if not found:
        at = "" if query.step is None else f" at step {query.step}"
        raise HTTPException(404, f"no embedding {query.name!r}{at} in run {query.run!r}")
    folders = {os.path.dirname(file.path) for file in run.files if not file.is_aside}
    local = [address for address in addresses_in(logdir_of(request).path) if not is_remote(address)]
    folder: str | None = request.app.state.index_folder
    stored = None if folder is None else StoredProjections(Path(folder) / "projections")
    return Located(found[-1], (*local, *sorted(folders)), stored)
