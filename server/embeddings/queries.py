"""The queries of the routes of embeddings."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.embeddings.files.metadata import MAX_COLUMNS
from toposcope.server.embeddings.files.vectors import MAX_ELEMENTS
from toposcope.server.embeddings.projections.reduction import Method

MAX_ROWS = 1000
"""Vectors whose metadata are listed."""
MAX_NEIGHBOURS = 1000
MAX_FOUND = 100_000


class RunQuery(BaseModel):
    """Selects a run."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")


class EmbeddingQuery(RunQuery):
    """Selects an embedding at a step."""

    name: str = Field(max_length=MAX_NAME, description="name of an embedding of the run")
    step: int | None = Field(None, ge=-(2**63), lt=2**63, description="default: the last step")


class ProjectionQuery(EmbeddingQuery):
    """Selects a projection."""

    components: int = Field(2, ge=2, le=3, description="number of dimensions")


class ReductionQuery(ProjectionQuery):
    """Selects a reduction."""

    method: Method = Field(description="what is computed")
    seed: int = Field(0, ge=0, lt=2**32, description="of its random numbers")


class ColumnQuery(EmbeddingQuery):
    """Selects a column of metadata."""

    column: int = Field(ge=0, lt=MAX_COLUMNS, description="number of the column, from 0 on")


class PointsQuery(EmbeddingQuery):
    """Selects vectors."""

    row: list[int] = Field(min_length=1, max_length=MAX_ROWS, description="rows of vectors; there may be several")


class NeighboursQuery(EmbeddingQuery):
    """Selects a vector whose neighbours are returned."""

    row: int = Field(ge=0, lt=MAX_ELEMENTS, description="row of a vector")
    count: int = Field(20, ge=1, le=MAX_NEIGHBOURS, description="number of neighbours")
    metric: Literal["cosine", "euclidean"] = Field("cosine", description="the distance")


class SearchQuery(EmbeddingQuery):
    """Selects the vectors whose metadata contain a text."""

    text: str = Field(min_length=1, max_length=1000, description="part of the metadata, in any case")


class RowsBody(EmbeddingQuery):
    """Selects the vectors of a CSV file."""

    rows: list[int] = Field(max_length=1_000_000, description="rows of vectors")


class SpriteQuery(EmbeddingQuery):
    """Selects a sprite; the projection returns such URLs."""

    content: str = Field("", max_length=100, description="differs when the sprite has changed")
