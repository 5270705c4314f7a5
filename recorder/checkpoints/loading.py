"""Loads checkpoints; the first bytes of a file identify its format."""

import os
import zipfile
from typing import BinaryIO

from toposcope.recorder.checkpoints.arguments import checked_key, checked_mode, checked_path
from toposcope.recorder.checkpoints.checkpoint import Checkpoint
from toposcope.recorder.checkpoints.files.protection import unprotected_reader
from toposcope.recorder.checkpoints.formats import mindspore_file, numpy_file, safetensors_file, torch_file

_ZIP = b"PK\3\4"
# The key of a bytes field in protobuf; the magic number of MindSpore's encrypted blocks, from the second byte on.
_MINDSPORE, _MINDSPORE_ENCRYPTED = b"\n", b"\x5e\x3a\x7f"


def load_checkpoint(path: str | os.PathLike[str], key: bytes | None = None, mode: str = "AES-GCM") -> Checkpoint:
    """Return the checkpoint in a file, without executing any code in it (no pickle except torch's weights_only).

    Other files written by torch.save(), np.savez(), safetensors or mindspore.save_checkpoint() are also supported.

    Args:
        path: path of the file.
        key: the enc_key of an encrypted file; ignored for other files.
        mode: the enc_mode of an encrypted file.

    Returns:
        The tensors of the network (torch's on the CPU, MindSpore's, or arrays), the state of the optimizer or None, and
        the appended values. restore() loads them into a network.

    Raises:
        TypeError: path is not a path.
        ValueError: path is an address in an object store; the file has an unknown format, is damaged or truncated, or
            contains more than a checkpoint; it is encrypted and key or mode is missing or wrong; or key is not an AES
            key.
        ImportError: the file requires a package that is not installed; the message names it.
        OSError: the file cannot be read.
    """
    path = checked_path("path", path)
    key, mode = checked_key("key", key), checked_mode("mode", mode)
    with open(path, "rb") as file:
        try:
            return _read(file, path, key, mode)
        except (OSError, ImportError):
            raise
        except Exception as error:  # Damaged files cause many types of exceptions.
            raise ValueError(f"{path!r} is not a readable checkpoint: {_reason(error)}.") from error


def _read(file: BinaryIO, path: str, key: bytes | None, mode: str) -> Checkpoint:
    content = unprotected_reader(file, key, mode)
    content.seek(0)
    head = content.read(9)
    content.seek(0)
    if head.startswith(_ZIP):
        try:
            with zipfile.ZipFile(content) as archive:
                is_torch = any(name.endswith("/data.pkl") for name in archive.namelist())
        except zipfile.BadZipFile:
            raise ValueError(
                "it starts like an archive of torch.save() or np.savez() but has no end: it is truncated or damaged"
            ) from None
        content.seek(0)
        return torch_file.read(content) if is_torch else numpy_file.read(content)
    if head[8:] == b"{":
        if safetensors_file.metadata_of(content).get("format") == "ms":
            return mindspore_file.read(path, None, mode, "safetensors")
        return safetensors_file.read(content)
    if head[1:4] == _MINDSPORE_ENCRYPTED:
        if key is None:
            raise ValueError("it is encrypted, and key is None")
        return mindspore_file.read(path, key, mode, "ckpt")
    if head.startswith(_MINDSPORE):
        return mindspore_file.read(path, None, mode, "ckpt")
    raise ValueError("its format is unknown, or it is truncated")


def _reason(error: Exception) -> str:
    text = str(error).strip().rstrip(".")
    return text.splitlines()[0] if text else type(error).__name__
