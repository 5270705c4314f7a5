"""Protection of checkpoint files: encryption and a checksum."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple, cast

from toposcope.recorder.checkpoints.files import checksum, encryption


class Protection(NamedTuple):
    """How the bytes of a file are protected."""

    key: bytes | None = None
    """AES key of 16, 24 or 32 bytes; None: not encrypted."""
    mode: str = "AES-GCM"
    crc_check: bool = False
    """Whether a checksum is appended to the file."""


@contextmanager
def protected_writer(file: BinaryIO, protection: Protection) -> Iterator[BinaryIO]:
    """Yield a writer to *file* that encrypts and computes the checksum; both are completed after the block."""
    checked = checksum.ChecksumWriter(file) if protection.crc_check else None
    outer = file if checked is None else cast(BinaryIO, checked)
    encrypting = None if protection.key is None else encryption.EncryptingWriter(outer, protection.key, protection.mode)
    yield outer if encrypting is None else cast(BinaryIO, encrypting)
    if encrypting is not None:
        encrypting.finish()
    if checked is not None:
        checked.finish()


def unprotected_reader(file: BinaryIO, key: bytes | None, mode: str) -> BinaryIO:
    """Return a file with the unprotected bytes: *file* itself, or a copy in memory.

    Raises:
        ValueError: the checksum does not match, the key is missing or wrong, or the file was modified or truncated.
    """
    size = checksum.verified_size(file)
    file.seek(0)
    is_encrypted = file.read(len(encryption.MAGIC)) == encryption.MAGIC
    file.seek(0)
    if is_encrypted:
        if key is None:
            raise ValueError("it is encrypted, and key is None")
        return io.BytesIO(encryption.decrypted(file, size, key, mode))
    if size < os.fstat(file.fileno()).st_size:
        return io.BytesIO(file.read(size))
    return file
