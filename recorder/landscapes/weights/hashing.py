"""Short hashes of the inputs of a landscape."""

import hashlib

import numpy as np
import numpy.typing as npt

_CHARACTERS = 16


def hash_of(*contents: bytes | npt.NDArray[np.float32]) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of concatenated bytes or arrays."""
    sha = hashlib.sha256()
    for content in contents:
        sha.update(content if isinstance(content, bytes) else np.ascontiguousarray(content).reshape(-1).data)
    return sha.hexdigest()[:_CHARACTERS]
