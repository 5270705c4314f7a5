"""The embeddings of a run: what the lists beside its event files say of them."""

from typing import NamedTuple

from google.protobuf.message import DecodeError

from toposcope.proto import projector_pb2
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.values.tensor import read_strings

PLUGIN = "projector"


class Embedding(NamedTuple):
    """An embedding at one step. Its texts are untrusted."""

    step: int
    wall_time: float
    """When the list was written, in seconds since 1970."""
    directory: str
    """The directory of the list, to which the paths below are relative; it is as untrusted as they are."""
    tensor_path: str
    """"" if the vectors are in a checkpoint of TensorFlow."""
    shape: tuple[int, ...]
    """The shape of raw vectors; empty if it is not stated."""
    metadata_path: str
    """"" if there are no metadata, and so on."""
    sprite_path: str
    image_size: tuple[int, ...]
    """Width and height of each image of the sprite in pixels."""


def embeddings_of(run: RunView, name: str) -> list[Embedding]:
    """Return an embedding of a run at each of its steps, ascending; of several lists of a step, the last one counts.

    Raises:
        OSError: a list cannot be read at present.
    """
    payloads = run.payloads(Tag(PLUGIN, name), 0, ALL)
    found: dict[int, Embedding] = {}
    for row in range(payloads.total):
        try:
            _, (content,) = read_strings(read_payload(run, payloads, row))
            info = projector_pb2.EmbeddingInfo.FromString(bytes(content))
        except (ValueError, DecodeError):  # Damaged: the others are read.
            continue
        step = int(payloads.step[row])
        found[step] = _embedding(info, step, float(payloads.wall_time[row]))
    return [found[step] for step in sorted(found)]


def _embedding(info: projector_pb2.EmbeddingInfo, step: int, wall_time: float) -> Embedding:
    return Embedding(
        step,
        wall_time,
        info.directory,
        info.tensor_path,
        tuple(info.tensor_shape),
        info.metadata_path,
        info.sprite.image_path,
        tuple(info.sprite.single_image_dim),
    )
