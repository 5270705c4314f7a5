"""Encryption of files with AES-GCM or AES-CBC, using the package cryptography.

A file consists of a header, chunks of ciphertext and, in CBC mode, an HMAC. The header contains "TOPOAES1", the mode
(one byte: 1 for GCM, 2 for CBC), 32 random bytes, and 16 bytes that distinguish a wrong key from a damaged file. The
keys of the file are derived from the user's key and the random bytes with HKDF-SHA256, so no nonce is used twice with
the same key.

* GCM: chunks of 1 MiB, each followed by its tag. The nonce is the number of the chunk (8 bytes, big-endian), three zero
  bytes, and one byte that is 1 for the last chunk, else 0 (the STREAM construction of Hoang, Reyhanitabar, Rogaway and
  Vizar, 2015). The header is additional authenticated data of each chunk.
* CBC: PKCS#7 padding, and an HMAC-SHA256 of header and ciphertext at the end.
"""

import hashlib
import hmac
import importlib.util
import os
from typing import Any, BinaryIO, NamedTuple, Protocol

from toposcope.proto.framing import Buffer

MAGIC = b"TOPOAES1"
MODES = ("AES-GCM", "AES-CBC")
KEY_BYTES = (16, 24, 32)
_SALT_BYTES, _CHECK_BYTES, _TAG_BYTES, _BLOCK_BYTES, _HMAC_BYTES = 32, 16, 16, 16, 32
_HEADER_BYTES = len(MAGIC) + 1 + _SALT_BYTES + _CHECK_BYTES
_CHUNK_BYTES = 1 << 20


def require_cryptography() -> None:
    """Raise ImportError if the package cryptography is not installed."""
    if importlib.util.find_spec("cryptography") is None:
        raise ImportError("Encrypted checkpoints require the package cryptography: pip install cryptography")


class _Keys(NamedTuple):
    """The keys and the header of one file."""

    cipher: bytes
    hmac: bytes
    vector: bytes
    header: bytes


class _Cipher(Protocol):
    """Encrypts and decrypts the consecutive chunks of a file."""

    def encrypt(self, chunk: bytes, is_last: bool) -> bytes:
        """Return the ciphertext of the next chunk; only the last may be shorter than 1 MiB."""

    def decrypt(self, chunk: bytes, is_last: bool) -> bytes:
        """Return the plaintext of the next chunk."""


class EncryptingWriter:
    """A writer that encrypts the written bytes, buffering one chunk in memory."""

    def __init__(self, file: BinaryIO, key: bytes, mode: str) -> None:
        """Write to *file*."""
        require_cryptography()
        keys = _keys_of(key, mode, os.urandom(_SALT_BYTES))
        self._file = file
        self._cipher = _cipher_of(mode, keys)
        self._chunk = bytearray()
        file.write(keys.header)

    def write(self, data: Buffer) -> int:
        """Write all bytes; return their number."""
        view = memoryview(data).cast("B")
        start = 0
        while start < len(view):
            # A full chunk is kept until more bytes follow: the last one is encrypted differently.
            if len(self._chunk) == _CHUNK_BYTES:
                self._file.write(self._cipher.encrypt(bytes(self._chunk), False))
                self._chunk.clear()
            part = view[start : start + _CHUNK_BYTES - len(self._chunk)]
            self._chunk += part
            start += len(part)
        return len(view)

    def flush(self) -> None:
        """Do nothing: chunks are written when they are full."""

    def finish(self) -> None:
        """Write the last chunk."""
        self._file.write(self._cipher.encrypt(bytes(self._chunk), True))


