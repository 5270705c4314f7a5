"""The replies of the routes of embeddings."""

from pydantic import BaseModel

from toposcope.server.api.replies.json_reply import Number


class EmbeddingRow(BaseModel):
    """An embedding. Its name is untrusted: never insert it as HTML."""

    name: str
    steps: list[int]
    """Ascending."""


class Embeddings(BaseModel):
    """The embeddings of a run."""

    revision: int
    run: str
    embeddings: list[EmbeddingRow]


class Sprite(BaseModel):
    """An image that contains a small one for each vector, row by row."""

    url: str
    """Relative to the root of the server; its content never changes."""
    image_width: int
    """Pixels of a small image."""
    image_height: int
    width: int
    """Pixels of the sprite."""
    height: int


class Projection(BaseModel):
    """The principal components of an embedding, or a reduction. In CBOR, columns are typed arrays."""

    run: str
    name: str
    step: int
    total: int
    """Vectors of the embedding."""
    dimensions: int
    stride: int
    """The n-th point is the vector in row n * stride: one of more than a million is drawn evenly spread."""
    left_out: int
    """Vectors with a NaN or an infinity: they have no position, and are no neighbours."""
    placed: int
    """Vectors that have a position: of more than 100,000, UMAP and t-SNE place evenly spread ones."""
    explained: list[Number]
    """The share of the variance that each principal component explains, 0 to 1; empty for a reduction."""
    axes: list[list[Number]]
    """The positions on each component: NaN for vectors that are left out."""
    columns: list[str]
    """The names of the columns of metadata. They are untrusted, as all metadata."""
    sprite: Sprite | None
    problems: list[str]
    """What of the metadata and images cannot be shown, one sentence each, without its full stop."""


class Report(BaseModel):
    """How far the computation of a reduction is."""

    progress: float
    """The share that is done, 0 to 1; 0 while another reduction is computed."""
    problem: str | None
    """Why it cannot be computed; it ends with that."""


class ColumnReply(BaseModel):
    """A column of metadata for the points that are drawn: numbers, or categories.

    Up to 24 different whole numbers are categories.
    """

    column: int
    numbers: list[Number] | None
    """NaN where there is none; null if the column has texts."""
    names: list[str]
    """Up to 24 categories in their own order; of more of them the most frequent 1000, by frequency."""
    counts: list[int]
    """How often each occurs."""
    codes: list[int] | None
    """The number of the category of each point; -1 if it has none that is listed. Null if the column has numbers."""
    distinct: int
    """How many categories there are."""


class Point(BaseModel):
    """A vector and its metadata."""

    row: int
    values: list[str]
    """The texts of the columns of metadata."""


class Points(BaseModel):
    """Some vectors and their metadata."""

    points: list[Point]


class NeighbourRow(Point):
    """A neighbour of a vector."""

    distance: Number


class Neighbours(BaseModel):
    """The nearest neighbours of a vector in the original space, nearest first."""

    row: int
    values: list[str]
    neighbours: list[NeighbourRow]


class Found(BaseModel):
    """The vectors whose metadata contain a text."""

    rows: list[int]
    """The first ones, at most 100,000."""
    total: int
