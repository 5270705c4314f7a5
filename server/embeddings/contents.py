"""What the files of an embedding contain, read when it is first needed and kept until the files change."""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import NamedTuple, TypeVar

from toposcope.server.budget.cache import Cache
from toposcope.server.budget.cost import Cost
from toposcope.server.embeddings.files.column import Categories, Numbers, as_column
from toposcope.server.embeddings.files.embedding import Embedding
from toposcope.server.embeddings.files.folder import UnreadableError, open_file
from toposcope.server.embeddings.files.metadata import NO_METADATA, Metadata, read_metadata
from toposcope.server.embeddings.files.sprite import read_sprite
from toposcope.server.embeddings.files.vectors import Float32s, read_vectors
from toposcope.server.embeddings.projections.pca import Projection, pca
from toposcope.server.embeddings.projections.reduction import Reduction, reduced
from toposcope.server.embeddings.projections.stored import StoredProjections
from toposcope.server.places.place import OpenFile
from toposcope.server.runs.messages.payload import READERS

MAX_DRAWN = 1_000_000
"""Vectors of an embedding with more of them are drawn evenly spread."""
_KEPT_BYTES = 512 << 20
_KEPT_SECONDS = 0.2
"""What a request takes of vectors that are kept."""
_BYTES_PER_SECOND = 50e6
"""How fast text is read."""
_TEXT_BYTES = 3
"""Bytes of text for each byte of vectors, or more."""
_cache = Cache(_KEPT_BYTES)
Value = TypeVar("Value")


class Located(NamedTuple):
    """An embedding, the directories in which its files may be, and where its projections are stored."""

    embedding: Embedding
    tops: tuple[str, ...]
    stored: StoredProjections | None


def vectors_of(located: Located) -> Float32s:
    """Return the vectors, float32[n, dimensions].

    Raises:
        UnreadableError: they are missing or malformed.
        OSError: they cannot be read at present.
        CancelledError: nobody waits for the result any more.
    """
    embedding = located.embedding
    name = os.path.basename(embedding.tensor_path)
    return _read(
        located,
        embedding.tensor_path,
        lambda file: read_vectors(file, name, embedding.shape),
        lambda vectors: vectors.nbytes,
        embedding.shape,
    )


def metadata_of(located: Located) -> Metadata:
    """Return the metadata; none if the list names none. Raises as vectors_of()."""
    path = located.embedding.metadata_path
    if not path:
        return NO_METADATA
    return _read(
        located,
        path,
        lambda file: read_metadata(file, os.path.basename(path)),
        lambda metadata: len(metadata.content) + metadata.starts.nbytes,
    )


def sprite_of(located: Located) -> bytes:
    """Return the encoded sprite. Raises as vectors_of()."""
    path = located.embedding.sprite_path
    if not path:
        raise UnreadableError("the list names no sprite")
    return _read(located, path, lambda file: read_sprite(file, os.path.basename(path)), len)


def projection_of(located: Located, components: int) -> Projection:
    """Return the principal components of the vectors. Raises as vectors_of()."""
    embedding, stored = located.embedding, located.stored
    key = (*_identity(located, embedding.tensor_path), *embedding.shape, "pca", components)

    def make() -> Projection:
        known = stored.load(key) if stored else None
        if known is not None:
            return known
        found = pca(vectors_of(located), components)
        if stored:
            stored.store(key, found)
        return found

    return _cache.get(key, make, lambda found: found.positions.nbytes)


def reduction_of(located: Located, reduction: Reduction) -> Projection | None:
    """Return a reduction that was computed before; None if it was not. Raises as vectors_of()."""
    return located.stored.load(_reduction_key(located, reduction)) if located.stored else None


def compute_reduction(located: Located, reduction: Reduction, progress: Callable[[float], None]) -> None:
    """Compute a reduction, and store it.

    Args:
        located: with a place to store it.
        reduction: which one.
        progress: is called with the share that is done, 0 to 1.

    Raises:
        MissingLibraryError: its library is not installed.
        ValueError: there are too few vectors.
        UnreadableError, OSError: as vectors_of().
    """
    found = reduced(vectors_of(located), reduction, progress)
    if located.stored:
        located.stored.store(_reduction_key(located, reduction), found)


def _reduction_key(located: Located, reduction: Reduction) -> tuple[object, ...]:
    embedding = located.embedding
    return (*_identity(located, embedding.tensor_path), *embedding.shape, *reduction)


def column_of(located: Located, number: int) -> Numbers | Categories:
    """Return a column of the metadata, as far as the rows are drawn. Raises as vectors_of()."""
    metadata = metadata_of(located)
    rows = drawn_rows(metadata.row_count)
    key = (*_identity(located, located.embedding.metadata_path), "column", number, rows)
    return _cache.get(key, lambda: as_column(metadata.column(number, rows)), _column_bytes)


def drawn_rows(total: int) -> range:
    """Return the rows of the vectors that are drawn."""
    return range(0, total, -(-total // MAX_DRAWN)) if total else range(0)


def _column_bytes(column: Numbers | Categories) -> int:
    return column.values.nbytes if isinstance(column, Numbers) else column.codes.nbytes


def _read(
    located: Located,
    path: str,
    read: Callable[[OpenFile], Value],
    size: Callable[[Value], int],
    also: Sequence[int] = (),
) -> Value:
    """Return what a file contains, from the cache if it is the same file."""

    def make() -> Value:
        with closing(_open(located, path)) as file:
            return read(file)

    return _cache.get((*_identity(located, path), *also), make, size)


def _identity(located: Located, path: str) -> tuple[object, ...]:
    """Return what differs when a file has changed.

    Raises:
        UnreadableError: it cannot be opened, or its path is empty.
    """
    if not path:
        raise UnreadableError(
            "the vectors are in a checkpoint of TensorFlow, which is not read: expected a tensor_path"
        )
    with closing(_open(located, path)) as file:
        return (located.embedding.directory, path, *file.status)


def _open(located: Located, path: str) -> OpenFile:
    with READERS.admitted():
        return open_file(located.embedding.directory, path, located.tops)


def cost_of(located: Located) -> Cost:
    """Return what reading and projecting the vectors costs; nothing if they are kept.

    Raises: as vectors_of(), if they are not there.
    """
    path = located.embedding.tensor_path
    identity = _identity(located, path)
    if _cache.has((*identity, *located.embedding.shape)):
        return Cost(_KEPT_SECONDS)
    with closing(_open(located, path)) as file:
        size = file.status.size
    return Cost(_KEPT_SECONDS + size / _BYTES_PER_SECOND, size // (1 if located.embedding.shape else _TEXT_BYTES))
