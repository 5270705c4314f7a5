"""Encryption of files with AES-GCM or AES-CBC, through the package cryptography.

A file is a header, pieces of ciphertext and, in the CBC mode, a HMAC. The header: "TOPOAES1", the mode (one byte, 1 for
GCM and 2 for CBC), 32 random bytes, and 16 bytes that tell a wrong key from a damaged file. HKDF-SHA256 of the user's
key and the random bytes gives the keys of this file alone, so that no nonce is ever used twice.

* GCM: pieces of 1 MiB, each followed by its tag; the nonce is the piece's number (8 bytes, big-endian), three zeros and
  1 for the last piece, else 0 (the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizar, 2015). The header is
  authenticated with each.
* CBC: PKCS#7 padding, and a HMAC-SHA256 of header and ciphertext at the end.
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
_PIECE_BYTES = 1 << 20


def require_cryptography() -> None:
    """Raise ImportError when the package cryptography is not installed."""
    if importlib.util.find_spec("cryptography") is None:
        raise ImportError("Encrypted checkpoints need the package cryptography: pip install cryptography")


class _Keys(NamedTuple):
    """What belongs to one file."""

    cipher: bytes
    hmac: bytes
    vector: bytes
    header: bytes


class _Cipher(Protocol):
    """Turns pieces into what stands in the file."""

    def encrypt(self, piece: bytes, is_last: bool) -> bytes:
        """Return the ciphertext of the next piece; only the last may be shorter than 1 MiB."""

    def decrypt(self, piece: bytes, is_last: bool) -> bytes:
        """Return the plaintext of the next piece."""


class EncryptingWriter:
    """A file whose bytes are written encrypted; one piece of them is in memory."""

    def __init__(self, file: BinaryIO, key: bytes, mode: str) -> None:
        """Write into *file*."""
        require_cryptography()
        keys = _keys_of(key, mode, os.urandom(_SALT_BYTES))
        self._file = file
        self._cipher = _cipher_of(mode, keys)
        self._piece = bytearray()
        file.write(keys.header)

    def write(self, data: Buffer) -> int:
        """Take bytes; return how many, all of them."""
        view = memoryview(data).cast("B")
        start = 0
        while start < len(view):
            # A full piece waits: the last one is written otherwise than the others.
            if len(self._piece) == _PIECE_BYTES:
                self._file.write(self._cipher.encrypt(bytes(self._piece), False))
                self._piece.clear()
            taken = view[start : start + _PIECE_BYTES - len(self._piece)]
            self._piece += taken
            start += len(taken)
        return len(view)

    def flush(self) -> None:
        """Do nothing: pieces are written when they are full."""

    def finish(self) -> None:
        """Write the last piece."""
        self._file.write(self._cipher.encrypt(bytes(self._piece), True))


def decrypted(file: BinaryIO, size: int, key: bytes, mode: str) -> bytearray:
    """Return the plaintext of the first size bytes of a file, all of it authentic.

    Raises:
        ValueError: the file was encrypted in another mode or with another key, or was changed or cut since.
        ImportError: the package cryptography is not installed.
    """
    require_cryptography()
    header = file.read(_HEADER_BYTES)
    if size < _HEADER_BYTES:
        raise ValueError("it is cut: not even its header is whole")
    number = header[len(MAGIC)]
    if not 1 <= number <= len(MODES):
        raise ValueError(f"its mode of encryption, number {number}, is unknown")
    if MODES[number - 1] != mode:
        raise ValueError(f"it is encrypted with {MODES[number - 1]}, not {mode}")
    keys = _keys_of(key, mode, header[len(MAGIC) + 1 :][:_SALT_BYTES])
    if not hmac.compare_digest(keys.header, header):
        raise ValueError(f"key and mode {mode} do not fit: it is encrypted with another key")
    cipher = _cipher_of(mode, keys)
    left = size - _HEADER_BYTES
    piece_bytes = _PIECE_BYTES + (_TAG_BYTES if mode == "AES-GCM" else 0)
    plain = bytearray()
    while True:
        # The last piece of the CBC mode ends with padding of up to a block and the HMAC.
        is_last = left <= (piece_bytes if mode == "AES-GCM" else piece_bytes + _BLOCK_BYTES + _HMAC_BYTES)
        piece = file.read(left if is_last else piece_bytes)
        left -= len(piece)
        plain += cipher.decrypt(piece, is_last)
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
    """AES-GCM: knows the number of the next piece."""

    def __init__(self, keys: _Keys) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._aes = AESGCM(keys.cipher)
        self._header = keys.header
        self._number = 0

    def encrypt(self, piece: bytes, is_last: bool) -> bytes:
        return self._aes.encrypt(self._nonce(is_last), piece, self._header)

    def decrypt(self, piece: bytes, is_last: bool) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return self._aes.decrypt(self._nonce(is_last), piece, self._header)
        except (InvalidTag, ValueError):
            raise ValueError("it was changed or cut since it was encrypted") from None

    def _nonce(self, is_last: bool) -> bytes:
        self._number += 1
        return self._number.to_bytes(8) + bytes([0, 0, 0, is_last])


class _Cbc:
    """AES-CBC and the HMAC of all before."""

    def __init__(self, keys: _Keys) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.algorithms import AES
        from cryptography.hazmat.primitives.ciphers.modes import CBC

        cipher = Cipher(AES(keys.cipher), CBC(keys.vector))
        self._encryptor: Any = cipher.encryptor()
        self._decryptor: Any = cipher.decryptor()
        self._hmac = hmac.new(keys.hmac, keys.header, hashlib.sha256)

    def encrypt(self, piece: bytes, is_last: bool) -> bytes:
        if is_last:
            padding = _BLOCK_BYTES - len(piece) % _BLOCK_BYTES
            piece += bytes([padding]) * padding
        ciphertext: bytes = self._encryptor.update(piece)
        self._hmac.update(ciphertext)
        return ciphertext + self._hmac.digest() if is_last else ciphertext

    def decrypt(self, piece: bytes, is_last: bool) -> bytes:
        ciphertext = piece[:-_HMAC_BYTES] if is_last else piece
        self._hmac.update(ciphertext)
        is_authentic = not is_last or hmac.compare_digest(self._hmac.digest(), piece[-_HMAC_BYTES:])
        if not is_authentic or len(ciphertext) % _BLOCK_BYTES or not ciphertext:
            raise ValueError("it was changed or cut since it was encrypted")
        plain: bytes = self._decryptor.update(ciphertext)
        return plain[: -plain[-1]] if is_last else plain
