"""Reads a list of embeddings, which is in protobuf's text format."""

import re

from google.protobuf import text_format

from toposcope.proto import projector_pb2

LARGEST_LIST = 1 << 20
MAX_EMBEDDINGS = 1000
_STEP = re.compile(r"^(?P<name>.+):(?P<step>\d{1,18})$", re.DOTALL)


def read_config(content: bytes) -> list[projector_pb2.EmbeddingInfo]:
    """Return the embeddings of a list.

    Raises:
        ValueError: it is malformed, which includes that it is not written completely, or too large.
    """
    if len(content) > LARGEST_LIST:
        raise ValueError(f"the list has more than {LARGEST_LIST} bytes")
    try:
        config = text_format.Parse(content.decode(), projector_pb2.ProjectorConfig(), allow_unknown_field=True)
    except (text_format.ParseError, ValueError, RecursionError) as error:
        raise ValueError(f"the list of embeddings is malformed: {str(error)[:200]}") from None
    if len(config.embeddings) > MAX_EMBEDDINGS:
        raise ValueError(f"the list has {len(config.embeddings)} embeddings: expected at most {MAX_EMBEDDINGS}")
    return list(config.embeddings)


def name_and_step(info: projector_pb2.EmbeddingInfo) -> tuple[str, int]:
    """Return (the name of an embedding, its step).

    PyTorch and tensorboardX append the step to the name. TensorFlow has no steps, but names its variables "name:0".
    """
    name = info.tensor_name or info.tensor_path
    match = _STEP.match(name)
    return (match["name"], int(match["step"])) if match else (name, 0)
