"""Embeddings as the files that TensorBoard's projector reads.

The vectors, their labels and their images are in `<step>/<tag>`; `projector_config.pbtxt` lists them
(tensorboard/plugins/projector/projector_config.proto).
"""

import math
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.tensorboard.kinds.image import bytes_of
from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.values.image import png_of

_CONFIG = "projector_config.pbtxt"
_VECTORS, _LABELS, _SPRITE = "tensors.tsv", "metadata.tsv", "sprite.png"
_ESCAPED = {ord(character): f"%{ord(character):02x}" for character in "%/\\"}
_SEPARATORS = str.maketrans("\t\n\r", "   ")


class Embedding(NamedTuple):
    """Vectors with what is known of each."""

    tag: str
    step: int
    vectors: npt.NDArray[Any]
    """[n, dimensions]"""
    labels: str | None
    """The content of the file of labels."""
    images: npt.NDArray[Any] | None
    """[n, channels, height, width]"""


def labels_text(metadata: Any, header: Any, number: int) -> str:
    """Return the content of the file of labels: a line for each vector, after the header if there are several columns.

    Raises:
        ValueError: there is not one label for each vector, or one name for each column.
    """
    rows = list(metadata)
    if len(rows) != number:
        raise ValueError(f"metadata must have one label for each of {number} vectors; it has {len(rows)}.")
    if not header:
        return "".join(_cell(row) + "\n" for row in rows)
    table = [list(header), *(list(row) for row in rows)]
    if any(len(row) != len(table[0]) for row in table):
        raise ValueError(f"metadata_header must have one name for each column of metadata, not {short_repr(header)}.")
    return "".join("\t".join(map(_cell, row)) + "\n" for row in table)


def _cell(value: object) -> str:
    return str(value).translate(_SEPARATORS)


def write_embedding(directory: str, embedding: Embedding) -> None:
    """Write the files of an embedding and add it to the list of the directory.

    Raises:
        OSError: a file cannot be written.
    """
    folder = f"{embedding.step:05d}/{embedding.tag.translate(_ESCAPED)}"
    path = os.path.join(directory, folder)
    os.makedirs(path, exist_ok=True)
    lines = ("\t".join(map(repr, row)) + "\n" for row in embedding.vectors.tolist())
    _write(os.path.join(path, _VECTORS), "".join(lines).encode())
    entry = [_field("tensor_name", f"{embedding.tag}:{embedding.step:05d}")]
    if embedding.labels is not None:
        _write(os.path.join(path, _LABELS), embedding.labels.encode("utf-8", "backslashreplace"))
        entry.append(_field("metadata_path", f"{folder}/{_LABELS}"))
    if embedding.images is not None:
        _write(os.path.join(path, _SPRITE), png_of(_sprite(embedding.images)))
        _, _, height, width = embedding.images.shape
        sizes = [f"single_image_dim: {width}", f"single_image_dim: {height}"]
        entry += ["sprite {", *("  " + line for line in [_field("image_path", f"{folder}/{_SPRITE}"), *sizes]), "}"]
    entry.append(_field("tensor_path", f"{folder}/{_VECTORS}"))
    _add_entry(os.path.join(directory, _CONFIG), entry)


def _add_entry(path: str, lines: Sequence[str]) -> None:
    """Add an embedding to the list, unless it is there already."""
    entry = "".join(f"{line}\n" for line in ["embeddings {", *("  " + line for line in lines), "}"])
    with open(path, "a+", encoding="utf-8", newline="") as file:
        file.seek(0)
        if entry not in file.read():
            file.write(entry)


def _write(path: str, content: bytes) -> None:
    """Write a file that readers see complete."""
    partial = f"{path}.{os.getpid()}.part"
    with open(partial, "wb") as file:
        file.write(content)
    os.replace(partial, path)


def _field(name: str, text: str) -> str:
    """Return a field in protobuf's text format."""
    escaped = "".join(
        character if " " <= character <= "~" and character not in '"\\' else _escaped(character) for character in text
    )
    return f'{name}: "{escaped}"'


def _escaped(character: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "backslashreplace"))


def _sprite(images: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return images as a square grid with as many rows as columns; missing ones are black."""
    pixels = bytes_of(images)
    number, channels, height, width = pixels.shape
    if channels == 1:
        pixels, channels = pixels.repeat(3, axis=1), 3
    side = math.ceil(math.sqrt(number))
    padded = np.zeros((side * side, channels, height, width), np.uint8)
    padded[:number] = pixels
    grid = padded.reshape(side, side, channels, height, width).transpose(0, 3, 1, 4, 2)
    return grid.reshape(side * height, side * width, channels)
