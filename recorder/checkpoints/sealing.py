"""Sealing: the key, and the checksum, that a checkpoint's bytes are written and read under."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple, cast

from toposcope.recorder.checkpoints import checksum, encryption


class Seal(NamedTuple):
    """How the bytes of a file are protected."""

    key: bytes | None = None
    """Of AES, 16, 24 or 32 bytes; None: not encrypted."""
    mode: str = "AES-GCM"
    crc_check: bool = False
    """Whether the file ends with a checksum."""


@contextmanager
def sealed(file: BinaryIO, seal: Seal) -> Iterator[BinaryIO]:
    """Yield a file whose bytes are written into *file* under the seal, which is complete when the block ends well."""
    checked = checksum.ChecksumWriter(file) if seal.crc_check else None
    outer = file if checked is None else cast(BinaryIO, checked)
    encrypting = None if seal.key is None else encryption.EncryptingWriter(outer, seal.key, seal.mode)
    yield outer if encrypting is None else cast(BinaryIO, encrypting)
    if encrypting is not None:
        encrypting.finish()
    if checked is not None:
        checked.finish()


def unsealed(file: BinaryIO, key: bytes | None, mode: str) -> BinaryIO:
    """Return a file of the bytes that were sealed: *file* itself, or a copy in memory.

    Raises:
        ValueError: the checksum does not fit, the key is missing or wrong, or the file was changed or cut.
    """
    size = checksum.verified_size(file)
    file.seek(0)
    is_encrypted = file.read(len(encryption.MAGIC)) == encryption.MAGIC
    file.seek(0)
    if is_encrypted:
        if key is None:
            raise ValueError("it is encrypted, and no key is given")
        return io.BytesIO(encryption.decrypted(file, size, key, mode))
    if size < os.fstat(file.fileno()).st_size:
        return io.BytesIO(file.read(size))
    return file
