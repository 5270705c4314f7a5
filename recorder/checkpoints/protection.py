"""Sealing: the key, and the checksum, that a checkpoint's bytes are written and read under."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple, cast

from toposcope.recorder.checkpoints import checksum, encryption


class Protection(NamedTuple):
    """How the bytes of a file are protected."""

    key: bytes | None = None
    """Of AES, 16, 24 or 32 bytes; None: not encrypted."""
    mode: str = "AES-GCM"
    crc_check: bool = False
    """Whether the file ends with a checksum."""


@contextmanager
def protected_writer(file: BinaryIO, protection: Protection) -> Iterator[BinaryIO]:
    """Yield a file that writes to *file* under the protection, which is complete if the block raises no error."""
    checked = checksum.ChecksumWriter(file) if protection.crc_check else None
    outer = file if checked is None else cast(BinaryIO, checked)
    encrypting = None if protection.key is None else encryption.EncryptingWriter(outer, protection.key, protection.mode)
    yield outer if encrypting is None else cast(BinaryIO, encrypting)
    if encrypting is not None:
        encrypting.finish()
    if checked is not None:
        checked.finish()


def unprotected_reader(file: BinaryIO, key: bytes | None, mode: str) -> BinaryIO:
    """Return a file of the bytes that were protected_writer: *file* itself, or a copy in memory.

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