def decrypted(file: BinaryIO, size: int, key: bytes, mode: str) -> bytearray:
    """Return the authenticated plaintext of the first size bytes of a file.

    Raises:
        ValueError: the file was encrypted in another mode or with another key, or was modified or truncated since.
        ImportError: the package cryptography is not installed.
    """
    require_cryptography()
    header = file.read(_HEADER_BYTES)
    if size < _HEADER_BYTES:
        raise ValueError("it is truncated: its header is incomplete")
    number = header[len(MAGIC)]
    if not 1 <= number <= len(MODES):
        raise ValueError(f"it has the unknown mode of encryption {number}")
    if MODES[number - 1] != mode:
        raise ValueError(f"it is encrypted with {MODES[number - 1]}, not {mode}")
    keys = _keys_of(key, mode, header[len(MAGIC) + 1 :][:_SALT_BYTES])
    if not hmac.compare_digest(keys.header, header):
        raise ValueError(f"it is encrypted with another key, mode {mode}")
    cipher = _cipher_of(mode, keys)
    remaining = size - _HEADER_BYTES
    chunk_bytes = _CHUNK_BYTES + (_TAG_BYTES if mode == "AES-GCM" else 0)
    plain = bytearray()
    while True:
        # In CBC mode the last chunk ends with up to one block of padding and the HMAC.
        is_last = remaining <= (chunk_bytes if mode == "AES-GCM" else chunk_bytes + _BLOCK_BYTES + _HMAC_BYTES)
        chunk = file.read(remaining if is_last else chunk_bytes)
        remaining -= len(chunk)
        plain += cipher.decrypt(chunk, is_last)
        if is_last:
            return plain


def _keys_of(key: bytes, mode: str, salt: bytes) -> _Keys:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    lengths = (len(key), _HMAC_BYTES, _BLOCK_BYTES, _CHECK_BYTES)
    derived = HKDF(SHA256(), sum(lengths), salt, b"toposcope checkpoint " + mode.encode()).derive(key)
    parts = []
    for length in lengths:
        parts.append(derived[:length])
        derived = derived[length:]
    cipher, mac, vector, check = parts
    return _Keys(cipher, mac, vector, MAGIC + bytes([MODES.index(mode) + 1]) + salt + check)


def _cipher_of(mode: str, keys: _Keys) -> _Cipher:
    return _Gcm(keys) if mode == "AES-GCM" else _Cbc(keys)


class _Gcm:
    """AES-GCM; counts the chunks, whose numbers are part of the nonces."""

    def __init__(self, keys: _Keys) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._aes = AESGCM(keys.cipher)
        self._header = keys.header
        self._number = 0

    def encrypt(self, chunk: bytes, is_last: bool) -> bytes:
        return self._aes.encrypt(self._nonce(is_last), chunk, self._header)

    def decrypt(self, chunk: bytes, is_last: bool) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return self._aes.decrypt(self._nonce(is_last), chunk, self._header)
        except (InvalidTag, ValueError):
            raise ValueError("it was modified or truncated after it was encrypted") from None

    def _nonce(self, is_last: bool) -> bytes:
        self._number += 1
        return self._number.to_bytes(8) + bytes([0, 0, 0, is_last])


class _Cbc:
    """AES-CBC, and the HMAC of everything before it."""

    def __init__(self, keys: _Keys) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.algorithms import AES
        from cryptography.hazmat.primitives.ciphers.modes import CBC

        cipher = Cipher(AES(keys.cipher), CBC(keys.vector))
        self._encryptor: Any = cipher.encryptor()
        self._decryptor: Any = cipher.decryptor()
        self._hmac = hmac.new(keys.hmac, keys.header, hashlib.sha256)

    def encrypt(self, chunk: bytes, is_last: bool) -> bytes:
        if is_last:
            padding = _BLOCK_BYTES - len(chunk) % _BLOCK_BYTES
            chunk += bytes([padding]) * padding
        ciphertext: bytes = self._encryptor.update(chunk)
        self._hmac.update(ciphertext)
        return ciphertext + self._hmac.digest() if is_last else ciphertext

    def decrypt(self, chunk: bytes, is_last: bool) -> bytes:
        ciphertext = chunk[:-_HMAC_BYTES] if is_last else chunk
        self._hmac.update(ciphertext)
        is_authentic = not is_last or hmac.compare_digest(self._hmac.digest(), chunk[-_HMAC_BYTES:])
        if not is_authentic or len(ciphertext) % _BLOCK_BYTES or not ciphertext:
            raise ValueError("it was modified or truncated after it was encrypted")
        plain: bytes = self._decryptor.update(ciphertext)
        return plain[: -plain[-1]] if is_last else plain
