"""The list of embeddings that TensorBoard's projector reads: projector_config.pbtxt, in protobuf's text format.

Source: tensorboard/plugins/projector/projector_config.proto.
"""

import re
from typing import NamedTuple

_TOKEN = re.compile(rb"""#[^\n]*|[{}]|(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|[\w.+-]+|[:;,<>]""")
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)")
_CHARACTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_PATHS = ("tensor_path", "metadata_path", "bookmarks_path", "image_path")


class Embedding(NamedTuple):
    """An entry of the list. Its texts are untrusted."""

    name: str
    files: list[str]
    """The names of the files, usually relative to the directory of the list."""


def read_projector_config(content: bytes, most: int) -> list[Embedding]:
    """Return the first embeddings of a list; what is malformed is skipped."""
    embeddings: list[Embedding] = []
    field, depth = b"", 0
    name, files = "", list[str]()
    for token in _TOKEN.findall(content):
        if token in b"{<":
            if depth == 0:
                name, files = "", []
            depth += 1
        elif token in b"}>":
            depth = max(0, depth - 1)
            if depth == 0 and (name or files) and len(embeddings) < most:
                embeddings.append(Embedding(name, files))
                name, files = "", []
        elif token[:1] in b"\"'":
            if field == b"tensor_name" and depth:
                name = _text(token)
            elif field.decode("latin-1") in _PATHS and depth:
                files.append(_text(token))
        elif token not in b":;," and not token.startswith(b"#"):
            field = token
    return embeddings


def _text(token: bytes) -> str:
    return _ESCAPE.sub(_unescaped, token[1:-1]).decode("utf-8", "replace")


def _unescaped(match: re.Match[bytes]) -> bytes:
    escaped = match[1]
    if escaped.isdigit():
        return bytes([int(escaped, 8) & 0xFF])
    return _CHARACTERS.get(escaped, escaped)
